"""Plays the remaining games of a contest, and checks results against their records.

Each game is a task for another process, which may run on another machine.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec.structs import replace as fill

from kb_score.arena.contests.entrants import Entrant, check_in_sandbox, make_check
from kb_score.arena.contests.plan import digest_words
from kb_score.arena.contests.store import (
    RECORD_FILE,
    GameResult,
    PlayerResult,
    find_record,
    is_open,
    name_file,
    utc_now,
)
from kb_score.arena.referee import Listener, Played, referee
from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.errors import InputError, KbScoreError, describe_failure, write_count
from kb_score.games import GameFolder
from kb_score.games.rulings import strip_rulings
from kb_score.shell.bots import ErrorStream, describe_error_stream
from kb_score.shell.cluster import open_pool
from kb_score.shell.files import is_plain_file, open_scratch_folder, read_input
from kb_score.shell.output import Output, Table, complain, is_quiet, render, show_progress
from kb_score.shell.pool import TaskLost, run_tasks
from kb_score.shell.process import NO_BOUNDS, Bounds
from kb_score.shell.shutdown import Ended

if TYPE_CHECKING:
    from kb_score.arena.contests.standings import ContestResults
    from kb_score.arena.players import BotCommand
    from kb_score.games.game import Game
    from kb_score.games.match import Match, MatchSetup

MAX_LOG = 1 << 18  # bytes at the end of a bot's error stream that are kept per game
_REASON = re.compile(r"\[Errno -?\d+\] ([^:]*)(: .*)?", re.DOTALL)
_LINES = 10  # progress messages in a log, for any number of games
_SHORT = 90  # seconds: a shorter time is not written in minutes
_FIRST_GAMES = 3  # games played before the remaining time is estimated
_PAUSE = 60.0  # seconds between two games that may be a pause in the contest
_LAST = 200  # the last games, whose pace predicts the remaining time


@dataclass(frozen=True, slots=True)
class Job:
    """A game to play."""

    blank: GameResult  # its result, without players and turns
    bots: tuple[Entrant, ...]  # the bots of player 1, player 2 and so on
    setup: MatchSetup

    def __str__(self) -> str:
        return f"game {self.blank.number} of {', '.join(self.blank.bots)}"


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game that was played."""

    result: GameResult  # without the file of the record
    record: str  # the session, which ``check`` accepts
    words: Sequence[bytes]  # the end of each bot's error stream


def play_game(rules: GameRules, home: Path, bounds: Bounds, job: Job) -> PlayedGame:
    """Play a game, and return it with its record and the ends of the bots' error streams.

    Bots without a folder of their own run in ``home``; in a sandbox each has a folder for this
    game.

    Raises:
        KbScoreError: A bot cannot be started, its folder cannot be copied, or check cannot read the
            record.
    """
    game = GameFolder(rules.game).type
    record: list[str] = []
    with ExitStack() as stack:
        bots = _place_bots(job.bots, home, bounds, game, stack)
        setup = _place_map(game, job.setup, stack)
        match = game.new_match(rules, setup, Random(setup.seed))
        with ExitStack() as running:
            arguments = game.list_arguments(setup)
            players = [running.enter_context(bot.open(game, arguments)) for bot in bots]
            most = setup.settings.get("most_turns")
            played = referee(game, match, players, most, Listener(record.append))
        match.check_record(played.pieces)
        player_results = _list_player_results(game, rules, match, played, len(bots))
        result = fill(job.blank, players=player_results, turns=match.turn)
        # Logs are read before their folder is removed.
        words = [_read_log(bot.log) for bot in bots if bot.log]
        return PlayedGame(result, "".join(record), words)


def _list_player_results(
    game: Game, rules: GameRules, match: Match, played: Played, players: int
) -> tuple[PlayerResult, ...]:
    """Return the result of a match for each player."""
    faults: defaultdict[int, Counter[str]] = defaultdict(Counter)
    details: dict[int, str] = {}
    for turn, player, fault in played.faults:
        kind = "illegal" if fault.kind == "garbage" else fault.kind
        faults[player][kind] += 1
        detail, _, _ = f"turn {turn}: it {fault.detail}".partition("\n")
        details.setdefault(player, detail)
    # A match without faults may also have stopped before its end.
    problem = "" if played.faults else played.problem
    scores = game.score(rules, match.result(), players)
    results = []
    for player, (score, merit) in enumerate(scores, 1):
        times = played.seconds[player] or [0.0]
        seconds = (round(median(times), 4), round(max(times), 4))
        counts = dict(sorted(faults[player].items()))
        detail = details.get(player, problem)
        results.append(PlayerResult(score, merit, counts, detail, seconds))
    return tuple(results)


