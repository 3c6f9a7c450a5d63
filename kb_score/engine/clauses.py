"""Rules as questions: with which values of its variables does a rule give an atom?

The body of a rule is put to clingo as a query, with what holds as facts. For the rule

    gold(miners,P,hex(R,C),1) :- settlement(P,R,C), beside(R,C,mountain).

and the atom gold(miners,2,hex(3,4),1) the query is

    instance'((P,R,C),(settlement(P,R,C),beside(R,C,mountain))) :-
        settlement(P,R,C); beside(R,C,mountain); miners = miners; P = 2; hex(R,C) = hex(3,4); 1 = 1.

Of the facts only those come in that agree with what is known from the atom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clingo import Control, Function, Symbol, SymbolType, parse_term
from clingo.ast import (
    AST,
    ASTType,
    ComparisonOperator,
    Location,
    Sign,
    SymbolicTerm,
    Transformer,
    Variable,
)

from kb_score.engine.program import Signature, Statement, functions_in
from kb_score.engine.solve import interruptible

if TYPE_CHECKING:
    from kb_score.engine.whole import Whole

Values = Mapping[str, Symbol]
# An atom some of whose arguments may be anything.
Pattern = tuple[Signature, tuple[Symbol | None, ...]]

_INSTANCE = "instance'"
_LOCAL = (ASTType.BodyAggregate, ASTType.Aggregate)


@dataclass(frozen=True, eq=False)
class Part:
    """A condition in the body of a rule.

    Attributes:
        node: Its syntax tree, in which all that a condition leaves open has a name.
        kind: ``atom``, ``absent``, ``comparison``, ``aggregate`` or ``all``.
        also: What the new names stand for.
        added: Whether it does not stand in the file: it was added when the rule was lifted.
    """

    node: AST
    kind: str
    also: tuple[str, ...] = ()
    added: bool = False

    def __str__(self) -> str:
        return "; ".join([str(self.node), *self.also])


@dataclass(frozen=True, eq=False)
class Clause:
    """A rule as one of the atoms of its head sees it.

    Attributes:
        statement: The rule.
        sign: "-" for classical negation.
        head: The atom of the head, as a function term.
        parts: The conditions, those of a chosen element of the head included.
        variables: The variables that an instance has values for.
        chosen: Whether the head leaves the choice.
        parameter: What the file calls the turn that the rule is about; empty for none.
    """

    statement: Statement
    sign: str
    head: AST
    parts: tuple[Part, ...]
    variables: tuple[str, ...]
    chosen: bool
    parameter: str = ""

    @property
    def location(self) -> Location:
        """Where the rule stands."""
        location = self.statement.node.location
        assert isinstance(location, Location)
        return location

    @property
    def signature(self) -> Signature:
        """The predicate that it gives."""
        return self.sign + self.head.name, len(self.head.arguments)


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


class _Naming(Transformer):
    """Names what a condition leaves open, and puts constants in place."""

    def __init__(self, constant: Callable[[str], Symbol | None], *, naming: bool) -> None:
        self.constant, self.naming = constant, naming
        self.also: list[str] = []
        self.count = 0

    def visit_SymbolicTerm(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        symbol = node.symbol
        if symbol.type != SymbolType.Function or symbol.arguments or not symbol.name:
            return node
        value = self.constant(symbol.name)
        return node if value is None else SymbolicTerm(node.location, value)

    def visit_Variable(self, node: AST) -> AST:  # noqa: N802
        return self._name(node.location) if self.naming and node.name == "_" else node

    def visit_Interval(self, node: AST) -> AST:  # noqa: N802
        if not self.naming:
            children = self.visit_children(node)
            return node.update(**children) if children else node
        name = self._name(node.location)
        self.also.append(f"{name} = {node}")
        return name

    def _name(self, location: Location) -> AST:
        self.count += 1
        return Variable(location, f"Any{self.count}'")


def make_clauses(
    statement: Statement, constant: Callable[[str], Symbol | None], parameter: str
) -> list[Clause]:
    """Make the clauses of a rule, one for each atom in its head."""
    node, plain = statement.node, _Naming(constant, naming=False)
    if node.ast_type != ASTType.Rule:
        return []
    naming = _Naming(constant, naming=True)
    clauses = []
    for rule in node.unpool():
        for literal, conditions in _heads(rule.head):
            body = (*conditions, *rule.body)
            parts = tuple(_make_part(b, naming, plain, node.location) for b in body)
            is_chosen = node.head.ast_type != ASTType.Literal
            # A constraint has no atom in its head.
            for sign, atom in functions_in(literal):
                head = plain.visit(atom)
                names = tuple(dict.fromkeys(_variables([head, *(p.node for p in parts)])))
                clauses.append(Clause(statement, sign, head, parts, names, is_chosen, parameter))
    return clauses


def ask(
    clause: Clause,
    arguments: Sequence[Symbol | None],
    whole: Whole,
    kept: Sequence[Part] | None = None,
    values: Values | None = None,
) -> list[Instance]:
    """List the instances of a rule that give an atom, in clingo's order of terms.

    Args:
        clause: The rule.
        arguments: Those of the atom; None for any.
        whole: What holds.
        kept: The conditions that count; by default all of them.
        values: Values that some variables must have.

    Raises:
        RuntimeError: clingo cannot ask with these conditions alone.
    """
    known = dict(values or {})
    if not all(
        _match(term, value, known)
        for term, value in zip(clause.head.arguments, arguments, strict=True)
        if value is not None
    ):
        return []
    parts = clause.parts if kept is None else tuple(kept)
    equations = [
        f"{term} = {value}"
        for term, value in zip(clause.head.arguments, arguments, strict=True)
        if value is not None
    ]
    equations += [f"{name} = {value}" for name, value in (values or {}).items()]
    atoms = [str(p.node) if p.kind == "atom" and p in parts else "none'" for p in clause.parts]
    pairs = zip(clause.head.arguments, arguments, strict=True)
    terms = [term for term, value in pairs if value is not None]
    binding = find_bound(parts, terms) | known.keys()
    bound = [name for name in clause.variables if name in binding]
    head = f"{_INSTANCE}({_tuple(bound)},{_tuple(atoms)})"
    facts = collect_facts(parts, known, whole)
    rows = run_query(f"{head} :- {'; '.join([*map(str, parts), *equations]) or '#true'}.", facts)
    return [
        Instance(
            dict(zip(bound, row[0].arguments, strict=True)),
            tuple(None if a.name == "none'" else a for a in row[1].arguments),
        )
        for row in rows
    ]


def ask_elements(part: Part, values: Values, whole: Whole) -> list[Element]:
    """List what counts in an aggregate, in clingo's order of terms, each tuple once."""
    aggregate, found = part.node.atom, dict[Symbol, Element]()
    nothing = _Naming(lambda _: None, naming=False)
    for element in aggregate.elements:
        if element.ast_type == ASTType.ConditionalLiteral:
            (_, atom), *_ = functions_in(element.literal)
            terms, literals = [str(atom)], [element.literal, *element.condition]
        else:
            terms, literals = list(map(str, element.terms)), element.condition
        naming = _Naming(lambda _: None, naming=True)
        parts = [_make_part(literal, naming, nothing, None) for literal in literals]
        names = dict.fromkeys(_variables(p.node for p in parts))
        bound = [name for name in names if name in find_bound(parts) or name in values]
        equations = [f"{name} = {values[name]}" for name in names if name in values]
        atoms = [str(p.node) if p.kind == "atom" else "none'" for p in parts]
        head = f"{_INSTANCE}({_tuple(terms)},({_tuple(bound)},{_tuple(atoms)}))"
        body = "; ".join([*map(str, parts), *equations]) or "#true"
        for key, row in run_query(f"{head} :- {body}.", collect_facts(parts, dict(values), whole)):
            local, shown = (symbol.arguments for symbol in row.arguments)
            instance = Instance(
                {**values, **dict(zip(bound, local, strict=True))},
                tuple(None if a.name == "none'" else a for a in shown),
            )
            found.setdefault(key, Element(key, tuple(parts), instance))
    return [found[key] for key in sorted(found)]


