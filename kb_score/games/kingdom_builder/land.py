"""Find out whether rules distinguish kinds of land; if not, a search tries only one kind."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set

from clingo.ast import AST, ASTType, ComparisonOperator, Sign, Transformer

from kb_score.engine.program import Program, Statement
from kb_score.engine.scan import Signature

# The predicates that name a kind of terrain, and the index of that argument.
_KIND_ARGUMENTS = {"terrain": 0, "beside": 2, "land": 0}
# Predicates that our files derive in the same way from any kind of terrain: board.lp passes kinds
# on, and bounds.lp finds hexes of two kinds, which do not occur in a search.
_OF_ANY_KIND = {"terrain", "barren", "beside", "misuse"}
# The suffix of a predicate's name in the second of two versions that are compared.
_SECOND = "_after"


def find_asked(program: Program, land: Collection[str]) -> Set[str]:
    """Return the names of the predicates by which rules distinguish the hexes of a board.

    `land` is among them only if some rule names a kind of land, or uses terrain of any kind.
    """
    # A constant may have the value of a kind.
    named = {*land, *program.definitions}
    for statement in program.statements:
        if _may_distinguish(statement, named):
            return program.asked | {"land"}
    return program.asked - {"land"}


def _may_distinguish(statement: Statement, land: Collection[str]) -> bool:
    """Return whether a statement may derive different atoms for different kinds of land."""
    heads = _find_names(statement.heads)
    asked = _find_names(statement.body)
    if statement.origin == "user" and "location" in heads:
        # The user may make a kind of land a location.
        return True
    if asked.isdisjoint(_KIND_ARGUMENTS):
        return False
    if statement.origin != "user" and heads <= _OF_ANY_KIND:
        return False
    kinds = _Kinds()
    kinds.visit(statement.node)
    return any(_may_be_land(kind, kinds.known, land) for kind in kinds.asked)


def _find_names(signatures: Iterable[Signature]) -> set[str]:
    """Return the names of predicates; two versions of one predicate have the same name."""
    return {name.removesuffix(_SECOND) for name, _ in signatures}


def _may_be_land(kind: AST, known: Mapping[str, Sequence[AST]], land: Collection[str]) -> bool:
    """Return whether a term may be one of the kinds of land.

    The known terms are those that a variable may be, by its name; other variables may be anything.
    """
    term = str(kind)
    type_ = kind.ast_type
    if type_ == ASTType.SymbolicTerm:
        return term in land
    choices: Sequence[AST]
    if type_ == ASTType.Pool:
        choices = kind.arguments
    elif type_ == ASTType.Variable and term in known:
        choices = known[term]
    else:
        return True
    return any(_may_be_land(choice, {}, land) for choice in choices)


class _Kinds(Transformer):
    """Collects the kinds of terrain that a statement uses.

    Attributes:
        asked: The terms in the place of a kind.
        known: The terms that a variable may be, by its name; an empty list if it stands for a
            location, which is not land.
    """

    def __init__(self) -> None:
        self.asked: list[AST] = []
        self.known: dict[str, Sequence[AST]] = {}

    def visit_SymbolicAtom(self, atom: AST) -> AST:  # noqa: N802
        """Collect the kind of terrain that an atom uses, and return the atom."""
        term = atom.symbol
        if term.ast_type != ASTType.Function:
            return atom
        name = term.name.removesuffix(_SECOND)
        arguments = term.arguments
        if name in _KIND_ARGUMENTS and len(arguments) == 3:
            self.asked.append(arguments[_KIND_ARGUMENTS[name]])
        return atom

    def visit_Literal(self, literal: AST) -> AST:  # noqa: N802
        """Collect what a variable may be, if the literal restricts one, and return the literal."""
        self.visit_children(literal)
        if literal.sign == Sign.NoSign:
            self._restrict(literal.atom)
        return literal

    def _restrict(self, atom: AST) -> None:
        """Collect what a variable may be: location(K) and K = (town;castle) restrict K."""
        if atom.ast_type == ASTType.SymbolicAtom:
            if str(atom).startswith("location("):
                kind = atom.symbol.arguments[0]
                name = str(kind)
                self.known.setdefault(name, [])
        elif atom.ast_type == ASTType.Comparison:
            term = atom.term
            guard, *others = atom.guards
            is_equation = guard.comparison == ComparisonOperator.Equal and not others
            if is_equation and term.ast_type == ASTType.Variable:
                name = str(term)
                self.known.setdefault(name, [guard.term])
