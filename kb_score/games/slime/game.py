"""Slime as a game: its match, its positions, and what the verbs need to know of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from kb_score.engine.rules import GameRules
from kb_score.engine.terms import Row
from kb_score.errors import Fault, InputError
from kb_score.games.game import (
    MOST_TURNS,
    Arena,
    BotProtocol,
    Case,
    Clock,
    File,
    Game,
    Judged,
    Legal,
    Match,
    MatchSetup,
    Option,
    Position,
    PositionSpace,
    ReasonNames,
    Scoring,
    Turn,
    VerbOptions,
    Wording,
    find_turn,
    read_reason,
)
from kb_score.games.record import check, follow
from kb_score.games.referee import Reporter
from kb_score.games.rulings import apply_rulings, write_rulings
from kb_score.games.schema import ViolationRow, read_result, write_sentence
from kb_score.games.slime import rules as asp
from kb_score.games.slime.check import (
    BoardStepper,
    FramesKind,
    SessionKind,
    State,
    ask_about_frames,
    read_files,
)
from kb_score.games.slime.records import (
    MAX_SIZE,
    MIN_SIZE,
    RECORD_FILE,
    Frames,
    Session,
    list_squares,
    read_answer,
    read_record,
)
from kb_score.shell.output import Block, Table, Text
from kb_score.shell.picture import Replay, TextBoard
from kb_score.shell.verdict import Verdict

# What a player answers who has no move.
_PASS = "pass"
# A session of a game that has no turns.
_BLANK = "1 1 1 1"

# Positions of random legal games: the turns played, and the board.
_STUCK = 26, ".222,2222,2222,.223"
_DEAD = 2, "....,....,.1.2,1..2"
_ALMOST_FULL = 103, "44333,44433,44333,.4333,44333"
_SEED = 1
_OPENING = 14  # random turns that lead to the middle of a game
_SMALL = 3  # rows and columns of a whole game
_MOST = 60  # turns of a whole game, which need not end


@dataclass(frozen=True)
class SlimePosition:
    """The position of a game after some turns."""

    state: State
    rules: GameRules
    is_live: bool = False  # of live play: a pass is illegal for who can move

    @property
    def turn(self) -> int:
        return self.state.turn + 1

    @property
    def over(self) -> str:
        return f"the game is over after turn {self.state.turn}" if self.state.ended else ""

    def moves(self) -> Sequence[Legal]:
        if self.state.ended:
            return ()
        answer = self.rules.ask(asp.LEGAL, {**self._facts(), "unasked": [()]})
        rows = sorted(answer.read(asp.Permitted), key=lambda row: (row.start, row.to))
        moves = tuple(write_sentence((*row.start, *row.to)) for row in rows)
        return [Legal(self.state.mover, moves, tuple(row.kind for row in rows))]

    def judge(self, line: str) -> Judged:
        """Judge the line that a bot prints: an answer that is no legal move counts as a pass."""
        numbers, facts = read_answer(line), self._facts()
        if numbers is not None:
            facts["answer"] = [(numbers[:2], numbers[2:], self.turn)]
        answer = self.rules.ask(asp.LEGAL, facts)
        for found in answer.read(asp.CountsRow):
            return Judged((), found.kind)
        reasons = [read_reason(why.code, "", why.detail) for why in answer.read(asp.PassesRow)]
        if self.is_live:
            can_move = self.moves()[0].moves
            reasons = [replace(r, code=f"counts as a pass: {r.code}") for r in reasons if can_move]
        return Judged(reasons, "pass")

    def _facts(self) -> dict[str, list[Row]]:
        state = self.state
        return {
            "size": [(state.size, state.size)],
            "queried": [(self.turn,)],
            "to_move": [(state.mover,)],
            "position": list(list_squares(state.board)),
        }


class SlimeMatch(Match):
    """A match of four players."""

    mover, turn, finished = 1, 0, False

    def __init__(self, rules: GameRules, size: int, turn: int = 0, board: str = "") -> None:
        """Begin a match, or go on with one; see `kb_score.games.slime.check.BoardStepper`."""
        self._rules = rules
        self._live = BoardStepper(rules, size, turn, board)
        # How many turns of each kind each player made, by kind and player.
        self.counts = Counter[tuple[str, int]]()
        self._take_in(self._live.state)

    def _take_in(self, state: State) -> None:
        self.now = state
        self.mover, self.turn, self.finished = state.mover, state.turn, state.ended

    def tell(self) -> str:
        return f"{self.mover},{self.now.board}\n"

    def answer(self, line: str) -> Turn:
        """Play an answer: what is no legal move counts as a pass."""
        after = self._live.play(line)
        self.counts[after.kind, self.mover] += 1
        self._take_in(after)
        return Turn(f"{line}\n")

    def default(self, fault: Fault) -> str:
        """Write what the bot has said, which is no move."""
        return fault.answer

    def position(self) -> Position:
        return SlimePosition(self.now, self._rules, is_live=True)

    def choose(self, random: Random) -> str:
        """Draw a move; a player without any passes."""
        moves = self.position().moves()[0].moves
        return random.choice(moves) if moves else _PASS

    def picture(self) -> TextBoard:
        return TextBoard(self.now.board.split(","))

    def result(self) -> dict[str, Any]:
        squares = list(self.now.squares)
        return {"turns": self.turn, "squares": squares, "finished": self.finished}

    def opening(self) -> str:
        return write_rulings(self._rules)

    def closing(self) -> str:
        return " ".join(map(str, self.now.squares)) + "\n" if self.finished else ""

    def blank(self) -> str:
        return _BLANK

    def state(self) -> str:
        turn = f"turn {self.turn + 1}, player {self.mover}"
        now = f"finished after {self.turn} turns" if self.finished else turn
        squares = " ".join(map(str, self.now.squares))
        return f"{now}; squares of players 1 to 4: {squares}"


def find_position(
    rules: GameRules, turn: int | None, *files: tuple[str, str], player: int | None
) -> SlimePosition:
    """Find the position before a turn of a record; None is the one after the last."""
    ((name, text),) = files
    rules = apply_rulings(rules, *files)
    record = read_record(text, name)
    if isinstance(record, Frames):
        return SlimePosition(_find_in_frames(record, name, turn, player, rules), rules)
    if player is not None:
        raise InputError(name, "a session says whose turn it is: --player is for boards alone")
    turn = find_turn(turn, len(record.answers), name)
    return SlimePosition(_find_in_session(record, turn, rules), rules)


def _find_in_frames(
    frames: Frames, name: str, turn: int | None, player: int | None, rules: GameRules
) -> State:
    turn = find_turn(turn, len(frames.boards) - 1, name)
    state = BoardStepper(rules, frames.size, turn - 1, frames.boards[turn - 1]).state
    if player is not None:
        return replace(state, mover=player)
    found = ask_about_frames(frames, None, rules).read(ViolationRow)
    if any(row.code == "wrong-start" for row in found):
        message = "these boards do not begin with the start of a game: say whose turn it is"
        raise InputError(name, f"{message} with --player")
    return state


def _find_in_session(session: Session, turn: int, rules: GameRules) -> State:
    """Find the state before a turn: after the turn before, or after the one that ended the game."""
    played = turn - 1
    if played:
        players, answers = session.players[:played], session.answers[:played]
        boards = session.boards[:played]
        before = replace(session, players=players, boards=boards, answers=answers, claimed=None)
        answer = SessionKind().ask(rules, before)
        played = read_result(answer, "turns")["turns"]
    if played == 0:
        return BoardStepper(rules, session.size).state
    last = BoardStepper(rules, session.size, played - 1, session.boards[played - 1])
    return last.play(session.answers[played - 1])


def list_cases(rules: GameRules, *, size: int) -> Sequence[Case]:
    """List the odd cases of the protocols."""
    from kb_score.games.verbs.bot import ask_turns, ask_twice, close_after

    def of(turn: int, board: str) -> Callable[[], Match]:
        return lambda: SlimeMatch(rules, board.count(",") + 1, turn, board)

    def start() -> Match:
        return SlimeMatch(rules, size)

    def last_seat() -> Match:
        return SlimeMatch(rules, size, 3, BoardStepper(rules, size).state.board)

    def middle() -> Match:
        return _open_game(rules, size)

    ask = ask_turns()
    return [
        Case("first-turn", "the first turn of a game", ask, start),
        Case("last-seat", "the first turn of player 4", ask, last_seat),
        Case("middle", "a turn in the middle of a game", ask, middle),
        Case("nothing-to-do", "slime without a legal move: any answer passes", ask, of(*_STUCK)),
        Case("people-dead", "no slime is left: any answer passes", ask, of(*_DEAD)),
        Case("almost-full", "one square is empty", ask, of(*_ALMOST_FULL)),
        Case("end-of-game", "the input is closed when one square was empty", close_after(),
             of(*_ALMOST_FULL)),
        Case("input-closed", "the input is closed after an answer", close_after(), middle),
        Case("same-twice", "the same board, twice", ask_twice(), middle),
        Case("whole-game", "a small board, all four seats", ask_turns(_MOST, whole=True),
             lambda: SlimeMatch(rules, _SMALL)),
    ]  # fmt: skip


def _open_game(rules: GameRules, size: int) -> SlimeMatch:
    """Play some random legal turns, if the game does not end before."""
    match = SlimeMatch(rules, size)
    random = Random(_SEED)
    before = match.now
    while not match.finished and match.turn < _OPENING:
        before = match.now
        match.answer(match.choose(random))
    return SlimeMatch(rules, size, before.turn, before.board) if match.finished else match


class SlimeReporter(Reporter):
    """Shows the board at the end, and how many turns of each kind each player made."""

    def write_blocks(self, match: Match, result: Mapping[str, Any]) -> list[Block]:
        assert isinstance(match, SlimeMatch)
        kinds = asp.list_kinds(kind for kind, _ in match.counts)
        rows: tuple[tuple[str | int, ...], ...] = tuple(
            (self.names[player - 1], bot, squares, *(match.counts[kind, player] for kind in kinds))
            for player, bot, squares in zip(asp.PLAYERS, self.bots, result["squares"], strict=True)
        )
        return [
            self.write_end(match),
            Text("\n".join(match.picture().rows), "picture"),
            Table("", ("player", "bot", "squares", *kinds), rows),
        ]


_SIZE = Option("size", 8, "Rows and columns of the board.", MIN_SIZE, MAX_SIZE)
_FIRST = Option(
    "first",
    None,
    "Of frames that are an excerpt of a game: who moves first.",
    1,
    len(asp.PLAYERS),
    "PLAYER",
)


class SlimeBots(BotProtocol):
    """Bots are commands for the shell, or programs that are told a line a turn."""

    times = (
        Option(
            "timeout",
            0.1,
            "How long a bot should take for a turn at the most.",
            0.001,
            3600,
            "SECONDS",
        ),
        Option(
            "grace",
            5.0,
            "An answer counts up to this many times the timeout: the machine may be busy.",
            1,
            1000,
            "TIMES",
        ),
        Option("kill", 2.0, "The time after which a late bot is ended.", 0.001, 3600, "SECONDS"),
    )
    on_fault = "pass"
    in_shell = True
    case_options = (_SIZE,)

    def make_clock(self, times: Mapping[str, float]) -> Clock:
        return Clock(times["timeout"], grace=times["grace"], kill=times["kill"])

    def describe_malformed(self, line: str) -> str:
        return "four numbers" if read_answer(line) is None else ""

    def list_cases(self, rules: GameRules, **options: Any) -> Sequence[Case]:
        return list_cases(rules, **options)


class SlimeScoring(Scoring):
    """Whoever has more squares at the end is ahead."""

    map_key = ""
    figures = ("squares",)
    metrics = ("squares",)


class SlimeArena(Arena):
    """Matches of four players on a board of any size."""

    bots = SlimeBots()
    scoring = SlimeScoring()
    players = (len(asp.PLAYERS), len(asp.PLAYERS))
    settings = (_SIZE,)
    playout_options = (_SIZE, MOST_TURNS)
    reporter = SlimeReporter

    def new_match(self, rules: GameRules, setup: MatchSetup, _random: Random) -> Match:
        return SlimeMatch(rules, setup.settings["size"])


class Slime(Game):
    """Slime: records are sessions or frames."""

    name = "slime"
    record = RECORD_FILE
    arena = SlimeArena()
    options = VerbOptions(
        check=(
            Option(
                "list_all",
                default=False,
                help="Of frames: list all moves that explain each turn.",
                flag="all",
            ),
            _FIRST,
            Option(
                "turns_before",
                0,
                "Of a session that is an excerpt: how many turns come before.",
                0,
                10**9,
            ),
        ),
        draw=(_FIRST,),
        legal=(Option("player", None, "Of boards alone: whose turn it is.", 1, len(asp.PLAYERS)),),
    )
    wording = Wording(
        who="player {}",
        nothing_legal="every answer counts as a pass",
        move="'0 0 1 1'",
        answer="the row and column of a slime, and those where it goes, such as 0 0 1 1",
    )
    reasons = ReasonNames(legal=("permitted",), move=("passes", "counts"))
    counts_as = True
    positions = PositionSpace(asp.POSITIONS, tuple((n, n) for n in range(MIN_SIZE, 9)))

    def check(self, rules: GameRules, files: Sequence[File], **options: Any) -> Verdict:
        turns_before = options.get("turns_before") or 0
        sessions = SessionKind(turns_before)
        frames = FramesKind(options.get("first"), list_all=options.get("list_all", False))
        return check(read_files, (sessions, frames), rules, files)

    def replay(self, rules: GameRules, files: Sequence[File], **options: Any) -> Replay:
        return follow(read_files, (SessionKind(), FramesKind(options.get("first"))), rules, files)

    def position(
        self, rules: GameRules, files: Sequence[File], turn: int | None, **options: Any
    ) -> Position:
        return find_position(rules, turn, *files, **options)


GAME = Slime()
