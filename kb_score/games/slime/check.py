"""Records against the rules: sessions, whose moves are known, and frames, whose moves are found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kb_score.errors import InputError
from kb_score.games.dialect import ViolationRow, judge, read_result, write_sentence
from kb_score.games.replay import REPLAY, Window, make_replay
from kb_score.games.slime.frames import ask_about_frames, follow_frames
from kb_score.games.slime.play import LiveBoard, start_game
from kb_score.games.slime.records import (
    Session,
    compare_boards,
    list_turns,
    read_record,
    record_facts,
)
from kb_score.games.slime.rules import (
    KINDS,
    PLAYERS,
    SESSION,
    ExplanationRow,
    MadeRow,
    SuspectRow,
)
from kb_score.shell.output import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb_score.engine.run import Answer, GameRules
    from kb_score.games.slime.records import Frames
    from kb_score.shell.replay import Replay
    from kb_score.shell.verdict import Verdict

_DERIVED = "turn {turn}: the board as it should be; in brackets what is printed otherwise"
_UNEXPLAINED = "turn {turn}: the board after it; in brackets what no move explains"
_DISPLACED = "the first board; in brackets what differs from the start of a game"
_ADVICE = {
    _DISPLACED: ("if these frames are an excerpt of a game, say with --first who moves first",)
}
_MOVE = ("turn", "player", "kind", "move")


def check_files(rules: GameRules, *files: tuple[str, str]) -> Verdict:
    """Check a record, one file; see `check_record`."""
    (name, text), *more = files
    if more:
        raise InputError(more[0][0], "a record of Slime is one file")
    return check_record(rules, text, name)


def check_record(
    rules: GameRules, text: str, name: str, *, first: int | None = None, list_all: bool = False
) -> Verdict:
    """Check a session or frames.

    Args:
        rules: The rules.
        text: The record.
        name: What errors and the verdict call it, usually its path.
        first: Of frames that begin in the middle of a game: who moves first; None for frames that
            begin with its start.
        list_all: Of frames: list all moves that explain a turn, not only the one that counts.

    Raises:
        FormatError: The text is no record.
        RuleError: The user's rules cannot be used.
    """
    record = read_record(text, name)
    if isinstance(record, Session):
        answer, claimed = _ask_about_session(record, rules)
    else:
        answer, claimed = ask_about_frames(record, first, rules, list_all=list_all), None
    return _judge(answer, record, name, claimed, list_all=list_all)


def follow_files(rules: GameRules, *files: tuple[str, str], first: int | None = None) -> Replay:
    """Draw each turn of a record, one file; see `check_record`."""
    ((name, text),) = files
    record = read_record(text, name)
    if isinstance(record, Session):
        answer, claimed = _ask_about_session(record, rules, REPLAY)
        verdict = _judge(answer, record, name, claimed, list_all=False)
        caption = "before turn {turn}" if record.answers else "the board at the start"
        return make_replay(verdict, [Window(0, answer, caption)], keep=True)
    verdict = check_record(rules, text, name, first=first)
    pictured = follow_frames(record, first, rules)
    return make_replay(verdict, [Window(*part, "after turn {turn}") for part in pictured])


def _judge(
    answer: Answer,
    record: Session | Frames,
    name: str,
    claimed: tuple[int, ...] | None,
    *,
    list_all: bool,
) -> Verdict:
    caption = _DERIVED if isinstance(record, Session) else _UNEXPLAINED
    displaced = any(row.code == "wrong-start" for row in answer.read(ViolationRow))
    if displaced and not isinstance(record, Session):
        caption = _DISPLACED
    counts = _count_turns(answer)
    more: dict[str, object] = {"counts": counts}
    rows: tuple[tuple[str | int, ...], ...] = tuple((k, *numbers) for k, numbers in counts.items())
    tables = [Table("", ("turns", *(f"player {p}" for p in PLAYERS)), rows)]
    if moves := _list_moves(answer, list_all):
        tables.append(Table("", _MOVE, moves))
        more["explanations"] = [dict(zip(_MOVE, move, strict=True)) for move in moves]
    verdict = judge(
        "slime",
        name,
        answer,
        *("turns", "squares", "finished"),
        claimed={"squares": list(claimed)} if claimed else None,
        caption=caption,
        who="player {}",
    )
    return replace(verdict, notes=_ADVICE.get(caption, ()), tables=tuple(tables), more=more)


def _ask_about_session(
    session: Session, rules: GameRules, more: str = ""
) -> tuple[Answer, tuple[int, ...] | None]:
    """Ask about a session; return what it claims, too."""
    if not session.boards:
        # Nothing is printed of a game of no turns: its board is that of the start.
        session = replace(session, boards=(start_game(session.size, rules).board,))
    answer, boards = derive_boards(session, rules, more)
    if session.claimed and session.is_cut and _lacks_digits(session.claimed, answer):
        return _ask(replace(session, claimed=None), boards, rules, more), None
    return answer, session.claimed


def derive_boards(
    session: Session, rules: GameRules, more: str = ""
) -> tuple[Answer, Sequence[str]]:
    """Ask about a session that prints boards; return the boards as they should be, too."""
    boards: Sequence[str] = session.boards
    answer = _ask(session, boards, rules, more)
    if suspects := sorted(row.turn for row in answer.read(SuspectRow)):
        boards = _derive(session, suspects, rules)
        answer = _ask(session, boards, rules, more)
    return answer, boards


def _lacks_digits(claimed: tuple[int, ...], answer: Answer) -> bool:
    """Whether claimed squares are those that are derived but for digits that the last lacks."""
    *squares, last = read_result(answer, "squares")["squares"]
    is_part = last != claimed[-1] and str(last).startswith(str(claimed[-1]))
    return is_part and [*claimed[:-1]] == squares


def _ask(session: Session, boards: Sequence[str], rules: GameRules, more: str) -> Answer:
    facts = {**record_facts(session), **compare_boards(session, boards)}
    # A user's rules may look at any square, and so may rules that are changed in a page.
    whole = bool(rules.changes.folders or rules.listener)
    return rules.ask(SESSION.plus(more), facts, turns=list_turns(session, boards, whole=whole))


def _derive(session: Session, suspects: Sequence[int], rules: GameRules) -> list[str]:
    """Derive the boards of a record.

    A board that is not suspect is what the rules make of the board printed before it. So turns are
    played only from a suspect board on, until the derived board is the one that is printed.

    Args:
        session: The record.
        suspects: After which turns the board printed is not what the rules make of the one before.
        rules: The rules.

    Returns:
        The boards, derived as far as the game went.
    """
    boards = list(session.boards)
    right = -1  # the boards up to the one after this turn are right
    for suspect in suspects:
        if suspect <= right:
            continue
        state = start_game(session.size, rules)
        if suspect:
            state = replace(state, turn=suspect - 1, board=boards[suspect - 1])
        live = LiveBoard(state, rules)
        if suspect:
            state = live.play(session.answers[suspect - 1])
        while state.turn < len(boards) and boards[state.turn] != state.board:
            boards[state.turn] = state.board
            if state.ended or state.turn == len(session.answers):
                return boards
            state = live.play(session.answers[state.turn])
        right = state.turn
    return boards


def _count_turns(answer: Answer) -> dict[str, list[int]]:
    """Count turns by kind, then by player."""
    made = {(row.kind, row.player): row.number for row in answer.read(MadeRow)}
    return {kind: [made[kind, player] for player in PLAYERS] for kind in KINDS}


def _list_moves(answer: Answer, list_all: bool) -> tuple[tuple[int, int, str, str], ...]:
    """List the turn, the player, the kind and the squares of moves that explain frames."""
    return tuple(
        (row.turn, row.player, row.kind, write_sentence(row.answer))
        for row in sorted(answer.read(ExplanationRow))
        if list_all or row.number == 1
    )
