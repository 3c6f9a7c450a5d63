"""Conversion of Python values to clingo's symbols and back, and rules that read facts from Python.

While clingo grounds, it calls Python for the rows of each predicate. One call for all rows is
several times faster than a call or a rule for each atom.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any, TypeAlias, TypeVar

from clingo import Function, Number, String, Symbol, SymbolType, parse_term

from kb_score.engine.arithmetic import FUNCTIONS
from kb_score.engine.scan import Signature
from kb_score.errors import RuleError, visible


class Name(str):
    """A constant of the rules, such as ``water``; a plain str is a quoted string.

    A constant and a string are never equal, so that a cache of symbols cannot confuse them.
    """

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Name) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        # `_make_symbols` writes rows with this, and must be able to tell it from a string.
        return f"Name({str(self)!r})"


@dataclass(frozen=True, slots=True)
class Term:
    """A compound term of an answer, such as ``hex(3,4)``; the name of ``-hex(3,4)`` is ``-hex``."""

    name: str
    arguments: tuple[Value, ...]

    def __str__(self) -> str:
        arguments = ",".join(map(str, self.arguments))
        if not arguments:
            return self.name
        return f"{self.name}({arguments})"


# Constants and strings of an answer are both str: code that reads an answer knows which to expect.
Value: TypeAlias = int | str | tuple["Value", ...] | Term
Row: TypeAlias = tuple["Value", ...]
# Facts by predicate: all rows of one predicate have the same number of values.
Facts: TypeAlias = Mapping[str, Sequence[Row]]

# A named tuple with the arguments of a predicate: GameTotalRow, or GameTotal, for game_total.
Typed = TypeVar("Typed", bound=tuple[Value, ...])

# The deepest nesting of terms in results.
_DEEPEST = 100
# More rows than this are converted as one string.
_MANY = 16
# The way Python writes rows of numbers and of strings without quotes and escapes. A row with a
# `Name` does not match.
_PLAIN_ROWS = re.compile(r"(?:[(), ]|-?[0-9]+|'[^'\"\\]*')*+")
_PLAIN_WORD = re.compile(r'-?[0-9]+|"[^"\\]*"', re.ASCII)
_HUMP = re.compile(r"(?<!^)(?=[A-Z])")


@lru_cache(maxsize=1 << 18)
def to_symbol(value: Value) -> Symbol:
    """Return the symbol of a value; a tuple becomes a tuple. Cached, since facts recur."""
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
            elements = list(map(to_symbol, value))
            return Function("", elements)
        case Term():
            name = value.name.removeprefix("-")
            arguments = list(map(to_symbol, value.arguments))
            is_positive = name == value.name
            return Function(name, arguments, is_positive)


def _make_symbols(rows: Sequence[Row]) -> Sequence[Symbol]:
    """Return the symbols of rows."""
    if len(rows) > _MANY:
        # clingo reads rows several times faster from one text than one by one.
        text = repr(tuple(rows))
        if _PLAIN_ROWS.fullmatch(text):
            quoted = text.replace("'", '"')
            return parse_term(quoted).arguments
    return [to_symbol(row) for row in rows]


# Caches the symbols of rows that recur, as those of a board do.
_cache_symbols = lru_cache(maxsize=256)(_make_symbols)


@lru_cache(maxsize=1 << 16)
def to_value(symbol: Symbol, depth: int = 0) -> Value:
    """Return the value of a symbol, which is nested in some others.

    Symbols that are nested too deeply are a RuleError.
    """
    if depth > _DEEPEST:
        raise RuleError(f"the rules build a term that is nested deeper than {_DEEPEST} levels")
    match symbol.type:
        case SymbolType.Number:
            return symbol.number
        case SymbolType.String:
            return symbol.string
        case SymbolType.Function:
            arguments = tuple(to_value(argument, depth + 1) for argument in symbol.arguments)
            name = symbol.name
            if not name:
                return arguments
            if not symbol.positive:
                name = f"-{name}"
            return Term(name, arguments) if arguments else name
        case _:
            return str(symbol)


def to_exact_value(symbol: Symbol) -> Value:
    """Return the value from which `to_symbol` makes this symbol again: a constant is a `Name`."""
    if symbol.type != SymbolType.Function:
        return to_value(symbol)
    arguments = tuple(map(to_exact_value, symbol.arguments))
    if not symbol.name:
        return arguments
    name = symbol.name
    if not symbol.positive:
        name = f"-{name}"
    elif not arguments:
        return Name(name)
    return Term(name, arguments)


def to_row(atom: Symbol) -> Row:
    """Return the arguments of an atom that is unlikely to occur again; they are not cached."""
    # Each access to a symbol's attribute calls clingo, which takes longer than parsing its text.
    _, _, arguments = str(atom).partition("(")
    words = arguments[:-1].split(",")
    try:
        return tuple(map(int, words))
    except ValueError:
        pass
    if all(map(_PLAIN_WORD.fullmatch, words)):
        return tuple([word[1:-1] if word[0] == '"' else int(word) for word in words])
    return tuple(map(to_value, atom.arguments))


@lru_cache(maxsize=1 << 16)
def to_atom(symbol: Symbol) -> tuple[Signature, Row]:
    """Return the predicate of an atom and its arguments. Cached, since atoms recur."""
    try:
        row = tuple(map(to_value, symbol.arguments))
    except RuleError as error:
        arity = len(symbol.arguments)
        raise RuleError(f"{error}, in {symbol.name}/{arity}") from error
    return (symbol.name, len(row)), row


def write_facts(facts: Facts) -> str:
    """Write facts as text for clingo, with one line for each predicate."""
    lines = list[str]()
    for name, rows in facts.items():
        atoms = list[str]()
        for row in rows:
            arguments = list(map(to_symbol, row))
            atom = Function(name, arguments)
            atoms.append(f"{atom}.")
        if atoms:
            line = " ".join(atoms)
            lines.append(f"{line}\n")
    return "".join(lines)


@cache
def predicate_of(row_type: type[Typed]) -> Signature:
    """Return the predicate of a row type: `GameTotalRow` is for ``game_total``."""
    name = row_type.__name__.removesuffix("Row")
    with_underscores = _HUMP.sub("_", name)
    arity = len(_types_of(row_type))
    return with_underscores.lower(), arity


def read_rows(row_type: type[Typed], rows: Iterable[Row]) -> list[Typed]:
    """Return rows as named tuples.

    A value of an int field that is not a number, and one of a str field that is neither a string
    nor a constant, are a RuleError.
    """
    make: Callable[..., Typed] = row_type
    numbered = enumerate(_types_of(row_type))
    types = [(i, type_) for i, type_ in numbered if type_ in (int, str)]
    found = list[Typed]()
    for row in rows:
        for i, type_ in types:
            value = row[i]
            if not isinstance(value, type_):
                expected = "a number" if type_ is int else "a word"
                name, _ = predicate_of(row_type)
                given = visible(str(value))
                raise RuleError(f"{name}: the rules give {given} where {expected} is expected")
        found.append(make(*row))
    return found


@cache
def _types_of(row_type: type[Typed]) -> tuple[object, ...]:
    """Return the types of a named tuple's fields; postponed annotations are resolved."""
    known = {"int": int, "str": str}
    types = list[object]()
    for hint in row_type.__annotations__.values():
        name = getattr(hint, "__forward_arg__", "")
        types.append(known.get(name, hint))
    return tuple(types)