def _place_bots(
    entrants: Iterable[Entrant], home: Path, bounds: Bounds, game: Game, stack: ExitStack
) -> list[BotCommand]:
    """Return the commands of bots, each with a log and a copy of the bot's folder.

    Games run in parallel, and an interrupted game is played again: a bot must not read notes that
    it wrote in another game.
    """
    # Logs and copies have separate folders, so that a bot finds nothing beside its own folder.
    log_folder = _make_base(stack)
    bots = []
    for number, bot in enumerate(entrants, 1):
        log = log_folder / f"{number}-words" / "bot.log"
        log.parent.mkdir()
        folder = home
        own_folder = _make_base(stack)
        if bot.folder:
            own_folder /= "bot"
            _copy(bot.folder, own_folder)
            folder = own_folder
        own_bounds = replace(bounds, folder=own_folder) if bounds.folder else bounds
        bots.append(bot.make_command(game, folder, log, own_bounds))
    return bots


def _place_map(game: Game, setup: MatchSetup, stack: ExitStack) -> MatchSetup:
    """Write the map to a file if a bot's command contains the name of that file."""
    if not setup.files:
        return setup
    ((name, text),) = setup.files
    file_name = f"{name}.map"
    named = replace(setup, files=((file_name, text),))
    if not game.list_arguments(named):
        return setup
    path = _make_base(stack) / file_name
    path.write_text(text, encoding="utf-8")
    return replace(setup, files=((str(path), text),))


def _make_base(stack: ExitStack) -> Path:
    """Make a temporary folder, which is removed when the stack is closed."""
    try:
        return stack.enter_context(open_scratch_folder())
    except OSError as error:
        name = str(error.filename or "a temporary folder")
        raise InputError(name, describe_failure(error)) from error


def _copy(folder: str, to: Path) -> None:
    """Copy a folder; raise an InputError that says why if that fails."""
    try:
        shutil.copytree(folder, to, symlinks=False)
    except (OSError, RecursionError) as error:
        if isinstance(error, shutil.Error):  # it has a message for each file
            name, _, text = error.args[0][0]
            plain = _REASON.sub(r"\1", text).lower()
            reason = f"{name}: {plain}"
        elif isinstance(error, OSError):
            reason = describe_failure(error)
        else:
            reason = "its folders are nested too deeply"
        raise InputError(folder, f"cannot be copied for a game: {reason}") from error


def _read_log(path: Path) -> bytes:
    """Return the end of a bot's log."""
    try:
        # A bot may have replaced its log with a link, or with a device that never ends.
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        with open(number, "rb") as stream:  # noqa: PTH123
            if not is_plain_file(stream):
                return b""
            size = os.fstat(number).st_size
            stream.seek(max(0, size - MAX_LOG))
            end = stream.read(MAX_LOG)
    except OSError:
        return b""  # there is no log
    left_out = size - MAX_LOG
    if left_out <= 0:
        return end
    note = f"[{left_out} bytes before this are left out]\n"
    return note.encode() + end


# Stores the result of a game, its record and the ends of the bots' error streams on disk.
# Returns the logs of the bots, if there are any.
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
    """Play all games of a contest that have no result that counts, and add each to the results.

    If the bounds of the bots have a folder, each bot runs in a sandbox, in which it can write only
    to its own folder.

    Raises:
        TaskLost: Some games have no result, since the processes that played them have crashed.
        KbScoreError: A bot cannot be started, or a result cannot be stored.
    """
    plan = known.plan
    count = len(plan.schedule)
    played: set[int] = set()
    with _explain_end(known):
        before = sum(1 for _ in known.read(played))
        known.report_stale()
        if before and not is_quiet():
            complain(f"{before} of {count} games were played before")
        left = count - before
        if left == 0:
            return
        rules = GameRules(plan.game, changes)
        play = partial(play_game, rules, plan.home, bounds)
        sandbox = bounds.folder is not None
        check = make_check(plan.type, plan.bots, plan.home, changes, sandbox=sandbox)
        if sandbox and scheduler is None:
            check_in_sandbox(plan.bots, plan.home, in_shell=plan.type.play.shell)
        with open_pool(min(jobs, left), scheduler) as pool, Progress(left) as progress:
            pool.require(check)
            remaining = _list_jobs(known, played)
            for _, game in run_tasks(pool, play, remaining, ordered=False):
                if isinstance(game, TaskLost):
                    complain(game)
                    progress.lost += 1
                    continue
                digest = digest_words(strip_rulings(game.record))[:16]
                result = fill(game.result, ended=utc_now(), digest=digest)
                logs = add(result, game.record, game.words)
                progress.report_game(result, game.words, logs)
    if progress.lost:
        lost = f"{progress.lost} of {count} games have no result"
        raise TaskLost(f"{lost}; run the command again to play them")


