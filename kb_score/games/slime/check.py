"""Records against the rules: sessions, whose moves are known, and frames, whose moves are found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kb_score.engine.rules import GameRules, Use
from kb_score.engine.stepper import Stepper
from kb_score.engine.terms import Answer, Facts, Numbered, Row, predicate_of
from kb_score.errors import InputError
from kb_score.games.record import RecordKind
from kb_score.games.replay import REPLAY, Window, make_replay
from kb_score.games.schema import (
    CellRow,
    HighlightRow,
    PicturedRow,
    TerminalRow,
    ViolationRow,
    judge,
    read_result,
    write_sentence,
)
from kb_score.games.slime import rules as asp
from kb_score.games.slime.records import (
    SYMBOLS,
    Frames,
    Session,
    alter,
    compare_boards,
    list_answer,
    list_news,
    list_seen,
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

    def ask(self, rules: GameRules, record: Session, *more: str) -> Answer:
        """Ask about the boards as they should be."""
        session = replace(record, turns_before=self._turns_before)
        if not session.boards:
            # Nothing is printed of a game of no turns: its board is that of the start.
            session = replace(session, boards=(start_game(session.size, rules).board,))
        answer, boards = derive_boards(session, rules, more)
        if session.claimed and self.claimed(session, answer) is None:
            return _ask(replace(session, claimed=None), boards, rules, more)
        return answer

    def claimed(self, record: Session, answer: Answer) -> Mapping[str, Any] | None:
        """Return the squares that a session claims; None also if they may be cut off with it."""
        if not record.claimed or (record.is_cut and _lacks_digits(record.claimed, answer)):
            return None
        return {"squares": list(record.claimed)}

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
    counts = {kind: [made[kind, player] for player in asp.PLAYERS] for kind in kinds}
    rows: list[tuple[str | int, ...]] = [(kind, *numbers) for kind, numbers in counts.items()]
    players = [f"player {player}" for player in asp.PLAYERS]
    table = Table("", ("turns", *players), tuple(rows))
    return replace(verdict, tables=(table,), more={"counts": counts})


def derive_boards(
    session: Session, rules: GameRules, more: Sequence[str] = ()
) -> tuple[Answer, tuple[str, ...]]:
    """Ask about a session that prints boards; return the boards as they should be, too."""
    boards = session.boards
    answer = _ask(session, boards, rules, more)
    suspects = sorted(row.turn for row in answer.read(asp.SuspectRow))
    if suspects:
        boards = tuple(_derive(session, suspects, rules))
        answer = _ask(session, boards, rules, more)
    return answer, boards


def _lacks_digits(claimed: tuple[int, ...], answer: Answer) -> bool:
    """Whether claimed squares are those that are derived but for digits that the last lacks."""
    derived = read_result(answer, "squares")["squares"]
    if list(claimed[:-1]) != derived[:-1]:
        return False
    last = claimed[-1]
    return derived[-1] != last and str(derived[-1]).startswith(str(last))


def _ask(session: Session, boards: Sequence[str], rules: GameRules, more: Sequence[str]) -> Answer:
    facts = {**record_facts(session), **compare_boards(session, boards)}
    use = asp.SESSION
    # Rules that are changed in the page of a replay may look at any square.
    if (rules.listener and more) or _reads_boards(rules):
        use = asp.WHOLE
    return rules.ask(use.plus(*more), facts, turns={"newly": list(list_news(boards))})


def _reads_boards(rules: GameRules) -> bool:
    """Return whether rules of a user read the squares before a turn, which may be any."""
    for statement in rules.program(asp.SESSION).statements:
        if statement.is_users and any(name == "before" for name, _ in statement.body):
            return True
    return False


def _derive(session: Session, suspects: Sequence[int], rules: GameRules) -> list[str]:
    """Derive the boards of a record.

    A board that is not suspect is what the rules make of the board printed before it. So turns are
    played only from a suspect board on, until the derived board is the one that is printed.
    """
    boards = list(session.boards)
    before = session.turns_before
    right = -1  # the boards up to the one after this turn are right
    for suspect in suspects:
        if suspect <= right:
            continue
        state = start_game(session.size, rules)
        if suspect:
            state = replace(state, turn=before + suspect - 1, board=boards[suspect - 1])
        live = BoardStepper(state, rules)
        if suspect:
            state = live.play(session.answers[suspect - 1])
        turn = state.turn - before
        while turn < len(boards) and boards[turn] != state.board:
            boards[turn] = state.board
            if state.ended or turn == len(session.answers):
                return boards
            state = live.play(session.answers[turn])
            turn = state.turn - before
        right = turn
    return boards


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
    turns: Numbered = {
        "newly": list(list_news(frames.boards)),
        "owned": list(map(_count, frames.boards)),
    }
    return rules.ask(use, {**record_facts(frames), **given}, turns=turns)


def _count(board: str) -> list[Row]:
    """Return the number of squares of each owner; 0 is nobody."""
    counts: list[Row] = [(0, board.count("."))]
    for player in asp.PLAYERS:
        counts.append((player, board.count(str(player))))
    return counts


_PARTS = ("board", "step", "carry", "end", "score")


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


def start_game(size: int, rules: GameRules) -> State:
    """Set up a board of some rows and columns, at least 2."""
    return _ask_board(size, 0, {}, ("start", *_PARTS), rules)


def resume_game(size: int, turn: int, board: str, rules: GameRules) -> State:
    """Go on from a board, its rows joined by commas, after some turns of a game."""
    holds: Facts = {"holds": [(*row, turn) for row in list_squares(board)]}
    return _ask_board(size, turn, holds, _PARTS, rules)


class BoardStepper:
    """A game of which turns are played one after another; its state is that after the last."""

    def __init__(self, state: State, rules: GameRules) -> None:
        """Go on with a game, or begin one; a RuleError if the user's rules cannot be used."""
        self.state = state
        self._rules = rules
        self._live: Stepper | None = None
        # A user's rules may look at any square.
        if not rules.has_user_files():
            amounts: list[Row] = []
            for owner, symbol in enumerate(SYMBOLS):
                amounts.append((owner, state.board.count(symbol), 0))
            facts: Facts = {"turns_before": [(state.turn,)], "amount": amounts}
            self._live = Stepper(rules.program(asp.SIGHT), facts, renewal=50)
            self._live.end_turn((), {}, ["order"])

    def play(self, line: str) -> State:
        """Play a turn by what the player has answered."""
        if self._live is not None:
            self.state = self._play_in_sight(self._live, line)
            return self.state
        state = self.state
        facts: Facts = {
            "holds": [(*row, state.turn) for row in list_squares(state.board)],
            "answer": [(*row, state.turn + 1) for row in list_answer(line, state.size)],
        }
        self.state = _ask_board(state.size, state.turn + 1, facts, ("order", *_PARTS), self._rules)
        return self.state

    def _play_in_sight(self, live: Stepper, line: str) -> State:
        """Play a turn that is worked out on the squares that its move looks at."""
        state = self.state
        size = state.size
        seen = {"before": list_seen(state.board, line, size), "answer": list_answer(line, size)}
        live.end_turn(["step", "count", "end"], seen, ["order"])
        changes = [(row.square, row.owner) for row in live.news(asp.BecomesRow)]
        amounts: dict[int, int] = {}
        for row in live.news(asp.AmountRow):
            if row.turn == live.turn - 1:
                amounts[row.owner] = row.number
        next_mover = max(live.news(asp.MoverRow), key=lambda row: row.turn)
        return State(
            size=size,
            turn=state.turn + 1,
            board=alter(state.board, size, changes),
            mover=next_mover.player,
            kind=live.news(asp.DidRow)[-1].kind,
            ended=bool(live.news(TerminalRow)),
            squares=tuple(amounts[player] for player in asp.PLAYERS),
        )


def _ask_board(size: int, turn: int, known: Facts, parts: Sequence[str], rules: GameRules) -> State:
    # Part `order` of the next turn says whose it is.
    grounded = [*((part, turn) for part in parts), ("order", turn + 1)]
    answer = rules.ask(asp.PLAY, {"size": [(size, size)], **known}, parts=grounded)
    owners = {row.square: row.owner for row in answer.read(asp.HoldsRow) if row.turn == turn}
    lines = ("".join(SYMBOLS[owners[r, c]] for c in range(size)) for r in range(size))
    return State(
        size=size,
        turn=turn,
        board=",".join(lines),
        mover=next(row.player for row in answer.read(asp.MoverRow) if row.turn > turn),
        kind=next((row.kind for row in answer.read(asp.DidRow)), "pass"),
        ended=any(row.turn == turn for row in answer.read(TerminalRow)),
        squares=tuple(row.number for row in sorted(answer.read(asp.SquaresRow))),
    )
