"""Maps of stations: read, checked, and named cell by cell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lark import Token

from kb_score.errors import BoardError, FormatError, Place
from kb_score.grammar import parse
from kb_score.terms import Facts, Value

WALL, START, EXIT, CRUSHER = "#sec"
_CORRIDOR = re.compile(r"[^#\n]+")
_MOST_CELLS = 250_000  # clingo needs some 3 KB for each
_LONGEST_NUMBER = 9  # digits; what is longer is on no map, and clingo counts in 32 bits


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

    def say_value(self, value: Value) -> str:
        """Write what the rules call a place: a cell's coordinates, and anything else as it is."""
        return self.say(value) if isinstance(value, int) else str(value)

    def find(self, symbol: str) -> tuple[int, ...]:
        """List the cells that hold a symbol, in the order of reading."""
        drawing = "".join(self.rows)
        return tuple(cell for cell, drawn in enumerate(drawing) if drawn == symbol)


class Places(dict[str, int]):
    """The cells of a station by their coordinates as text, such as ``14,3``."""

    def __init__(self, station: Station) -> None:
        self.width, self.height = station.width, len(station.rows)
        cells = range(self.width * self.height)
        super().__init__((station.say(cell), cell) for cell in cells)

    def __missing__(self, text: str) -> int:
        """Read coordinates with zeros in front, or off the map: these are cell -1."""
        x, y = (digits.lstrip("0") for digits in text.split(","))
        if max(len(x), len(y)) > _LONGEST_NUMBER:
            return -1
        column, row = int(x or 0), int(y or 0)
        on_map = column < self.width and row < self.height
        return row * self.width + column if on_map else -1


def read_station(text: str, name: str) -> Station:
    """Read a map.

    Args:
        text: The file; lines that begin with ``;``, empty lines and blanks around a line do not
            count, as in the challenge's controller.
        name: What errors call it.

    Returns:
        The station.

    Raises:
        FormatError: It holds a symbol that no map has, its rows differ in length, or its edge is
            open.
        BoardError: There is no start or no exit, or it is too large to be worked with.
    """
    tree = parse("rabbits", "\n".join(line.strip() for line in text.split("\n")), name=name)
    rows = tuple(map(str, tree.children))
    for number, row in enumerate(tree.children):
        assert isinstance(row, Token)
        _check_row(row, len(rows[0]), name, outer=number in (0, len(rows) - 1))
    if len(rows) * len(rows[0]) > _MOST_CELLS:
        raise BoardError(name, f"the map has more than {_MOST_CELLS} cells")
    station = Station(name, rows)
    for symbol, thing in ((START, "rabbit start"), (EXIT, "exit")):
        if not station.find(symbol):
            raise BoardError(name, f"the map has no {thing} {symbol!r}")
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


def station_facts(station: Station) -> Facts:
    """Make the facts of a map, for asp/rabbits/rules.lp."""
    width = station.width
    corridors = _CORRIDOR.finditer("\n".join(station.rows))
    # In the drawing a row takes one character more, its line end.
    return {
        "width": [(width,)],
        "corridor": [
            tuple(place - place // (width + 1) for place in (run.start(), run.end() - 1))
            for run in corridors
        ],
        "start": [(cell,) for cell in station.find(START)],
        "exit": [(cell,) for cell in station.find(EXIT)],
        "crusher_start": [(cell,) for cell in station.find(CRUSHER)],
    }
