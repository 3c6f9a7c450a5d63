"""The quadrants of the published game, and the boards that four of them make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache

from lark import Token

from kb_score.errors import InputError, visible
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


def find_quadrants(words: Sequence[str]) -> list[Quadrant]:
    """Find different quadrants by their names: ``farm``, or ``farm/180`` for a turned one.

    Raises:
        InputError: There is no such quadrant, or one is named twice.
    """
    known = {quadrant.name: quadrant for quadrant in read_quadrants()}
    found = dict[str, Quadrant]()
    for word in words:
        name, slash, turned = word.partition("/")
        if name not in known or (slash and turned != "180"):
            close = get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]}? " if close and name not in known else ""
            names = (
                f"the quadrants are {', '.join(known)}, each perhaps with /180, for a turned one"
            )
            raise InputError("board", f"there is no quadrant {visible(word)!r}: {hint}{names}")
        if name in found:
            raise InputError("board", f"{name} is named twice: the quadrants of a board differ")
        found[name] = known[name].turn() if slash else known[name]
    return list(found.values())


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
