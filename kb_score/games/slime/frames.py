"""Frames against the rules: a long record is checked in windows, so that memory stays small."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from kb_score.engine.terms import Answer, Name, predicate_of
from kb_score.games.dialect import CellRow, HighlightRow, PicturedRow, ViolationRow, read_result
from kb_score.games.replay import REPLAY
from kb_score.games.slime.records import (
    compare,
    list_squares,
    list_turns,
    name_squares,
    record_facts,
)
from kb_score.games.slime.rules import (
    FRAMES,
    PLAYERS,
    WINDOW,
    ExplanationRow,
    MadeRow,
)

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules, Use
    from kb_score.engine.terms import Facts, Numbered, Row
    from kb_score.games.slime.records import Frames

# Frames with no more squares than this, all boards together, are checked as a whole. The facts of a
# window are about as many. A turn counts as some of them: clingo keeps each term that it has ever
# made, and in short windows, whose turns are numbered from 1, the same terms come again.
_MANY = 4096
_TURN = 100
_PICTURED = FRAMES.plus(REPLAY)


def ask_about_frames(
    frames: Frames, first: int | None, rules: GameRules, *, list_all: bool
) -> Answer:
    """Ask the rules about frames.

    Args:
        frames: The record.
        first: Who moves first in frames that begin in the middle of a game; None for others.
        rules: The rules.
        list_all: Whether all explanations of a turn are wanted, or the one that counts.
    """
    opening: Facts = {"first": [(first,)] if first else []}
    # A user's rules may look at any square, and at all turns at once.
    if rules.changes.folders:
        return _ask_whole(frames, opening, rules)
    if frames.size**2 * len(frames.boards) <= _MANY:
        answer = _ask_whole(frames, opening, rules, WINDOW)
        return Answer({**answer.rows, **_draw(frames, opening, answer.read(ViolationRow), rules)})
    explained: list[Row] = []
    violations: list[Row] = []
    answer = Answer({})
    for before, answer in _ask_windows(frames, opening, rules, WINDOW):
        found = (row for row in answer.read(ExplanationRow) if list_all or row.number == 1)
        explained += [row._replace(turn=before + row.turn) for row in found]
        violations += [row._replace(turn=before + row.turn) for row in answer.read(ViolationRow)]
    rows = {
        **answer.rows,
        predicate_of(ExplanationRow): explained,
        predicate_of(ViolationRow): violations,
    }
    return Answer({**rows, **_draw(frames, opening, violations, rules)})


def follow_frames(
    frames: Frames, first: int | None, rules: GameRules
) -> Iterator[tuple[int, Answer]]:
    """Draw frames window by window: yields the turns before a window, and its pictures."""
    given: Facts = {"first": [(first,)] if first else []}
    if rules.changes.folders:
        yield 0, _ask_whole(frames, given, rules, _PICTURED)
    else:
        yield from _ask_windows(frames, given, rules, _PICTURED)


def _ask_whole(frames: Frames, given: Facts, rules: GameRules, use: Use = FRAMES) -> Answer:
    turns = {
        **list_turns(frames, frames.boards, whole=True),
        "owned": list(map(_count, frames.boards)),
    }
    return rules.ask(use, {**record_facts(frames), **given}, turns=turns)


def _ask_windows(
    frames: Frames, given: Facts, rules: GameRules, use: Use
) -> Iterator[tuple[int, Answer]]:
    """Ask about one window after another, up to the end of the game.

    Yields:
        How many turns come before the window, and the answer; its sums go on from those before.
    """
    known: Facts = {}
    for before, turns in _split(frames, whole=use is _PICTURED):
        count = len(turns["owned"]) - 1
        follows = before + count < len(frames.boards) - 1
        facts: Facts = {
            **record_facts(frames),
            **given,
            **known,
            "turns": [(count,)],
            "turns_before": [(before,)],
            "later": [()] if follows else [],
        }
        answer = rules.ask(use, facts, turns=turns)
        yield before, answer
        if read_result(answer, "finished")["finished"]:
            return
        if any(row.code == "wrong-start" for row in answer.read(ViolationRow)):
            known = {"lost": [()]}
        made = [(p, Name(kind), n) for p, kind, n in answer.read(MadeRow)]
        known = {**known, "made_before": made}


def _split(frames: Frames, *, whole: bool) -> Iterator[tuple[int, Numbered]]:
    """Split frames into windows: how many turns come before each, and the facts of its turns.

    The board after a window is the first one of the next. Of the first board all squares are given
    if a whole one is wanted, else those that belong to a player.
    """
    first = frames.boards[0]
    opening = [row for row in list_squares(first) if whole or row[1]]
    holds: list[Sequence[Row]] = []
    alters: list[Sequence[Row]] = [[]]
    counts, facts = [_count(first)], len(opening)
    before, last = 0, len(frames.boards) - 1
    for turn, (board, after) in enumerate(pairwise(frames.boards), 1):
        differing = list(compare(board, after))
        seen = _find_near(board, [square for square, _, _ in differing], frames.size)
        holds.append(list(dict.fromkeys([*opening, *seen])))
        alters.append([(square, new) for square, _, new in differing])
        counts.append(_count(after))
        opening, facts = [], facts + _TURN + len(differing) + len(seen)
        if facts > _MANY or turn == last:
            yield before, {"holds": holds, "alters": alters, "owned": counts}
            holds, alters, counts, facts = [], [[]], [_count(after)], 0
            before = turn
    if not last:
        yield 0, {"holds": [opening], "owned": counts}


def _count(board: str) -> list[Row]:
    """Count the squares of each owner on a board."""
    return [(0, board.count(".")), *((player, board.count(str(player))) for player in PLAYERS)]


def _find_near(board: str, squares: Sequence[Row], size: int) -> list[Row]:
    """List the squares of a board, with their owners, that a move which alters others looks at."""
    if len(squares) * 8 > size * size:
        return list_squares(board)
    names, near = name_squares(size), set[int]()
    for row, column in squares:
        assert isinstance(row, int)
        assert isinstance(column, int)
        columns = range(max(0, column - 2), min(size, column + 3))
        for r in range(max(0, row - 2), min(size, row + 3)):
            near.update(r * (size + 1) + c for c in columns)
    return [(names[place], int(board[place].replace(".", "0"))) for place in sorted(near)]


def _draw(
    frames: Frames, given: Facts, violations: Sequence[Row], rules: GameRules
) -> dict[tuple[str, int], Sequence[Row]]:
    """Draw the board after the first turn that breaks the rules, if any does."""
    if not violations:
        return {}
    turn = min(row[0] for row in violations if isinstance(row[0], int))
    shown = replace(frames, boards=frames.boards[turn - 1 : turn + 1])
    before: Facts = {"turns_before": [(turn - 1,)], "first": given["first"] or [(1,)]}
    answer = _ask_whole(shown, before if turn > 1 else given, rules)
    drawn = {
        predicate_of(row): answer.rows.get(predicate_of(row), ()) for row in (CellRow, HighlightRow)
    }
    return {**drawn, predicate_of(PicturedRow): [(turn,)]}
