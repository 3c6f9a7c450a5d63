"""Text of a record to its turns or boards: the grammar gives the parts, here they are counted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lark import Token

from kb_score.errors import FormatError
from kb_score.grammar import parse, place_at, read_number

# From row, from column, to row, to column.
Answer = tuple[int, int, int, int]

# Whoever claims more squares than this cannot have counted them; clingo's numbers end soon after.
MOST_SQUARES = 10**9

# clingo needs some 6 KB for each square.
LARGEST_SIZE = 256

_ANSWER = re.compile(r"\s*" + r"\s+".join([r"([+-]?[0-9]+)"] * 4) + r"\s*", re.ASCII)
_LONGEST_NUMBER = 12  # digits; Python refuses to read numbers of thousands of digits


@dataclass(frozen=True, slots=True)
class Session:
    """A game as its bots saw it.

    Attributes:
        size: Rows and columns of the board.
        players: For each turn the player that the line given names, a digit.
        boards: For each turn the board printed, its rows joined by commas.
        answers: For each turn the line that the bot answered.
        claimed: The squares of players 1 to 4, where the record ends with them.
    """

    size: int
    players: tuple[str, ...]
    boards: tuple[str, ...]
    answers: tuple[str, ...]
    claimed: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Frames:
    """The boards of a game, the moves between them unknown.

    Attributes:
        size: Rows and columns of the board.
        boards: The boards in order, the rows of each joined by commas.
    """

    size: int
    boards: tuple[str, ...]


def read_record(text: str, name: str = "<text>") -> Session | Frames:
    """Read a record.

    Args:
        text: The whole file, line ends as `kb_score.text.decode` leaves them.
        name: What errors call the text, usually its path.

    Returns:
        What the record is: a session or frames.

    Raises:
        FormatError: The text breaks the grammar, or a board is not square or not like the first.
        BoardError: A number is too large to be a number of squares.

    Source: ``parsers/slime.lark``.
    """
    tree: Any = parse("slime", text, name=name).children[0]
    if tree.data == "session":
        return _read_session(tree.children, text, name)
    return _read_frames(tree.children, text, name)


@lru_cache(maxsize=4096)  # the answers of a record recur
def parse_answer(line: str) -> Answer | None:
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
    row, column, to_row, to_column = (int(_shorten(number)) for number in match.groups())
    return row, column, to_row, to_column


def _shorten(number: str) -> str:
    sign = "-" if number.startswith("-") else ""
    digits = number.lstrip("+-").lstrip("0") or "0"
    # What has so many digits is off every board, however it goes on.
    return sign + digits[:_LONGEST_NUMBER]


def _read_session(parts: list[Any], text: str, name: str) -> Session:
    by_kind = {part.type: part for part in parts}
    if given := by_kind.get("GIVEN"):
        assert given.line is not None
        place = place_at(text, given.line, len(given), name)
        raise FormatError(place, "the text ends before the bot has answered this line")
    turns = by_kind["TURNS"]
    lines = turns[:-1].split("\n")
    given_lines, answers = lines[::2], lines[1::2]
    boards = tuple(line[2:] for line in given_lines)
    size = boards[0].count(",") + 1
    _check_boards(boards, size, [(turns.line or 1) + 2 * i for i in range(len(boards))], text, name)
    scores = by_kind.get("SCORES")
    return Session(
        size=size,
        players=tuple(line[0] for line in given_lines),
        boards=boards,
        answers=tuple(answers),
        claimed=None if scores is None else _read_scores(scores, text, name),
    )


def _read_frames(parts: list[Any], text: str, name: str) -> Frames:
    boards = tuple(part[:-1].replace("\n", ",") for part in parts)
    size = boards[0].count(",") + 1
    _check_boards(boards, size, [part.line or 1 for part in parts], text, name)
    return Frames(size, boards)


def _read_scores(line: Token, text: str, name: str) -> tuple[int, ...]:
    words = re.split(r"[\s,]+", line.strip())
    return tuple(read_number(word, line, text, name, largest=MOST_SQUARES) for word in words)


def _check_boards(
    boards: Sequence[str], size: int, lines: Sequence[int], text: str, name: str
) -> None:
    length, commas = size * (size + 1) - 1, "," * (size - 1)
    for board, line in zip(boards, lines, strict=True):
        # With its commas where they must be, and nowhere else, its rows are of one length.
        square = len(board) == length and board[size :: size + 1] == commas
        if not square or board.count(",") != size - 1:
            raise FormatError(place_at(text, line, 1, name), _say_what_is_wrong(board, size))
    if not 2 <= size <= LARGEST_SIZE:
        message = f"a board has 2 to {LARGEST_SIZE} rows, this has {size}"
        raise FormatError(place_at(text, lines[0], 1, name), message)


def _say_what_is_wrong(board: str, size: int) -> str:
    rows = board.split(",")
    if len(rows) != size:
        return f"the board has {len(rows)} rows, the first of this record has {size}"
    wrong = next(i for i, row in enumerate(rows) if len(row) != size)
    return f"row {wrong} of the board has {len(rows[wrong])} squares, but the board has {size} rows"
