"""The command ``tournament slime``: all combinations of four bots."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import combinations, permutations
from math import comb, perm
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb_score.contests.entrants import BOTS_FILE, digest_bot, read_entrants
from kb_score.contests.leaderboard import rank_bots, report_leaderboard
from kb_score.contests.progress import Progress
from kb_score.contests.results import GameResult, open_results, utc_now
from kb_score.contests.side_by_side import interruptible, play_all
from kb_score.errors import InputError, say_failure
from kb_score.games.command import game_options
from kb_score.games.slime.bots import check_program
from kb_score.games.slime.options import live_options
from kb_score.games.slime.play import play_game, start_game
from kb_score.games.slime.rules import PLAY, PLAYERS
from kb_score.shell.files import read_input
from kb_score.shell.options import bot_log_option
from kb_score.shell.output import Exit, complain, show
from kb_score.shell.programs import make_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kb_score.contests.results import ResultsFile
    from kb_score.contests.side_by_side import Stop
    from kb_score.engine.run import GameRules
    from kb_score.games.slime.bots import BotSpec, Patience
    from kb_score.games.slime.play import PlayedGame


@dataclass(frozen=True, slots=True)
class Games:
    """The games of a tournament, made one by one as they are wanted: there may be billions.

    Attributes:
        bots: The bots by name, in the order of the file, each with what tells it from others.
        table: What tells a game from others but for its bots: rules, size and limits.
        all_seatings: Whether each four play in every order; else in the order of the file.
    """

    bots: Mapping[str, tuple[BotSpec, str]]
    table: str
    all_seatings: bool

    def count(self) -> int:
        """Count them."""
        return (perm if self.all_seatings else comb)(len(self.bots), len(PLAYERS))

    def seatings(self) -> Iterator[tuple[str, ...]]:
        """Yield the names of the bots of players 1 to 4 of each game."""
        for names in combinations(self.bots, len(PLAYERS)):
            yield from permutations(names) if self.all_seatings else [names]

    def key(self, names: Sequence[str]) -> str:
        """Find what tells a game apart; a bot that has changed since is another bot."""
        text = repr(([self.bots[name][1] for name in names], self.table))
        return sha256(text.encode()).hexdigest()[:16]

    def find_played(self, results: Iterable[GameResult]) -> dict[str, GameResult]:
        """Find the results that are of these games, by key: somebody may have edited the file."""
        return {result.key: result for result in results if self._has(result)}

    def _has(self, result: GameResult) -> bool:
        names = result.bots
        if not len(set(names)) == len(names) == len(result.squares) == len(PLAYERS):
            return False
        return self.bots.keys() >= set(names) and self.key(names) == result.key


def list_games(
    bots: Sequence[BotSpec], home: Path, *, limits: tuple[object, ...], all_seatings: bool
) -> Games:
    """List the games of bots, told from others by the bots' files and by the limits."""
    found = {bot.name: (bot, digest_bot(bot, home)) for bot in bots}
    return Games(found, sha256(repr(limits).encode()).hexdigest(), all_seatings)


@click.command(
    "slime",
    short_help="All combinations of four bots.",
    epilog="Example: kb-score tournament slime bots.toml --jobs 4",
)
@click.argument("path", metavar="BOTS.toml", type=click.Path(path_type=Path))
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
@bot_log_option
@live_options
@game_options("slime")
def tournament(
    path: Path,
    seatings: str,
    jobs: int,
    results_path: Path | None,
    bot_log: Path | None,
    size: int,
    patience: Patience,
    format_: str,
    rules: GameRules,
) -> int:
    """Let the bots of BOTS.toml play each other, and rank them.

    Finished games are kept in a file: an interrupted tournament goes on where it stopped.
    """
    bots = _read_bots(path, bot_log)
    home = path.resolve().parent
    # What is wrong with the rules or with the bots is told before the first game.
    start_game(size, rules)
    for bot in bots:
        check_program(replace(bot, folder=bot.folder or home))
    limits = (str(rules.program(PLAY)), size, patience)
    games = list_games(bots, home, limits=limits, all_seatings=seatings == "all")

    def play(seated: Sequence[BotSpec], stop: Stop) -> PlayedGame:
        with _own_folders(seated, home) as placed:
            return play_game(placed, size, patience, rules, look=stop.look)

    with (
        open_results(results_path or _place_results(path)) as results,
        interruptible() as stop,
    ):
        played = _play_left(games, play, jobs, results, stop)
    if len(played) < games.count():
        said = f"{len(played)} of {games.count()} games are kept; run it again to go on"
        complain(f"interrupted: {said}")
        return 128 + stop.signal
    standings = rank_bots([bot.name for bot in bots], played, rules)
    show(report_leaderboard(standings, format_), format_)
    return Exit.FINE