def ask_value(part: Part, values: Values, whole: Whole) -> Symbol | None:
    """Find the value of an aggregate, whatever it is compared with; None if that is open."""
    aggregate = part.node.atom
    names = [name for name in _variables_in(aggregate) if name in values]
    equations = "".join(f"; {name} = {values[name]}" for name in names)
    alone = aggregate.update(left_guard=None, right_guard=None)
    facts = collect_facts([part], dict(values), whole)
    try:
        rows = run_query(f"{_INSTANCE}(X',0) :- X' = {alone}{equations}.", facts)
    except RuntimeError:
        return None
    return rows[0][0] if rows else None


def find_needed(part: Part) -> set[str]:
    """Find the variables that must have values for a condition to be asked."""
    return set(_variables([part.node]))


def find_bound(parts: Iterable[Part], terms: Iterable[AST] = ()) -> set[str]:
    """Find the variables that have values once some conditions, and the values of terms, count."""
    bound = {name for term in terms for name in _settled(term)}
    for part in parts:
        if part.kind == "atom":
            (_, atom), *_ = functions_in(part.node)
            bound.update(name for term in atom.arguments for name in _settled(term))
    equations = [e for part in parts for e in _equations(part)]
    before = -1
    while len(bound) > before:
        before = len(bound)
        for one, other in equations:
            for side, far in ((one, other), (other, one)):
                if far is None or bound.issuperset(_variables([far])):
                    bound.update(_settled(side) if side is not None else ())
    return bound


