"""Records to facts; what each predicate says is told in ``asp/slime/``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import compress, pairwise
from operator import ne

from kb_score.games.slime.read import Answer, Frames, Session, parse_answer, read_record
from kb_score.given import Numbered
from kb_score.terms import Facts, Row

FACTS_OF = "a record"
_GIVEN = re.compile(r"[1-4](,[1-4.]{2,})+")
_ROW = re.compile(r"[1-4.]{2,}")


def recognises(text: str) -> bool:
    """Whether a text looks like a session or like frames."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines and _GIVEN.fullmatch(lines[0]):
        return True  # what a bot has answered may be anything
    return bool(lines) and all(map(_ROW.fullmatch, lines))


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a record: of a session its answers and boards, of frames the boards.

    Raises:
        FormatError: The text is no record.
    """
    record = read_record(text, name)
    squares = [
        (*row, number)
        for number, board in enumerate(record.boards, 1)
        for row in list_squares(board)
    ]
    if isinstance(record, Frames):
        return {"size": [(record.size,)], "boards": [(len(record.boards),)], "shows": squares}
    answers = [
        (*row, turn)
        for turn, line in enumerate(record.answers, 1)
        for row in list_answer(line, record.size)
    ]
    return {
        "size": [(record.size,)],
        "printed": squares,
        "answered": [(len(record.answers),)],
        "claimed": list(enumerate(record.claimed or (), 1)),
        "answer": answers,
    }


def list_squares(board: str) -> list[Row]:
    """List a whole board: a row ``((R,C), O)`` a square."""
    squares = _name_squares(board.index(","))
    return [(square, _owner(owner)) for square, owner in zip(squares, board, strict=True) if square]


@cache
def _name_squares(size: int) -> tuple[Row, ...]:
    """Name the square at each place of a board's text, such as ``(0, 2)``; () for a comma."""
    return tuple(
        () if column == size else (row, column) for row in range(size) for column in range(size + 1)
    )[:-1]


def list_answer(line: str, size: int) -> list[Row]:
    """List what a bot answered as a row ``(From, To)``; nothing if it answered no move."""
    answer = parse_answer(line)
    return [] if answer is None else [_pair(_clip(answer, size))]


def session_facts(session: Session, boards: Sequence[str], played: int) -> Facts:
    """List what the record of a session says beside its turns.

    Args:
        session: The record.
        boards: The boards to look at: those of the record, or those that the rules derive.
        played: The number of turns that were played, as far as is known.
    """
    whole = {turn: boards[turn - 1] for turn in (1, min(played + 1, len(boards)))}
    return {
        "size": [(session.size,)],
        "answered": [(len(session.answers),)],
        "rounds": list(_find_rounds(session.players)),
        "claimed": list(enumerate(session.claimed or (), 1)),
        "whole": [(*row, turn) for turn, board in whole.items() for row in list_squares(board)],
        "full": [(turn,) for turn, board in enumerate(boards, 1) if "." not in board],
    }


def window_facts(session: Session, boards: Sequence[str]) -> Facts:
    """List of each turn what its rules look at: the squares around the answer, before and after.

    Every other square must stay as it is; where one does not, only that is told.
    """
    size = session.size
    windows: list[Row] = []
    strays: list[Row] = []
    targets: dict[str, tuple[Row, int, int] | None] = {}
    # With a border of zeros all squares have eight neighbours; a row ends with its comma as border.
    wide, border = size + 1, "0" * (size + 2)
    bordered = [border + b.replace(".", "0").replace(",", "0") + border for b in boards]
    turns = zip(session.answers, bordered, [*bordered[1:], bordered[-1]], strict=True)
    for turn, (line, old, new) in enumerate(turns, 1):
        if line not in targets:
            targets[line] = _aim(line, size)
        aim = targets[line]
        if aim is None:
            if old != new:
                strays.append((turn,))
            continue
        pair, source, place = aim
        # The three rows of the window begin at these places.
        a, b, c = place - wide - 1, place - 1, place + wide - 1
        digits = int(f"1{old[a : a + 3]}{old[b : b + 3]}{old[c : c + 3]}")
        digits1 = int(f"1{new[a : a + 3]}{new[b : b + 3]}{new[c : c + 3]}")
        windows.append((*pair, int(old[source]), digits, int(new[source]), digits1, turn))
        new = new[:source] + old[source] + new[source + 1 :]
        if (
            old[:a] != new[:a]
            or old[c + 3 :] != new[c + 3 :]
            or old[a + 3 : b] != new[a + 3 : b]
            or old[b + 3 : c] != new[b + 3 : c]
        ):
            strays.append((turn,))
    return {"window": windows, "strays": strays}


def all_squares(session: Session, boards: Sequence[str]) -> Numbered:
    """List all answers and all squares of all boards, for rules that may look at any of them."""
    return {
        "answer": [(), *(list_answer(line, session.size) for line in session.answers)],
        "holds": [(), *map(list_squares, boards)],
        "alters": [
            (),
            *([(s, new) for s, _, new in _changes(*pair)] for pair in pairwise(boards)),
        ],
    }


def misprints(session: Session, boards: Sequence[str]) -> Numbered:
    """List the squares of the printed boards that differ from derived ones, and how they do."""
    found = [list(_changes(*pair)) for pair in zip(session.boards, boards, strict=True)]
    return {
        "printed": [(), *([(s, printed) for s, printed, _ in rows] for rows in found)],
        "holds": [(), *([(s, right) for s, _, right in rows] for rows in found)],
    }


def frames_facts(frames: Frames) -> Numbered:
    """List of frames every square of every board, and what changes from one to the next."""
    return {
        "shows": [(), *map(list_squares, frames.boards)],
        "alters": [(), *(list(_changes(*pair)) for pair in pairwise(frames.boards))],
    }


def _find_rounds(players: Sequence[str]) -> Iterator[Row]:
    """Yield a row ``(P,First,Last)`` for each run of players who follow each other in order."""
    first = 0
    for i, player in enumerate(players):
        if i + 1 == len(players) or players[i + 1] != "2341"[int(player) - 1]:
            yield int(players[first]), first + 1, i + 1
            first = i + 1


def _changes(before: str, after: str) -> Iterator[tuple[Row, int, int]]:
    """Yield a row ``((R,C), O, O1)`` for each square that belongs to O before, and to O1 after."""
    squares = _name_squares(before.index(","))
    for place in compress(range(len(squares)), map(ne, before, after)):
        yield squares[place], _owner(before[place]), _owner(after[place])


def _aim(line: str, size: int) -> tuple[Row, int, int] | None:
    """Find the squares of an answer, and the two places that it names on a bordered board."""
    answer = parse_answer(line)
    if answer is None:
        return None
    row, column, to_row, to_column = clipped = _clip(answer, size)
    if min(clipped) < 0 or max(clipped) >= size:
        return None  # what is off the board cannot be read from it
    border, wide = size + 2, size + 1
    return (
        _pair(clipped),
        border + row * wide + column,
        border + to_row * wide + to_column,
    )


def _owner(square: str) -> int:
    return 0 if square == "." else int(square)


def _clip(answer: Answer, size: int) -> Answer:
    """Move numbers far off the board to just off the board, within what clingo can hold."""
    row, column, to_row, to_column = (max(-1, min(number, size)) for number in answer)
    return row, column, to_row, to_column


def _pair(answer: Answer) -> Row:
    return answer[:2], answer[2:]
