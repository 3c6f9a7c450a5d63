"""Maps and records to facts; the grammar tells plans, streams and sessions apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lark import Token, Tree

from kb_score.engine.terms import Facts, Name, Numbered, Row
from kb_score.errors import FileKind, FormatError, InputError, Mistakes
from kb_score.games.rulings import read_below_rulings
from kb_score.grammar import parse, parse_with_mistakes, place_at, read_number

# The largest map, of 256 columns and rows, has 66 KB.
MAP_FILE = FACTS_OF = FileKind("a map", 1 << 20)
# A stream of 4,000 turns on the largest map.
RECORD_FILE = FileKind("a record", 256 << 20)

_NO_CELLS = re.compile(r"[^.#S]+")
_HEADER = re.compile(r"\s*[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t]*\n[.#S\s]")
# What has become of the cells of a row: newly searched, or changed in some other way.
_CHANGED = re.compile("o+|x")


def recognises(text: str) -> bool:
    """Say whether a text looks like a map; a record says nothing without its map."""
    return _HEADER.match(text) is not None


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a map."""
    return read_map(text, name).facts()


# Stands for every cell that is further off the map than its border.
NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Map:
    """A map as its file has it."""

    name: str  # what errors call it, usually its path
    width: int  # columns
    height: int  # rows
    costars: int  # how many there are
    extras: int  # how many there are
    rows: tuple[str, ...]  # a character a cell, ., # or S; rows[y][x], the upper left first

    def cell(self, x: int, y: int) -> int:
        """Number a cell as the rules do; x and y from 0, and -1 or one too many on the border."""
        if -1 <= x <= self.width and -1 <= y <= self.height:
            return (y + 1) * (self.width + 2) + x + 1
        return NOWHERE

    def place(self, cell: int) -> tuple[int, int]:
        """Give the x and y, from 0, of a cell that the rules have numbered."""
        y, x = divmod(cell, self.width + 2)
        return x - 1, y - 1

    def blank_board(self) -> str:
        """Write the board on which nothing is searched yet, its rows joined by line feeds."""
        return "\n".join(self.rows).replace("S", ".")

    def facts(self) -> Facts:
        """Make the facts that ``asp/search_party/rules/map.lp`` takes."""
        corridors: list[Row] = []
        starts: list[Row] = []
        for y, row in enumerate(self.rows):
            begin = self.cell(0, y)
            found = re.finditer("[^#]+", row)
            corridors += [(begin + m.start(), begin + m.end() - 1) for m in found]
            starts += [(begin + m.start(),) for m in re.finditer("S", row)]
        return {
            "size": [(self.height, self.width)],
            "cast": [(self.costars, self.extras)],
            "corridor": corridors,
            "starting_cell": starts,
        }


def read_map(text: str, name: str) -> Map:
    """Read a map; whether it is connected, and not too large, is for the rules to say."""
    mistakes = Mistakes()
    tree = parse_with_mistakes("search_party_map", text, name=name, mistakes=mistakes)
    if tree is None:
        mistakes.raise_any()
    assert tree is not None
    header, *rows = tree.children
    assert isinstance(header, Token)
    numbers = [read_number(word, header, text, name) for word in header.split()]
    is_header_wrong = not numbers
    width, height, costars, extras = numbers or (0, len(rows), 0, 0)
    for row in rows:
        assert isinstance(row, Token)
        faults = [
            (found.start(), f"unexpected {found[0][0]!r}: each cell of a map is one of . # S")
            for found in _NO_CELLS.finditer(row)
        ]
        if not faults and len(row) != width and not is_header_wrong:
            message = f"this row has {len(row)} cells, but the first line says {width} columns"
            faults = [(min(len(row), width), message)]
        for offset, message in faults:
            if mistakes.is_full:
                mistakes.count()
            else:
                place = place_at(text, row.line or 1, (row.column or 1) + offset, name)
                mistakes.add(FormatError(place, message))
    if len(rows) != height:
        message = f"there are {len(rows)} rows, but the first line says {height}"
        mistakes.add(InputError(name, message))
    mistakes.raise_any()
    return Map(name, width, height, costars, extras, tuple(map(str, rows)))


@dataclass(frozen=True, slots=True)
class Record:
    """A record as facts for ``asp/search_party``."""

    name: str  # what errors and verdicts call it, usually its path
    kind: str  # plan, stream or session
    claimed: dict[str, int] | None  # the result that it claims, with the keys of the JSON, or None
    facts: Facts  # the facts that have no turn
    turns: Numbered  # the facts of each turn and of each printed state


