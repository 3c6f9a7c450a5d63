"""The state before a turn, which live play remembers and hands in.

The rules of a turn read the state before it under a name of its own: ``before_at(P,C,t)`` is what
``at(P,C,t-1)`` was. They do not depend on who gives it. A record that prints states gives them; a
rule may look back, as in ``before_at(P,C,t) :- at(P,C,t-1)``; and where no rule gives it, live play
remembers what earlier turns have said:

* of most predicates, all that the last turn has said;
* of a predicate with ``asks_holds(S,t)``, what was said last of each S, and only of the S that the
  turn asks about: a turn then costs the same on a board of any size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TypeAlias

from clingo import Function, Symbol
from clingo.ast import AST, ASTType

from kb_score.engine.lift import list_last_terms
from kb_score.engine.program import ASKS, BEFORE, OPEN, Program, Signature
from kb_score.engine.terms import Facts, Row, name_values, to_exact_value

# The parts of live play that hand in the state before a turn: all rows of a predicate, or those
# that the turn asks about.
STATE = "state_before"
ASKED = "state_asked"
# All that is remembered of a predicate of which a turn asks about some places.
_KEPT = "kept_"

_Key: TypeAlias = tuple[Symbol, ...]


@dataclass(slots=True)
class Remembered:
    """A predicate that the next turn reads.

    Attributes:
        name: Its name.
        arity: The number of its arguments, with the turn.
        key: How many of its arguments, the first ones, a turn asks about; None if it does not ask.
        values: What is remembered: the other arguments, without the turn, by these.
    """

    name: str
    arity: int
    key: int | None
    values: dict[_Key, list[Symbol]] = field(default_factory=dict)

    @property
    def signature(self) -> Signature:
        """The name and the number of arguments."""
        return self.name, self.arity

    @property
    def kept(self) -> str:
        """The name of the facts of all that is remembered, as `write_choice` takes it."""
        prefix = BEFORE if self.key is None else _KEPT
        return f"{prefix}{self.name}"

    @property
    def source(self) -> str:
        """The function that hands in what is remembered, as its rule calls it."""
        return f"{BEFORE}{self.name}_{self.arity}"

    def write_rule(self) -> str:
        """Write the rule that hands in what is remembered."""
        names = name_values(self.arity - 1)
        key = names[: self.key or 0]
        rest = names[len(key) :]
        head = _write_atom(f"{BEFORE}{self.name}", [*names, "t"])
        call = _write_atom(f"@{self.source}", key)
        # A tuple of one is written with a comma after it.
        row = "".join(f"{name}," for name in rest)
        rule = f"{head} :- ({row}) = {call}"
        if self.key is not None:
            asked = _write_atom(f"{ASKS}{self.name}", [*key, "t"])
            rule += f", {asked}"
        return f"{rule}."

    def update(self, atoms: Iterable[Symbol]) -> None:
        """Remember what a turn has said in place of what was said before."""
        said = defaultdict[_Key, list[Symbol]](list)
        length = self.key or 0
        for atom in atoms:
            *arguments, _ = atom.arguments
            key = tuple(arguments[:length])
            row = Function("", arguments[length:])
            said[key].append(row)
        if self.key is None:
            self.values.clear()
        self.values.update(said)

    def find(self, *key: Symbol) -> Sequence[Symbol]:
        """Find what is remembered of some arguments."""
        return self.values.get(key, ())

    def write_chain(self) -> list[str]:
        """Write the rules that look back, in place of what is handed in."""
        names = name_values(self.arity - 1)
        now = [*names, "t"]
        earlier = [*names, "t-1"]
        said = _write_atom(self.name, earlier)
        if self.key is None:
            head = _write_atom(f"{BEFORE}{self.name}", now)
            return [f"{head} :- {said}."]
        key = names[: self.key]
        kept = _write_atom(f"{_KEPT}{self.name}", now)
        kept_before = _write_atom(f"{_KEPT}{self.name}", earlier)
        restated = _write_atom(f"restated_{self.name}", [*key, "t"])
        # What was said last of a key stays until something else is said of it.
        return [
            f"{restated} :- {said}.",
            f"{kept} :- {said}.",
            f"{kept} :- {kept_before}, not {restated}.",
            *self.write_choice(),
        ]

    def write_choice(self) -> list[str]:
        """Write the rule that takes what a turn asks about from all that is kept."""
        if self.key is None:
            return []
        names = name_values(self.arity - 1)
        now = [*names, "t"]
        key = names[: self.key]
        head = _write_atom(f"{BEFORE}{self.name}", now)
        kept = _write_atom(f"{_KEPT}{self.name}", now)
        asked = _write_atom(f"{ASKS}{self.name}", [*key, "t"])
        return [f"{head} :- {kept}, {asked}.", f"#defined {_KEPT}{self.name}/{self.arity}."]

    def list_rows(self, keys: Iterable[_Key] | None = None) -> list[Row]:
        """List what is remembered, of some first arguments or of all, without the turn."""
        if keys is None:
            keys = self.values
        rows: list[Row] = []
        for key in keys:
            for value in self.find(*key):
                symbols = (*key, *value.arguments)
                row = tuple(map(to_exact_value, symbols))
                rows.append(row)
        return rows


def hand_in_all(facts: Facts) -> Facts:
    """Return the facts of a position with all that is kept, whatever its turn asks about."""
    handed: dict[str, Sequence[Row]] = {}
    for name, rows in facts.items():
        whole = name.replace(_KEPT, BEFORE, 1) if name.startswith(_KEPT) else name
        handed[whole] = rows
    return handed


def write_chain(program: Program) -> str:
    """Write the part ``open`` in which the state before a turn is what the turn before says."""
    return _write_part(remembered.write_chain() for remembered in list_remembered(program))


def write_choice(program: Program) -> str:
    """Write the part ``open`` in which a turn takes what it asks about from all that is kept."""
    return _write_part(remembered.write_choice() for remembered in list_remembered(program))


def _write_part(rules: Iterable[Iterable[str]]) -> str:
    return "\n".join([f"#program {OPEN}(t).", *chain.from_iterable(rules)])


def _write_atom(name: str, arguments: Sequence[str]) -> str:
    joined = ",".join(arguments)
    return f"{name}({joined})"


def list_remembered(program: Program) -> list[Remembered]:
    """List the predicates, such as ``at/3``, of which turns read the state and no rule gives it."""
    keys: dict[str, int] = {}
    for name, arity in program.derived:
        if name.startswith(ASKS):
            without_turn = arity - 1
            keys[name.removeprefix(ASKS)] = without_turn
    found = []
    for before, arity in sorted(program.used - _find_given(program)):
        name = before.removeprefix(BEFORE)
        if name != before and (name, arity) in program.derived:
            remembered = Remembered(name, arity, keys.get(name))
            found.append(remembered)
    return found


def _find_given(program: Program) -> set[Signature]:
    """Find the predicates that rules give for turns, and not just for moves that are tried out."""
    given: set[Signature] = set()
    for statement in program.statements:
        if not any(name.startswith(BEFORE) for name, _ in statement.heads):
            continue
        for signature, last in list_last_terms(statement.node.head):
            if last is None or not is_tried(last):
                given.add(signature)
    return given


def is_tried(turn: AST) -> bool:
    """Return whether a turn is no number but a move that is tried out, such as ``try(From,To)``."""
    return bool(turn.ast_type == ASTType.Function and turn.arguments)


def find_asking_parts(program: Program) -> frozenset[str]:
    """Find the parts of a program whose rules ask about the state before their turn."""
    found: set[str] = set()
    part = "base"
    for statement in program.statements:
        if statement.kind == ASTType.Program:
            part = statement.node.name
        elif any(name.startswith(ASKS) for name, _ in statement.heads):
            found.add(part)
    return frozenset(found)


class StateBefore:
    """The state before the next turn, as far as no rule gives it."""

    def __init__(self, remembered: Sequence[Remembered]) -> None:
        self._remembered = remembered
        self._said: dict[Signature, list[Symbol]] = {}
        for one in remembered:
            self._said[one.signature] = []
        # What the present turn has asked about, by the functions that hand it in.
        self._asked: dict[str, dict[_Key, None]] = {}

    def __bool__(self) -> bool:
        return bool(self._remembered)

    @property
    def said(self) -> dict[Signature, list[Symbol]]:
        """The lists that collect the atoms of the present turn, by predicate."""
        return self._said

    def save(self) -> list[dict[_Key, list[Symbol]]]:
        """Return what is remembered of each predicate."""
        # The rows of a key are replaced as a whole, so that they need no copies.
        return [dict(remembered.values) for remembered in self._remembered]

    def restore(self, saved: Sequence[Mapping[_Key, list[Symbol]]]) -> None:
        """Remember what was saved, and nothing that was said since."""
        for remembered, values in zip(self._remembered, saved, strict=True):
            remembered.values = dict(values)
        for atoms in self._said.values():
            atoms.clear()
        self._asked.clear()

    def write_rules(self, *, asked: bool) -> str:
        """Write the rules that hand in the state before a turn.

        Args:
            asked: Whether to write those of predicates of which a turn asks about some rows, or
                those of all others.
        """
        chosen = [one for one in self._remembered if (one.key is not None) == asked]
        return "\n".join(remembered.write_rule() for remembered in chosen)

    def end_turn(self, turn: Symbol) -> None:
        """Remember what a turn has said."""
        for remembered in self._remembered:
            atoms = self._said[remembered.signature]
            # A turn may also say what holds at a later one.
            of_turn: list[Symbol] = []
            later: list[Symbol] = []
            for atom in atoms:
                last = atom.arguments[-1]
                if last == turn:
                    of_turn.append(atom)
                elif last > turn:
                    later.append(atom)
            remembered.update(of_turn)
            atoms[:] = later
        self._asked.clear()

    def list_kept(self) -> dict[str, list[Row]]:
        """List all that is remembered, as facts without the turn that `write_choice` takes."""
        facts: dict[str, list[Row]] = {}
        for remembered in self._remembered:
            facts[remembered.kept] = remembered.list_rows()
        return facts

    def list_handed(self) -> dict[str, list[Row]]:
        """List what the present turn has been handed in, as facts without the turn."""
        facts: dict[str, list[Row]] = {}
        for remembered in self._remembered:
            keys = None
            if remembered.key is not None:
                keys = self._asked.get(remembered.source, {})
            facts[f"{BEFORE}{remembered.name}"] = remembered.list_rows(keys)
        return facts

    def find(self, name: str) -> Callable[..., Sequence[Symbol]] | None:
        """Find the function that hands in the state, by its name in the rules; None for others."""
        for remembered in self._remembered:
            if name == remembered.source:
                return partial(self._find, remembered)
        return None

    def _find(self, remembered: Remembered, *key: Symbol) -> Sequence[Symbol]:
        """Find what is remembered of some arguments, and note that they were asked about."""
        asked = self._asked.setdefault(remembered.source, {})
        asked[key] = None
        return remembered.find(*key)


def reads_anywhere(program: Program) -> bool:
    """Return whether a user's rules may read the state at places that no turn asks about.

    They may if they read it at all, or if it depends on what they derive.
    """
    users = [statement for statement in program.statements if statement.is_users]
    if not users:
        return False
    names: set[str] = set()
    for name, _ in program.derived:
        if name.startswith(ASKS):
            state_name = name.removeprefix(ASKS)
            names |= {state_name, f"{BEFORE}{state_name}"}
    known = program.derived | program.inputs
    state = {signature for signature in known if signature[0] in names}
    needed = program.find_needed(state)
    for statement in users:
        reads = not statement.body.isdisjoint(state)
        changes = not statement.heads.isdisjoint(needed)
        if reads or changes:
            return True
    return False
