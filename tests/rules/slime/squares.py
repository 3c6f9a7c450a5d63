"""Boards in a line of text, rows apart by blanks, such as "1.2 ... 3.4", to facts and back."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise


def size(board: str) -> str:
    """Say how large a board is."""
    rows = board.split()
    return f"size({len(rows)},{len(rows[0])}). "


def list_facts(predicate: str, board: str, turn: int | str) -> str:
    """Say of every square whose it is, as ``before_holds(S,O,T)`` and ``holds(S,O,T)`` do."""
    return " ".join(
        f"{predicate}(({r},{c}),{owner.replace('.', '0')},{turn})."
        for r, row in enumerate(board.split())
        for c, owner in enumerate(row)
    )


def list_news(*boards: str) -> str:
    """Say whose each square is at first, and what is new on later boards, as ``newly(S,O,T)``."""
    later = " ".join(
        f"newly(({r},{c}),{new.replace('.', '0')},{turn})."
        for turn, (old_board, new_board) in enumerate(pairwise(boards), 1)
        for r, rows in enumerate(zip(old_board.split(), new_board.split(), strict=True))
        for c, (old, new) in enumerate(zip(*rows, strict=True))
        if old != new
    )
    return f"{list_facts('newly', boards[0], 0)} {later}"


def paint(board: str, changes: Iterable[tuple[object, ...]]) -> str:
    """Change the owners of some squares, given as rows of a predicate (S,O,T)."""
    rows = [list(row) for row in board.split()]
    for square, owner, _ in changes:
        assert isinstance(square, tuple)
        rows[square[0]][square[1]] = str(owner or ".")
    return " ".join(map("".join, rows))
