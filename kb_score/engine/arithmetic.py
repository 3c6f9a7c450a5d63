"""Arithmetic in rules that are not ours, at which clingo would crash or go on for ever.

clingo divides the smallest number by -1 with the processor's instruction, which ends the process,
and it counts on beyond the largest number. So such divisions and intervals call functions while
they are grounded, and these raise an error with the place of the rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from clingo import Function, Number, String, Symbol, SymbolType

from kb_score.engine.scan import STRING

# The functions in the place of operators; no predicate that has facts has such a name.
_NAMES = {"/": "quotient'", "\\": "remainder'", "..": "end'"}
_OPERATOR = re.compile(r"\.\.|[/\\]")
_STRING = re.compile(STRING)
_CALL = re.compile(r"\(#Script[0-9]+\+0\)")
_SMALLEST = -(2**31)
_LARGEST = 2**31 - 1
# What a division without a result gives: clingo cannot add 0 to it, and says so.
_UNDEFINED = Function("undefined'")


class ArithmeticFault(RuntimeError):
    """A term that clingo cannot compute; the message begins like one of clingo's."""


def guard_terms(text: str, place: tuple[str, int, int] = ("", 1, 1)) -> str:
    """Return the text of a rule as clingo prints it, with no term that crashes clingo.

    The place of the rule is a file, a line and a column. clingo writes brackets around the sides of
    each operator, so a term such as ``(N/M)`` is found by its operator.
    """
    file, line, column = place
    where = f"{String(file)},{line},{column}"
    end = len(text)
    while True:
        masked = _STRING.sub(lambda found: "_" * len(found[0]), text)
        operators = list(_OPERATOR.finditer(masked, 0, end))
        if not operators:
            return text
        operator = operators[-1]
        sign = operator[0]
        begin = _find_bracket(masked, operator.start(), -1)
        close = _find_bracket(masked, operator.start(), 1)
        left, right = text[begin + 1 : operator.start()], text[operator.end() : close]
        # Terms to the right of this operator are done.
        end = operator.start()
        if not _may_crash(sign, right):
            continue
        before, after = "(", f"..@{_NAMES[sign]}({right},{where}))"
        if sign != "..":
            before, after = f"(@{_NAMES[sign]}(", f",{right},{where})+0)"
        end = begin + len(before) + len(left)
        text = f"{text[:begin]}{before}{left}{after}{text[close + 1 :]}"


def unguard(message: str) -> str:
    """Return a message of clingo, which has numbers for the functions in divisions."""
    return _CALL.sub("a division", message)


def _may_crash(sign: str, right: str) -> bool:
    """Return whether a term may crash clingo: not if its right side is a number that is fine."""
    if not right.isdecimal():
        return True
    return sign == ".." and int(right) == _LARGEST


def _find_bracket(text: str, offset: int, step: int) -> int:
    """Return the offset of the bracket that encloses a place, to the left for -1."""
    depth = 0
    while depth >= 0:
        offset += step
        if text[offset] == ")":
            depth -= step
        elif text[offset] == "(":
            depth += step
    return offset


def _divide(left: Symbol, right: Symbol, place: tuple[Symbol, ...]) -> tuple[Symbol, Symbol]:
    """Return quotient and remainder as clingo computes them: the quotient is cut towards 0."""
    if left.type != SymbolType.Number or right.type != SymbolType.Number or right.number == 0:
        return _UNDEFINED, _UNDEFINED
    if left.number == _SMALLEST and right.number == -1:
        raise _fault(place, f"{_SMALLEST} divided by -1 does not fit in 32 bits")
    quotient = abs(left.number) // abs(right.number)
    if (left.number < 0) != (right.number < 0):
        quotient = -quotient
    return Number(quotient), Number(left.number - quotient * right.number)


def _quotient(left: Symbol, right: Symbol, *place: Symbol) -> Symbol:
    quotient, _ = _divide(left, right, place)
    return quotient


def _remainder(left: Symbol, right: Symbol, *place: Symbol) -> Symbol:
    _, remainder = _divide(left, right, place)
    return remainder


def _end(end: Symbol, *place: Symbol) -> Symbol:
    if end == Number(_LARGEST):
        raise _fault(place, f"an interval cannot end at {_LARGEST}, the largest number")
    return end


def _fault(place: tuple[Symbol, ...], message: str) -> ArithmeticFault:
    """Return the error for a term, given the file, the line and the column of its rule."""
    file, line, column = place
    return ArithmeticFault(f"{file.string}:{line}:{column}: error: {message}")


def _or_undefined(function: Callable[..., Symbol]) -> Callable[..., Symbol]:
    """Return a function that gives clingo no number where the other one raises an error."""

    def call(*arguments: Symbol) -> Symbol:
        try:
            return function(*arguments)
        except ArithmeticFault:
            return _UNDEFINED

    return call


FUNCTIONS: Mapping[str, Callable[..., Symbol]] = {
    "quotient'": _quotient,
    "remainder'": _remainder,
    "end'": _end,
}
# For rules that are grounded only in part, where a term without a value is no mistake.
PARTIAL = {name: _or_undefined(function) for name, function in FUNCTIONS.items()}
