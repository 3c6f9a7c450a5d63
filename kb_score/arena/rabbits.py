"""The edge cases of the protocol of the rabbits game, and the controller's table of scores."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from random import Random

import click

from kb_score.arena.probes import Case, Probe, ask_turns, ask_twice, close_after
from kb_score.arena.referee import Played, Reporter
from kb_score.engine.rules import GameRules
from kb_score.errors import InputError, visible
from kb_score.games.game import Game
from kb_score.games.match import Match, MatchSetup
from kb_score.games.rabbits.match import RabbitsMatch
from kb_score.games.rabbits.records import FACTS_OF, read_map
from kb_score.shell.files import read_input
from kb_score.shell.output import Exit, Table, complain

_NO_NAME = "the bot needs the path of the map: name a file, not standard input"

# The maps of the cases.
_MAPS = Path(__file__).with_name("rabbits_maps")
_SEED = 7  # the seed of the bot and of the generator in cases
_LONG = 500  # the turns of a long run
_SHORT = 30  # the turns of a short run


def list_cases(rules: GameRules, *, map: str | None) -> Sequence[Case]:  # noqa: A002
    """Return the edge cases of the protocol.

    ``map`` is the path of the map of cases that do not need a special one; None for a small map.
    """
    if map == "-":
        raise InputError("--map", _NO_NAME)

    main = _MAPS / "hall.map" if map is None else map

    def make(
        name: str, shows: str, probe: Probe, path: str | Path = main, turns: int = _LONG
    ) -> Case:
        text = read_input(str(path), FACTS_OF)
        read_map(text, str(path))  # a mistake in the map is reported before a bot is started
        setup = MatchSetup(((str(path), text),), {"turns": turns}, _SEED)
        arguments = [str(path), str(_SEED)]

        def begin() -> Match:
            return RabbitsMatch(rules, setup, Random(_SEED))

        return Case(name, shows, probe, begin, arguments)

    guarded = _MAPS / "guarded.map"
    quiet = _MAPS / "quiet.map"
    cell = _MAPS / "cell.map"
    crowd = _MAPS / "crowd.map"
    return [
        make("first-turn", "the first turn of a run", ask_turns()),
        make("middle", "the first 20 turns of a long run", ask_turns(20)),
        make("people-dead", "no rabbits are left: their list is empty", ask_turns(4), guarded),
        make("no-crushers", "there are no crushers: their list is empty", ask_turns(4), quiet),
        make("nothing-to-do", "a rabbit between walls, which cannot move", ask_turns(4), cell),
        make("full-board", "a rabbit on every cell", ask_turns(4), crowd),
        make(
            "end-of-game", "a run of one turn: the input is closed after it", close_after(), turns=1
        ),
        make("input-closed", "the input is closed in the middle of a run", close_after(5)),
        make("same-twice", "the first turns, twice with the same seed", ask_twice(5)),
        make(
            "whole-game",
            "a short run, to its last turn",
            ask_turns(_SHORT, whole=True),
            turns=_SHORT,
        ),
    ]


class RabbitsReporter(Reporter):
    """Prints a row for each run, and the total score, as the challenge's controller does."""

    def __init__(self, game: Game, setup: MatchSetup, bots: Sequence[str], format_: str) -> None:
        """Begin a series; see `Reporter`."""
        super().__init__(game, setup, bots, format_)
        self._runs: list[dict[str, int]] = []
        self._finished = True

    def head(self) -> str:
        """Return the first line of the controller's output."""
        setup = self.setup
        ((path, _),) = setup.files
        (bot,) = self.bots
        numbers = f"{setup.settings['turns']} {setup.seed} {setup.runs}"
        words = ["Running: controller.py", path, numbers, *shlex.split(bot)]
        line = visible(" ".join(words))
        return f"{line}\n"

    def foot(self) -> str:
        """Return the last line of the controller's output."""
        return f"Total Score: {self._sum('saved')}\n"

    def _sum(self, key: str) -> int:
        """Return the sum of a number over the runs."""
        return sum(run[key] for run in self._runs)

    def end_match(self, setup: MatchSetup, match: Match, played: Played) -> None:
        """Print the row of a run, and notes on its bot."""
        assert isinstance(match, RabbitsMatch)
        self._finished &= match.finished
        number = setup.run
        counts = {"run": number, "seed": setup.seed, "saved": match.saved, "turns": match.turn}
        self._runs.append(counts)
        if played.problem:
            complain(f"run {number}, {played.problem}", kind="note")
        if match.unreadable:
            answers = f"{match.unreadable} of {match.turn} answers contain no readable move"
            example = "expected, for example: move 3,4 to 3,5; 7,2 to 6,2"
            complain(f"run {number}: {answers}; {example}", kind="note")
        if self.format_ == "table":
            if len(self._runs) == 1:
                click.echo(self.head(), nl=False)
                click.echo(_write_row("Run", "Seed", "Score"))
            click.echo(_write_row(number, setup.seed, match.saved))

    def end(self) -> Exit:
        """Print the total, or the whole table in other formats, and return the exit status."""
        if self.format_ == "table":
            click.echo(self.foot(), nl=False)
            return Exit.FINE
        saved = self._sum("saved")
        result = {
            "turns": self._sum("turns"),
            "runs": len(self._runs),
            "saved": saved,
            "finished": self._finished,
        }
        rows: list[tuple[int | str, ...]] = []
        for run in self._runs:
            row = (run["run"], run["seed"], run["saved"])
            rows.append(row)
        footer_rows = 0
        if self.format_ != "csv":
            footer_rows = 1
            rows.append(("Total Score", "", saved))
        table = Table("", ("Run", "Seed", "Score"), tuple(rows), footer_rows)
        self.show(result, [table], self._runs)
        return Exit.FINE


def _write_row(run: int | str, seed: int | str, score: int | str) -> str:
    """Write a row of the table with the column widths of the challenge's controller."""
    return f"{run:>10} {seed:>20} {score:>10}"
