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


def list_news(*boards: str, terminal: str = "board", first: int = 1) -> str:
    """Say which symbol each square has on which boards; that of turn ``first`` comes first.

    They are ``board_cell(R,C,Symbol,First,Last)``, or ``frame_cell`` of frames.
    """
    facts: list[str] = []
    last = first + len(boards) - 1
    rows = boards[0].split()
    for r, row in enumerate(rows):
        for c in range(len(row)):
            symbols = [board.split()[r][c] for board in boards]
            since = first
            for turn, (old, new) in enumerate(pairwise([*symbols, ""]), first):
                if old == new:
                    continue
                symbol = f'"{old}"' if old == "." else old
                facts.append(f"{terminal}_cell({r},{c},{symbol},{since},{turn}).")
                since = turn + 1
    return f"{' '.join(facts)} {terminal}({first}..{last})."


def paint(board: str, changes: Iterable[tuple[object, ...]]) -> str:
    """Change the owners of some squares, given as rows of a predicate (S,O,T)."""
    rows = [list(row) for row in board.split()]
    for square, owner, _ in changes:
        assert isinstance(square, tuple)
        rows[square[0]][square[1]] = str(owner or ".")
    return " ".join(map("".join, rows))
