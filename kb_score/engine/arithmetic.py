"""Arithmetic in rules that are not ours, at which clingo would crash or go on for ever.

clingo divides the smallest number by -1 with the processor's instruction, which ends the process,
and it counts on beyond the largest number. So such divisions and intervals call functions while
they are grounded, and these raise an error with the place of the term.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clingo import Number, String, Symbol, SymbolType
from clingo.ast import AST, ASTType, BinaryOperator, Function, SymbolicTerm, Transformer

# No predicate that has facts has such a name.
_QUOTIENT = "quotient'"
_REMAINDER = "remainder'"
_END = "end'"
_OPERATIONS = {BinaryOperator.Division: _QUOTIENT, BinaryOperator.Modulo: _REMAINDER}
_SMALLEST = -(2**31)
_LARGEST = 2**31 - 1


class ArithmeticFault(RuntimeError):
    """A term that clingo cannot compute; the message begins like one of clingo's."""


def guard_terms(rule: AST) -> AST:
    """Return a rule whose divisions and intervals cannot crash clingo; often the same one."""
    text = str(rule)
    if not any(sign in text for sign in ("/", "\\", "..")):
        return rule
    guarded: AST = _Guard().visit(rule)
    return guarded


class _Guard(Transformer):
    """Puts calls of functions in the place of terms that may crash clingo."""

    def visit_BinaryOperation(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        node = node.update(**self.visit_children(node))
        if not may_crash(node):
            return node
        return _call(_OPERATIONS[node.operator_type], node, node.left, node.right)

    def visit_Interval(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        node = node.update(**self.visit_children(node))
        if _is_number(node.right, _SMALLEST, _LARGEST - 1):
            return node
        return node.update(right=_call(_END, node, node.right))


def may_crash(operation: AST) -> bool:
    """Return whether an operation is a division by anything but a number above 0."""
    is_division = operation.operator_type in _OPERATIONS
    return is_division and not _is_number(operation.right, 1, _LARGEST)


def _is_number(term: AST, least: int, most: int) -> bool:
    """Return whether a term is a number in a range."""
    if term.ast_type != ASTType.SymbolicTerm or term.symbol.type != SymbolType.Number:
        return False
    number: int = term.symbol.number
    return least <= number <= most


def _call(name: str, node: AST, *arguments: AST) -> AST:
    """Return a call of a function with some arguments and the place of a term."""
    begin = node.location.begin
    place = (String(begin.filename), Number(begin.line), Number(begin.column))
    where = [SymbolicTerm(node.location, symbol) for symbol in place]
    return Function(node.location, name, [*arguments, *where], True)


def _divide(left: Symbol, right: Symbol, sign: str, place: tuple[Symbol, ...]) -> tuple[int, int]:
    """Return quotient and remainder as clingo computes them: the quotient is cut towards 0."""
    term = f"{left}{sign}{right}"
    if left.type != SymbolType.Number or right.type != SymbolType.Number or right.number == 0:
        raise _fault(place, f"operation undefined: {term}")
    if left.number == _SMALLEST and right.number == -1:
        raise _fault(place, f"{term} does not fit in 32 bits")
    quotient = abs(left.number) // abs(right.number)
    if (left.number < 0) != (right.number < 0):
        quotient = -quotient
    return quotient, left.number - quotient * right.number


def _quotient(left: Symbol, right: Symbol, *place: Symbol) -> Symbol:
    quotient, _ = _divide(left, right, "/", place)
    return Number(quotient)


def _remainder(left: Symbol, right: Symbol, *place: Symbol) -> Symbol:
    _, remainder = _divide(left, right, "\\", place)
    return Number(remainder)


def _end(end: Symbol, *place: Symbol) -> Symbol:
    if end == Number(_LARGEST):
        raise _fault(place, f"an interval cannot end at {_LARGEST}, the largest number")
    return end


def _fault(place: tuple[Symbol, ...], message: str) -> ArithmeticFault:
    """Return the error for a term, given the file, the line and the column where it begins."""
    file, line, column = place
    return ArithmeticFault(f"{file.string}:{line}:{column}: error: {message}")


def _or_nothing(function: Callable[..., Symbol]) -> Callable[..., Sequence[Symbol]]:
    """Return a function that gives clingo no value where the other one raises an error."""

    def call(*arguments: Symbol) -> list[Symbol]:
        try:
            return [function(*arguments)]
        except ArithmeticFault:
            return []

    return call


FUNCTIONS: dict[str, Callable[..., Symbol]] = {
    _QUOTIENT: _quotient,
    _REMAINDER: _remainder,
    _END: _end,
}
# For rules that are grounded only in part, where a term without a value is no mistake.
PARTIAL = {name: _or_nothing(function) for name, function in FUNCTIONS.items()}
