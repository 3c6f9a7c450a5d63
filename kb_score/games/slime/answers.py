"""The line that a bot answers: whatever it is, to a move or none."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb_score.engine.terms import Row

# From row, from column, to row, to column.
Answer = tuple[int, int, int, int]

_ANSWER = re.compile(r"\s*" + r"\s+".join([r"([+-]?[0-9]+)"] * 4) + r"\s*", re.ASCII)
_MAX_DIGITS = 12  # Python refuses to read numbers of thousands of digits


@lru_cache(maxsize=4096)  # the answers of a record recur
def read_answer(line: str) -> Answer | None:
    """Read the line that a bot answered.

    Args:
        line: Anything, without its line end.

    Returns:
        Four whole numbers, if the line is these and nothing else, set apart by blanks, in ASCII
        digits with or without a sign; otherwise None. Numbers of very many digits are cut short.
    """
    match = _ANSWER.fullmatch(line)
    if match is None:
        return None
    row, column, to_row, to_column = map(_read_short, match.groups())
    return row, column, to_row, to_column


def _read_short(number: str) -> int:
    digits = number.lstrip("+-").lstrip("0") or "0"
    # A number of so many digits is off every board, however it goes on.
    return int(digits[:_MAX_DIGITS]) * (-1 if number.startswith("-") else 1)


def list_answer(line: str, size: int) -> list[Row]:
    """List what a bot answered as a row ``(From, To)``; nothing if it answered no move."""
    answer = _clip(line, size)
    return [] if answer is None else [(answer[:2], answer[2:])]


def _clip(line: str, size: int) -> Answer | None:
    """Read an answer; numbers far off the board become just off it, which clingo can hold."""
    answer = read_answer(line)
    if answer is None:
        return None
    row, column, to_row, to_column = (max(-1, min(number, size)) for number in answer)
    return row, column, to_row, to_column


@lru_cache(maxsize=4096)
def find_sight(line: str, size: int) -> tuple[tuple[Row, int], ...]:
    """List the squares that an answer's move looks at, each with its place in a board's text."""
    answer = _clip(line, size)
    if answer is None:
        return ()
    row, column, to_row, to_column = answer
    around = {(to_row + down, to_column + across) for down in (-1, 0, 1) for across in (-1, 0, 1)}
    seen = sorted(around | {(row, column)})
    return tuple(((r, c), r * (size + 1) + c) for r, c in seen if 0 <= r < size and 0 <= c < size)
