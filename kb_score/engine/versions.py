"""Two versions of some rules in one program, to be grounded and compared together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from clingo import parse_term
from clingo.ast import AST, ASTType, SymbolicTerm, Transformer

from kb_score.engine.program import (
    Program,
    Signature,
    Statement,
    error_at,
    read_statement,
    signatures_in,
)

_GUIDES = "a constraint or a choice cannot be compared: state what follows from it"


def pair_versions(before: Program, after: Program) -> tuple[Program, frozenset[Signature]]:
    """Put two versions of rules side by side, their constants decided.

    Returns:
        The rules of both. What they derive alike is there once; what depends on other rules is
        there a second time, its name ending in _after. And the predicates that are there twice.

    Raises:
        RuleError: A constraint or a choice differs: it would hold for both versions.
    """
    first, second = map(_decide, (before, after))
    texts = [{str(s.node): s for s in rules} for rules in (first, second)]
    different = [s for a, b in (texts, texts[::-1]) for text, s in a.items() if text not in b]
    for statement in different:
        if statement.guides:
            raise error_at(statement.node.location, _GUIDES)
    changed = frozenset[Signature]().union(*(s.heads for s in different))
    # What is chosen is there once, by the first version.
    rules = Program(tuple(s for s in (*first, *second) if not (s.guides and s.heads)))
    doubled = rules.find_dependents(changed) if changed else changed
    for statement in second:
        if statement.guides and not doubled.isdisjoint(_list_chosen(statement.node)):
            raise error_at(statement.node.location, _GUIDES)
    rename = _Rewriter({}, doubled).visit
    copied = (s for s in second if not s.guides and not doubled.isdisjoint(s.heads))
    copies = (read_statement(rename(s.node)) for s in copied)
    shows = (s for s in before.statements if s.node.ast_type == ASTType.ShowSignature)
    # Where a rule is left out nothing may be left that derives its head.
    defined = before.defined | after.defined | {(f"{name}_after", n) for name, n in doubled}
    both = Program((*first, *copies, *shows), defined | doubled, (), after.limits)
    return both, doubled


def _list_chosen(node: AST) -> set[Signature]:
    """List what a choice chooses, without what its conditions ask for."""
    elements = getattr(node.head, "elements", ())
    return {found for element in elements for found in signatures_in(element.literal)}


def _decide(program: Program) -> list[Statement]:
    """List the rules of a program, with the values of constants in their place."""
    found = program.find_constants()
    values: dict[str, AST] = {name: node.value for name, node in found.items()}
    for name, value in program.constants:
        values[name] = SymbolicTerm(found[name].location, parse_term(value))
    decide = _Rewriter(values, frozenset()).visit
    rules = (s for s in program.statements if s.node.ast_type == ASTType.Rule)
    return [replace(s, node=decide(s.node)) for s in rules]


class _Rewriter(Transformer):
    """Puts the values of constants in their place, and _after behind some predicates' names."""

    def __init__(self, values: Mapping[str, AST], doubled: frozenset[Signature]) -> None:
        self.values, self.doubled = values, doubled

    def visit_SymbolicTerm(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        value = self.values.get(str(node.symbol))
        return node if value is None else self.visit(value)

    def visit_SymbolicAtom(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        return node.update(symbol=self._rename(self.visit(node.symbol)))

    def _rename(self, symbol: AST) -> AST:
        if symbol.ast_type == ASTType.Pool:
            return symbol.update(arguments=[self._rename(a) for a in symbol.arguments])
        if symbol.ast_type == ASTType.UnaryOperation:
            return symbol.update(argument=self._rename(symbol.argument))
        is_doubled = (symbol.name, len(symbol.arguments)) in self.doubled
        return symbol.update(name=f"{symbol.name}_after") if is_doubled else symbol
