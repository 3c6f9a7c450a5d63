"""Slime, the territory war, in plain Python: a benchmark's yardstick and the tests' oracle.

Written from the English rules alone, so that it can disagree with the logic programs.

Inside this module a board is one text, its rows joined by commas: just as a bot is given it. The
commas keep the last square of a row apart from the first of the next, and a printed board is
compared with a derived one by comparing two texts.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random
from typing import Literal

Board = tuple[str, ...]
Answer = tuple[int, int, int, int]
Scores = tuple[int, int, int, int]
Kind = Literal["spread", "jump", "merge", "pass"]
Style = Literal["random", "greedy", "mixed", "long"]

EMPTY = "."
PLAYERS = (1, 2, 3, 4)
MAX_TURNS = 2000

_ANSWER = re.compile(r"\s*" + r"\s+".join([r"([+-]?[0-9]+)"] * 4) + r"\s*", re.ASCII)
_PASS = "0 0 0 0"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: who moved, the board that the bot was given, its line, and what came of it."""

    player: int
    before: Board
    answer: str
    kind: Kind
    after: Board


# The rules


def start_board(size: int = 8) -> Board:
    """Return the board before the first turn.

    Args:
        size: Rows and columns, at least 2 (on 2 x 2 the game is over before it starts).

    Returns:
        The rows from north to south, each of ``1234.``, a slime in every corner.

    Raises:
        ValueError: The four corners would not be four squares.
    """
    if size < 2:
        raise ValueError(f"a board has at least 2 rows and columns, not {size}")
    middle = EMPTY * (size - 2)
    return (f"1{middle}2", *[EMPTY * size] * (size - 2), f"3{middle}4")


@lru_cache(maxsize=4096)  # the answers of a record repeat, and reading one costs as much as a move
def parse_answer(line: str) -> Answer | None:
    """Read the line that a bot answered.

    Args:
        line: Anything, without its line end.

    Returns:
        From row, from column, to row, to column, if the line is four whole numbers (decimal, with
        or without sign) set apart by blanks, and nothing else; otherwise None, which is a pass.
    """
    match = _ANSWER.fullmatch(line)
    if match is None:
        return None
    try:
        row, column, to_row, to_column = map(int, match.groups())
    except ValueError:  # Python refuses numbers of thousands of digits; they are off any board
        return None
    return row, column, to_row, to_column


def move(board: Board, player: int, answer: Answer | None) -> tuple[Board, Kind]:
    """Make one move.

    Args:
        board: The rows; any rectangle.
        player: Who moves, from 1 to 4.
        answer: From row, from column, to row, to column, all from 0; None passes.

    Returns:
        The board after the move, and what the move was; a pass leaves the board as it is.
    """
    text, kind = play_text(",".join(board), len(board), len(board[0]), str(player), answer)
    return tuple(text.split(",")), kind


def finished(board: Board, turns: int) -> bool:
    """Tell whether the game is over: no square is empty, or ``turns`` turns were the last."""
    return turns >= MAX_TURNS or not any(EMPTY in row for row in board)


def scores(board: Board) -> Scores:
    """Count the squares of players 1 to 4."""
    return count("".join(board))


def legal_moves(board: Board, player: int) -> list[Answer]:
    """List all spreads, jumps and merges of a player, in ascending order.

    Args:
        board: The rows; any rectangle.
        player: Who moves, from 1 to 4.

    Returns:
        The moves; none for a player without slime, and never a pass.
    """
    text, height, width = ",".join(board), len(board), len(board[0])
    steps = _steps(text, height, width, str(player))
    return sorted(_answer(source, target, width) for source, target in steps)


def explanations(before: Board, after: Board, player: int) -> list[Answer | None]:
    """Find all moves that lead from one board to the next.

    Args:
        before: The rows before the turn.
        after: The rows after it.
        player: Who moved, from 1 to 4.

    Returns:
        The moves in ascending order. ``[None]``, a pass, if nothing changed, for every real move
        changes the board. An empty list if no move explains the change.
    """
    if before == after:
        return [None]
    if [len(row) for row in before] != [len(row) for row in after]:
        return []
    old, new, mover = ",".join(before), ",".join(after), str(player)
    height, width = len(before), len(before[0])
    found: list[Answer] = []
    for source, target in _steps(old, height, width, mover):
        # Only spares work: the to-square ends as the mover's, and was empty unless it is a merge,
        # which empties the from-square.
        if new[target] == mover and EMPTY in (old[target], new[source]):
            answer = _answer(source, target, width)
            if play_text(old, height, width, mover, answer)[0] == new:
                found.append(answer)
    return [*sorted(found)]


def play_text(
    text: str, height: int, width: int, player: str, answer: Answer | None
) -> tuple[str, Kind]:
    """Make one move on a board of one text."""
    if answer is None or not _is_on_board(answer, height, width):
        return text, "pass"
    row, column, to_row, to_column = answer
    source = row * (width + 1) + column
    target = to_row * (width + 1) + to_column
    distance = max(abs(to_row - row), abs(to_column - column))
    if text[source] != player or distance not in (1, 2):
        return text, "pass"
    around = _rings(height, width)[1][target]
    squares = list(text)
    kind: Kind
    if text[target] == EMPTY:
        kind = "spread" if distance == 1 else "jump"
        squares[target] = player
        for square in around:
            if squares[square] != EMPTY:
                squares[square] = player
    elif text[target] == player and distance == 1:
        kind = "merge"
        for square in around:
            if squares[square] == EMPTY:
                squares[square] = player
    else:
        return text, "pass"
    # Last, for a merge does not fill the square that the old slime just left.
    if kind != "spread":
        squares[source] = EMPTY
    return "".join(squares), kind


