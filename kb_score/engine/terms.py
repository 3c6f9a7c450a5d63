"""Python values to clingo's symbols and back, and facts to the rules that take them in.

While clingo grounds, it calls Python for the rows of each predicate. One call for all rows is
several times faster than a call or a rule for each atom.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
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

    def __repr__(self) -> str:
        # `_make_symbols` writes rows by it, and has to see that this is no text.
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


# Constants and texts of an answer are both str: the reader of an answer knows which to expect.
Value: TypeAlias = int | str | tuple["Value", ...] | Term
Row: TypeAlias = tuple["Value", ...]
# Facts by predicate: all rows of one predicate have the same number of values.
Facts: TypeAlias = Mapping[str, Sequence[Row]]

# The rows of each predicate by the number of a turn, or of a block of a record.
Numbered: TypeAlias = Mapping[str, Sequence[Sequence[Row]]]

# A named tuple that names the arguments of a predicate: GameTotalRow, or GameTotal, for game_total.
Typed = TypeVar("Typed", bound=tuple[Value, ...])

# The variable for the board in rules for many boards, and the one for the turn in rules for many
# turns; the prime keeps them apart from the variables of rules for one board or one turn.
BOARD = "Board'"
TURN = "Turn'"

# More rows than this are read from one text.
_MANY = 16
# How Python writes rows of numbers and of texts without quotes and escapes. A row with a `Name`
# does not match.
_PLAIN_ROWS = re.compile(r"(?:[(), ]|-?[0-9]+|'[^'\"\\]*')*+")
_PLAIN_WORD = re.compile(r'-?[0-9]+|"[^"\\]*"', re.ASCII)
_HUMP = re.compile(r"(?<!^)(?=[A-Z])")


@lru_cache(maxsize=1 << 18)
def to_symbol(value: Value) -> Symbol:
    """Return the symbol of a value; that of a tuple is a tuple. Cached, since facts recur."""
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
            return Function("", list(map(to_symbol, value)))
        case Term():
            name = value.name.removeprefix("-")
            arguments = list(map(to_symbol, value.arguments))
            return Function(name, arguments, name == value.name)


def _make_symbols(rows: Sequence[Row]) -> Sequence[Symbol]:
    """Return the symbols of rows."""
    if len(rows) > _MANY:
        # clingo reads rows several times faster from one text than one by one.
        text = repr(tuple(rows))
        if _PLAIN_ROWS.fullmatch(text):
            return parse_term(text.replace("'", '"')).arguments
    return [to_symbol(row) for row in rows]


# Caches the symbols of rows that recur, as those of a board do.
_cache_symbols = lru_cache(maxsize=256)(_make_symbols)


@lru_cache(maxsize=1 << 16)
def to_value(symbol: Symbol, depth: int = 0) -> Value:
    """Return the value of a symbol.

    Args:
        symbol: The symbol.
        depth: How deep it is nested in another one.

    Raises:
        RuleError: It is nested too deep.
    """
    if depth > DEEPEST:
        raise RuleError(f"the rules build a term that is nested deeper than {DEEPEST} levels")
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
    if not arguments and symbol.positive:
        return Name(symbol.name)
    return Term(symbol.name if symbol.positive else f"-{symbol.name}", arguments)


def to_row(atom: Symbol) -> Row:
    """Return the arguments of an atom that is unlikely to occur again."""
    # Each attribute of a symbol is a call of clingo, which takes longer than to read its text.
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
    """Write facts as text for clingo, with a line for each predicate."""
    lines = list[str]()
    for name, rows in facts.items():
        atoms = [Function(name, list(map(to_symbol, row))) for row in rows]
        if atoms:
            lines.append(" ".join(f"{atom}." for atom in atoms) + "\n")
    return "".join(lines)


@cache
def predicate_of(row_type: type[Typed]) -> Signature:
    """Return the predicate whose rows a named tuple types: `GameTotalRow` is for ``game_total``."""
    name = row_type.__name__.removesuffix("Row")
    arity = len(_types_of(row_type))
    return _HUMP.sub("_", name).lower(), arity


def read_rows(row_type: type[Typed], rows: Iterable[Row]) -> list[Typed]:
    """Convert rows to named tuples.

    Raises:
        RuleError: A value of an int field is not a number, or that of a str field is not a text or
            a constant.
    """
    make: Callable[..., Typed] = row_type
    types = [(i, type_) for i, type_ in enumerate(_types_of(row_type)) if type_ in (int, str)]
    found = list[Typed]()
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
    """Return the types of a named tuple's fields; postponed annotations are resolved."""
    known = {"int": int, "str": str}
    types = list[object]()
    for hint in row_type.__annotations__.values():
        name = getattr(hint, "__forward_arg__", "")
        types.append(known.get(name, hint))
    return tuple(types)


