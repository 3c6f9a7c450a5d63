"""Maps of stations: read, checked, and named cell by cell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lark import Token

from kb_score.errors import FileKind, FormatError, InputError, Place
from kb_score.grammar import parse

if TYPE_CHECKING:
    from kb_score.engine.terms import Facts

WALL, START, EXIT, CRUSHER = "#sec"
_CORRIDOR = re.compile(r"[^#\n]+")
_MAX_CELLS = 250_000  # clingo needs some 3 KB for each
MAP_FILE = FileKind("a map", 1 << 20)
_MAX_DIGITS = 9  # what is longer is on no map, and clingo counts in 32 bits


@dataclass(frozen=True, slots=True)
class Station:
    """A map: a rectangle with walls all along its edge.

    A cell is one number, ``y * width + x``, in the order of reading. What lies off the map, as a
    record may have it, is -1.

    Attributes:
        name: What messages call the map, usually its path.
        rows: Its rows from north to south, each of ``width`` symbols.
    """

    name: str
    rows: tuple[str, ...]

    @property
    def width(self) -> int:
        """The number of cells in a row."""
        return len(self.rows[0])

    def say(self, cell: int) -> str:
        """Write the coordinates of a cell; empty for a place off the map."""
        if cell < 0:
            return ""
        y, x = divmod(cell, self.width)
        return f"{x},{y}"

    def find(self, symbol: str) -> tuple[int, ...]:
        """List the cells that hold a symbol, in the order of reading."""
        drawing = "".join(self.rows)
        return tuple(cell for cell, drawn in enumerate(drawing) if drawn == symbol)

    def facts(self) -> Facts:
        """Make the facts of the map, for asp/rabbits/rules.lp."""
        corridors = _CORRIDOR.finditer("\n".join(self.rows))
        # In the drawing a row takes one character more, its line end.
        length = self.width + 1
        return {
            "size": [(len(self.rows), self.width)],
            "corridor": [
                tuple(place - place // length for place in (found.start(), found.end() - 1))
                for found in corridors
            ],
            "start": [(cell,) for cell in self.find(START)],
            "exit": [(cell,) for cell in self.find(EXIT)],
            "crusher_start": [(cell,) for cell in self.find(CRUSHER)],
        }


class Places(dict[str, int]):
    """The cells of a station by their coordinates as text, such as ``14,3``."""

    def __init__(self, station: Station) -> None:
        self.width, self.height = station.width, len(station.rows)
        cells = range(self.width * self.height)
        super().__init__((station.say(cell), cell) for cell in cells)

    def __missing__(self, text: str) -> int:
        """Read coordinates with zeros in front, or off the map: these are cell -1."""
        x, y = (digits.lstrip("0") for digits in text.split(","))
        if max(len(x), len(y)) > _MAX_DIGITS:
            return -1
        column, row = int(x or 0), int(y or 0)
        on_map = column < self.width and row < self.height
        return row * self.width + column if on_map else -1


def read_map(text: str, name: str) -> Station:
    """Read a map.

    Args:
        text: The file; lines that begin with ``;``, empty lines and blanks around a line do not
            count, as in the challenge's controller.
        name: What errors call it.

    Raises:
        FormatError: It holds a symbol that no map has, its rows differ in length, or its edge is
            open.
        InputError: There is no start or no exit, or it is too large to be worked with.
    """
    tree = parse("rabbits", "\n".join(line.strip() for line in text.split("\n")), name=name)
    rows = tuple(map(str, tree.children))
    for number, row in enumerate(tree.children):
        assert isinstance(row, Token)
        _check_row(row, len(rows[0]), name, outer=number in (0, len(rows) - 1))
    if len(rows) * len(rows[0]) > _MAX_CELLS:
        raise InputError(name, f"the map has more than {_MAX_CELLS} cells")
    station = Station(name, rows)
    for symbol, thing in ((START, "rabbit start"), (EXIT, "exit")):
        if not station.find(symbol):
            raise InputError(name, f"the map has no {thing} {symbol!r}")
    return station


def _check_row(row: Token, width: int, name: str, *, outer: bool) -> None:
    if len(row) != width:
        message = f"this row has {len(row)} cells, the first one has {width}"
        raise _error(row, min(len(row), width), name, message)
    edge: Iterable[int] = range(width) if outer else (0, width - 1)
    for column in edge:
        if row[column] != WALL:
            raise _error(row, column, name, "a map has walls # all along its edge")


def _error(row: Token, column: int, name: str, message: str) -> FormatError:
    assert row.line is not None
    return FormatError(Place(name, row.line, column + 1, str(row)), message)
