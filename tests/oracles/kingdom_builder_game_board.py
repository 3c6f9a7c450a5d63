"""The board of the published Kingdom Builder: terrain, neighbours, lines and kinds of locations.

A hex is its index in the rows written one after the other: row * width + column, both from 0.
A hex off the board is OFF.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

OFF = -1
TERRAINS = {
    "grass": "G",
    "canyon": "N",
    "desert": "D",
    "flower": "L",
    "forest": "F",
    "water": "W",
    "mountain": "M",
}
FIVE = "GNDLF"
# A `.` is buildable, but its kind is not known.
BUILDABLE = FIVE + "."
QUADRANTS = Path(__file__).parents[2] / "asp" / "kingdom_builder" / "quadrants.txt"


@dataclass(frozen=True, slots=True)
class Board:
    """A printed board, without settlements and walls."""

    height: int
    width: int
    terrain: str  # the symbol of each hex
    kinds: Mapping[int, str]  # the kind of each location hex
    steps: tuple[tuple[int, ...], ...]  # the hex one step on, or OFF, by direction and hex
    near: tuple[tuple[int, ...], ...]  # the neighbours of each hex
    edge: frozenset[int]
    of: Mapping[str, tuple[int, ...]]  # the hexes of each symbol

    def at(self, name: str) -> int:
        """Find the hex `row,column`."""
        row, column = map(int, name.split(","))
        inside = 0 <= row < self.height and 0 <= column < self.width
        return row * self.width + column if inside else OFF

    def name(self, place: int) -> str:
        """Write a hex as `row,column`; OFF is a hex below the board."""
        if place == OFF:
            return f"{self.height},0"
        return f"{place // self.width},{place % self.width}"


def build_board(rows: Sequence[str], kinds: Mapping[tuple[int, int], str]) -> Board:
    """Build a board of rows of terrain symbols.

    Args:
        rows: The rows from north to south, one symbol a hex, without blanks.
        kinds: The kind of tile of each location hex, by row and column.
    """
    height, width = len(rows), len(rows[0])
    terrain = "".join(rows)
    steps = _list_steps(height, width)
    border = [
        place
        for place in range(height * width)
        if place // width in (0, height - 1) or place % width in (0, width - 1)
    ]
    return Board(
        height=height,
        width=width,
        terrain=terrain,
        kinds={row * width + column: kind for (row, column), kind in kinds.items()},
        steps=steps,
        near=tuple(
            tuple(step[place] for step in steps if step[place] != OFF)
            for place in range(height * width)
        ),
        edge=frozenset(border),
        of={
            symbol: tuple(place for place, here in enumerate(terrain) if here == symbol)
            for symbol in "GNDLFWMCTO."
        },
    )


@cache
def _list_steps(height: int, width: int) -> tuple[tuple[int, ...], ...]:
    """List where a step leads, for each of the six directions and each hex."""
    # Per direction: the rows down, then the columns to the right from an even and from an odd row.
    directions = ((0, -1, -1), (0, 1, 1), (-1, -1, 0), (-1, 0, 1), (1, -1, 0), (1, 0, 1))
    steps: list[tuple[int, ...]] = []
    for down, even, odd in directions:
        ends: list[int] = []
        for row in range(height):
            for column in range(width):
                r, c = row + down, column + (odd if row % 2 else even)
                ends.append(r * width + c if 0 <= r < height and 0 <= c < width else OFF)
        steps.append(tuple(ends))
    return tuple(steps)


@cache
def read_quadrants() -> dict[str, tuple[str, ...]]:
    """Read the ten rows of every quadrant, by its name."""
    found: dict[str, tuple[str, ...]] = {}
    name = ""
    for line in QUADRANTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("%"):
            name = line.split()[1]
        elif line.strip():
            found[name] = (*found.get(name, ()), line.replace(" ", ""))
    return {name: rows for name, rows in found.items() if len(rows) == 10}


@cache
def board_of(heading: str) -> Board:
    """Build the board of a heading such as `oracle farm/180 tavern paddock`: NW NE SW SE."""
    quadrants = read_quadrants()
    grids: list[tuple[str, ...]] = []
    names: list[str] = []
    for word in heading.split():
        name, _, turned = word.partition("/")
        grid = quadrants[name]
        grids.append(tuple(row[::-1] for row in reversed(grid)) if turned else grid)
        names.append(name)
    if len(grids) != 4:
        raise ValueError(f"{len(grids)} quadrants, not 4")
    north_west, north_east, south_west, south_east = grids
    rows = [left + right for left, right in zip(north_west, north_east, strict=True)]
    rows += [left + right for left, right in zip(south_west, south_east, strict=True)]
    # A location gives the tile that its quadrant is named after.
    kinds = {
        (row, column): names[row // 10 * 2 + column // 10]
        for row, line in enumerate(rows)
        for column, symbol in enumerate(line)
        if symbol == "T"
    }
    return build_board(rows, kinds)
