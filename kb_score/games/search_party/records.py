"""Maps and records as facts; the grammar tells plans, streams and sessions apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lark import Token, Tree

from kb_score.engine.terms import Facts, Name, Numbered, Row
from kb_score.errors import FileKind, InputError, Mistakes
from kb_score.games.rulings import read_below_rulings
from kb_score.grammar import add_mistake, parse, parse_with_mistakes, read_number

# The largest map, of 256 columns and rows, has 66 KB.
MAP_FILE = FACTS_OF = FileKind("a map", 1 << 20)
# A stream of 4,000 turns on the largest map.
RECORD_FILE = FileKind("a record", 256 << 20)

_NO_CELLS = re.compile(r"[^.#S]+")
_CORRIDOR = re.compile(r"[^#]+")
_START = re.compile("S")
_HEADER = re.compile(r"\s*[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t]*\n[.#S\s]")
# Marks of `_mark_changes`: cells that are newly searched, or a cell that changed in some other way.
_CHANGED = re.compile("o+|x")


def recognises(text: str) -> bool:
    """Return whether a text looks like a map; a record says nothing without its map."""
    return _HEADER.match(text) is not None


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a map."""
    return read_map(text, name).facts()


# The number of every cell that is further off the map than its border.
NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Map:
    """A map as its file has it.

    Attributes:
        name: The map's name in messages, usually its path.
        width: The number of columns.
        height: The number of rows.
        costars: The number of costars.
        extras: The number of extras.
        rows: The rows from the top; each character is a cell, ``.``, ``#`` or ``S``.
    """

    name: str
    width: int
    height: int
    costars: int
    extras: int
    rows: tuple[str, ...]

    def cell(self, x: int, y: int) -> int:
        """Return the rules' number of a cell.

        Args:
            x: The column, from 0; -1 and ``width`` are on the border around the map.
            y: The row, from 0; -1 and ``height`` are on the border.
        """
        if -1 <= x <= self.width and -1 <= y <= self.height:
            return (y + 1) * (self.width + 2) + x + 1
        return NOWHERE

    def place(self, cell: int) -> tuple[int, int]:
        """Return the x and y, from 0, of a cell by its number."""
        y, x = divmod(cell, self.width + 2)
        return x - 1, y - 1

    def blank_board(self) -> str:
        """Return the board on which nothing is searched yet, its rows joined by line feeds."""
        return "\n".join(self.rows).replace("S", ".")

    def facts(self) -> Facts:
        """Return the facts of the map, for ``asp/search_party/rules/map.lp``."""
        corridors: list[Row] = []
        starts: list[Row] = []
        for y, row in enumerate(self.rows):
            begin = self.cell(0, y)
            for found in _CORRIDOR.finditer(row):
                corridors.append((begin + found.start(), begin + found.end() - 1))
            for found in _START.finditer(row):
                starts.append((begin + found.start(),))
        return {
            "size": [(self.height, self.width)],
            "cast": [(self.costars, self.extras)],
            "corridor": corridors,
            "starting_cell": starts,
        }


def read_map(text: str, name: str) -> Map:
    """Read a map; whether it is connected, and not too large, is for the rules to say.

    Raises:
        FormatError: The text is no map, with a place and up to 20 mistakes.
        InputError: The number of rows is wrong.
    """
    mistakes = Mistakes()
    tree = parse_with_mistakes("search_party_map", text, name=name, mistakes=mistakes)
    if tree is None:
        mistakes.raise_any()
    assert tree is not None
    header, *rows = tree.children
    assert isinstance(header, Token)
    numbers = [read_number(word, header, text, name) for word in header.split()]
    # A header that cannot be read says nothing about the rows.
    width, height, costars, extras = numbers or (None, len(rows), 0, 0)
    for row in rows:
        assert isinstance(row, Token)
        for offset, message in _find_faults(row, width):
            column = (row.column or 1) + offset
            add_mistake(mistakes, text, row.line or 1, column, name, message)
    if len(rows) != height:
        message = f"there are {len(rows)} rows, but the first line says {height}"
        mistakes.add(InputError(name, message))
    mistakes.raise_any()
    return Map(name, width or 0, height, costars, extras, tuple(map(str, rows)))


def _find_faults(row: str, width: int | None) -> list[tuple[int, str]]:
    """Return the faults of a row: the offset of each, from 0, and a message."""
    wrong = [
        (found.start(), f"unexpected {found[0][0]!r}: each cell of a map is one of . # S")
        for found in _NO_CELLS.finditer(row)
    ]
    if wrong or width is None or len(row) == width:
        return wrong
    message = f"this row has {len(row)} cells, but the first line says {width} columns"
    return [(min(len(row), width), message)]


@dataclass(frozen=True, slots=True)
class Record:
    """A record as facts for ``asp/search_party``.

    Attributes:
        name: The record's name in messages and verdicts, usually its path.
        kind: ``plan``, ``stream`` or ``session``.
        claimed: The result that it claims, with the keys of the JSON, if it does.
        facts: The facts that have no turn.
        turns: The facts of each turn and of each printed state.
    """

    name: str
    kind: str
    claimed: dict[str, int] | None
    facts: Facts
    turns: Numbered


def read_record(text: str, name: str, map_: Map) -> Record:
    """Read a record of any kind; the rulings that it names are left to `apply_rulings`."""
    return read_below_rulings(lambda rest: _read_record(rest, name, map_), text)


def _read_record(text: str, name: str, map_: Map) -> Record:
    (record,) = parse("search_party", text, name=name).children
    assert isinstance(record, Tree)
    return _Reader(text, name, map_).read(record)