def read_record(text: str, name: str, map_: Map) -> Record:
    """Read a record of any kind; the rulings that it names are left to `apply_rulings`."""
    return read_below_rulings(lambda rest: _read_record(rest, name, map_), text)


def _read_record(text: str, name: str, map_: Map) -> Record:
    (record,) = parse("search_party", text, name=name).children
    assert isinstance(record, Tree)
    return _Reader(text, name, map_).read(record)


def tidy_answer(line: str) -> str:
    """Write the line that a bot answers as a record has it.

    The challenge's controller takes away blanks and full stops around the line, however many there
    are, so the full stop may lack.
    """
    words = line.strip().strip(".").split()
    return " ".join(words) + "." if line.strip() else line


def read_answer(line: str, name: str = "the answer") -> Facts:
    """Read the line that a bot answers, or what errors call so, as facts without the turn."""
    (moves,) = parse("search_party_answer", line, name=name).children
    assert isinstance(moves, Token)
    return _read_moves(moves)


def _read_moves(line: str) -> Facts:
    """Read a line of moves that the grammar accepts; of several of a person the first counts."""
    moves: dict[str, Row] = {}
    repeated: list[Row] = []
    for word in line.replace(".", " ").split():
        person, direction = word[0], word[1]
        if person in moves:
            repeated.append((person,))
        else:
            # Only the digits of ASCII are numbers; all else is no direction.
            moves[person] = person, int(direction) if direction in "0123456789" else direction
    return {"move": list(moves.values()), "repeated": repeated}


def _mark_changes(old: str, new: str) -> str:
    """Write o where a row is newly searched, and x where it has changed in some other way."""
    if old == new:
        return ""
    pairs = zip(old, new, strict=True)
    return "".join(" " if a == b else "o" if (a, b) == (".", "o") else "x" for a, b in pairs)


class _Reader:
    """Collects the facts of one record."""

    def __init__(self, text: str, name: str, map_: Map) -> None:
        self.text, self.name, self.map = text, name, map_
        self.facts: dict[str, list[Row]] = {}
        self.claimed: dict[str, int] | None = None
        # Moves begin with turn 1, printed states with state 0.
        self.turns: dict[str, list[Sequence[Row]]] = {"move": [()], "repeated": [()]}
        printed = ("claimed_at", "claimed_again", "claimed_searched", "claimed_symbol")
        self.turns.update((name, []) for name in printed)
        # The number that each block bears, and its state.
        self.numbers: list[Row] = []
        self.board = map_.blank_board()
        self.mistakes = Mistakes()

    def read(self, record: Tree[Any]) -> Record:
        ended, is_stream = None, record.data == "stream"
        counted = self.numbers if is_stream else self.turns["move"]
        for part in record.children:
            if isinstance(part, Token):
                self._add(_read_moves(part))
            elif part.data == "block":
                if ended is not None:
                    self.facts["belated"] = [()]
                self._read_block(*part.children)
            else:
                ended = len(counted) - (not is_stream)
                self._read_end(part)
        self.mistakes.raise_any()
        ended = len(counted) - 1 if ended is None else ended
        self.facts["turns"], self.facts["claimed_number"] = [(ended,)], self.numbers
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
        searched, symbols = list[Row](), list[Row]()
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
        """Whether a board is as large as the map; if not, the error is noted."""
        width, height = self.map.width, self.map.height
        rows = board.split("\n")
        wrong = [i for i, row in enumerate(rows) if len(row) != width or i == height]
        if not wrong and len(rows) == height:
            return True
        if self.mistakes.is_full:
            self.mistakes.count()
            return False
        first = wrong[0] if wrong else len(rows) - 1
        is_row_wrong = len(rows[first]) != width
        column = min(len(rows[first]), width) + 1 if is_row_wrong else 1
        place = place_at(self.text, (board.line or 1) + first, column, self.name)
        message = f"the board is not {width} columns wide and {height} rows high"
        self.mistakes.add(FormatError(place, message))
        return False

    def _read_end(self, end: Tree[Any]) -> None:
        for part in end.children:
            if isinstance(part, Tree):
                self._read_end(part)
            elif part.type == "FINISHED":
                self.facts["claimed_turns"] = [(self._number(part.split()[2], part),)]
            else:
                numbers = (self._number(word, part) for word in part.split())
                keys = ("turns", "costars", "extras")
                self.claimed = dict(zip(keys, numbers, strict=True))
                claims = self.claimed.items()
                self.facts["claimed_result"] = [(Name(key), number) for key, number in claims]

    def _number(self, word: str, token: Token) -> int:
        return read_number(word, token, self.text, self.name)
