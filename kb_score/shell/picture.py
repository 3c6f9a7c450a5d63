"""The one drawer: places and symbols to text that shows a board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Place = tuple[int, int]

# So much of a large board is shown to either side of what a picture points at.
_ACROSS, _DOWN = 12, 6


@dataclass(frozen=True, slots=True)
class Drawing:
    """The symbol at each place, row and column from 0, and the places to point at."""

    cells: Mapping[Place, str]
    highlights: frozenset[Place] = frozenset()


def draw(drawing: Drawing, *, hexes: bool = False, width: int = 3, cut_out: bool = False) -> str:
    """Draw a board with the places that the picture points at in brackets.

    A line with the numbers of the columns, then a line a row that begins with its number. Every
    second row of hexes lies half a hex to the right; a place is ``width`` characters wide, at least
    3. Where a large board is cut out, the surroundings of its first highlight are shown.
    """
    if not drawing.cells:
        return ""
    rows, columns = _find_ranges(drawing, cut_out)
    margin = len(str(rows[-1]))
    # In narrow columns two digits of a number must do.
    heads = "".join(f"{column % 10 ** (width - 1):^{width}}" for column in columns)
    # Over rows that are shifted in turns the numbers stand in the middle.
    lines = [f"{'':{margin}} {' ' * hexes}{heads}"]
    for row in rows:
        shift = " " * (width // 2 * (row % 2)) if hexes else ""
        line = f"{row:>{margin}} {shift}"
        for column in columns:
            symbol = drawing.cells.get((row, column), " ")
            marked = f"[{symbol}]" if (row, column) in drawing.highlights else f" {symbol} "
            line += f"{marked:{width}}"
        lines.append(line)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _find_ranges(drawing: Drawing, cut_out: bool) -> tuple[range, range]:
    bottom = max(row for row, _ in drawing.cells)
    right = max(column for _, column in drawing.cells)
    if not cut_out or not drawing.highlights:
        return range(bottom + 1), range(right + 1)
    row, column = min(drawing.highlights)
    return _window(row, _DOWN, bottom), _window(column, _ACROSS, right)


def _window(middle: int, around: int, last: int) -> range:
    """Show so many places around the middle, and as many near an edge."""
    first = max(0, min(middle - around, last - 2 * around))
    return range(first, min(last, first + 2 * around) + 1)
