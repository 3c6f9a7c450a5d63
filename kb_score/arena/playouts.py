"""The verb ``playouts``: random legal games to their ends, as records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import click

from kb_score.arena.referee import Listener, Player, referee
from kb_score.cli.command import make_game_verb, make_options, name_files, pop_options, take_files
from kb_score.cli.run import Run, force_option
from kb_score.engine.rules import GameRules
from kb_score.games.game import Game, Match, MatchSetup
from kb_score.shell.files import make_folder, read_inputs
from kb_score.shell.options import FolderName, number_option
from kb_score.shell.output import Exit, Output, Table, complain, render, with_progress
from kb_score.shell.target import Target


@dataclass(frozen=True, slots=True)
class Playout:
    """A random game."""

    record: str  # the record, which check accepts
    result: Mapping[str, Any]  # the result, with the keys that check uses
    problem: str = ""  # why the game stopped before its end; empty if it did not


class RandomPlayer(Player):
    """A player who draws an answer from those that are legal."""

    who = "chance"

    def __init__(self, match: Match, random: Random) -> None:
        self._match, self._random = match, random

    def ask(self, _text: str) -> str:
        """Draw an answer."""
        return self._match.choose(self._random)


def play_randomly(game: Game, rules: GameRules, setup: MatchSetup, random: Random) -> Playout:
    """Play a game of random legal turns; what the setup does not give is drawn as well."""
    setup = game.arena.draw_setup(rules, setup, random)
    match = game.arena.new_match(rules, setup, random)
    pieces = list[str]()
    players = [RandomPlayer(match, random) for _ in range(setup.players)]
    most = setup.settings.get("most_turns")
    played = referee(game, match, players, most, Listener(pieces.append))
    return Playout("".join(pieces), match.result(), played.problem)


def make_playouts(game: Game) -> click.Command:
    """Make the verb of a game; game N has the same moves whenever it is played."""
    options = game.arena.playout_options
    if options is None:
        options = game.arena.settings

    def playouts(
        run: Run, seed: int, games: int, output: Path | None, force: bool, **given: Any
    ) -> Exit:
        paths = take_files(given, game.arena.maps)
        texts = read_inputs(*zip(paths, game.arena.maps, strict=True))
        files, settings = tuple(zip(paths, texts, strict=True)), pop_options(given, options)

        def play_one(seed: int) -> Playout:
            setup = MatchSetup(files, settings, seed, game.arena.players[1])
            playout = play_randomly(game, run.rules, setup, Random(seed))
            if playout.problem:
                complain(f"seed {seed}: {playout.problem}", kind="note")
            return playout

        seeds = range(seed, seed + games)
        if output is not None:
            inputs = [*paths, *run.rules.changes.paths]
            targets = {
                number: Target(str(output / f"{game.title}-{number}.txt"), inputs, force)
                for number in seeds
            }
            make_folder(output)
            return _fill(run, game.title, targets, play_one)
        if games > 1 or run.format != "table":
            what = "several games need" if games > 1 else "a list of games needs"
            raise click.UsageError(f"{what} a folder: name one with -o")
        click.echo(play_one(seed).record, nl=False)
        return Exit.FINE

    return make_game_verb(
        "playouts",
        game,
        playouts,
        *(click.argument(name, metavar=name.upper()) for name in name_files(game.arena.maps)),
        *make_options(options),
        number_option("--seed", 0, 10**9, 1, "Seed of the first game; the next has N+1."),
        number_option("--games", 1, 10**6, 1, "How many games are played."),
        _output_option,
        force_option,
    )


_output_option = click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=FolderName(),
    help="Write each game to a file in DIR  [default: one game, to standard output].",
)


def _fill(
    run: Run, game: str, targets: Mapping[int, Target], play: Callable[[int], Playout]
) -> Exit:
    """Play a game for each seed, and list them; those that are written stay if a signal comes."""
    for target in targets.values():
        target.check_overwriting()
    columns: tuple[str, ...] = ()
    rows: list[tuple[str | int, ...]] = []
    lines: list[dict[str, Any]] = []
    for seed, target in with_progress(targets.items(), f"of {len(targets)} games"):
        playout = play(seed)
        target.write(playout.record.encode())
        path = str(target.path)
        result = dict(playout.result)
        columns = ("seed", "record", *result)
        rows.append((seed, path, *map(render, result.values())))
        lines.append({"game": game, "seed": seed, "record": path, "result": result})
    run.show(Output([Table("", columns, tuple(rows))], lines))
    return Exit.FINE
