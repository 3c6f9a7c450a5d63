"""Rules taken apart: for each atom in a head, the conditions in the order in which they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from clingo import Symbol, SymbolType
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

from kb_score.engine.program import functions_in
from kb_score.engine.shapes import AtomShape, Shape, shape_atom, shape_atoms, shape_term

if TYPE_CHECKING:
    from kb_score.engine.program import Signature, Statement
    from kb_score.engine.shapes import Values

_LOCAL = (ASTType.BodyAggregate, ASTType.Aggregate)

Constant = Callable[[str], Symbol | None]


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

    @cached_property
    def text(self) -> str:
        """The condition, as clingo takes it."""
        return "; ".join([str(self.node), *self.also])

    @cached_property
    def bare(self) -> str:
        """The atom of a condition of kind atom."""
        return str(self.node)

    @cached_property
    def atoms(self) -> tuple[AtomShape, ...]:
        """All atoms in it; just one of kinds atom and absent."""
        return shape_atoms(self.node)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The variables that are not local to an aggregate or to a conditional literal."""
        return tuple(dict.fromkeys(_variables([self.node])))

    @cached_property
    def all_names(self) -> tuple[str, ...]:
        """All variables, local ones included."""
        names: dict[str, None] = {}

        class Collecting(Transformer):
            def visit_Variable(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
                names[node.name] = None
                return node

        Collecting().visit(self.node)
        return tuple(names)

    @cached_property
    def equation(self) -> tuple[Shape, Shape | None] | None:
        """The two sides of an equation, of which an aggregate is None; None if it is none."""
        atom = self.node.atom if self.node.ast_type == ASTType.Literal else self.node
        if atom.ast_type == ASTType.ConditionalLiteral or self.node.sign:
            return None
        if atom.ast_type == ASTType.Comparison and len(atom.guards) == 1:
            (guard,) = atom.guards
            sides = shape_term(atom.term), shape_term(guard.term)
            return sides if guard.comparison == ComparisonOperator.Equal else None
        guard = atom.left_guard if atom.ast_type in _LOCAL else None
        if guard is None or guard.comparison != ComparisonOperator.Equal:
            return None
        return shape_term(guard.term), None

    @cached_property
    def elements(self) -> tuple[tuple[tuple[str, ...], tuple[Part, ...]], ...]:
        """The elements of an aggregate: the terms of each, and its conditions."""
        found: list[tuple[tuple[str, ...], tuple[Part, ...]]] = []
        for element in self.node.atom.elements:
            if element.ast_type == ASTType.ConditionalLiteral:
                terms: tuple[str, ...] = (str(element.literal),)
                literals = [element.literal, *element.condition]
            else:
                terms, literals = tuple(map(str, element.terms)), element.condition
            naming, plain = _Naming(_no_constant, naming=True), _Naming(_no_constant, naming=False)
            parts = (_make_part(literal, naming, plain, None) for literal in literals)
            found.append((terms, tuple(parts)))
        return tuple(found)

    def fill(self, values: Values) -> str:
        """Write it with the values of its variables."""
        return str(_Filling(values).visit(self.node))


@dataclass(frozen=True, eq=False)
class Clause:
    """A rule as one of the atoms of its head sees it.

    Attributes:
        statement: The rule.
        head: The atom of the head.
        text: That atom, as clingo takes it.
        terms: The arguments of the head, as clingo takes them.
        parts: The conditions, those of a chosen element of the head included.
        chosen: Whether the head leaves the choice.
        parameter: What the file calls the turn that the rule is about; empty for none.
    """

    statement: Statement
    head: AtomShape
    text: str
    terms: tuple[str, ...]
    parts: tuple[Part, ...]
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
        return self.head.signature

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Its variables."""
        heads = (name for shape in self.head.arguments for name in sorted(shape.names))
        return tuple(dict.fromkeys([*heads, *(name for p in self.parts for name in p.names)]))


def make_clauses(statement: Statement, constant: Constant, parameter: str) -> list[Clause]:
    """Make the clauses of a rule, one for each atom in its head.

    Args:
        statement: The rule.
        constant: Finds the value of a ``#const``, by name.
        parameter: What the file calls the turn that the rule is about; empty for none.
    """
    node, clauses = statement.node, list[Clause]()
    if node.ast_type != ASTType.Rule:
        return clauses
    naming, plain = _Naming(constant, naming=True), _Naming(constant, naming=False)
    chosen = node.head.ast_type != ASTType.Literal
    for rule in node.unpool():
        for literal, conditions in _heads(rule.head):
            body = (*conditions, *rule.body)
            parts = tuple(_make_part(b, naming, plain, node.location) for b in body)
            # A constraint has no atom in its head.
            for sign, atom in functions_in(literal):
                head = plain.visit(atom)
                terms = tuple(map(str, head.arguments))
                shape, text = shape_atom(sign, head), f"{sign}{head}"
                clauses.append(Clause(statement, shape, text, terms, parts, chosen, parameter))
    return clauses


def find_bound(parts: Iterable[Part], terms: Iterable[Shape] = ()) -> set[str]:
    """Find the variables that have values once some conditions, and the values of terms, count."""
    parts = list(parts)
    bound = {name for term in terms for name in term.settled()}
    for part in parts:
        if part.kind == "atom":
            bound.update(name for term in part.atoms[0].arguments for name in term.settled())
    equations = [part.equation for part in parts if part.equation]
    equations += [(other, one) for one, other in equations if other is not None]
    before = -1
    while len(bound) > before:
        before = len(bound)
        for side, other in equations:
            if other is None or bound.issuperset(other.names):
                bound.update(side.settled())
    return bound


class _Naming(Transformer):
    """Names what a condition leaves open, and puts constants in place."""

    def __init__(self, constant: Constant, *, naming: bool) -> None:
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
            return node.update(**self.visit_children(node))
        name = self._name(node.location)
        self.also.append(f"{name} = {node}")
        return name

    def _name(self, location: Location) -> AST:
        self.count += 1
        return Variable(location, f"Any{self.count}'")


class _Filling(Transformer):
    """Puts values in the places of variables."""

    def __init__(self, values: Values) -> None:
        self.values = values

    def visit_Variable(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        value = self.values.get(node.name)
        return node if value is None else SymbolicTerm(node.location, value)


def _no_constant(_: str) -> None:
    """Find no value: all constants are in place already."""


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