def tidy_answer(line: str) -> str:
    """Return a bot's answer as a record has it.

    The challenge's controller strips all blanks and full stops around the line, so the full stop
    may be missing.
    """
    if not line.strip():
        return line
    words = line.strip().strip(".").split()
    return " ".join(words) + "."


def read_answer(line: str, name: str = "the answer") -> Facts:
    """Read a bot's answer as facts without the turn; messages call it by the name."""
    (moves,) = parse("search_party_answer", line, name=name).children
    assert isinstance(moves, Token)
    return _read_moves(moves)


def _read_moves(line: str) -> Facts:
    """Read a line of moves that the grammar accepts; the first move of each person counts."""
    moves: dict[str, Row] = {}
    repeated: list[Row] = []
    for word in line.replace(".", " ").split():
        person = word[0]
        direction = word[1]
        if person in moves:
            repeated.append((person,))
        elif direction in "0123456789":
            moves[person] = (person, int(direction))
        else:
            # Also a digit that is not one of ASCII: it is not a direction.
            moves[person] = (person, direction)
    return {"move": list(moves.values()), "repeated": repeated}


def _mark_changes(old: str, new: str) -> str:
    """Write o where a row is newly searched, and x where it has changed in some other way."""
    if old == new:
        return ""
    marks = list[str]()
    for before, after in zip(old, new, strict=True):
        if before == after:
            marks.append(" ")
        elif before == "." and after == "o":
            marks.append("o")
        else:
            marks.append("x")
    return "".join(marks)


class _Reader:
    """Reads one record, and collects its facts."""

    def __init__(self, text: str, name: str, map_: Map) -> None:
        self.text = text
        self.name = name
        self.map = map_
        self.facts: dict[str, list[Row]] = {}
        self.claimed: dict[str, int] | None = None
        # Moves begin with turn 1, printed states with state 0.
        self.turns: dict[str, list[Sequence[Row]]] = {
            "move": [()],
            "repeated": [()],
            "claimed_at": [],
            "claimed_again": [],
            "claimed_searched": [],
            "claimed_symbol": [],
        }
        # The number that each block bears, and its state.
        self.numbers: list[Row] = []
        self.board = map_.blank_board()
        self.mistakes = Mistakes()

    def read(self, record: Tree[Any]) -> Record:
        # The blocks of a stream; otherwise lines of moves, of which the first is that of no turn.
        counted = self.numbers if record.data == "stream" else self.turns["move"]
        ended = None
        for part in record.children:
            if isinstance(part, Token):
                self._add(_read_moves(part))
            elif part.data == "block":
                if ended is not None:
                    self.facts["belated"] = [()]
                self._read_block(*part.children)
            else:
                ended = len(counted)
                if record.data != "stream":
                    ended -= 1
                self._read_end(part)
        self.mistakes.raise_any()
        if ended is None:
            ended = len(counted) - 1
        self.facts["turns"] = [(ended,)]
        self.facts["claimed_number"] = self.numbers
        return Record(self.name, record.data, self.claimed, self.facts, self.turns)

    def _add(self, facts: Facts) -> None:
        for name, rows in facts.items():
            self.turns[name].append(rows)

    def _read_block(self, turn: Token, people: Token, board: Token) -> None:
        self.numbers.append((self._number(turn.split()[1], turn), len(self.numbers)))
        self._read_people(people)
        if self._has_right_size(board):
            self._read_board(str(board))

    def _read_people(self, people: Token) -> None:
        cells: dict[str, Row] = {}
        again: list[Row] = []
        for word in people.rstrip(". \t").split():
            person, _, place = word.partition(":")
            if person in cells:
                again.append((person,))
            else:
                x, y = (self._number(word, people) for word in place.split(","))
                cells[person] = (person, self.map.cell(x, y))
        self._add({"claimed_at": list(cells.values()), "claimed_again": again})

    def _read_board(self, board: str) -> None:
        searched: list[Row] = []
        symbols: list[Row] = []
        rows = zip(self.board.split("\n"), board.split("\n"), strict=True)
        for y, (old, new) in enumerate(rows):
            for found in _CHANGED.finditer(_mark_changes(old, new)):
                first = self.map.cell(found.start(), y)
                if found[0] == "x":
                    symbols.append((first, new[found.start()]))
                else:
                    searched.append((first, first + len(found[0]) - 1))
        self._add({"claimed_searched": searched, "claimed_symbol": symbols})
        self.board = board

    def _has_right_size(self, board: Token) -> bool:
        """Return whether a board is as large as the map; if not, collect the mistake."""
        width = self.map.width
        height = self.map.height
        rows = board.split("\n")
        wrong = [number for number, row in enumerate(rows) if len(row) != width or number == height]
        if not wrong and len(rows) == height:
            return True
        first = wrong[0] if wrong else len(rows) - 1
        column = 1
        if len(rows[first]) != width:
            column += min(len(rows[first]), width)
        line = (board.line or 1) + first
        message = f"the board is not {width} columns wide and {height} rows high"
        add_mistake(self.mistakes, self.text, line, column, self.name, message)
        return False

    def _read_end(self, end: Tree[Any]) -> None:
        for part in end.children:
            if isinstance(part, Tree):
                self._read_end(part)
            elif part.type == "FINISHED":
                self.facts["claimed_turns"] = [(self._number(part.split()[2], part),)]
            else:
                turns, costars, extras = (self._number(word, part) for word in part.split())
                self.claimed = {"turns": turns, "costars": costars, "extras": extras}
                self.facts["claimed_result"] = [
                    (Name(key), number) for key, number in self.claimed.items()
                ]

    def _number(self, word: str, token: Token) -> int:
        return read_number(word, token, self.text, self.name)