def _play_left(
    games: Games,
    play: Callable[[Sequence[BotSpec], Stop], PlayedGame],
    jobs: int,
    results: ResultsFile,
    stop: Stop,
) -> list[GameResult]:
    """Play the games that have no result yet; return the results of all that have one then."""
    played, count = games.find_played(results.results), games.count()
    before = frozenset(played)
    if before:
        complain(f"{len(before)} of {count} games were played before")

    def list_left() -> Iterator[tuple[str, ...]]:
        for names in games.seatings():
            if stop.event.is_set():
                return
            if games.key(names) not in before:
                yield names

    def play_one(names: tuple[str, ...]) -> tuple[GameResult, dict[int, str]]:
        game = play([games.bots[name][0] for name in names], stop)
        return _make_result(games.key(names), names, game), game.details

    with Progress(count - len(before)) as progress:
        for result, details in play_all(list_left(), play_one, jobs, stop):
            results.add(result)
            played[result.key] = result
            progress.tell(result, details)
    return list(played.values())


def _make_result(key: str, names: tuple[str, ...], game: PlayedGame) -> GameResult:
    problems = [0] * len(names)
    for (seat, _), number in game.problems.items():
        problems[seat - 1] += number
    return GameResult(
        key=key,
        bots=names,
        squares=game.state.squares,
        turns=game.state.turn,
        problems=tuple(problems),
        ended=utc_now(),
    )


def _place_results(path: Path) -> Path:
    if str(path) == "-":
        raise click.UsageError("the bots come from standard input: name a file with --results")
    return path.with_suffix(".results.jsonl")


def _read_bots(path: Path, log: Path | None) -> list[BotSpec]:
    entrants = read_entrants(read_input(str(path), BOTS_FILE), path)
    return [_place_log(bot, log) for bot in entrants]


def _place_log(bot: BotSpec, folder: Path | None) -> BotSpec:
    """Give a bot a file for its error stream: its name may be no name of a file, or too long."""
    if folder is None:
        return bot
    plain = re.sub(r"[^\w.+-]", "_", bot.name)[:60]
    mark = "" if plain == bot.name else f"-{sha256(bot.name.encode()).hexdigest()[:8]}"
    return replace(bot, log=folder / f"{plain}{mark}.log")


@contextmanager
def _own_folders(seated: Sequence[BotSpec], home: Path) -> Iterator[list[BotSpec]]:
    """Give each bot that keeps files a copy of its folder, for this game alone.

    Games run side by side, and a game that is interrupted is played again: what a bot has noted
    down must not come from another game.
    """
    with ExitStack() as folders:
        bots = []
        for bot in seated:
            folder = home
            if bot.folder is not None:
                try:
                    folder = folders.enter_context(make_folder()) / "bot"
                    shutil.copytree(bot.folder, folder)
                except (OSError, shutil.Error) as error:
                    raise InputError(str(bot.folder), _say_why(error)) from error
            bots.append(replace(bot, folder=folder))
        yield bots


def _say_why(error: OSError) -> str:
    said = "" if isinstance(error, shutil.Error) else f": {say_failure(error)}"
    return f"cannot be copied for a game{said}"


COMMANDS = {"tournament": tournament}
