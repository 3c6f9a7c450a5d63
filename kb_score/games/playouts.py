"""Random legal games to their ends, as records: the common part of all games' ``playouts``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import click

from kb_score.games.command import game_options, make_verb
from kb_score.games.referee import Asked, LiveGame, referee, show_progress
from kb_score.shell.files import make_folder, read_inputs, write_whole
from kb_score.shell.options import FolderName, number_option
from kb_score.shell.output import Exit, Output, Table, complain, say, show
from kb_score.shell.watch import show_nothing

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.errors import FileKind

most_turns_option = number_option(
    "--most-turns", 1, None, 10_000, "A game stops after this many turns."
)


@dataclass(frozen=True, slots=True)
class Playout:
    """A random game.

    Attributes:
        record: The record, which ``check`` accepts.
        result: The result, with the keys that ``check`` uses.
        problem: Why the game stopped before its end; empty if it did not.
    """

    record: str
    result: Mapping[str, Any]
    problem: str = ""


# Plays a game: takes the rules, the generator that draws all moves, the files, a name and a text
# each, and the game's own options by name.
Play = Callable[..., Playout]


def play_live(live: LiveGame, player: Asked, most: int) -> Playout:
    """Let a player of this process play a live game to its end, but at most some turns."""
    pieces: list[str] = []
    problems = referee(live, player, 0, most, pieces.append, show_nothing)
    return Playout("".join(pieces), live.result(), "; ".join(problems))


def make_playouts(
    game: str,
    play: Play,
    *kinds: FileKind,
    options: Sequence[Callable[[Callable[..., Any]], Callable[..., Any]]] = (most_turns_option,),
    help_: str,
    example: str,
) -> click.Command:
    """Make the command ``playouts`` of a game.

    Args:
        game: Its folder in ``asp/``.
        play: Plays a game, the same one whenever its generator has the same seed.
        kinds: The files that it takes, named after their kinds, such as MAP.
        options: Its own options; most games bound the turns by `most_turns_option`.
        help_: The help; its first line stands in lists.
        example: How the example goes on after ``kb-score playouts``.
    """
    names = [kind.words.split()[-1] for kind in kinds]

    def playouts(
        seed: int, games: int, output: Path | None, format_: str, rules: GameRules, **others: Any
    ) -> Exit:
        paths = [others.pop(name) for name in names]
        texts = read_inputs(*zip(paths, kinds, strict=True))
        files = tuple(zip(paths, texts, strict=True))

        def play_one(seed: int) -> Playout:
            return play(rules, Random(seed), *files, **others)

        target = _Target(game.replace("_", "-"), output, [*paths, *rules.changes.paths])
        return target.fill(range(seed, seed + games), play_one, format_)

    command: Callable[..., Any] = game_options(game)(playouts)
    adding: list[Callable[..., Any]] = [click.argument(n, metavar=n.upper()) for n in names]
    adding += [*options, _seed_option, _games_option, _output_option]
    for add in reversed(adding):
        command = add(command)
    return make_verb("playouts", game, help_, example)(command)


_seed_option = number_option("--seed", 0, 10**9, 1, "Seed of the first game; the next has N+1.")
_games_option = number_option("--games", 1, 10**6, 1, "How many games are played.")
_output_option = click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=FolderName(),
    help="Write each game to a file in DIR  [default: one game, to standard output].",
)


class _Target:
    """Where the games go: to files in a folder, which are listed, or to standard output."""

    def __init__(self, game: str, folder: Path | None, inputs: Sequence[str]) -> None:
        self.game, self.folder, self.inputs = game, folder, inputs
        self.columns: tuple[str, ...] = ()
        self.rows: list[tuple[str | int, ...]] = []
        self.lines: list[dict[str, Any]] = []

    def fill(self, seeds: Sequence[int], play: Callable[[int], Playout], format_: str) -> Exit:
        """Play a game for each seed; those that are written stay if a signal comes."""
        if self.folder is None:
            if len(seeds) > 1 or format_ != "table":
                what = "several games need" if len(seeds) > 1 else "a list of games needs"
                raise click.UsageError(f"{what} a folder: name one with -o")
            playout = play(seeds[0])
            _tell(seeds[0], playout)
            click.echo(playout.record, nl=False)
            return Exit.FINE
        folder = make_folder(self.folder)
        try:
            for number, seed in enumerate(seeds, 1):
                show_progress(f"game {number} of {len(seeds)}")
                self.write(folder / f"{self.game}-{seed}.txt", seed, play(seed))
        finally:
            show_progress("")
        show(Output([Table("", self.columns, tuple(self.rows))], self.lines), format_)
        return Exit.FINE

    def write(self, path: Path, seed: int, playout: Playout) -> None:
        """Write a game, whole or not at all."""
        _tell(seed, playout)
        write_whole(str(path), playout.record.encode(), self.inputs)
        result = dict(playout.result)
        self.columns = ("seed", "record", *result)
        self.rows.append((seed, str(path), *map(say, result.values())))
        self.lines.append({"game": self.game, "seed": seed, "record": str(path), "result": result})


def _tell(seed: int, playout: Playout) -> None:
    if playout.problem:
        show_progress("")
        complain(f"seed {seed}: {playout.problem}", kind="note")