@dataclass(frozen=True, slots=True)
class Answer:
    """The shown atoms of an answer set: their arguments by predicate, in the order of grounding."""

    rows: Mapping[Signature, Sequence[Row]]

    def __getitem__(self, name: str) -> list[tuple[Any, ...]]:
        """Return the rows of the predicate with a name; none if the rules derive no such atom."""
        found: list[tuple[Any, ...]] = []
        for (known, _), rows in self.rows.items():
            if known == name:
                found += rows
        return found

    def read(self, row_type: type[Typed]) -> list[Typed]:
        """Return the atoms of a predicate as named tuples, whose name gives the predicate."""
        predicate = predicate_of(row_type)
        rows = self.rows.get(predicate, ())
        return read_rows(row_type, rows)

    def split(self, boards: int, shared: Collection[Signature]) -> list[Answer]:
        """Split an answer about several boards into answers without the board's number in the rows.

        The shared predicates are not about a board; each answer has them.
        """
        answers: list[dict[Signature, list[Row]]] = [{} for _ in range(boards)]
        for signature, rows in self.rows.items():
            if signature in shared:
                for answer in answers:
                    answer[signature] = list(rows)
                continue
            name, arity = signature
            without_board = (name, arity - 1)
            for board, *row in rows:
                assert isinstance(board, int)
                of_board = answers[board].setdefault(without_board, [])
                of_board.append(tuple(row))
        return list(map(Answer, answers))


