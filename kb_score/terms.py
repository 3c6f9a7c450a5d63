"""Python values to clingo's symbols and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from clingo import Function, Number, String, Symbol, SymbolType, parse_term


class Name(str):
    """A constant of the rules, such as ``water``; a plain str is a text in quotes.

    The two are never equal, so that a table of symbols cannot mix them up.
    """

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Name) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other


@dataclass(frozen=True, slots=True)
class Term:
    """A compound term of an answer, such as ``hex(3,4)``."""

    name: str
    arguments: tuple[Value, ...]

    def __str__(self) -> str:
        return f"{self.name}({','.join(map(str, self.arguments))})"


# Constants and texts of an answer are both str: what reads an answer knows which it asked for.
Value: TypeAlias = int | str | tuple["Value", ...] | Term
Row: TypeAlias = tuple["Value", ...]
# Facts by predicate: all rows of one predicate have the same number of values.
Facts: TypeAlias = Mapping[str, Sequence[Row]]

_MANY = 500


@lru_cache(maxsize=1 << 18)
def to_symbol(value: Value) -> Symbol:
    """Make the symbol of a value; a tuple becomes a tuple. Kept, since facts recur."""
    match value:
        case Symbol():
            return value
        case int():
            return Number(value)
        case Name():
            return Function(str(value))
        case str():
            return String(value)
        case tuple():
            return Function("", [to_symbol(element) for element in value])
        case Term():
            return Function(value.name, [to_symbol(element) for element in value.arguments])


def to_symbols(rows: Sequence[Row]) -> Sequence[Symbol]:
    """Make the symbols of some rows."""
    if len(rows) > _MANY:
        # clingo reads numbers several times faster from one text than it is handed them.
        text = repr(tuple(rows))
        if "'" not in text and '"' not in text:
            return parse_term(text).arguments
    return [to_symbol(row) for row in rows]


@lru_cache(maxsize=1 << 16)
def to_value(symbol: Symbol) -> Value:
    """Make the value of a symbol."""
    match symbol.type:
        case SymbolType.Number:
            return symbol.number
        case SymbolType.String:
            return symbol.string
        case SymbolType.Function if symbol.name and not symbol.arguments:
            return symbol.name if symbol.positive else f"-{symbol.name}"
        case SymbolType.Function if symbol.name:
            return Term(symbol.name, tuple(map(to_value, symbol.arguments)))
        case SymbolType.Function:
            return tuple(map(to_value, symbol.arguments))
        case _:
            return str(symbol)


@lru_cache(maxsize=1 << 16)
def to_atom(symbol: Symbol) -> tuple[tuple[str, int], Row]:
    """Take an atom apart: its predicate and its arguments. Kept, since atoms recur."""
    row = tuple(map(to_value, symbol.arguments))
    return (symbol.name, len(row)), row


def write_facts(facts: Facts) -> str:
    """Write facts as text for clingo, a line a predicate."""
    lines = (
        " ".join(f"{name}({','.join(str(to_symbol(v)) for v in row)})." for row in rows)
        for name, rows in facts.items()
        if rows
    )
    return "".join(f"{line}\n" for line in lines)
