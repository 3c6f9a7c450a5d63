"""Printed boards: each compared with the one before, so that only what changes becomes a fact."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kb_score.games.search_party.maps import Map

UNSEARCHED, SEARCHED = ".", "o"
_CHANGED = re.compile(rb"[^\0]+")


@dataclass(frozen=True, slots=True)
class Change:
    """Cells beside each other that are printed otherwise than in the block before.

    Attributes:
        x: The column of the first, from 0.
        y: The row, from 0.
        before: How they were printed.
        after: How they are printed.
    """

    x: int
    y: int
    before: str
    after: str

    def only_finds(self) -> bool:
        """Whether all of them are newly printed as searched, and were unsearched."""
        number = len(self.after)
        return self.before == UNSEARCHED * number and self.after == SEARCHED * number


def blank_board(map_: Map) -> str:
    """Write the board on which nothing is searched yet."""
    return "\n".join(map_.rows).replace("S", UNSEARCHED)


def find_changes(before: str, after: str) -> Iterator[Change]:
    """Yield the changes between two boards of the same size, from the upper left.

    Args:
        before: A board, its rows joined by line feeds.
        after: The next one.
    """
    if before == after:
        return
    for y, (old, new) in enumerate(zip(before.split("\n"), after.split("\n"), strict=True)):
        if old != new:
            # As numbers of many digits, for rows differ where their exclusive or is not 0.
            left, right = old.encode(), new.encode()
            changed = int.from_bytes(left, "big") ^ int.from_bytes(right, "big")
            for found in _CHANGED.finditer(changed.to_bytes(len(left), "big")):
                begin, end = found.span()
                yield Change(begin, y, old[begin:end], new[begin:end])
