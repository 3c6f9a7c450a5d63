"""Rules that rulings leave out: grounding would find that out too, but looks at each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from clingo.ast import AST, ASTType, ComparisonOperator

from kb_score.engine.program import Program, Signature, Statement

_FALSE = {(ComparisonOperator.Equal, False), (ComparisonOperator.NotEqual, True)}


def without_idle(program: Program) -> Program:
    """Leave out rules of ours that ask for a ruling that is decided in another way."""
    values = {name: str(node.value) for name, node in program.find_constants().items()}
    values.update(program.constants)
    kept, heads = list[Statement](), set[Signature]()
    for statement in program.statements:
        if statement.is_users or not _is_idle(statement.node, values):
            kept.append(statement)
        else:
            heads |= statement.heads
    # What only such rules derive is no mistake: it has no atoms here.
    return replace(program, statements=tuple(kept), defined=program.defined | heads)


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
    other = str(guard.term)
    is_same = values[str(term)] == values.get(other, other)
    return (guard.comparison, is_same) in _FALSE