def _equations(part: Part) -> Iterator[tuple[AST | None, AST | None]]:
    """Yield the two sides of each equation of a condition; None for an aggregate."""
    atom = part.node.atom if part.node.ast_type == ASTType.Literal else part.node
    if atom.ast_type == ASTType.Comparison and len(atom.guards) == 1 and not part.node.sign:
        (guard,) = atom.guards
        if guard.comparison == ComparisonOperator.Equal:
            yield atom.term, guard.term
    guard = atom.left_guard if atom.ast_type in _LOCAL and not part.node.sign else None
    if guard is not None and guard.comparison == ComparisonOperator.Equal:
        yield guard.term, None


def _settled(term: AST) -> Iterator[str]:
    """Yield the variables that the value of a term settles."""
    if term.ast_type == ASTType.Variable:
        yield term.name
    elif term.ast_type == ASTType.Function:
        for argument in term.arguments:
            yield from _settled(argument)
    elif term.ast_type == ASTType.BinaryOperation and len(set(_variables([term]))) == 1:
        yield from _variables([term])


def run_query(rules: str, facts: Iterable[Symbol]) -> list[Sequence[Symbol]]:
    """Ground rules about facts; return the arguments of what they call an instance, sorted.

    Raises:
        RuntimeError: clingo cannot ground them.
    """
    control = Control(["--warn=none"], logger=lambda *_: None)
    found: list[Symbol] = []
    control.add("base", [], "".join(f"{fact}." for fact in facts))
    control.add("base", [], f"{rules} #show {_INSTANCE}/2.")
    with interruptible():
        control.ground([("base", [])])
        control.solve(on_model=lambda model: found.extend(model.symbols(shown=True)))
    return [symbol.arguments for symbol in sorted(found)]


def collect_facts(parts: Iterable[Part], known: dict[str, Symbol], whole: Whole) -> set[Symbol]:
    """Collect what holds of all that some conditions ask for, as far as it may matter.

    What is known of the variables grows where only one atom agrees with a condition.
    """
    known, open_ = dict(known), [p for p in parts if p.kind == "atom"]
    grown = True
    while grown:
        grown = False
        for part in list(open_):
            (_, atom), *_ = functions_in(part.node)
            found = whole.find(_signature(part.node), _known_places(atom, known))
            if len(found) == 1:
                pairs = zip(atom.arguments, found[0].arguments, strict=True)
                for term, value in pairs:
                    _match(term, value, known)
                grown = True
                open_.remove(part)
    facts = set[Symbol]()
    for part in parts:
        for sign, atom in functions_in(part.node):
            signature = sign + atom.name, len(atom.arguments)
            facts.update(whole.find(signature, _known_places(atom, known)))
    return facts


def evaluate(term: AST, known: Values) -> Symbol | None:
    """Find the value of a term; None if it is not known."""
    if term.ast_type == ASTType.Variable:
        return known.get(term.name)
    if term.ast_type == ASTType.SymbolicTerm:
        symbol = term.symbol
        assert isinstance(symbol, Symbol)
        return symbol
    if term.ast_type == ASTType.Function and not term.external:
        values = [evaluate(argument, known) for argument in term.arguments]
        return None if None in values else Function(term.name, [v for v in values if v])
    if term.ast_type in (ASTType.BinaryOperation, ASTType.UnaryOperation):
        if any(name not in known for name in _variables([term])):
            return None
        try:
            return parse_term(fill(term, known), logger=lambda *_: None)
        except RuntimeError:
            return None
    return None


