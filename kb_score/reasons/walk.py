"""Walks through clingo's syntax trees, which reasons need for the terms in rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from clingo.ast import AST, ASTType, Transformer

from kb_score.engine.program import TERMS
from kb_score.engine.scan import Signature


class ConstantSetter(Transformer):
    """Replaces constants with terms."""

    def __init__(self, values: Mapping[str, AST]) -> None:
        self.values = values
        names = "|".join(values) or "(?!)"
        self._name = re.compile(rf"(?<![\w'])(?:{names})(?![\w'])")

    def put(self, node: AST) -> AST:
        """Return a syntax tree with values for its constants; the same tree if it has none."""
        # Most trees have no constant, and searching their text is faster than walking them.
        text = str(node)
        if self._name.search(text) is None:
            return node
        return self.visit(node)

    def visit_SymbolicTerm(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        """Return the value of a constant; constants in that value are replaced too."""
        name = str(node.symbol)
        if name in self.values:
            return self.visit(self.values[name])
        return node


def atoms_in(node: AST) -> Iterator[Signature]:
    """Yield the predicate of each atom in a syntax tree.

    A classically negated predicate is called ``-name``.
    """
    for sign, atom in functions_in(node):
        name = f"{sign}{atom.name}"
        arity = len(atom.arguments)
        yield name, arity


def functions_in(node: AST) -> Iterator[tuple[str, AST]]:
    """Yield the sign ("" or "-") and the function term of each atom in a syntax tree."""
    if node.ast_type == ASTType.SymbolicAtom:
        yield from _functions_of(node.symbol, "")
        return
    for child in _children(node):
        yield from functions_in(child)


def _functions_of(symbol: AST, sign: str) -> Iterator[tuple[str, AST]]:
    """Yield the function terms of an atom's symbol, which may be a pool or have a minus sign."""
    if symbol.ast_type == ASTType.Pool:
        for argument in symbol.arguments:
            yield from _functions_of(argument, sign)
    elif symbol.ast_type == ASTType.UnaryOperation:
        yield from _functions_of(symbol.argument, "-")
    else:
        yield sign, symbol


def _children(node: AST) -> Iterator[AST]:
    """Yield the children of a syntax tree that may contain atoms; those of terms cannot."""
    if node.ast_type == ASTType.Literal:
        yield node.atom
        return
    if node.ast_type in TERMS:
        return
    for key in node.child_keys:
        child = getattr(node, key)
        if isinstance(child, AST):
            yield child
        elif isinstance(child, Sequence):
            yield from child