@dataclass(frozen=True, slots=True)
class Answer:
    """The shown atoms of an answer set.

    Attributes:
        rows: Their arguments by predicate, in the order of grounding.
    """

    rows: Mapping[Signature, Sequence[Row]]

    def read(self, row_type: type[Typed]) -> list[Typed]:
        """Read the atoms of a predicate, as `read_rows` does."""
        rows = self.rows.get(predicate_of(row_type), ())
        return read_rows(row_type, rows)

    def split(self, boards: int, shared: Collection[Signature]) -> list[Answer]:
        """Split the answer for several boards.

        Args:
            boards: How many boards there are.
            shared: Predicates that are not about a board: they are in each answer.

        Returns:
            The answer for each board, without the board's number in the rows.
        """
        answers: list[dict[Signature, list[Row]]] = [{} for _ in range(boards)]
        for signature, rows in self.rows.items():
            if signature in shared:
                for answer in answers:
                    answer[signature] = list(rows)
                continue
            name, arity = signature
            for board, *row in rows:
                assert isinstance(board, int)
                answers[board].setdefault((name, arity - 1), []).append(tuple(row))
        return list(map(Answer, answers))


def shapes_of(*given: Facts) -> list[Signature]:
    """List the predicates that have facts, with the number of their values."""
    shapes = set[Signature]()
    for facts in given:
        for name, rows in facts.items():
            if rows:
                shapes.add((name, len(rows[0])))
    return sorted(shapes)


def join_turns(facts: Facts, turns: Numbered) -> Facts:
    """Join facts and the facts of turns, with the turn as the last value of the latter."""
    joined = dict(facts)
    for name, by_turn in turns.items():
        rows = list(joined.get(name, ()))
        for turn, some in enumerate(by_turn):
            rows += [(*row, turn) for row in some]
        joined[name] = rows
    return joined


def join_boards(boards: Sequence[Facts]) -> Facts:
    """Join the facts of several boards, with the board's number as the first value."""
    joined = defaultdict[str, list[Row]](list)
    joined["board_id"] = [(number,) for number in range(len(boards))]
    for number, facts in enumerate(boards):
        for name, rows in facts.items():
            joined[name] += [(number, *row) for row in rows]
    return dict(joined)


def take_in(signature: Signature, *turn: str) -> str:
    """Write the rule that takes in facts, perhaps about a turn, which they do not contain."""
    name, arity = signature
    values = name_values(arity)
    # A tuple of one is written with a comma after it.
    row = "(X0,)" if arity == 1 else f"({','.join(values)})"
    arguments = ",".join([*values, *turn])
    return f"{name}({arguments}) :- {row} = @{name}()."


def name_values(arity: int) -> list[str]:
    """Name variables for the arguments of a predicate."""
    return [f"X{i}" for i in range(arity)]


class FactSource:
    """The rows that clingo asks for by a predicate's name, and the rules that ask for them."""

    def __init__(
        self,
        facts: Facts,
        carried: Mapping[Signature, Sequence[Symbol]] | None = None,
        find: Callable[[str], Callable[..., Sequence[Symbol]] | None] = lambda _: None,
    ) -> None:
        """Hand in facts.

        Args:
            facts: Rows by predicate.
            carried: Atoms by predicate.
            find: Finds a further function by its name in the rules; None if there is none.
        """
        self._find = find
        self.taking_in = list(map(take_in, shapes_of(facts)))
        self._facts = facts
        self._carried: dict[str, Sequence[Symbol]] = {}
        for (name, arity), symbols in (carried or {}).items():
            rows = f"carried_{name.replace('-', 'not_')}_{arity}"
            # Atoms stand for themselves: as values, a constant and a text would look alike.
            atom = name
            if arity:
                atom += f"({','.join(name_values(arity))})"
            self.taking_in.append(f"{atom} :- {atom} = @{rows}().")
            self._carried[rows] = symbols

    def __getattr__(self, name: str) -> Callable[..., Sequence[Symbol]]:
        if name in self._carried:
            return lambda: self._carried[name]
        found = self._find(name)
        if found is not None:
            return found
        if name not in self._facts:
            raise AttributeError(name)
        rows = self._facts[name]
        if isinstance(rows, tuple):
            return partial(_cache_symbols, rows)
        return partial(_make_symbols, rows)