class _Filling(Transformer):
    def __init__(self, values: Values) -> None:
        self.values = values

    def visit_Variable(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        value = self.values.get(node.name)
        return node if value is None else SymbolicTerm(node.location, value)


def fill(node: AST, values: Values) -> str:
    """Write a syntax tree with the values of its variables."""
    return str(_Filling(values).visit(node))


def find_matching(signature: Signature, term: AST | None, whole: Whole) -> list[Symbol]:
    """List the atoms of a predicate that hold and match a function term; None matches all."""
    if term is None:
        return list(whole.atoms(signature))
    found = whole.find(signature, _known_places(term, {}))
    pairs = ((atom, zip(term.arguments, atom.arguments, strict=True)) for atom in found)
    return [atom for atom, both in pairs if _match_all(both)]


def pattern_of(node: AST, values: Values) -> Pattern:
    """Make a pattern of the atom of a condition."""
    (sign, atom), *_ = functions_in(node)
    arguments = tuple(evaluate(argument, values) for argument in atom.arguments)
    return (sign + atom.name, len(arguments)), arguments


def _tuple(terms: Sequence[str]) -> str:
    return f"({','.join(terms)}{',' * (len(terms) == 1)})"


def _signature(node: AST) -> Signature:
    (sign, atom), *_ = functions_in(node)
    return sign + atom.name, len(atom.arguments)


def _known_places(atom: AST, known: Values) -> dict[int, Symbol]:
    values = ((at, evaluate(term, known)) for at, term in enumerate(atom.arguments))
    return {at: value for at, value in values if value is not None}


def _match_all(pairs: Iterable[tuple[AST, Symbol]]) -> bool:
    known: dict[str, Symbol] = {}
    return all(_match(term, value, known) for term, value in pairs)


def _match(term: AST, value: Symbol, known: dict[str, Symbol]) -> bool:
    """Whether a term may have a value; what that tells of its variables becomes known."""
    if term.ast_type == ASTType.Variable:
        return term.name == "_" or known.setdefault(term.name, value) == value
    if term.ast_type == ASTType.SymbolicTerm:
        return bool(term.symbol == value)
    if term.ast_type == ASTType.Function and not term.external:
        is_alike = value.type == SymbolType.Function and value.name == term.name
        if not is_alike or len(value.arguments) != len(term.arguments):
            return False
        pairs = zip(term.arguments, value.arguments, strict=True)
        return all(_match(inner, part, known) for inner, part in pairs)
    return True


def _heads(head: AST) -> Iterator[tuple[AST, Sequence[AST]]]:
    """Yield the literals of a head, each with its conditions."""
    if head.ast_type == ASTType.Literal:
        yield head, ()
    for element in getattr(head, "elements", ()):
        inner = element.condition if element.ast_type == ASTType.HeadAggregateElement else element
        yield inner.literal, inner.condition


def _make_part(node: AST, naming: _Naming, plain: _Naming, rule: Location | None) -> Part:
    if node.ast_type == ASTType.ConditionalLiteral:
        return Part(plain.visit(node), "all")
    kind = node.atom.ast_type
    if kind == ASTType.SymbolicAtom and node.sign == Sign.NoSign:
        naming.also = []
        named = naming.visit(node)
        return Part(named, "atom", tuple(naming.also), node.location == rule)
    if kind == ASTType.SymbolicAtom:
        return Part(plain.visit(node), "absent" if node.sign == Sign.Negation else "comparison")
    return Part(plain.visit(node), "aggregate" if kind in _LOCAL else "comparison")


def _variables_in(node: AST) -> list[str]:
    """List all variables of a syntax tree, local ones included."""
    names: dict[str, None] = {}

    class Collecting(Transformer):
        def visit_Variable(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
            names[node.name] = None
            return node

    Collecting().visit(node)
    return list(names)


def _variables(nodes: Iterable[AST]) -> Iterator[str]:
    """Yield the variables that are not local to an aggregate or to a conditional literal."""
    for node in nodes:
        if node.ast_type == ASTType.Variable:
            if node.name != "_":
                yield node.name
        elif node.ast_type == ASTType.ConditionalLiteral:
            continue
        elif node.ast_type in _LOCAL:
            yield from _variables(g for g in (node.left_guard, node.right_guard) if g)
        else:
            for key in node.child_keys:
                child = getattr(node, key)
                if isinstance(child, AST):
                    yield from _variables([child])
                elif isinstance(child, Sequence):
                    yield from _variables(child)
