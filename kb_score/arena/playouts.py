"""The verb ``playouts``: records of random legal games."""

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
from kb_score.games.game import Game
from kb_score.games.match import Match, MatchSetup
from kb_score.shell.files import make_folder, read_inputs
from kb_score.shell.options import FolderName, make_number_option
from kb_score.shell.output import Exit, Output, Table, complain, render, with_progress
from kb_score.shell.target import Target


@dataclass(frozen=True, slots=True)
class Playout:
    """A random game."""

    record: str  # the record, which check accepts
    result: Mapping[str, Any]  # the result, with the keys that check uses
    problem: str = ""  # why the game stopped before its end; empty if it did not
    fault: str = ""  # the first answer that was listed as legal and is not; empty for none


class RandomPlayer(Player):
    """A player that draws its answers from the legal ones."""

    who = "chance"

    def __init__(self, match: Match, random: Random) -> None:
        self._match = match
        self._random = random

    def ask(self, _text: str) -> str:
        """Return a random legal answer."""
        return self._match.choose(self._random)


def play_randomly(game: Game, rules: GameRules, setup: MatchSetup, random: Random) -> Playout:
    """Play a game of random legal turns; what its setup does not set is drawn."""
    setup = game.draw_setup(rules, setup, random)
    match = game.new_match(rules, setup, random)
    pieces: list[str] = []
    players = [RandomPlayer(match, random) for _ in range(setup.players)]
    most = setup.settings.get("most_turns")
    played = referee(game, match, players, most, Listener(pieces.append))
    match.check_record(played.pieces)
    fault = ""
    if played.faults:
        first = played.faults[0]
        fault = f"turn {first.turn}: an answer that the rules list as legal {first.fault}"
    return Playout("".join(pieces), match.result(), played.problem, fault)


def make_playouts(game: Game) -> click.Command:
    """Make the verb of a game; a seed gives the same game whenever it is played."""
    options = game.playout_options

    def playouts(
        run: Run, seed: int, games: int, output: Path | None, force: bool, **given: Any
    ) -> Exit:
        paths = take_files(given, game.match_maps)
        texts = read_inputs(*zip(paths, game.match_maps, strict=True))
        files = tuple(zip(paths, texts, strict=True))
        settings = pop_options(given, options)
        _, most = game.players

        def play_one(seed: int) -> Playout:
            setup = MatchSetup(files, settings, seed, most)
            playout = play_randomly(game, run.rules, setup, Random(seed))
            if playout.fault:
                complain(f"seed {seed}: {playout.fault}")
            elif playout.problem:
                complain(f"seed {seed}: {playout.problem}", kind="note")
            return playout

        if output is not None:
            inputs = [*paths, *run.rules.changes.paths]
            targets = {}
            for number in range(seed, seed + games):
                path = str(output / f"{game.title}-{number}.txt")
                targets[number] = Target(path, inputs, force, is_edited=True)
            make_folder(output)
            return _fill(run, game.title, targets, play_one)
        if games > 1:
            raise click.UsageError("several games need a folder: name one with -o")
        if run.format != "table":
            raise click.UsageError("a list of games needs a folder: name one with -o")
        playout = play_one(seed)
        click.echo(playout.record, nl=False)
        return Exit.DIFFERS if playout.fault else Exit.FINE

    return make_game_verb(
        "playouts",
        game,
        playouts,
        *(click.argument(name, metavar=name.upper()) for name in name_files(game.match_maps)),
        *make_options(options),
        make_number_option("--seed", 0, 10**9, 1, "Seed of the first game; the next has N+1."),
        make_number_option("--games", 1, 10**6, 1, "Number of games to play."),
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
    """Write a game for each seed to its file, and print a list of the games.

    If a signal interrupts it, the files that have been written so far remain.
    """
    columns: tuple[str, ...] = ()
    rows: list[tuple[str | int, ...]] = []
    lines: list[dict[str, Any]] = []
    status = Exit.FINE
    for seed, target in with_progress(targets.items(), f"of {len(targets)} games"):
        playout = play(seed)
        target.write(playout.record.encode())
        path = str(target.path)
        result = dict(playout.result)
        columns = ("seed", "record", *result)
        figures = map(render, result.values())
        rows.append((seed, path, *figures))
        if playout.fault:
            status = Exit.DIFFERS
        line = {"game": game, "seed": seed, "record": path, "result": result}
        lines.append(line)
    table = Table("", columns, tuple(rows))
    run.show(Output([table], lines))
    return status
