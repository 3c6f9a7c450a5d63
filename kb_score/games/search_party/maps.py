"""Maps: text to rows of cells and to facts; what makes a map proper is for the rules to say."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lark import Token

from kb_score.errors import BoardError, FormatError
from kb_score.grammar import parse, place_at, read_number
from kb_score.terms import Facts, Row

GRAMMAR = "search_party_map"
# Stands for every cell that is further off the map than its border.
NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Map:
    """A map as its file has it.

    Attributes:
        name: What errors call it, usually its path.
        width: Columns.
        height: Rows.
        costars: How many there are.
        extras: How many there are.
        rows: A character a cell, ``.``, ``#`` or ``S``; ``rows[y][x]``, the upper left first.
    """

    name: str
    width: int
    height: int
    costars: int
    extras: int
    rows: tuple[str, ...]

    def cell(self, x: int, y: int) -> int:
        """Number a cell as the rules do; x and y from 0, and -1 or one too many on the border."""
        if -1 <= x <= self.width and -1 <= y <= self.height:
            return (y + 1) * (self.width + 2) + x + 1
        return NOWHERE

    def place(self, cell: int) -> tuple[int, int]:
        """Give the x and y, from 0, of a cell that the rules have numbered."""
        y, x = divmod(cell, self.width + 2)
        return x - 1, y - 1

    def facts(self) -> Facts:
        """Make the facts that ``asp/search_party/map.lp`` takes."""
        runs: list[Row] = []
        starts: list[Row] = []
        for y, row in enumerate(self.rows):
            begin = self.cell(0, y)
            runs += [(begin + m.start(), begin + m.end() - 1) for m in re.finditer("[^#]+", row)]
            starts += [(begin + m.start(),) for m in re.finditer("S", row)]
        return {
            "size": [(self.width, self.height)],
            "cast": [(self.costars, self.extras)],
            "run": runs,
            "start": starts,
        }


def read_map(text: str, name: str) -> Map:
    """Read a map.

    Args:
        text: The whole file.
        name: What errors call it, usually its path.

    Returns:
        The map; that it is connected, and not too large, is not looked at.

    Raises:
        FormatError: The text is no map; says where and what was expected.
    """
    header, *rows = parse(GRAMMAR, text, name=name).children
    assert isinstance(header, Token)
    width, height, costars, extras = (
        read_number(word, header, text, name) for word in header.split()
    )
    for row in rows:
        assert isinstance(row, Token)
        if len(row) != width:
            message = f"this row has {len(row)} cells, but the first line says {width} columns"
            place = place_at(text, row.line or 1, min(len(row), width) + 1, name)
            raise FormatError(place, message)
    if len(rows) != height:
        raise BoardError(name, f"there are {len(rows)} rows, but the first line says {height}")
    return Map(name, width, height, costars, extras, tuple(map(str, rows)))
