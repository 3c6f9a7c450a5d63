"""Records of Slime in plain Python: written, and played again to be compared."""

import re
from collections.abc import Sequence

from tests.oracles.slime import (
    EMPTY,
    MAX_TURNS,
    Scores,
    Turn,
    count,
    parse_answer,
    play_text,
    start_board,
)

_CLAIM = re.compile(r"\s*" + r"[\s,]+".join([r"([0-9]+)"] * 4) + r"\s*")


def write_session(turns: Sequence[Turn], scores: bool = True) -> str:
    """Write a game as a session: the line given and the line answered, turn by turn.

    Args:
        turns: The turns in order.
        scores: Add the four final scores, which only a game that is over should claim.

    Returns:
        The lines, each with its line end; nothing if there are no turns.
    """
    lines = []
    for turn in turns:
        lines += [f"{turn.player},{','.join(turn.before)}", turn.answer]
    if scores and turns:
        lines.append(" ".join(map(str, count("".join(turns[-1].after)))))
    return "".join(f"{line}\n" for line in lines)


def write_frames(turns: Sequence[Turn]) -> str:
    """Write a game as frames: the start board and the board after each turn.

    Args:
        turns: The turns in order.

    Returns:
        A line a row, an empty line between two boards; nothing if there are no turns.
    """
    boards = [turn.before for turn in turns[:1]] + [turn.after for turn in turns]
    return "\n".join("".join(f"{row}\n" for row in board) for board in boards)


def check_session(text: str) -> tuple[Scores, bool]:
    """Play a session again and compare.

    The game is derived from the start and the answers alone; printed players and boards are only
    compared with it.

    Args:
        text: The session. The first line sets the size of the board.

    Returns:
        The squares of players 1 to 4 at the end of the game or, if that comes first, of the record;
        and whether all is as it must be: each line given, no turn after the end, and the claimed
        scores, if any, those of a game that is over.

    Raises:
        ValueError: There is no turn, the first line is no board, or the last turn has no answer.
    """
    lines, claimed = _split_session(text)
    size = lines[0].count(",")
    board = ",".join(start_board(size))
    consistent = True
    turns = 0
    for given, answer in zip(lines[::2], lines[1::2], strict=True):
        if turns >= MAX_TURNS or EMPTY not in board:
            return count(board), False
        player = "1234"[turns % 4]
        if given != f"{player},{board}":
            consistent = False
        board, _ = play_text(board, size, size, player, parse_answer(answer))
        turns += 1
    if claimed is not None:
        over = turns >= MAX_TURNS or EMPTY not in board
        consistent = consistent and over and claimed == count(board)
    return count(board), consistent


def _split_session(text: str) -> tuple[list[str], Scores | None]:
    """Part the lines of the turns, two a turn, from the claimed scores.

    A line given is never blank but an answer may be, so blank lines count.
    """
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    used = len(lines)
    while used and not lines[used - 1].strip():
        used -= 1
    claimed = None
    if used % 2:
        match = _CLAIM.fullmatch(lines[used - 1])
        if match:
            one, two, three, four = map(int, match.groups())
            claimed = one, two, three, four
            used -= 1
        else:
            used += 1  # the last answer is blank
    if used == 0:
        raise ValueError("no turn before the scores or the end of the text")
    if used > len(lines):
        raise ValueError("no answer to the last line given")
    return lines[:used], claimed