def _is_on_board(answer: Answer, height: int, width: int) -> bool:
    """Whether both squares of a move are on the board."""
    row, column, to_row, to_column = answer
    rows_fit = 0 <= row < height and 0 <= to_row < height
    return rows_fit and 0 <= column < width and 0 <= to_column < width


@cache
def _rings(height: int, width: int) -> dict[int, dict[int, tuple[int, ...]]]:
    """Map distance 1 and 2, then a square's place in the text, to the places at that distance."""
    offsets = [(down, right) for down in range(-2, 3) for right in range(-2, 3)]
    return {
        distance: {
            row * (width + 1) + column: tuple(
                (row + down) * (width + 1) + column + right
                for down, right in offsets
                if max(abs(down), abs(right)) == distance
                and 0 <= row + down < height
                and 0 <= column + right < width
            )
            for row in range(height)
            for column in range(width)
        }
        for distance in (1, 2)
    }


def _steps(text: str, height: int, width: int, player: str) -> Iterator[tuple[int, int]]:
    """Yield the from-place and the to-place of every spread, jump and merge."""
    rings = _rings(height, width)
    for source, holder in enumerate(text):
        if holder == player:
            for target in rings[1][source]:
                if text[target] in (EMPTY, player):
                    yield source, target
            for target in rings[2][source]:
                if text[target] == EMPTY:
                    yield source, target


def _answer(source: int, target: int, width: int) -> Answer:
    """Turn two places in the text into rows and columns."""
    return (*divmod(source, width + 1), *divmod(target, width + 1))


def count(text: str) -> Scores:
    """Count the squares of players 1 to 4; rows may be joined by anything but digits."""
    return text.count("1"), text.count("2"), text.count("3"), text.count("4")


# Games to try


def random_game(
    rng: Random, size: int = 8, max_turns: int = MAX_TURNS, style: Style = "random"
) -> list[Turn]:
    """Play a game of four bots of one style.

    Args:
        rng: Where chance comes from; the same state gives the same game.
        size: Rows and columns.
        max_turns: Stop after so many turns even if the game is not over.
        style: ``random``: any move. ``greedy``: a move that leaves the player most squares.
            ``mixed``: either, or an odd line, mostly a pass. ``long``: any move that leaves half of
            the board empty and everybody alive, so that the game takes all its turns
            (from 3 x 3, where all pass).

    Returns:
        The turns in order.
    """
    choosers: dict[Style, Callable[[Random, Board, int], str]] = {
        "random": _random_answer,
        "greedy": _greedy_answer,
        "mixed": _mixed_answer,
        "long": _long_answer,
    }
    board = start_board(size)
    turns: list[Turn] = []
    while len(turns) < max_turns and not finished(board, len(turns)):
        player = len(turns) % len(PLAYERS) + 1
        line = choosers[style](rng, board, player)
        after, kind = move(board, player, parse_answer(line))
        turns.append(Turn(player, board, line, kind, after))
        board = after
    return turns


def _line(answer: Answer) -> str:
    """Write a move as a bot does."""
    return " ".join(map(str, answer))


def _random_answer(rng: Random, board: Board, player: int) -> str:
    """Answer any move."""
    moves = legal_moves(board, player)
    return _line(rng.choice(moves)) if moves else _PASS


def _greedy_answer(rng: Random, board: Board, player: int) -> str:
    """Answer a move that leaves the player most squares."""
    moves = legal_moves(board, player)
    if not moves:
        return _PASS
    rng.shuffle(moves)  # max takes the first of equals, which would always be the most northern
    return _line(max(moves, key=lambda answer: scores(move(board, player, answer)[0])[player - 1]))


def _mixed_answer(rng: Random, board: Board, player: int) -> str:
    """Answer like one of the others, with a pass or an odd line about every fifth time."""
    choose = rng.choices((_greedy_answer, _random_answer, _odd_answer), weights=(2, 2, 1))[0]
    return choose(rng, board, player)


def _odd_answer(rng: Random, board: Board, _player: int) -> str:
    """Answer something that bots do answer when they are broken; seldom it is a move."""
    size = len(board)
    anything = " ".join(str(rng.randint(-1, size)) for _ in range(4))
    return rng.choice(
        (_PASS, anything, "", "pass", "0 0 1", "0 0 1 1 1", "0 0 1 1.0", f"{size} 0 0 0")
    )


def _long_answer(rng: Random, board: Board, player: int) -> str:
    """Answer a move that can go on for ever, or pass if a few random tries find none."""
    moves = legal_moves(board, player)
    for answer in rng.sample(moves, min(len(moves), 10)):
        after, _ = move(board, player, answer)
        counts = scores(after)
        if all(counts) and 2 * sum(counts) <= len(board) ** 2:
            return _line(answer)
    return _PASS
