"""Python values to clingo's symbols and back, and facts to the rules that take them in.

While clingo grounds, it asks the driver for the rows of each predicate. One call for all rows is
several times faster than a call or a rule for each atom.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeAlias, TypeVar

from clingo import Function, Number, String, Symbol, SymbolType, parse_term

from kb_score.engine.program import DEEPEST, Signature
from kb_score.errors import RuleError, visible


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
    """A compound term of an answer, such as ``hex(3,4)``; the name of ``-hex(3,4)`` is ``-hex``."""

    name: str
    arguments: tuple[Value, ...]

    def __str__(self) -> str:
        arguments = ",".join(map(str, self.arguments))
        return f"{self.name}({arguments})" if arguments else self.name


# Constants and texts of an answer are both str: the reader of an answer knows which to expect.
Value: TypeAlias = int | str | tuple["Value", ...] | Term
Row: TypeAlias = tuple["Value", ...]
# Facts by predicate: all rows of one predicate have the same number of values.
Facts: TypeAlias = Mapping[str, Sequence[Row]]

# The rows of each predicate by number: that of a turn, or of a block of a record.
Numbered: TypeAlias = Mapping[str, Sequence[Sequence[Row]]]

# A named tuple that names the arguments of a predicate: GameTotalRow, or GameTotal, for game_total.
Typed = TypeVar("Typed", bound=tuple[Value, ...])

# The variable that stands for the board in rules for many boards, and the one that stands for the
# turn; the prime keeps them apart from the variables of rules for one board or one turn.
BOARD, TURN = "Board'", "Turn'"

_MANY = 16
_HUMP = re.compile(r"(?<!^)(?=[A-Z])")


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
            arguments = [to_symbol(element) for element in value.arguments]
            return Function(value.name.removeprefix("-"), arguments, value.name[:1] != "-")


def _make_symbols(rows: Sequence[Row]) -> Sequence[Symbol]:
    if len(rows) > _MANY:
        # clingo reads numbers several times faster from one text than one by one.
        text = repr(tuple(rows))
        if "'" not in text and '"' not in text:
            return parse_term(text).arguments
    return [to_symbol(row) for row in rows]


# Rows that recur, as those of a board do.
_keep_symbols = lru_cache(maxsize=256)(_make_symbols)


@lru_cache(maxsize=1 << 16)
def to_value(symbol: Symbol, depth: int = 0) -> Value:
    """Make the value of a symbol, nested ``depth`` deep in another; a RuleError if too deep."""
    if depth > DEEPEST:
        raise RuleError(f"the rules build a term that is nested deeper than {DEEPEST} levels")
    match symbol.type:
        case SymbolType.Number:
            return symbol.number
        case SymbolType.String:
            return symbol.string
        case SymbolType.Function if symbol.name and not symbol.arguments:
            return symbol.name if symbol.positive else f"-{symbol.name}"
        case SymbolType.Function if symbol.name:
            name = symbol.name if symbol.positive else f"-{symbol.name}"
            return Term(name, tuple(to_value(a, depth + 1) for a in symbol.arguments))
        case SymbolType.Function:
            return tuple(to_value(a, depth + 1) for a in symbol.arguments)
        case _:
            return str(symbol)


def to_row(atom: Symbol) -> Row:
    """Take out the arguments of an atom, which is one of many that each occur once."""
    _, _, arguments = str(atom).partition("(")
    try:
        # Each look at a symbol is a call of clingo, which takes longer than to read its text.
        return tuple(map(int, arguments[:-1].split(",")))
    except ValueError:
        return tuple(map(to_value, atom.arguments))


@lru_cache(maxsize=1 << 16)
def to_atom(symbol: Symbol) -> tuple[Signature, Row]:
    """Take an atom apart: its predicate and its arguments. Kept, since atoms recur."""
    try:
        row = tuple(map(to_value, symbol.arguments))
    except RuleError as error:
        raise RuleError(f"{error}, in {symbol.name}/{len(symbol.arguments)}") from error
    return (symbol.name, len(row)), row


def write_facts(facts: Facts) -> str:
    """Write facts as text for clingo, with a line for each predicate."""
    lines = (
        " ".join(f"{Function(name, [to_symbol(v) for v in row])}." for row in rows)
        for name, rows in facts.items()
        if rows
    )
    return "".join(f"{line}\n" for line in lines)


@cache
def predicate_of(row_type: type[Typed]) -> Signature:
    """Name the predicate whose rows a named tuple types: `GameTotalRow` is for ``game_total``."""
    name = row_type.__name__.removesuffix("Row")
    return _HUMP.sub("_", name).lower(), len(_types_of(row_type))


def read_rows(row_type: type[Typed], rows: Iterable[Row]) -> list[Typed]:
    """Type rows: int fields take numbers, str fields constants and texts; else a RuleError."""
    make: Callable[..., Typed] = row_type
    types = [(i, t) for i, t in enumerate(_types_of(row_type)) if t in (int, str)]
    found = []
    for row in rows:
        for i, type_ in types:
            if not isinstance(row[i], type_):
                expected = "a number" if type_ is int else "a word"
                name, _ = predicate_of(row_type)
                given = visible(str(row[i]))
                raise RuleError(f"{name}: the rules give {given} where {expected} is expected")
        found.append(make(*row))
    return found


@cache
def _types_of(row_type: type[Typed]) -> tuple[object, ...]:
    known = {"int": int, "str": str}
    hints = row_type.__annotations__.values()
    return tuple(known.get(getattr(h, "__forward_arg__", ""), h) for h in hints)


@dataclass(frozen=True, slots=True)
class Answer:
    """The arguments of an answer set's shown atoms by predicate, in the order of grounding."""

    rows: Mapping[Signature, Sequence[Row]]

    def read(self, row_type: type[Typed]) -> list[Typed]:
        """Read the atoms of a predicate, as `read_rows` does."""
        return read_rows(row_type, self.rows.get(predicate_of(row_type), ()))

    def split(self, boards: int, shared: Collection[Signature] = ()) -> list[Answer]:
        """Split the answer for several boards, and drop the board's number from the rows.

        The predicates that are ``shared`` are about no board, and are in each answer.
        """
        answers: list[dict[Signature, list[Row]]] = [{} for _ in range(boards)]
        for (name, arity), rows in self.rows.items():
            if (name, arity) in shared:
                for answer in answers:
                    answer[name, arity] = list(rows)
                continue
            for board, *row in rows:
                assert isinstance(board, int)
                answers[board].setdefault((name, arity - 1), []).append(tuple(row))
        return list(map(Answer, answers))