def _list_jobs(known: ContestResults, played: set[int]) -> Iterator[Job]:
    """Yield the games that have not been played."""
    plan = known.plan
    for fixture in plan.schedule:
        if fixture.number in played:
            continue
        key = known.find_key(fixture)
        bots = tuple(plan.bots[number] for number in fixture.bots)
        map_ = plan.maps[fixture.map]
        blank = GameResult(
            key=key.key,
            number=fixture.number + 1,
            bots=tuple(bot.name for bot in bots),
            map=map_.name,
            round=fixture.round,
            players=(),
            turns=0,
            record="",
            ended=utc_now(),
            parts=key.parts,
            digest="",
        )
        yield Job(blank, bots, plan.setup(fixture))


@contextmanager
def _explain_end(known: ContestResults) -> Iterator[None]:
    """If a signal ends the contest, print how many games have been stored."""
    try:
        yield
    except Ended:
        played = sum(1 for _ in known.read())
        kept = f"{played} of {len(known.plan.schedule)} games are kept"
        complain(f"interrupted: {kept}; run the command again to continue")
        raise


@dataclass(slots=True)
class Progress:
    """Prints warnings, and the progress on a live line of a terminal or in a few lines of a log."""

    total: int  # the number of games to play
    done: int = 0  # the number of games that are over
    lost: int = 0  # the number of games that will have no result
    # For each bot that had faults: the number of turns, and the number of games, in which it had
    # any.
    problems: Counter[str] = field(default_factory=Counter)
    games: Counter[str] = field(default_factory=Counter)
    _begun: float = field(default_factory=monotonic)

    def __enter__(self) -> Progress:
        """Print that no game is over yet."""
        show_progress(f"0/{self.total} games")
        return self

    def __exit__(self, *_: object) -> None:
        """Print a warning for each bot that had faults in several games."""
        for bot, turns in self.problems.items():
            games = self.games[bot]
            if games > 1:
                faults = _describe_faults(bot, turns)
                complain(f"{faults} of {games} games", kind="warning")

    def report_game(
        self, result: GameResult, words: Sequence[bytes], logs: Sequence[Path] = ()
    ) -> None:
        """Print that a game is over, and a warning for each bot that had its first faults there.

        The warning names the logs of the bots, if there are any, instead of printing their words.
        """
        self.done += 1
        pairs = list(zip(result.bots, result.players, strict=True))
        scores = ", ".join(f"{bot} {player.score[0]}" for bot, player in pairs)
        line = f"{self.done}/{self.total}: {scores} after {result.turns} turns"
        if result.map:
            line += f" on {result.map}"
        line += self._estimate_left()
        if sys.stderr.isatty():
            show_progress(line)
        elif self.done * _LINES % self.total < _LINES and not is_quiet():
            complain(line)
        for index, (bot, player) in enumerate(pairs):
            turns = sum(player.faults.values())
            if not turns:
                continue
            if bot not in self.problems:
                log = logs[index] if logs else None
                shown = describe_error_stream(words[index], log)
                faults = _describe_faults(bot, turns)
                complain(f"{faults}; first at {player.detail}{shown}", kind="warning")
            self.problems[bot] += turns
            self.games[bot] += 1

    def _estimate_left(self) -> str:
        """Return the remaining time as text; empty if it is unknown."""
        if self.done < _FIRST_GAMES or self.done == self.total:
            return ""
        seconds_each = (monotonic() - self._begun) / self.done
        left = format_duration(seconds_each * (self.total - self.done))
        return f"; {left} left"


def format_duration(seconds: float) -> str:
    """Return a time as text, such as ``3 h 20 min``, ``12 min`` or ``40 s``."""
    if round(seconds) < _SHORT:
        return f"{round(seconds)} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    if hours == 0:
        return f"{minutes} min"
    return f"{hours} h {minutes} min"


def report_status(known: ContestResults) -> Output:
    """Return the number of games played, and the remaining time if the contest is running."""
    ended: deque[str] = deque(maxlen=_LAST)
    played = 0
    for game in known.read():
        played += 1
        ended.append(game.result.ended)
    plan = known.plan
    running = is_open(known.path)
    count = len(plan.schedule)
    seconds_left = None
    time_left = "-"
    if running:
        seconds = _predict_seconds(ended, count - played)
        if seconds is not None:
            seconds_left = round(seconds)
            time_left = format_duration(seconds)
    title = plan.type.title
    line = {
        "contest": plan.name,
        "game": title,
        "results": str(known.path.parent),
        "played": played,
        "games": count,
        "running": running,
        "seconds_left": seconds_left,
    }
    columns = ("contest", "game", "played", "games", "running", "time left")
    row = (plan.name, title, played, count, render(running), time_left)
    return Output([Table("", columns, (row,))], [line])


