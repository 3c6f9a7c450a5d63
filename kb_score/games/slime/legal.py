"""What a player may do at a turn of a record, and what an answer counts as."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kb_score.errors import InputError
from kb_score.games.dialect import ViolationRow, read_result
from kb_score.games.legal import Legal, Reason, find_turn, read_reason
from kb_score.games.slime.answers import read_answer
from kb_score.games.slime.check import derive_boards
from kb_score.games.slime.frames import ask_about_frames
from kb_score.games.slime.play import play_turn, resume_game, start_game
from kb_score.games.slime.records import Frames, list_squares, read_record
from kb_score.games.slime.rules import LEGAL, CountsRow, PassesRow, PermittedRow

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Row, Value
    from kb_score.games.slime.play import State
    from kb_score.games.slime.records import Session

# No board has a square with such a number, which clingo can still hold.
_FAR = 10**9


@dataclass(frozen=True, slots=True)
class Judged:
    """What an answer counts as, and why it is a pass if it is one."""

    counts_as: str
    reasons: tuple[Reason, ...]


def find_state(
    text: str, name: str, turn: int | None, player: int | None, rules: GameRules
) -> State:
    """Find the game before a turn of a record; None is the one after the last.

    Args:
        text: The record: a session, or boards alone.
        name: What errors call it, usually its path.
        turn: The turn; of boards alone turn N is the one after the N-th board.
        player: Of boards alone, whose turn it is; None for a game that is there from its start.
        rules: The rules.

    Raises:
        KbScoreError: It is no record, there is no such turn, or nobody knows whose turn it is.
    """
    record = read_record(text, name)
    if isinstance(record, Frames):
        return _find_in_frames(record, name, turn, player, rules)
    if player is not None:
        raise InputError(name, "a session says whose turn it is: --player is for boards alone")
    return _find_in_session(record, find_turn(turn, len(record.answers), name), rules)


def _find_in_frames(
    frames: Frames, name: str, turn: int | None, player: int | None, rules: GameRules
) -> State:
    turn = find_turn(turn, len(frames.boards) - 1, name)
    state = resume_game(frames.size, turn - 1, frames.boards[turn - 1], rules)
    if player is not None:
        return replace(state, mover=player)
    found = ask_about_frames(frames, None, rules, list_all=False).read(ViolationRow)
    if any(row.code == "wrong-start" for row in found):
        message = "these boards do not begin with the start of a game: say whose turn it is"
        raise InputError(name, f"{message} with --player")
    return state


def _find_in_session(session: Session, turn: int, rules: GameRules) -> State:
    if turn == 1:
        return start_game(session.size, rules)
    cut = replace(
        session,
        players=session.players[: turn - 1],
        boards=session.boards[: turn - 1],
        answers=session.answers[: turn - 1],
        claimed=None,
    )
    answer, boards = derive_boards(cut, rules)
    played = read_result(answer, "turns")["turns"]
    if played == 0:
        return start_game(session.size, rules)
    before = resume_game(session.size, played - 1, boards[played - 1], rules)
    return play_turn(before, session.answers[played - 1], rules)


def list_legal(state: State, rules: GameRules) -> Legal:
    """List all moves of the player whose turn it is; none if the game is over."""
    if state.ended:
        return Legal(state.mover, ())
    answer = rules.ask(LEGAL, {**_list_facts(state), "unasked": [()]})
    rows = sorted(answer.read(PermittedRow), key=lambda row: (row.start, row.to))
    moves = tuple(" ".join(map(str, _numbers(row))) for row in rows)
    return Legal(state.mover, moves, tuple(row.kind for row in rows))


def judge_answer(state: State, line: str, rules: GameRules) -> Judged:
    """Judge an answer before the end of a game, as the line that a bot prints."""
    numbers = read_answer(line)
    facts = _list_facts(state)
    if numbers is not None:
        row, column, to_row, to_column = (max(-_FAR, min(n, _FAR)) for n in numbers)
        facts["answer"] = [((row, column), (to_row, to_column), state.turn + 1)]
    answer = rules.ask(LEGAL, facts)
    for found in answer.read(CountsRow):
        return Judged(found.kind, ())
    reasons = [read_reason(why.code, "", why.detail) for why in answer.read(PassesRow)]
    return Judged("pass", tuple(reasons))


def _list_facts(state: State) -> dict[str, list[Row]]:
    return {
        "size": [(state.size, state.size)],
        "queried": [(state.turn + 1,)],
        "to_move": [(state.mover,)],
        "holds": [(*row, state.turn) for row in list_squares(state.board)],
    }


def _numbers(row: PermittedRow) -> tuple[Value, ...]:
    assert isinstance(row.start, tuple)
    assert isinstance(row.to, tuple)
    return (*row.start, *row.to)
