"""How a contest goes on: one live line on a terminal, a few lines in a log."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from kb_score.errors import visible
from kb_score.games.referee import show_progress
from kb_score.shell.output import complain
from kb_score.shell.programs import Words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kb_score.contests.task import Played, Task

_LINES = 10  # that a log has of a contest, however many games
_SOON = 3  # games after which the time that is left is told


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
    _begun: float = field(default_factory=monotonic)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        """Clear the live line, and tell how often each bot had problems."""
        show_progress("")
        for name, turns in self.problems.items():
            if self.games[name] > 1:
                complain(f"{_say_problem(name, turns)} of {self.games[name]} games", kind="warning")

    def tell(self, task: Task, played: Played, logs: Sequence[Path] = ()) -> None:
        """Tell of a game that is over, and of each bot that has had problems in no game before.

        Args:
            task: The game.
            played: What came of it.
            logs: The files of what its bots said; if there are none, that is told.
        """
        self.done += 1
        outcome = played.outcome
        pairs = list(zip(task.bots, outcome.stays, strict=True))
        scores = ", ".join(f"{bot.name} {stay.score[0]}" for bot, stay in pairs)
        where = f" on {task.field.name}" if task.field.name else ""
        line = f"{self.done}/{self.total}: {scores} after {outcome.turns} turns{where}"
        if sys.stderr.isatty():
            # A line that is broken could not be written over.
            show_progress(f"{line}{self._say_left()}"[: shutil.get_terminal_size().columns - 1])
        elif self.done * _LINES // self.total > (self.done - 1) * _LINES // self.total:
            complain(f"{line}{self._say_left()}")
        for seat, (bot, stay) in enumerate(pairs):
            turns = sum(stay.faults.values())
            if turns and bot.name not in self.problems:
                show_progress("")
                said = f"{_say_problem(bot.name, turns)}; first at {stay.detail}"
                words = _tell_words(played.logs[seat], logs[seat] if logs else None)
                complain(f"{said}{words}", kind="warning")
            self.problems[bot.name] += turns
            self.games[bot.name] += bool(turns)
        self.problems = +self.problems

    def _say_left(self) -> str:
        if self.done < _SOON or self.done == self.total:
            return ""
        seconds = (monotonic() - self._begun) / self.done * (self.total - self.done)
        return f"; {say_time(seconds)} left"


def say_time(seconds: float) -> str:
    """Write a time for people: ``3 h 20 min``, ``12 min`` or ``40 s``."""
    minutes, hours = round(seconds / 60), int(seconds // 3600)
    if seconds < 90:
        return f"{round(seconds)} s"
    if hours:
        return f"{hours} h {minutes - 60 * hours} min"
    return f"{minutes} min"


def _tell_words(said: bytes, log: Path | None) -> str:
    """Tell what a bot said, or in which file that is, in lines that begin on a new one."""
    words = Words()
    words.take(said)
    if words.tell() and log is not None:
        return f"\n    what it said is in {visible(str(log))}"
    return words.tell()


def _say_problem(name: str, turns: int) -> str:
    number = f"{turns} turn{'s' * (turns > 1)}"
    return f"{name} was late, crashed or printed garbage in {number}"
