"""Rules that rulings leave out: grounding would find that out too, but looks at each of them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from clingo.ast import AST, ASTType, ComparisonOperator

from kb_score.engine.program import Program, Signature, signatures_in
from kb_score.engine.source import is_number

_EQUAL = {ComparisonOperator.Equal: True, ComparisonOperator.NotEqual: False}
_ORDER: dict[int, Callable[[int, int], bool]] = {
    ComparisonOperator.LessThan: operator.lt,
    ComparisonOperator.LessEqual: operator.le,
    ComparisonOperator.GreaterThan: operator.gt,
    ComparisonOperator.GreaterEqual: operator.ge,
}


def without_idle(program: Program) -> Program:
    """Leave out rules of ours that ask for a ruling that is decided in another way.

    So do rules that ask for what only such rules derive.
    """
    values = {name: str(node.value) for name, node in program.find_constants().items()}
    values.update(program.constants)
    idle = {id(s) for s in program.statements if not s.is_users and _is_idle(s.node, values)}
    while True:
        kept = tuple(s for s in program.statements if id(s) not in idle)
        derived = frozenset[Signature]().union(*(s.heads for s in kept))
        heads = frozenset[Signature]().union(
            *(s.heads for s in program.statements if id(s) in idle)
        )
        # What may be absent may also be given.
        absent = heads - derived - program.defined
        more = {id(s) for s in kept if not s.is_users and not absent.isdisjoint(_asked(s.node))}
        if not more:
            # What only such rules derive is no mistake: it has no atoms here.
            return replace(program, statements=kept, defined=program.defined | heads)
        idle |= more


def _asked(node: AST) -> Iterator[Signature]:
    """Yield what the body of a rule asks to hold."""
    if node.ast_type != ASTType.Rule:
        return
    for part in node.body:
        if part.ast_type == ASTType.Literal and not part.sign:
            yield from signatures_in(part)


def _is_idle(node: AST, values: Mapping[str, str]) -> bool:
    """Whether a rule has a condition such as ``ruling = 1`` that these values make false."""
    if node.ast_type != ASTType.Rule:
        return False
    atoms = (part.atom for part in node.body if part.ast_type == ASTType.Literal and not part.sign)
    return any(
        atom.ast_type == ASTType.Comparison
        and len(atom.guards) == 1
        and _is_false(atom.term, atom.guards[0], values)
        for atom in atoms
    )


def _is_false(term: AST, guard: AST, values: Mapping[str, str]) -> bool:
    if str(term) not in values or guard.term.ast_type != ASTType.SymbolicTerm:
        return False
    value, other = values[str(term)], values.get(str(guard.term), str(guard.term))
    if guard.comparison in _EQUAL:
        return (value == other) != _EQUAL[guard.comparison]
    # Words have an order, too, but it is clingo's.
    numbers = is_number(value) and is_number(other)
    return numbers and not _ORDER[guard.comparison](int(value), int(other))