def shapes_of(*given: Facts) -> list[Signature]:
    """List the predicates that have facts, with the number of their values."""
    return sorted({(n, len(rows[0])) for facts in given for n, rows in facts.items() if rows})


def join_turns(facts: Facts, turns: Numbered) -> Facts:
    """Join facts and the facts of turns, with the turn as the last value of the latter."""
    joined = dict(facts)
    for name, by_turn in turns.items():
        rows = [(*row, turn) for turn, some in enumerate(by_turn) for row in some]
        joined[name] = [*joined.get(name, ()), *rows]
    return joined


def join_boards(boards: Sequence[Facts]) -> Facts:
    """Join the facts of several boards, with the board's number as the first value."""
    joined: dict[str, list[Row]] = {"board": [(number,) for number in range(len(boards))]}
    for number, facts in enumerate(boards):
        for name, rows in facts.items():
            joined.setdefault(name, []).extend((number, *row) for row in rows)
    return joined


def take_in_turn(signature: Signature) -> str:
    """Write the rule that takes in facts about the turn t; the facts do not contain the turn."""
    return _take_in(signature, "t")


def _take_in(signature: Signature, *turn: str) -> str:
    name, arity = signature
    values = [f"X{i}" for i in range(arity)]
    # A tuple of one is written with a comma after it.
    row = f"({','.join(values)}{',' if arity == 1 else ''})"
    return f"{name}({','.join([*values, *turn])}) :- {row} = @{name}()."


class FactSource:
    """The rows that clingo asks for by a predicate's name, and the rules that ask for them."""

    def __init__(
        self, facts: Facts, carried: Mapping[Signature, Sequence[Symbol]] | None = None
    ) -> None:
        self.taking_in = list(map(_take_in, shapes_of(facts)))
        self._facts = facts
        self._carried: dict[str, Sequence[Symbol]] = {}
        for (name, n), symbols in (carried or {}).items():
            rows = f"carried_{name.replace('-', 'not_')}_{n}"
            # Atoms stand for themselves: as values, a constant and a text would look alike.
            values = ",".join(f"X{i}" for i in range(n))
            atom = f"{name}({values})" if n else name
            self.taking_in.append(f"{atom} :- {atom} = @{rows}().")
            self._carried[rows] = symbols

    def __getattr__(self, name: str) -> Callable[[], Sequence[Symbol]]:
        if name in self._carried:
            return lambda: self._carried[name]
        if name not in self._facts:
            raise AttributeError(name)
        rows = self._facts[name]
        return lambda: _keep_symbols(rows) if isinstance(rows, tuple) else _make_symbols(rows)
