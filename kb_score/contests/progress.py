"""How a tournament goes on: one live line on a terminal, a few lines in a log."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kb_score.games.referee import show_progress
from kb_score.shell.output import complain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kb_score.contests.results import GameResult

_LINES = 10  # that a log has of a tournament, however many games


@dataclass(slots=True)
class Progress:
    """Tells of games that are over, and at the end of the bots that had problems.

    Attributes:
        total: How many games are to be played.
        done: How many are over.
        problems: In how many turns each bot had problems.
        games: In how many games.
    """

    total: int
    done: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    games: Counter[str] = field(default_factory=Counter)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        """Clear the live line, and tell how often each bot had problems."""
        show_progress("")
        for name, turns in self.problems.items():
            if self.games[name] > 1:
                complain(f"{_say_problem(name, turns)} of {self.games[name]} games", kind="warning")

    def tell(self, result: GameResult, details: Mapping[int, str]) -> None:
        """Tell of a game that is over, and of each bot that has had problems in no game before.

        Args:
            result: The game.
            details: What went wrong, by player.
        """
        self.done += 1
        pairs = zip(result.bots, result.squares, strict=True)
        scores = ", ".join(f"{name} {squares}" for name, squares in pairs)
        line = f"{self.done}/{self.total}: {scores} after {result.turns} turns"
        if sys.stderr.isatty():
            # A line that is broken could not be written over.
            show_progress(line[: shutil.get_terminal_size().columns - 1])
        elif self.done * _LINES // self.total > (self.done - 1) * _LINES // self.total:
            complain(line)
        for seat, (name, turns) in enumerate(zip(result.bots, result.problems, strict=True), 1):
            if turns and name not in self.problems:
                show_progress("")
                said = f"{_say_problem(name, turns)}; first it {details[seat]}"
                complain(said, kind="warning")
            self.problems[name] += turns
            self.games[name] += bool(turns)
        self.problems = +self.problems


def _say_problem(name: str, turns: int) -> str:
    return f"{name} was late, crashed or printed garbage in {turns} turns"
