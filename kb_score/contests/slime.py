"""The command ``tournament slime``: all combinations of four bots."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from itertools import combinations, permutations
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb_score.contests.entrants import read_entrants
from kb_score.contests.leaderboard import rank_bots, report_leaderboard
from kb_score.contests.results import GameResult, open_results, utc_now
from kb_score.contests.schedule import Stopped, interruptible, play_all
from kb_score.errors import InputError
from kb_score.games.command import game_options
from kb_score.games.slime.bots import check_program
from kb_score.games.slime.options import live_options
from kb_score.games.slime.play import play_game, start_game
from kb_score.shell.files import read_input
from kb_score.shell.output import Exit, complain, show

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kb_score.contests.results import ResultsFile
    from kb_score.engine.run import GameRules
    from kb_score.games.slime.bots import BotSpec, Patience
    from kb_score.games.slime.play import PlayedGame


def list_games(bots: Sequence[BotSpec], *, all_seatings: bool) -> list[tuple[BotSpec, ...]]:
    """List the games: each combination of four, in the order of the bots or in every order."""
    tables = combinations(bots, 4)
    return [s for table in tables for s in (permutations(table) if all_seatings else [table])]


def game_key(bots: Sequence[BotSpec], size: int, rules: GameRules) -> str:
    """Find what tells a game apart: who sits where, their commands, the board and the changes.

    A bot whose command has changed is another bot, so its games are played again.
    """
    told = [[bot.name, bot.command, str(bot.folder or "")] for bot in bots]
    files = [(path.name, path.read_bytes()) for path in rules.changes.files]
    text = repr((told, size, files, rules.changes.constants))
    return sha256(text.encode()).hexdigest()[:16]


@click.command(
    "slime",
    short_help="All combinations of four bots.",
    epilog="Example: kb-score tournament slime bots.toml --jobs 4",
)
@click.argument("bots_path", metavar="BOTS.toml")
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
@live_options
@game_options("slime")
def tournament(
    bots_path: str,
    seatings: str,
    jobs: int,
    results_path: Path | None,
    size: int,
    patience: Patience,
    format_: str,
    rules: GameRules,
) -> Exit:
    """Let the bots of BOTS.toml play each other, and rank them.

    Finished games are kept in a file: an interrupted tournament goes on where it stopped.
    """
    path = Path(bots_path)
    home = path.resolve().parent
    bots = read_entrants(read_input(bots_path), path)
    # What is wrong with the rules or with the bots is told before the first game.
    start_game(size, rules)
    for bot in bots:
        check_program(replace(bot, folder=bot.folder or home))
    all_games = list_games(bots, all_seatings=seatings == "all")
    games = {game_key(seated, size, rules): seated for seated in all_games}

    def play(seated: Sequence[BotSpec], stop: threading.Event) -> PlayedGame:
        with _own_folders(seated, home) as placed:
            return play_game(placed, size, patience, rules, lambda *_: _go_on(stop))

    with open_results(results_path or path.with_suffix(".results.jsonl")) as results:
        played = _play_left(games, play, jobs, results)
    if len(played) < len(games):
        said = f"{len(played)} of {len(games)} games are kept; run it again to go on"
        complain(f"interrupted: {said}")
        return Exit.INTERRUPTED
    standings = rank_bots([bot.name for bot in bots], played, rules)
    show(report_leaderboard(standings, format_), format_)
    return Exit.FINE


def _go_on(stop: threading.Event) -> None:
    if stop.is_set():
        raise Stopped


def _play_left(
    games: Mapping[str, tuple[BotSpec, ...]],
    play: Callable[[Sequence[BotSpec], threading.Event], PlayedGame],
    jobs: int,
    results: ResultsFile,
) -> list[GameResult]:
    """Play the games that have no result yet; return the results of all that have one then."""
    known = _find_results(games, results)
    left = [key for key in games if key not in known]
    if known:
        complain(f"{len(known)} of {len(games)} games were played before")
    with interruptible() as stop:

        def play_one(key: str) -> GameResult:
            return _make_result(key, games[key], play(games[key], stop))

        for number, result in enumerate(play_all(left, play_one, jobs, stop), 1):
            results.add(result)
            _tell_progress(number, len(left), result)
    return list(_find_results(games, results).values())


def _find_results(
    games: Mapping[str, tuple[BotSpec, ...]], results: ResultsFile
) -> dict[str, GameResult]:
    """Find results of the bots that sit at a game: somebody may have edited the file."""
    found = {}
    for result in results.results:
        names = tuple(bot.name for bot in games.get(result.key, ()))
        if names and result.bots == names and len(result.squares) == len(names):
            found[result.key] = result
    return found


def _make_result(key: str, seated: Sequence[BotSpec], game: PlayedGame) -> GameResult:
    problems = [0] * len(seated)
    for (seat, _), number in game.problems.items():
        problems[seat - 1] += number
    return GameResult(
        key=key,
        bots=tuple(bot.name for bot in seated),
        squares=game.state.squares,
        turns=game.state.turn,
        problems=tuple(problems),
        ended=utc_now(),
    )


@contextmanager
def _own_folders(seated: Sequence[BotSpec], home: Path) -> Iterator[list[BotSpec]]:
    """Give each bot that keeps files a copy of its folder, for this game alone.

    Games run side by side, and a game that is interrupted is played again: what a bot has noted
    down must not come from another game.
    """
    with tempfile.TemporaryDirectory(prefix="kb-score-") as temporary:
        bots = []
        for seat, bot in enumerate(seated, 1):
            folder = home
            if bot.folder is not None:
                folder = Path(temporary) / str(seat)
                try:
                    shutil.copytree(bot.folder, folder)
                except (OSError, shutil.Error) as error:
                    raise InputError(str(bot.folder), "cannot be copied for a game") from error
            bots.append(replace(bot, folder=folder))
        yield bots


def _tell_progress(done: int, total: int, result: GameResult) -> None:
    pairs = zip(result.bots, result.squares, strict=True)
    scores = ", ".join(f"{name} {squares}" for name, squares in pairs)
    complain(f"{done}/{total}: {scores} after {result.turns} turns")
    for name, number in zip(result.bots, result.problems, strict=True):
        if number:
            said = f"{name} was late, crashed or printed garbage in {number} turns"
            complain(said, kind="warning")


COMMANDS = {"tournament": tournament}
