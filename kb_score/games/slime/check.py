"""Records against the rules: sessions, whose moves are known, and frames, whose moves are found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kb_score.engine.rules import GameRules, Use
from kb_score.engine.stepper import Stepper
from kb_score.engine.terms import Answer, Facts, Numbered, Row, predicate_of
from kb_score.errors import InputError
from kb_score.games.live import refuse_misuse
from kb_score.games.record import RecordKind
from kb_score.games.replay import REPLAY, Window, make_replay
from kb_score.games.schema import (
    CellRow,
    HighlightRow,
    MoverRow,
    PicturedRow,
    TerminalRow,
    ViolationRow,
    judge,
    write_sentence,
)
from kb_score.games.slime import rules as asp
from kb_score.games.slime.records import (
    Frames,
    Session,
    alter,
    list_answer,
    list_news,
    list_squares,
    read_record,
    record_facts,
)
from kb_score.shell.output import Table
from kb_score.shell.verdict import Verdict

if TYPE_CHECKING:
    from kb_score.games.game import File
    from kb_score.shell.picture import Replay

_PICTURED = asp.DRAWN_FRAMES.plus(REPLAY)

_DERIVED = "turn {turn}: the board as it should be; in brackets what is printed otherwise"
_UNEXPLAINED = "turn {turn}: the board after it; in brackets what no move explains"
_DISPLACED = "the first board; in brackets what differs from the start of a game"
_ADVICE = "if these frames are an excerpt of a game, say with --first who moves first"
_MOVE = ("turn", "player", "kind", "move")
_KEYS = ("turns", "squares", "finished")


def read_files(_rules: GameRules, files: Sequence[File]) -> Session | Frames:
    """Read a session or frames, one file; an InputError if there are others."""
    if len(files) != 1:
        raise InputError(files[1][0], "one file is needed: a record")
    ((name, text),) = files
    return read_record(text, name)


class SessionKind(RecordKind[Session]):
    """Sessions, whose moves are known and whose boards are printed."""

    game = "slime"
    type = Session
    keys = _KEYS
    caption = _DERIVED
    who = "player {}"

    def __init__(self, turns_before: int = 0) -> None:
        """Judge a session that begins after some turns of its game."""
        self._turns_before = turns_before

    def use(self, _record: Session) -> Use:
        return asp.SESSION

    def facts(self, record: Session) -> Facts:
        return record_facts(replace(record, turns_before=self._turns_before))

    def turns(self, record: Session) -> Numbered:
        return {"newly": list(list_news(record.boards))}

    def ask(self, rules: GameRules, record: Session, *more: str) -> Answer:
        """Ask about the session; the rules of a page may be changed to look at any square."""
        facts = dict(self.facts(record))
        if rules.listener is not None and more:
            facts["asks_all"] = [()]
        return rules.ask(self.use(record).plus(*more), facts, turns=self.turns(record))

    def claimed(self, _record: Session, answer: Answer) -> Mapping[str, Any] | None:
        """Return the squares that a session claims; None also if they are cut off."""
        for row in answer.read(asp.ClaimsRow):
            assert isinstance(row.value, tuple)
            return {row.key: list(row.value)}
        return None

    def make_verdict(self, answer: Answer, record: Session, name: str) -> Verdict:
        """Make the verdict, with the counts of the kinds of turns."""
        return _add_counts(super().make_verdict(answer, record, name), answer)

    def follow(self, rules: GameRules, record: Session, name: str) -> Replay:
        """Draw the board before each turn."""
        answer = self.ask(rules, record, REPLAY)
        caption = "before turn {turn}" if record.answers else "the board at the start"
        verdict = self.make_verdict(answer, record, name)
        return make_replay(verdict, [Window(0, answer, caption)], keep=True)


class FramesKind(RecordKind[Frames]):
    """Frames, whose moves are found."""

    game = "slime"
    type = Frames
    keys = _KEYS
    who = "player {}"

    def __init__(self, first: int | None = None, *, list_all: bool = False) -> None:
        """Judge frames.

        Args:
            first: The player who moves first; None for the start of a game.
            list_all: Whether all moves that explain a turn are listed, and not only one.
        """
        self._first = first
        self._list_all = list_all

    def ask(self, rules: GameRules, record: Frames, *_more: str) -> Answer:
        """Ask about the frames; the board after the first wrong turn is drawn."""
        return ask_about_frames(record, self._first, rules)

    def make_verdict(self, answer: Answer, record: Frames, name: str) -> Verdict:
        """Make the verdict, with the moves that explain the frames."""
        caption = _UNEXPLAINED
        notes: tuple[str, ...] = ()
        if any(row.code == "wrong-start" for row in answer.read(ViolationRow)):
            caption = _DISPLACED
            notes = (_ADVICE,)
        verdict = judge("slime", name, answer, *self.keys, caption=caption, who=self.who)
        verdict = _add_counts(replace(verdict, notes=notes), answer)
        moves = tuple(
            (row.turn, row.player, row.kind, write_sentence(row.answer))
            for row in sorted(answer.read(asp.ExplanationRow))
            if self._list_all or row.number == 1
        )
        if not moves:
            return verdict
        listed = [dict(zip(_MOVE, move, strict=True)) for move in moves]
        tables = (*verdict.tables, Table("", _MOVE, moves))
        return replace(verdict, tables=tables, more={**verdict.more, "explanations": listed})

    def follow(self, rules: GameRules, record: Frames, name: str) -> Replay:
        """Draw the board after each turn."""
        verdict = self.judge(rules, record, name)
        pictured = _ask_frames(record, _list_given(self._first), rules, _PICTURED)
        return make_replay(verdict, [Window(0, pictured, "after turn {turn}")])


def _add_counts(verdict: Verdict, answer: Answer) -> Verdict:
    """Add the number of turns of each kind that each player made."""
    made = {(row.kind, row.player): row.number for row in answer.read(asp.MadeRow)}
    kinds = asp.list_kinds(kind for kind, _ in made)
    counts: dict[str, list[int]] = {}
    rows: list[tuple[str | int, ...]] = []
    for kind in kinds:
        numbers = [made[kind, player] for player in asp.PLAYERS]
        counts[kind] = numbers
        rows.append((kind, *numbers))
    players = [f"player {player}" for player in asp.PLAYERS]
    table = Table("", ("turns", *players), tuple(rows))
    return replace(verdict, tables=(table,), more={"counts": counts})


def ask_about_frames(frames: Frames, first: int | None, rules: GameRules) -> Answer:
    """Ask the rules about frames; the board after the first wrong turn is drawn."""
    given = _list_given(first)
    answer = _ask_frames(frames, given, rules, asp.FRAMES)
    turn = min((row.turn for row in answer.read(ViolationRow)), default=0)
    if not turn:
        return answer
    shown = replace(frames, boards=frames.boards[turn - 1 : turn + 1])
    if turn > 1:
        given = {"turns_before": [(turn - 1,)], "first": [(first or 1,)]}
    # A listener wants to hear of the verdict, not of the picture.
    unheard = replace(rules, listener=None)
    drawn = _ask_frames(shown, given, unheard, asp.DRAWN_FRAMES)
    rows = dict(answer.rows)
    for predicate in map(predicate_of, (CellRow, HighlightRow)):
        rows[predicate] = drawn.rows.get(predicate, ())
    rows[predicate_of(PicturedRow)] = [(turn,)]
    return Answer(rows)


def _list_given(first: int | None) -> Facts:
    return {"first": [(first,)] if first else []}


def _ask_frames(frames: Frames, given: Facts, rules: GameRules, use: Use) -> Answer:
    turns: Numbered = {"newly": list(list_news(frames.boards))}
    return rules.ask(use, {**record_facts(frames), **given}, turns=turns)


@dataclass(frozen=True, slots=True)
class State:
    """A game after some turns."""

    size: int  # rows and columns of the board
    turn: int  # the number of turns played
    board: str  # the rows, joined by commas
    mover: int  # whose turn it is next
    kind: str  # what the last turn was: spread, jump, merge or pass
    ended: bool  # whether the game is over
    squares: tuple[int, ...]  # the squares of players 1 to 4


class BoardStepper:
    """A game of which turns are played one after another; its state is that after the last."""

    def __init__(self, rules: GameRules, size: int, turn: int = 0, board: str = "") -> None:
        """Begin a game, or go on with one.

        Args:
            rules: The rules; a RuleError if the user's rules cannot be used.
            size: Rows and columns of the board, at least 2.
            turn: The number of turns before.
            board: The board after these, its rows joined by commas; the start if it is empty.
        """
        self._rules = rules
        self._size = size
        self._before = turn
        facts: dict[str, list[Row]] = {"size": [(size, size)], "turns_before": [(turn,)]}
        if board:
            facts["position"] = list(list_squares(board))
        self._live = Stepper(rules.program(asp.PLAY), facts, renewal=50)
        self._live.end_turn((), {}, ["order"])
        self._board = _empty_board(size)
        self.state = self._look()

    def play(self, line: str) -> State:
        """Play a turn by what the player has answered."""
        given = {"answer": list_answer(line, self._size)}
        self._live.end_turn(["step", "end"], given, ["order"])
        refuse_misuse(self._rules, self._live)
        self.state = self._look()
        return self.state

    def _look(self) -> State:
        """Find the state after the last turn."""
        live = self._live
        turn = live.turn - 1
        squares = [(row.square, row.owner) for row in live.news(asp.HoldsRow) if row.turn == turn]
        self._board = alter(self._board, self._size, squares)
        amounts = {row.player: row.number for row in live.news(asp.SquaresRow) if row.turn == turn}
        mover = max(live.news(MoverRow), key=lambda row: row.turn)
        kinds = [row.kind for row in live.news(asp.DidRow)]
        return State(
            size=self._size,
            turn=self._before + turn,
            board=self._board,
            mover=mover.player,
            kind=kinds[-1] if kinds else "pass",
            ended=bool(live.news(TerminalRow)),
            squares=tuple(amounts[player] for player in asp.PLAYERS),
        )


def _empty_board(size: int) -> str:
    row = "".ljust(size, ".")
    return ",".join(row for _ in range(size))
