"""Records to facts, written for clingo; what each predicate says is told in ``asp/slime/``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import compress, pairwise
from operator import ne

from kb_score.games.slime.ask import Rows
from kb_score.games.slime.read import Answer, Frames, Session, parse_answer

Facts = dict[str, Rows]


def write_squares(board: str, turn: int) -> list[str]:
    """Write a whole board: a row ``((R,C),O,T)`` a square."""
    size = board.index(",")
    owners = board.replace(".", "0")
    return [
        f"({square},{owner},{turn})"
        for square, owner in zip(name_squares(size), owners, strict=True)
        if square
    ]


@cache
def name_squares(size: int) -> tuple[str, ...]:
    """Write the square at each place of a board's text, such as ``(0,2)``; "" for a comma."""
    return tuple(
        "" if column == size else f"({row},{column})"
        for row in range(size)
        for column in range(size + 1)
    )[:-1]


def answer_fact(line: str, size: int, turn: int) -> list[str]:
    """Write what a bot answered as a row ``(From,To,T)``; nothing if it answered no move."""
    answer = parse_answer(line)
    return [] if answer is None else [f"({_write_answer(_clip(answer, size))},{turn})"]


def session_facts(session: Session, boards: Sequence[str], played: int) -> Facts:
    """Write what the record of a session says beside its turns.

    Args:
        session: The record.
        boards: The boards to look at: those of the record, or those that the rules derive.
        played: The number of turns that were played, as far as is known.
    """
    claimed = session.claimed or ()
    whole = {turn: boards[turn - 1] for turn in (1, min(played + 1, len(boards)))}
    return {
        "size": Rows(1, [f"({session.size},)"]),
        "answered": Rows(1, [f"({len(session.answers)},)"]),
        "rounds": Rows(3, list(_find_rounds(session.players))),
        "claimed": Rows(2, [f"({player},{n})" for player, n in enumerate(claimed, 1)]),
        "whole": Rows(3, [row for turn, b in whole.items() for row in write_squares(b, turn)]),
        "full": Rows(1, [f"({turn},)" for turn, b in enumerate(boards, 1) if "." not in b]),
    }


def window_facts(session: Session, boards: Sequence[str]) -> Facts:
    """Write of each turn what its rules look at: the squares around the answer, before and after.

    Every other square must stay as it is; where one does not, only that is told.
    """
    size, windows, strays = session.size, [], []
    targets: dict[str, tuple[str, int, int] | None] = {}
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
                strays.append(f"({turn},)")
            continue
        written, source, place = aim
        # The three rows of the window begin at these places.
        a, b, c = place - wide - 1, place - 1, place + wide - 1
        windows.append(
            f"({written},{old[source]},1{old[a : a + 3]}{old[b : b + 3]}{old[c : c + 3]},"
            f"{new[source]},1{new[a : a + 3]}{new[b : b + 3]}{new[c : c + 3]},{turn})"
        )
        new = new[:source] + old[source] + new[source + 1 :]
        if (
            old[:a] != new[:a]
            or old[c + 3 :] != new[c + 3 :]
            or old[a + 3 : b] != new[a + 3 : b]
            or old[b + 3 : c] != new[b + 3 : c]
        ):
            strays.append(f"({turn},)")
    return {"window": Rows(7, windows), "strays": Rows(1, strays)}


def all_squares(session: Session, boards: Sequence[str]) -> Facts:
    """Write all answers and all squares of all boards, for rules that may look at any of them."""
    answers = [
        row
        for turn, line in enumerate(session.answers, 1)
        for row in answer_fact(line, session.size, turn)
    ]
    squares = [row for turn, board in enumerate(boards, 1) for row in write_squares(board, turn)]
    return {
        "answer": Rows(3, answers),
        "holds": Rows(3, squares),
        "alters": Rows(3, list(_find_changes(boards))),
    }


def misprints(session: Session, boards: Sequence[str]) -> Facts:
    """Write the squares of the printed boards that differ from derived ones, and how they do."""
    printed: list[str] = []
    derived: list[str] = []
    squares = name_squares(session.size)
    for turn, (board, right) in enumerate(zip(session.boards, boards, strict=True), 1):
        for place in compress(range(len(board)), map(ne, board, right)):
            printed.append(f"({squares[place]},{_owner(board[place])},{turn})")
            derived.append(f"({squares[place]},{_owner(right[place])},{turn})")
    return {"printed": Rows(3, printed), "holds": Rows(3, derived)}


def frames_facts(frames: Frames) -> Facts:
    """Write frames: every square of every board, and what changes from one to the next."""
    boards = frames.boards
    shows = [row for number, board in enumerate(boards, 1) for row in write_squares(board, number)]
    squares = name_squares(frames.size)
    alters = [
        f"({squares[place]},{_owner(before[place])},{_owner(after[place])},{turn})"
        for turn, (before, after) in enumerate(pairwise(boards), 1)
        for place in compress(range(len(squares)), map(ne, before, after))
    ]
    return {
        "size": Rows(1, [f"({frames.size},)"]),
        "boards": Rows(1, [f"({len(boards)},)"]),
        "shows": Rows(3, shows),
        "alters": Rows(4, alters),
    }


def _find_rounds(players: Sequence[str]) -> Iterator[str]:
    """Yield a row ``(P,First,Last)`` for each run of players who follow each other in order."""
    first = 0
    for i, player in enumerate(players):
        if i + 1 == len(players) or players[i + 1] != "2341"[int(player) - 1]:
            yield f"({players[first]},{first + 1},{i + 1})"
            first = i + 1


def _find_changes(boards: Sequence[str]) -> Iterator[str]:
    """Yield a row ``((R,C),O,T)`` for each square that has owner O from the board T+1 on."""
    squares = name_squares(boards[0].index(","))
    for turn, (before, after) in enumerate(pairwise(boards), 1):
        for place in compress(range(len(squares)), map(ne, before, after)):
            yield f"({squares[place]},{_owner(after[place])},{turn})"


def _aim(line: str, size: int) -> tuple[str, int, int] | None:
    """Find the answer as it is written, and the two places that it names on a bordered board."""
    answer = parse_answer(line)
    if answer is None:
        return None
    row, column, to_row, to_column = clipped = _clip(answer, size)
    if min(clipped) < 0 or max(clipped) >= size:
        return None  # what is off the board cannot be read from it
    border, wide = size + 2, size + 1
    return (
        _write_answer(clipped),
        border + row * wide + column,
        border + to_row * wide + to_column,
    )


def _owner(square: str) -> str:
    return "0" if square == "." else square


def _clip(answer: Answer, size: int) -> Answer:
    """Move numbers far off the board to just off the board, within what clingo can hold."""
    row, column, to_row, to_column = (max(-1, min(number, size)) for number in answer)
    return row, column, to_row, to_column


def _write_answer(answer: Answer) -> str:
    row, column, to_row, to_column = answer
    return f"({row},{column}),({to_row},{to_column})"
