"""Konane on 8x8 squares in plain Python, written from the words of docs/write-a-game.md alone."""

from __future__ import annotations

from collections.abc import Iterator

SIZE = 8
Square = tuple[int, int]
# Whose stone lies on each square that has one.
Stones = dict[Square, str]

_DIRECTIONS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def begin() -> Stones:
    """Fill the board; X has the upper left corner."""
    return {(r, c): "XO"[(r + c) % 2] for r in range(SIZE) for c in range(SIZE)}


def list_moves(stones: Stones, turn: int) -> list[str]:
    """List the moves of whoever has a turn, from 1."""
    mover = "XO"[(turn - 1) % 2]
    if turn == 1:
        middle = [(SIZE // 2 - 1,) * 2, (SIZE // 2,) * 2]
        return [f"remove {r} {c}" for r, c in [(0, 0), *middle, (SIZE - 1, SIZE - 1)]]
    if turn == 2:
        (gap,) = (s for s in begin() if s not in stones)
        beside = [(gap[0] + d, gap[1] + a) for d, a in _DIRECTIONS]
        return [f"remove {r} {c}" for r, c in beside if (r, c) in stones]
    return [
        f"jump {start[0]} {start[1]} {to[0]} {to[1]}"
        for start, owner in stones.items()
        if owner == mover
        for direction in _DIRECTIONS
        for to in _follow(stones, start, direction)
    ]


def _follow(stones: Stones, start: Square, direction: Square) -> Iterator[Square]:
    """Yield the squares where a stone can land, jump after jump."""
    (r, c), (down, across) = start, direction
    while True:
        over, to = (r + down, c + across), (r + 2 * down, c + 2 * across)
        inside = 0 <= to[0] < SIZE and 0 <= to[1] < SIZE
        # The squares that were jumped over lie behind, and the start is never landed on again.
        if not inside or to in stones or over not in stones or stones[over] == stones[start]:
            return
        yield to
        r, c = to


def play(stones: Stones, move: str) -> Stones:
    """Play a legal move."""
    word, *numbers = move.split()
    left = dict(stones)
    r, c, *to = map(int, numbers)
    owner = left.pop((r, c))
    if word == "remove":
        return left
    end = (to[0], to[1])
    while (r, c) != end:
        r += (end[0] > r) - (end[0] < r)
        c += (end[1] > c) - (end[1] < c)
        left.pop((r, c), None)
    left[end] = owner
    return left


def write_board(stones: Stones) -> str:
    """Write the rows, with slashes between them."""
    rows = range(SIZE)
    return "/".join("".join(stones.get((r, c), ".") for c in rows) for r in rows)
