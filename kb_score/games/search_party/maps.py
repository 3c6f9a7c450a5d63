"""Maps: text to rows of cells and to facts; what makes a map valid is for the rules to say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lark import Token

from kb_score.errors import FileKind, FormatError, InputError
from kb_score.grammar import parse, place_at, read_number

if TYPE_CHECKING:
    from kb_score.engine.terms import Facts, Row

# Stands for every cell that is further off the map than its border.
NOWHERE = -1

# The largest map, of 256 columns and rows, has 66 KB.
MAP_FILE = FileKind("a map", 1 << 20)


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

    def blank_board(self) -> str:
        """Write the board on which nothing is searched yet, its rows joined by line feeds."""
        return "\n".join(self.rows).replace("S", ".")

    def facts(self) -> Facts:
        """Make the facts that ``asp/search_party/map.lp`` takes."""
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
    """Read a map; whether it is connected, and not too large, is for the rules to say.

    Raises:
        FormatError: The text is no map; says where and what was expected.
        InputError: There are more or fewer rows than its first line says.
    """
    header, *rows = parse("search_party_map", text, name=name).children
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
        raise InputError(name, f"there are {len(rows)} rows, but the first line says {height}")
    return Map(name, width, height, costars, extras, tuple(map(str, rows)))
