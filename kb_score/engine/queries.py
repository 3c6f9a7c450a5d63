"""Rules as questions: with which values of its variables does a rule give an atom?

The body of a rule is put to clingo as a query, with what holds as facts. For the rule

    gold(miners,P,hex(R,C),1) :- settlement(P,R,C), beside(R,C,mountain).

and the atom gold(miners,2,hex(3,4),1) the query is

    instance'((P,R,C),(settlement(P,R,C),beside(R,C,mountain))) :-
        settlement(P,R,C); beside(R,C,mountain); miners = miners; P = 2; hex(R,C) = hex(3,4); 1 = 1.

Of the facts only those come in that agree with what is known from the atom.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clingo import Control, Symbol

from kb_score.engine.clauses import find_bound
from kb_score.engine.shapes import all_fit
from kb_score.engine.solve import interruptible

if TYPE_CHECKING:
    from kb_score.engine.clauses import Clause, Part
    from kb_score.engine.shapes import Values
    from kb_score.engine.whole import Whole

_INSTANCE, _NONE = "instance'", "none'"


@dataclass(frozen=True)
class Instance:
    """A rule with values: those of its variables, and the atoms of its conditions of kind atom."""

    values: Values
    atoms: tuple[Symbol | None, ...]


@dataclass(frozen=True)
class Element:
    """What counts in an aggregate: its tuple, and the conditions for it, with values."""

    key: Symbol
    parts: tuple[Part, ...]
    instance: Instance


def ask(
    clause: Clause,
    arguments: Sequence[Symbol | None],
    whole: Whole,
    kept: Sequence[Part] | None = None,
) -> list[Instance]:
    """List the instances of a rule that give an atom, in clingo's order of terms.

    Args:
        clause: The rule.
        arguments: Those of the atom; None for any.
        whole: What holds.
        kept: The conditions that count; by default all of them.

    Raises:
        RuntimeError: clingo cannot ask with these conditions alone.
    """
    known: dict[str, Symbol] = {}
    if not all_fit(clause.head.arguments, arguments, known):
        return []
    parts = clause.parts if kept is None else tuple(kept)
    said = [at for at, value in enumerate(arguments) if value is not None]
    names: Sequence[str] = clause.names
    if len(said) < len(arguments) or kept is not None:
        bound = find_bound(parts, [clause.head.arguments[at] for at in said])
        names = [name for name in names if name in bound]
        said = [at for at in said if bound.issuperset(clause.head.arguments[at].names)]
    equations = [f"{clause.terms[at]} = {arguments[at]}" for at in said]
    atoms = [part.bare if part.kind == "atom" and part in parts else _NONE for part in clause.parts]
    body = "; ".join([*(part.text for part in parts), *equations]) or "#true"
    facts = collect_facts(parts, known, whole)
    rows = run_query(f"{_tuple(names)},{_tuple(atoms)}", body, facts)
    return [_read_instance(names, values, shown) for values, shown in rows]


def ask_elements(part: Part, values: Values, whole: Whole) -> list[Element]:
    """List what counts in an aggregate, in clingo's order of terms, each tuple once."""
    found: dict[Symbol, Element] = {}
    for terms, parts in part.elements:
        given = {name: values[name] for name in part.all_names if name in values}
        bound = find_bound(parts) | given.keys()
        names = [n for n in dict.fromkeys(n for p in parts for n in p.names) if n in bound]
        equations = [f"{name} = {value}" for name, value in given.items()]
        atoms = [inner.bare if inner.kind == "atom" else _NONE for inner in parts]
        body = "; ".join([*(inner.text for inner in parts), *equations]) or "#true"
        head = f"{_tuple(terms)},({_tuple(names)},{_tuple(atoms)})"
        for key, row in run_query(head, body, collect_facts(parts, given, whole)):
            own, shown = row.arguments
            instance = _read_instance(names, own, shown, values)
            found.setdefault(key, Element(key, parts, instance))
    return [found[key] for key in sorted(found)]


def ask_value(part: Part, values: Values, whole: Whole) -> Symbol | None:
    """Find the value of an aggregate, whatever it is compared with; None if that is open."""
    given = {name: values[name] for name in part.all_names if name in values}
    equations = "".join(f"; {name} = {value}" for name, value in given.items())
    alone = part.node.atom.update(left_guard=None, right_guard=None)
    try:
        rows = run_query("X',0", f"X' = {alone}{equations}", collect_facts([part], given, whole))
    except RuntimeError:
        return None
    return rows[0][0] if rows else None


def ask_all(
    clause: Clause, asked: Sequence[Part], whole: Whole
) -> list[tuple[Symbol, set[Symbol]]]:
    """List all atoms that a rule gives, each with the atoms of some conditions that led to it."""
    terms = _tuple([part.bare for part in asked])
    body = "; ".join(part.text for part in clause.parts) or "#true"
    rows = run_query(f"{clause.text},{terms}", body, collect_facts(clause.parts, {}, whole))
    return [(head, set(needed.arguments)) for head, needed in rows]


def run_query(wanted: str, body: str, facts: Iterable[Symbol]) -> list[Sequence[Symbol]]:
    """Ground a query about facts; return the pairs of terms that are wanted, sorted.

    Raises:
        RuntimeError: clingo cannot ground it.
    """
    control = Control(["--warn=none"], logger=lambda *_: None)
    found: list[Symbol] = []
    control.add("base", [], "".join(f"{fact}." for fact in facts))
    control.add("base", [], f"{_INSTANCE}({wanted}) :- {body}. #show {_INSTANCE}/2.")
    with interruptible():
        control.ground([("base", [])])
        control.solve(on_model=lambda model: found.extend(model.symbols(shown=True)))
    return [symbol.arguments for symbol in sorted(found)]


def collect_facts(parts: Iterable[Part], known: Values, whole: Whole) -> set[Symbol]:
    """Collect what holds of all that some conditions ask for, as far as it may matter.

    What is known of the variables grows where only one atom agrees with a condition.
    """
    parts, now, grown = list(parts), dict(known), True
    open_ = [part.atoms[0] for part in parts if part.kind == "atom"]
    while grown:
        grown = False
        for atom in list(open_):
            found = atom.find(now, whole)
            if len(found) == 1:
                all_fit(atom.arguments, found[0].arguments, now)
                open_.remove(atom)
                grown = True
    return {fact for part in parts for atom in part.atoms for fact in atom.find(now, whole)}


def _read_instance(
    names: Sequence[str], values: Symbol, atoms: Symbol, more: Values | None = None
) -> Instance:
    own = zip(names, values.arguments, strict=True)
    shown = (None if atom.name == _NONE else atom for atom in atoms.arguments)
    return Instance({**(more or {}), **dict(own)}, tuple(shown))


def _tuple(terms: Sequence[str]) -> str:
    return f"({','.join(terms)}{',' * (len(terms) == 1)})"
