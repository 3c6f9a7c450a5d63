"""The runner of a contest: plays the games that are still to come, and checks those that were.

A game is a job for a process that need not be on this machine.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace as fill

from kb_score.contests.entrants import Entrant, check_in_sandbox, make_check
from kb_score.contests.store import (
    RECORD_FILE,
    GameResult,
    PlayerResult,
    find_record,
    is_open,
    name_file,
    utc_now,
)
from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.errors import InputError, KbScoreError, say_failure
from kb_score.games import GameFolder
from kb_score.games.referee import Listener, Played, referee
from kb_score.games.rulings import strip_rulings
from kb_score.shell.bots import ErrorStream, describe_words
from kb_score.shell.cluster import open_pool
from kb_score.shell.files import is_plain_file, open_scratch_folder, read_input
from kb_score.shell.output import Output, Table, complain, is_quiet, show_progress
from kb_score.shell.pool import TaskLost, run_tasks
from kb_score.shell.process import NO_BOUNDS, Bounds
from kb_score.shell.shutdown import Ended

if TYPE_CHECKING:
    from kb_score.contests.standings import ContestResults
    from kb_score.games.game import Game, Match, MatchSetup
    from kb_score.games.players import BotCommand

# What is kept of a bot's error stream in one game: the end of it.
MAX_LOG = 1 << 18
_REASON = re.compile(r"\[Errno -?\d+\] ([^:]*)(: .*)?", re.DOTALL)
_LINES = 10  # that a log has of a contest, however many games
_FEW = 90  # seconds that are not told as minutes
_SOON = 3  # games after which the time that is left is told
_PAUSE = 60.0  # seconds without a game that are perhaps a pause
_LAST = 200  # games whose pace tells how long the others will take


@dataclass(frozen=True, slots=True)
class Job:
    """A game that is to be played."""

    blank: GameResult  # its result, in which is still missing what the game tells
    bots: tuple[Entrant, ...]  # the bots of players 1 and so on
    setup: MatchSetup  # what the game is set up with

    def __str__(self) -> str:
        return f"game {self.blank.number} of {', '.join(self.blank.bots)}"


# What came of a game, where nobody has named the file of its record yet; the session, which
# ``check`` accepts; and the end of what each bot wrote to its error stream.
PlayedGame: TypeAlias = tuple[GameResult, str, Sequence[bytes]]


def play_game(rules: GameRules, home: Path, bounds: Bounds, job: Job) -> PlayedGame:
    """Play a game: bots without a folder run in ``home``; a sandbox has a folder for each game."""
    game, record = GameFolder(rules.game).type, list[str]()
    with ExitStack() as stack:
        bots, logs = _place_bots(job.bots, home, bounds, game, stack)
        setup = _place_map(game, job.setup, stack)
        match = game.arena.new_match(rules, setup, Random(setup.seed))
        with ExitStack() as running:
            arguments = game.arena.bots.list_arguments(setup)
            players = [running.enter_context(bot.open(game, arguments)) for bot in bots]
            most = setup.settings.get("most_turns")
            played = referee(game, match, players, most, Listener(record.append))
        results = _sum_up(game, rules, match, played)
        result = fill(job.blank, players=results, turns=match.turn)
        # What a bot said is kept elsewhere; where it lies now is gone in a moment.
        return result, "".join(record), list(map(_read_log, logs))


def _sum_up(game: Game, rules: GameRules, match: Match, played: Played) -> tuple[PlayerResult, ...]:
    """Find what came of a match for each player."""
    faults: defaultdict[int, Counter[str]] = defaultdict(Counter)
    details: dict[int, str] = {}
    for turn, player, fault in played.faults:
        faults[player]["illegal" if fault.kind == "garbage" else fault.kind] += 1
        details.setdefault(player, f"turn {turn}: it {fault.detail}".partition("\n")[0])
    # Else the match was not played to its end, though nothing was wrong.
    problem = "" if played.faults else played.problem
    return tuple(
        PlayerResult(
            score,
            key,
            dict(sorted(faults[player].items())),
            details.get(player, problem),
            (round(median(times), 4), round(max(times), 4)),
        )
        for player, (score, key) in enumerate(
            game.arena.scoring.score(rules, match.result(), game.arena.players[1]), 1
        )
        for times in [played.seconds[player] or [0.0]]
    )


def _place_bots(
    entrants: Iterable[Entrant], home: Path, bounds: Bounds, game: Game, stack: ExitStack
) -> tuple[list[BotCommand], list[Path]]:
    """Give each bot a file for its words, and a copy of its own folder, for this game alone.

    Games run side by side, and a game that is interrupted is played again: what a bot has noted
    down must not come from another game.
    """
    # Nobody is to find what is beside his own folder.
    words = _make_base(stack)
    bots, logs = [], []
    for number, bot in enumerate(entrants, 1):
        log, folder = words / f"{number}-words" / "bot.log", home
        log.parent.mkdir()
        if bot.folder:
            folder = _make_base(stack) / "bot"
            _copy(bot.folder, folder)
        own = folder if bot.folder else _make_base(stack)
        kept = replace(bounds, folder=own) if bounds.folder else bounds
        bots.append(bot.make_command(game, folder, log, kept))
        logs.append(log)
    return bots, logs


def _place_map(game: Game, setup: MatchSetup, stack: ExitStack) -> MatchSetup:
    """Write the map to a file, where bots are given the name of it."""
    if not setup.files:
        return setup
    ((name, text),) = setup.files
    if not game.arena.bots.list_arguments(replace(setup, files=((f"{name}.map", text),))):
        return setup
    path = _make_base(stack) / f"{name}.map"
    path.write_text(text, encoding="utf-8")
    return replace(setup, files=((str(path), text),))


def _make_base(stack: ExitStack) -> Path:
    try:
        return stack.enter_context(open_scratch_folder())
    except OSError as error:
        name = str(error.filename or "a temporary folder")
        raise InputError(name, say_failure(error)) from error


def _copy(folder: str, to: Path) -> None:
    try:
        shutil.copytree(folder, to, symlinks=False)
    except (OSError, shutil.Error) as error:
        said = say_failure(error)
        if isinstance(error, shutil.Error):
            # Python tells of each file in a text of its own.
            name, _, reason = error.args[0][0]
            plain = _REASON.sub(r"\1", reason).lower()
            said = f"{name}: {plain}"
        raise InputError(folder, f"cannot be copied for a game: {said}") from error
    except RecursionError as error:
        said = "its folders are nested too deeply"
        raise InputError(folder, f"cannot be copied for a game: {said}") from error


def _read_log(path: Path) -> bytes:
    try:
        # A bot may have put something else there, which never ends or leads elsewhere.
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        with open(number, "rb") as stream:  # noqa: PTH123
            if not is_plain_file(stream):
                return b""
            size = os.fstat(number).st_size
            stream.seek(max(0, size - MAX_LOG))
            end = stream.read(MAX_LOG)
    except OSError:
        return b""  # it has said nothing
    left_out = f"[{size - MAX_LOG} bytes before this are left out]\n".encode()
    return (left_out if size > MAX_LOG else b"") + end


# Adds a game to the results, with its record and what the bots said; when it returns, the game
# cannot be lost any more. It returns the files of what the bots said, if there are any.
Add: TypeAlias = Callable[[GameResult, str, Sequence[bytes]], Sequence[Path]]


def play_games(
    known: ContestResults,
    changes: Changes,
    add: Add,
    *,
    jobs: int,
    scheduler: str | None = None,
    bounds: Bounds = NO_BOUNDS,
) -> None:
    """Play all games of a contest that have no result that counts.

    So many are played at a time on this machine, or a cluster with a scheduler plays them. In a
    sandbox bots can write to their own folders alone, whatever folder the bounds name.
    """
    played, plan = set[int](), known.plan
    count = len(plan.schedule)
    with _explain_end(known):
        before = sum(not game.fixture.added for game in known.read(played))
        known.tell_stale()
        if before:
            complain(f"{before} of {count} games were played before")
        if before == count:
            return
        play = partial(play_game, GameRules(plan.game, changes), plan.home, bounds)
        sandbox = bounds.folder is not None
        check = make_check(plan.type, plan.bots, plan.home, changes, sandbox=sandbox)
        if sandbox and scheduler is None:
            check_in_sandbox(plan.bots, plan.home, in_shell=plan.type.arena.bots.in_shell)
        pool = open_pool(min(jobs, count - before), scheduler)
        with pool as open_, Progress(count - before) as progress:
            open_.require(check)
            for _, game in run_tasks(open_, play, _list_jobs(known, played), ordered=False):
                if isinstance(game, TaskLost):
                    complain(game)
                    progress.lost += 1
                    continue
                result, record, said = game
                result = fill(result, ended=utc_now())
                progress.tell(result, said, add(result, record, said))
    if progress.lost:
        lost = f"{progress.lost} of {count} games have no result"
        raise TaskLost(f"{lost}; run it again to go on")


def _list_jobs(known: ContestResults, played: set[int]) -> Iterator[Job]:
    """List the games that have not been played."""
    plan = known.plan
    for fixture in plan.schedule:
        if fixture.number not in played:
            key, bots = known.find_key(fixture), tuple(plan.bots[bot] for bot in fixture.bots)
            names, map_ = tuple(bot.name for bot in bots), plan.maps[fixture.map].name
            number, round_ = fixture.number + 1, fixture.round
            seen = number, names, map_, round_, False, (), 0, "", utc_now()
            blank = GameResult(key.key, *seen, key.parts)
            yield Job(blank, bots, plan.setup(fixture))


@contextmanager
def _explain_end(known: ContestResults) -> Iterator[None]:
    """Tell how many games are kept when a signal ends the contest."""
    try:
        yield
    except Ended:
        played = sum(1 for _ in known.read())
        count = max(played, len(known.plan.schedule))
        complain(f"interrupted: {played} of {count} games are kept; run it again to go on")
        raise


@dataclass(slots=True)
class Progress:
    """Tells of games that are over, and at the end of the bots that had problems.

    On a terminal that is one live line, in a log a few lines.
    """

    total: int  # how many games are to be played
    done: int = 0  # how many are over
    lost: int = 0  # how many were given up
    # In how many turns each bot had problems.
    problems: Counter[str] = field(default_factory=Counter)
    games: Counter[str] = field(default_factory=Counter)  # in how many games
    _begun: float = field(default_factory=monotonic)

    def __enter__(self) -> Progress:
        show_progress(f"0/{self.total} games")
        return self

    def __exit__(self, *_: object) -> None:
        """Tell how often each bot had problems."""
        for name, turns in self.problems.items():
            if self.games[name] > 1:
                complain(f"{_say_problem(name, turns)} of {self.games[name]} games", kind="warning")

    def tell(self, result: GameResult, said: Sequence[bytes], logs: Sequence[Path] = ()) -> None:
        """Tell of a game that is over, and of each bot that has had problems in no game before.

        What a bot said is told if there are no files of it, ``logs``.
        """
        self.done += 1
        pairs = list(zip(result.bots, result.players, strict=True))
        scores = ", ".join(f"{bot} {player.score[0]}" for bot, player in pairs)
        where = f" on {result.map}" if result.map else ""
        line = f"{self.done}/{self.total}: {scores} after {result.turns} turns{where}"
        if sys.stderr.isatty():
            show_progress(f"{line}{self._say_left()}")
        elif self.done * _LINES % self.total < _LINES and not is_quiet():
            complain(f"{line}{self._say_left()}")
        for i, (bot, player) in enumerate(pairs):
            turns = sum(player.faults.values())
            if turns and bot not in self.problems:
                words = describe_words(said[i], logs[i] if logs else None)
                first = f"first at {player.detail}{words}"
                complain(f"{_say_problem(bot, turns)}; {first}", kind="warning")
            self.problems[bot] += turns
            self.games[bot] += bool(turns)
        self.problems = +self.problems

    def _say_left(self) -> str:
        if self.done < _SOON or self.done == self.total:
            return ""
        seconds = (monotonic() - self._begun) / self.done * (self.total - self.done)
        return f"; {say_time(seconds)} left"


def say_time(seconds: float) -> str:
    """Write a time for people: ``3 h 20 min``, ``12 min`` or ``40 s``."""
    if round(seconds) < _FEW:
        return f"{round(seconds)} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    if hours == 0:
        return f"{minutes} min"
    return f"{hours} h {minutes} min"


def report_status(known: ContestResults) -> Output:
    """Report how many games are played, and when all will be, for whoever looks meanwhile."""
    ended: deque[str] = deque(maxlen=_LAST)
    played = added = 0
    for game in known.read():
        played += 1
        added += game.fixture.added
        ended.append(game.result.ended)
    plan, running = known.plan, is_open(known.path)
    count = len(plan.schedule) + added
    seconds = _find_left(ended, count - played) if running else None
    line = {
        "contest": plan.name,
        "game": plan.type.title,
        "results": str(known.path.parent),
        "played": played,
        "games": count,
        "running": running,
        "seconds_left": None if seconds is None else round(seconds),
    }
    left = "-" if seconds is None else say_time(seconds)
    columns = ("contest", "game", "played", "games", "running", "time left")
    row = (plan.name, plan.type.title, played, count, "yes" if running else "no", left)
    return Output([Table("", columns, (row,))], [line])


def _find_left(ended: deque[str], games: int) -> float | None:
    """Find out how many seconds some games will take, if they go on as those that ended."""
    if len(ended) < 2:
        return None
    moments = sorted(datetime.fromisoformat(moment).timestamp() for moment in ended)
    gaps = [after - before for before, after in pairwise(moments)]
    # While nobody plays, no game ends.
    longest = max(_PAUSE, 10 * median(gaps))
    usual = [gap for gap in gaps if gap <= longest]
    return sum(usual) / max(1, len(usual)) * games


def _say_problem(name: str, turns: int) -> str:
    number = f"{turns} turn{'s' * (turns > 1)}"
    return f"{name} was late, crashed or gave no legal answer in {number}"


# A result that is to be compared with its record, what its game was set up with, and the record's
# file.
Kept: TypeAlias = tuple[GameResult, "MatchSetup", Path]


def append_logs(folder: Path | None, bots: Iterable[str], said: Sequence[bytes]) -> list[Path]:
    """Append what bots said in a game to a file for each in a folder, if one is given."""
    logs = [folder / f"{name_file(bot)}.log" for bot in bots] if folder else []
    for log, words in zip(logs, said, strict=False):
        ErrorStream(log).take(words)
    return logs


def check_result(rules: GameRules, kept: Kept) -> list[str]:
    """List what the rules derive from a record that a result has not, or has otherwise."""
    result, setup, record = kept
    if not (find_record(result) and record.is_file()):
        return ["its record is missing"]
    try:
        return list(_compare(rules, result, setup, read_input(str(record), RECORD_FILE)))
    except KbScoreError as error:
        return [f"its record cannot be used: {error}"]


def _compare(rules: GameRules, said: GameResult, setup: MatchSetup, text: str) -> Iterator[str]:
    game = GameFolder(rules.game).type
    match = game.arena.new_match(rules, setup, Random(setup.seed))
    told = match.tell() if match.keeps_told and not match.finished else ""
    # The rulings of a contest are those of its file; records of older contests do not name them.
    text = strip_rulings(text)
    if not text.startswith(strip_rulings(match.opening()) + told):
        yield "its record is that of another game"
        return
    verdict = game.check(rules, [*(setup.files if game.maps else ()), ("record", text)])
    faults = {kind for player in said.players for kind in player.faults}
    # An illegal line may end a game: the record keeps it, and it is no turn.
    ended = {said.turns + 1} if game.arena.bots.on_fault == "end" and "illegal" in faults else set()
    yield from (f"its record: {v}" for v in verdict.violations if v.turn not in ended)
    found = dict(verdict.result)
    if (
        game.arena.bots.on_fault == "end"
        and faults & {"late", "crashed"}
        and found["turns"] > said.turns
    ):
        found["turns"] -= 1  # the turn that was told, and had no answer
    if found["turns"] != said.turns:
        yield f"{said.turns} turns, but {found['turns']} in its record"
    scores = game.arena.scoring.score(rules, found, game.arena.players[1])
    for bot, player, (score, key) in zip(said.bots, said.players, scores, strict=True):
        for name, own, right in zip(game.arena.scoring.figures, player.score, score, strict=True):
            if own != right:
                yield f"{bot}: {name} {own}, but {right} by its record"
        if player.score_key != key:
            yield f"{bot}: merit {list(player.score_key)}, but {list(key)} by its record"


def check_results(
    rules: GameRules, results: Iterable[Kept], jobs: int
) -> Iterator[tuple[GameResult, list[str]]]:
    """Compare results with their records, in order, in so many processes; see `check_result`."""
    check = partial(check_result, GameRules(rules.game, rules.changes))
    with open_pool(jobs) as pool:
        for (result, *_), found in run_tasks(pool, check, results, name=lambda kept: str(kept[2])):
            if isinstance(found, TaskLost):
                raise found
            yield result, found
