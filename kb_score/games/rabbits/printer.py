"""What a match prints: the challenge's table row by row, or one of the other formats at its end."""

from __future__ import annotations

from collections.abc import Sequence

import click

from kb_score.command import complain, print_played
from kb_score.games.rabbits.referee import Match, PlayedRun
from kb_score.report import Table


class Printer:
    """Prints the runs of a match in one format."""

    def __init__(self, match: Match, format_: str) -> None:
        """Take what is played and how to print it, one of `kb_score.report.FORMATS`."""
        self._match, self._format = match, format_

    def add(self, run: PlayedRun) -> None:
        """Print one run, and on standard error what its program did not do."""
        if run.failure:
            complain(f"run {run.number}, turn {run.turns + 1}: {run.failure}", kind="note")
        if run.unusable:
            complain(
                f"run {run.number}: {run.unusable} of {run.turns} answers ask for no move that can "
                "be read, such as: move 3,4 to 3,5; 7,2 to 6,2",
                kind="note",
            )
        if self._format == "table" and run.number == 1:
            click.echo(self._match.headline())
            click.echo(_row("Run", "Seed", "Score"))
        if self._format == "table":
            click.echo(_row(run.number, run.seed, run.saved))

    def end(self, played: Sequence[PlayedRun]) -> None:
        """Print what comes after the runs."""
        total = sum(run.saved for run in played)
        if self._format == "table":
            click.echo(f"Total Score: {total}")
            return
        rows = [(run.number, run.seed, run.saved) for run in played]
        sums = [] if self._format == "csv" else [("Total Score", "", total)]
        table = Table("", ("Run", "Seed", "Score"), (*rows, *sums), len(sums))
        result = {
            "turns": sum(run.turns for run in played),
            "runs": len(played),
            "saved": total,
            "finished": not any(run.failure for run in played),
        }
        runs = [
            {"run": run.number, "seed": run.seed, "saved": run.saved, "turns": run.turns}
            for run in played
        ]
        print_played("rabbits", result, [table], self._format, runs)


def _row(run: int | str, seed: int | str, score: int | str) -> str:
    # The widths of the challenge's controller.
    return f"{run:>10} {seed:>20} {score:>10}"
