"""Whether rules tell one kind of land from another; if not, a search tries only one kind."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set

from clingo.ast import AST, ASTType, ComparisonOperator, Sign, Transformer

from kb_score.engine.program import Program, Statement

# Where a predicate names a kind of terrain, by the place of the argument.
_PLACES = {"terrain": 0, "beside": 2, "land": 0}
# What our files derive from any kind of terrain: board.lp hands kinds on, and bounds.lp says that a
# hex is of two kinds, which no board in a search is.
_OF_ANY_KIND = {"terrain", "barren", "beside", "misuse"}
# The name of a second version of a predicate, where two are compared.
_SECOND = "_after"


def find_asked(program: Program, land: Collection[str]) -> Set[str]:
    """List the predicates by which rules tell hexes of a board apart.

    Args:
        program: The rules.
        land: The kinds of land.

    Returns:
        The names of what the rules ask for. `land` is among them only if some rule asks for a kind
        of land by name, or for terrain whose kind it does not say.
    """
    named = {*land, *program.find_constants()}  # a constant may stand for a kind
    if any(_tells_land_apart(statement, named) for statement in program.statements):
        return program.asked | {"land"}
    return program.asked - {"land"}


def _tells_land_apart(statement: Statement, land: Collection[str]) -> bool:
    heads = {name.removesuffix(_SECOND) for name, _ in statement.heads}
    if statement.is_users and "location" in heads:
        return True  # land may be a location then
    names = {name.removesuffix(_SECOND) for name, _ in statement.body}
    if names.isdisjoint(_PLACES):
        return False
    if not statement.is_users and heads <= _OF_ANY_KIND:
        return False
    found = _Kinds()
    found.visit(statement.node)
    return any(_may_be_land(kind, found.known, land) for kind in found.asked)


def _may_be_land(kind: AST, known: Mapping[str, Sequence[AST]], land: Collection[str]) -> bool:
    if kind.ast_type == ASTType.Variable and str(kind) in known:
        return any(_may_be_land(one, {}, land) for one in known[str(kind)])
    if kind.ast_type == ASTType.Pool:
        return any(_may_be_land(one, {}, land) for one in kind.arguments)
    return kind.ast_type != ASTType.SymbolicTerm or str(kind) in land


class _Kinds(Transformer):
    """Collects the kinds of terrain that a statement asks for, and what variables stand for."""

    def __init__(self) -> None:
        self.asked: list[AST] = []
        # The kinds that a variable may be; a location is no land.
        self.known: dict[str, list[AST]] = {}

    def visit_SymbolicAtom(self, atom: AST) -> AST:  # noqa: N802
        """Look at an atom."""
        term = atom.symbol
        if term.ast_type != ASTType.Function:
            return atom
        name = term.name.removesuffix(_SECOND)
        place = _PLACES.get(name)
        if place is not None and len(term.arguments) == 3:
            self.asked.append(term.arguments[place])
        return atom

    def visit_Literal(self, literal: AST) -> AST:  # noqa: N802
        """Look at a literal: location(K) and K = (town;castle) say what K may be."""
        atom = literal.atom
        self.visit_children(literal)
        if literal.sign != Sign.NoSign:
            return literal
        if atom.ast_type == ASTType.SymbolicAtom and str(atom).startswith("location("):
            self.known.setdefault(str(atom.symbol.arguments[0]), [])
        if atom.ast_type == ASTType.Comparison and atom.term.ast_type == ASTType.Variable:
            guard, *more = atom.guards
            if guard.comparison == ComparisonOperator.Equal and not more:
                self.known.setdefault(str(atom.term), [guard.term])
        return literal