def shapes_of(*given: Facts) -> list[Signature]:
    """Return the predicates that have facts, with their numbers of arguments, sorted."""
    shapes = set[Signature]()
    for facts in given:
        for name, rows in facts.items():
            if rows:
                shapes.add((name, len(rows[0])))
    return sorted(shapes)


def join_boards(boards: Sequence[Facts]) -> Facts:
    """Join the facts of several boards, whose number from 0 becomes the first value of a row."""
    joined = defaultdict[str, list[Row]](list)
    joined["board_id"] = [(number,) for number in range(len(boards))]
    for number, facts in enumerate(boards):
        for name, rows in facts.items():
            joined[name] += [(number, *row) for row in rows]
    return dict(joined)


def take_in(signature: Signature, *turn: str) -> str:
    """Return the rule that takes in the facts of a predicate.

    A turn, if there is one, becomes the last argument.
    """
    name, arity = signature
    values = name_values(arity)
    row = ",".join(values)
    if arity == 1:
        # A one-element tuple is written with a trailing comma.
        row = f"{row},"
    arguments = ",".join([*values, *turn])
    return f"{name}({arguments}) :- ({row}) = @{name}()."


def name_values(arity: int) -> list[str]:
    """Return names of variables for the arguments of a predicate: X0, X1 and so on."""
    return [f"X{i}" for i in range(arity)]


class FactSource:
    """The functions that clingo calls for the rows of predicates, and the rules that call them.

    Attributes:
        taking_in: The rules that take in the facts and the carried atoms.
    """

    def __init__(
        self,
        facts: Facts,
        carried: Mapping[Signature, Sequence[Symbol]] | None = None,
        find: Callable[[str], Callable[..., Symbol | Sequence[Symbol]] | None] = lambda _: None,
    ) -> None:
        """Hand clingo the facts and the carried atoms.

        The function ``find`` returns further functions by their names in the rules, and None for
        other names.
        """
        self._find = find
        self.taking_in = list(map(take_in, shapes_of(facts)))
        self._facts = facts
        self._carried: dict[str, Sequence[Symbol]] = {}
        if carried is None:
            return
        for (name, arity), symbols in carried.items():
            plain_name = name.replace("-", "not_")
            function = f"carried_{plain_name}_{arity}"
            # Atoms stay symbols: as values, a constant and a string would look alike.
            atom = name
            if arity:
                arguments = ",".join(name_values(arity))
                atom = f"{name}({arguments})"
            self.taking_in.append(f"{atom} :- {atom} = @{function}().")
            self._carried[function] = symbols

    def __getattr__(self, name: str) -> Callable[..., Symbol | Sequence[Symbol]]:
        if name in self._carried:
            return lambda: self._carried[name]
        found = self._find(name) or FUNCTIONS.get(name)
        if found is not None:
            return found
        if name not in self._facts:
            raise AttributeError(name)
        rows = self._facts[name]
        if isinstance(rows, tuple):
            return partial(_cache_symbols, rows)
        return partial(_make_symbols, rows)