def _predict_seconds(ended: deque[str], games: int) -> float | None:
    """Return how many seconds some games will probably take; None if that is unknown.

    ``ended`` are the times at which the last games ended.
    """
    if len(ended) < 2:
        return None
    moments = sorted(datetime.fromisoformat(moment).timestamp() for moment in ended)
    gaps = [after - before for before, after in pairwise(moments)]
    # Longer gaps are pauses between two runs of the contest.
    longest = max(_PAUSE, 10 * median(gaps))
    usual = [gap for gap in gaps if gap <= longest]
    return sum(usual) / max(1, len(usual)) * games


def _describe_faults(name: str, turns: int) -> str:
    """Return the number of turns in which a bot had faults, as text."""
    number = write_count(turns, "turn")
    return f"{name} was late, crashed or gave no legal answer in {number}"


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """The record of a game, and the result that it is compared with."""

    result: GameResult
    setup: MatchSetup
    path: Path  # the file of the record

    def __str__(self) -> str:
        return str(self.path)


def append_logs(folder: Path | None, bots: Iterable[str], words: Sequence[bytes]) -> list[Path]:
    """Append the ends of bots' error streams to their logs in a folder, and return the logs."""
    if folder is None:
        return []
    logs = [folder / f"{name_file(bot)}.log" for bot in bots]
    for log, part in zip(logs, words, strict=True):
        ErrorStream(log).add(part)
    return logs


def check_result(rules: GameRules, record: StoredRecord) -> list[str]:
    """Return the differences between a result and its record."""
    if not (find_record(record.result) and record.path.is_file()):
        return ["its record is missing"]
    try:
        return list(_compare(rules, record))
    except KbScoreError as error:
        return [f"its record cannot be used: {error}"]


def _compare(rules: GameRules, record: StoredRecord) -> Iterator[str]:
    """Yield the differences between a result and its record."""
    stored = record.result
    setup = record.setup
    game = GameFolder(rules.game).type
    text = read_input(str(record), RECORD_FILE, may_be_empty=game.has_empty_record)
    match = game.new_match(rules, setup, Random(setup.seed))
    opening = strip_rulings(match.opening())
    if match.keeps_told and not match.finished:
        opening += match.tell()
    # The rulings of a contest are those of its file, not those that a record names.
    text = strip_rulings(text)
    if not text.startswith(opening):
        yield "its record is of another game"
        return
    maps = setup.files if game.maps else ()
    verdict = game.check(rules, [*maps, ("record", text)])
    violations = list(verdict.violations)
    found = dict(verdict.result)
    if game.on_fault == "end":
        faults = set[str]().union(*(player.faults for player in stored.players))
        if "illegal" in faults:
            # The record contains the illegal line that ended the game, which is not a turn.
            violations = [one for one in violations if one.turn != stored.turns + 1]
        if faults & {"late", "crashed"} and found["turns"] > stored.turns:
            found["turns"] -= 1  # the turn that had no answer
    for violation in violations:
        yield f"its record: {violation}"
    if found["turns"] != stored.turns:
        yield f"{stored.turns} turns, but {found['turns']} in its record"
    yield from _compare_scores(game, rules, stored, found)


def _compare_scores(
    game: Game, rules: GameRules, stored: GameResult, found: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the differences between the scores of a stored result and those of its record."""
    scores = game.score(rules, found, len(stored.players))
    for bot, player, (score, merit) in zip(stored.bots, stored.players, scores, strict=True):
        for name, own, right in zip(game.contest.figures, player.score, score, strict=True):
            if own != right:
                yield f"{bot}: {name} {own}, but {right} according to its record"
        if player.merit != merit:
            yield f"{bot}: merit {list(player.merit)}, but {list(merit)} according to its record"


def check_results(
    rules: GameRules, records: Iterable[StoredRecord], jobs: int
) -> Iterator[tuple[GameResult, list[str]]]:
    """Yield results, in order, with the differences from their records; see `check_result`."""
    check = partial(check_result, GameRules(rules.game, rules.changes))
    with open_pool(jobs) as pool:
        for record, differences in run_tasks(pool, check, records):
            if isinstance(differences, TaskLost):
                differences = ["the process that checks its record is killed each time"]
            yield record.result, differences
