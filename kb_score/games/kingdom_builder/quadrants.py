"""The quadrants of the published game, and the boards that four of them make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from lark import Token

from kb_score.grammar import parse
from kb_score.resources import find_folder


@dataclass(frozen=True, slots=True)
class Quadrant:
    """A quadrant, as it is printed or turned.

    Attributes:
        name: What its location hexes are called, such as ``farm``.
        expansion: Which expansion it comes from, or an empty text.
        rows: Ten rows of ten symbols, from north to south; odd rows lie half a hex to the right.
            The file says what the symbols mean.
    """

    name: str
    expansion: str
    rows: tuple[str, ...]

    def turn(self) -> Quadrant:
        """Turn it by 180 degrees; it keeps its shape, for the number of its rows is even."""
        return replace(self, rows=tuple(row[::-1] for row in reversed(self.rows)))


@cache
def read_quadrants() -> tuple[Quadrant, ...]:
    """Read ``asp/kingdom_builder/quadrants.txt``: all quadrants as printed, in the file's order."""
    path = find_folder("asp") / "kingdom_builder" / "quadrants.txt"
    tree = parse("quadrants", path.read_text(encoding="utf-8"), name=str(path))
    return tuple(_read(*map(str, quadrant.scan_values(_is_token))) for quadrant in tree.children)


def _is_token(value: object) -> bool:
    return isinstance(value, Token)


def _read(heading: str, *rows: str) -> Quadrant:
    _, name, after, *_ = heading.split()
    expansion = after[1:] if after.startswith("(") else ""
    return Quadrant(name, expansion, tuple("".join(row.split()) for row in rows))


def join_quadrants(
    northwest: Quadrant, northeast: Quadrant, southwest: Quadrant, southeast: Quadrant
) -> tuple[str, ...]:
    """Join four quadrants, each turned or not, to the rows of a board."""
    pairs = (northwest, northeast), (southwest, southeast)
    return tuple(
        west + east
        for left, right in pairs
        for west, east in zip(left.rows, right.rows, strict=True)
    )
