"""Boards to pictures: text for people."""

from __future__ import annotations


def draw_difference(left: tuple[str, str], right: tuple[str, str]) -> str:
    """Draw two boards side by side, the squares in which they differ in brackets.

    Args:
        left: A heading and a board, its rows joined by commas.
        right: The same of another board of that size.

    Returns:
        A line for the headings, one for the column numbers, then one a row.
    """
    boards = [board.split(",") for _, board in (left, right)]
    columns = _draw_columns(len(boards[0]))
    margin = len(str(len(boards[0]) - 1))
    lines = [columns] + [
        [_draw_row(mine, other) for mine, other in (pair, pair[::-1])]
        for pair in zip(*boards, strict=True)
    ]
    width = max(len(lines[1][0]), len(left[0])) + 3
    drawn = [f"{'':{margin}} {left[0]:{width}}{right[0]}"]
    for number, (west, east) in enumerate(lines, -1):
        label = "" if number < 0 else str(number)
        drawn.append(f"{label:>{margin}} {west:{width}}{east}".rstrip())
    return "".join(f"{line}\n" for line in drawn)


def _draw_columns(size: int) -> list[str]:
    # Only the last digit: a square is three characters wide.
    return ["".join(f" {column % 10} " for column in range(size))] * 2


def _draw_row(mine: str, other: str) -> str:
    return "".join(f"[{a}]" if a != b else f" {a} " for a, b in zip(mine, other, strict=True))
