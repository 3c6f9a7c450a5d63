"""A session against the rules: quickly where it is right, turn after turn where it is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kb_score.findings import as_int, read_violations
from kb_score.games.slime.facts import all_squares, misprints, session_facts, window_facts
from kb_score.games.slime.finding import (
    Finding,
    read_counts,
    read_result,
    say_player,
)
from kb_score.games.slime.picture import draw_difference
from kb_score.games.slime.read import Session
from kb_score.games.slime.turn import load_rules, play_turn, start_game
from kb_score.rules import Changes, read_rules_for_turns
from kb_score.solve import Answer, solve_unique
from kb_score.terms import Row

_SUSPECT = ("suspect", 1)
_OVER = ("over", 1)
_WANTED = (("result", 2), ("made", 3), ("violation", 4), _SUSPECT, _OVER)


def check_session(session: Session, changes: Changes) -> Finding:
    """Check a session.

    Args:
        session: The record.
        changes: What the user changes about the rules.

    Returns:
        What the rules make of it.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    turns = len(session.answers)
    boards: Sequence[str] = session.boards
    answer = _ask(session, boards, turns, changes)
    suspects, overs = ([as_int(turn) for (turn,) in answer[wanted]] for wanted in (_SUSPECT, _OVER))
    if suspects or overs:
        boards, played = _derive(session, sorted(suspects), sorted(overs), changes)
        answer = _ask(session, boards, played, changes)
    return Finding(
        result=read_result(answer),
        counts=read_counts(answer),
        violations=read_violations(answer["violation", 4], say_player),
        picture=_draw_first_wrong(session, boards),
    )


def _ask(session: Session, boards: Sequence[str], played: int, changes: Changes) -> Answer:
    facts = session_facts(session, boards, played)
    turns: dict[str, Sequence[Sequence[Row]]] = {}
    if boards is not session.boards:
        turns |= misprints(session, boards)
    if changes.folders:
        # A user's rules may look at any square.
        turns |= all_squares(session, boards)
    else:
        facts = {**facts, **window_facts(session, boards)}
    program = read_rules_for_turns("slime", ["rules", "check"], ["step", "order"], changes)
    return solve_unique(program, facts, _WANTED, turns=turns)


def _derive(
    session: Session, suspects: Sequence[int], overs: Sequence[int], changes: Changes
) -> tuple[Sequence[str], int]:
    """Derive the boards of a record.

    A board that is not suspect is what the rules make of the board printed before it, so turns are
    played from a suspect one on only, until the board derived is the board printed.

    Args:
        session: The record.
        suspects: The turns whose printed boards are not what the rules make of the one before.
        overs: The turns before which the game is over, if the board printed for them is right.
        changes: What the user changes about the rules.

    Returns:
        The boards, derived as far as the game went, and the number of turns that it had.
    """
    program = load_rules(changes)
    boards, turns = list(session.boards), len(session.answers)
    right = 0  # the boards up to this turn are right
    for suspect in (*suspects, turns + 1):
        if suspect <= right:
            continue
        if end := next((turn for turn in overs if right <= turn < suspect), None):
            return boards, end - 1
        if suspect > turns:
            break
        state = start_game(session.size, program)
        if suspect > 1:
            state = replace(state, turn=suspect - 2, board=boards[suspect - 2])
            state = play_turn(state, session.answers[suspect - 2], program)
        while state.turn < turns and boards[state.turn] != state.board and not state.ended:
            boards[state.turn] = state.board
            state = play_turn(state, session.answers[state.turn], program)
        if state.ended:
            boards[state.turn : state.turn + 1] = [state.board] if state.turn < turns else []
            return boards, state.turn
        right = state.turn + 1
    return boards, turns


def _draw_first_wrong(session: Session, boards: Sequence[str]) -> str:
    for turn, (printed, derived) in enumerate(zip(session.boards, boards, strict=True), 1):
        if printed != derived:
            heading = f"printed for turn {turn}"
            return draw_difference((heading, printed), ("derived", derived))
    return ""
