"""The command ``tournament slime``: all combinations of four bots, games side by side."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import combinations, islice, permutations
from pathlib import Path

import click

from kb_score.command import complain, format_option, read_input, rules_options
from kb_score.errors import BoardError
from kb_score.games.slime.bot import Patience, Player, find_program
from kb_score.games.slime.entrants import read_entrants
from kb_score.games.slime.leaderboard import Standing, draw_leaderboard, make_table, rank_bots
from kb_score.games.slime.match import play_match
from kb_score.games.slime.options import patience_options, size_option
from kb_score.games.slime.results import GameResult, ResultsFile, say_now
from kb_score.games.slime.turn import load_rules, start_game
from kb_score.program import Program
from kb_score.report import print_tables, write_json
from kb_score.rules import Changes

# What a shell says of a command that an interrupt has ended.
INTERRUPTED = 130
_LOOK = 0.1  # seconds between looks at whether the tournament is to stop


@dataclass(frozen=True, slots=True)
class Setting:
    """What all games of a tournament share.

    Attributes:
        home: The folder in which bots without one of their own run.
        size: Rows and columns of the board.
        patience: How long a bot may take for a turn.
        changes: What the user changes about the rules.
        program: The rules.
    """

    home: Path
    size: int
    patience: Patience
    changes: Changes
    program: Program


class _Stopped(Exception):
    """The tournament is interrupted, and so is each of its games."""


def list_games(bots: Sequence[Player], *, all_seatings: bool) -> list[tuple[Player, ...]]:
    """List the games: each combination of four, in the order of the bots or in every order."""
    tables = combinations(bots, 4)
    if not all_seatings:
        return list(tables)
    return [seated for table in tables for seated in permutations(table)]


def find_key(players: Sequence[Player], setting: Setting) -> str:
    """Find what tells a game apart: who sits where, their commands, the board and the changes.

    A bot whose command has changed is another bot, so its games are played again.
    """
    told = [[p.name, p.command, str(p.folder or "")] for p in players]
    changes = setting.changes
    rules = [(path.name, path.read_bytes()) for path in changes.files]
    text = repr((told, setting.size, rules, changes.constants))
    return sha256(text.encode()).hexdigest()[:16]


@click.command("slime")
@click.argument("bots", metavar="BOTS.toml")
@click.option(
    "--seatings",
    type=click.Choice(["file", "all"]),
    default="file",
    show_default=True,
    help="Seat each four in the order of the file, or once in every order.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=os.cpu_count() or 1,
    show_default="processors",
    help="How many games are played at a time.",
)
@click.option(
    "--results",
    "results_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file of finished games  [default: BOTS.results.jsonl beside BOTS.toml]",
)
@size_option
@patience_options
@format_option
@rules_options
@click.pass_context
def tournament(
    context: click.Context,
    bots: str,
    seatings: str,
    jobs: int,
    results_path: Path | None,
    size: int,
    patience: Patience,
    format_: str,
    changes: Changes,
) -> None:
    """Let the bots of BOTS.toml play each other, and rank them.

    Finished games are kept in a file: an interrupted tournament goes on where it stopped.
    """
    path = Path(bots)
    players = read_entrants(read_input(bots), path)
    setting = Setting(path.resolve().parent, size, patience, changes, load_rules(changes))
    # What is wrong with the rules or with the bots is told before the first game.
    start_game(size, setting.program)
    for player in players:
        find_program(player if player.folder else replace(player, folder=setting.home))
    games = {
        find_key(seated, setting): seated
        for seated in list_games(players, all_seatings=seatings == "all")
    }
    with ResultsFile(results_path or path.with_suffix(".results.jsonl")) as results:
        known = {r.key for r in results.results if _is_of(r, games.get(r.key, ()))}
        left = {key: seated for key, seated in games.items() if key not in known}
        if known & games.keys():
            complain(f"{len(games) - len(left)} of {len(games)} games were played before")
        with _interruptible() as stop:
            _play_all(left, setting, jobs, results, stop)
        played = {r.key: r for r in results.results if _is_of(r, games.get(r.key, ()))}
    if len(played) < len(games):
        complain(
            f"interrupted: {len(played)} of {len(games)} games are kept; run it again to go on"
        )
        context.exit(INTERRUPTED)
    _print_standings(rank_bots([player.name for player in players], played.values()), format_)


def _is_of(result: GameResult, seated: Sequence[Player]) -> bool:
    """Whether a result is of the bots that sit at a game: somebody may have edited the file."""
    names = tuple(player.name for player in seated)
    return result.bots == names and len(result.squares) == len(names)


def _play_all(
    games: Mapping[str, Sequence[Player]],
    setting: Setting,
    jobs: int,
    results: ResultsFile,
    stop: threading.Event,
) -> None:
    """Play games side by side until all are over or `stop` is set.

    Each goes to the results file as soon as it is over. When the tournament is stopped, games that
    go on end with the turn that is being played, and are no results.
    """
    waiting = iter(games.items())
    running: set[Future[GameResult]] = set()
    before = len(results.results)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while running or not stop.is_set():
                for key, seated in islice(waiting, 0 if stop.is_set() else jobs - len(running)):
                    running.add(pool.submit(_play_one, key, seated, setting, stop))
                if not running:
                    return
                finished, running = wait(running, _LOOK, FIRST_COMPLETED)
                for future in finished:
                    if not isinstance(future.exception(), _Stopped):
                        results.add(future.result())
                        number = len(results.results) - before
                        _tell_progress(number, len(games), results.results[-1])
        finally:
            stop.set()


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Make an interrupt set an event: nothing is cut off in the middle, least of all a result."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop  # signals are the main thread's
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: stop.set()) for number in numbers]
    try:
        yield stop
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _play_one(
    key: str, seated: Sequence[Player], setting: Setting, stop: threading.Event
) -> GameResult:
    def witness(*_: object) -> None:
        if stop.is_set():
            raise _Stopped

    with _own_folders(seated, setting.home) as players:
        match = play_match(players, setting.size, setting.patience, setting.program, witness)
    problems = [0] * len(players)
    for (seat, _), number in match.problems.items():
        problems[seat - 1] += number
    return GameResult(
        key=key,
        bots=tuple(player.name for player in seated),
        squares=match.state.squares,
        turns=match.state.turn,
        problems=tuple(problems),
        ended=say_now(),
    )


@contextmanager
def _own_folders(seated: Sequence[Player], home: Path) -> Iterator[list[Player]]:
    """Give each bot that keeps files a copy of its folder, for this game alone.

    Games run side by side, and a game that is interrupted is played again: what a bot has noted
    down must not come from another game.
    """
    with tempfile.TemporaryDirectory(prefix="kb-score-") as temporary:
        players = []
        for seat, player in enumerate(seated, 1):
            folder = home
            if player.folder is not None:
                folder = Path(temporary) / str(seat)
                try:
                    shutil.copytree(player.folder, folder)
                except (OSError, shutil.Error) as error:
                    raise BoardError(str(player.folder), "cannot be copied for a game") from error
            players.append(replace(player, folder=folder))
        yield players


def _tell_progress(done: int, total: int, result: GameResult) -> None:
    pairs = zip(result.bots, result.squares, strict=True)
    scores = ", ".join(f"{name} {squares}" for name, squares in pairs)
    complain(f"{done}/{total}: {scores} after {result.turns} turns")
    for name, number in zip(result.bots, result.problems, strict=True):
        if number:
            complain(
                f"{name} was late, crashed or printed garbage in {number} turns", kind="warning"
            )


def _print_standings(standings: Sequence[Standing], format_: str) -> None:
    if format_ == "json":
        click.echo("".join(write_json(standing.to_json()) for standing in standings), nl=False)
    elif format_ == "table":
        click.echo(draw_leaderboard(standings), nl=False)
    else:
        print_tables([make_table(standings)], format_, sys.stdout)
