"""A game of a contest: who sits where, and what comes of it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING

from kb_score.errors import InputError, visible
from kb_score.shell.bots import BotFailure
from kb_score.shell.files import read_input

if TYPE_CHECKING:
    from kb_score.errors import FileKind
    from kb_score.games.referee import Asked

# How a turn may go wrong.
FAULTS = ("late", "crashed", "illegal")
# What the games' own words for that mean here.
_FAULTS = {"late": "late", "ended": "crashed", "crashed": "crashed"}


@dataclass(frozen=True, slots=True)
class Field:
    """What is played on.

    Attributes:
        name: What tables call it.
        text: The map, or the names of the quadrants; empty for a game that has nothing to choose.
    """

    name: str
    text: str


NO_FIELD = Field("", "")


@dataclass(frozen=True, slots=True)
class Seat:
    """A bot that plays.

    Attributes:
        name: What people call it.
        command: A command for the shell, or a program with its arguments, as the game has it.
        folder: The folder that it runs in.
        logs: The folder that its error stream goes to.
        limits: The times that it has, in seconds, by the names of `Form.limits`.
        persistent: Whether it runs for a whole game where the game's own bots do not.
    """

    name: str
    command: str
    folder: Path
    logs: Path
    limits: Mapping[str, float]
    persistent: bool = False

    def words(self) -> list[str]:
        """Split the command into a program and its arguments."""
        return split_command(self.command, self.name)


@dataclass(frozen=True, slots=True)
class Sitting:
    """A game that is to be played.

    Attributes:
        seats: The bots of players 1 and so on.
        field: What they play on.
        seed: What the game draws by.
        settings: The numbers of `Form.settings`.
        words: The texts of `Form.words`, such as the cards of a game.
    """

    seats: Sequence[Seat]
    field: Field
    seed: int
    settings: Mapping[str, int | float]
    words: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Stay:
    """What came of a bot's stay at a table.

    Attributes:
        score: The game's own figures, by `Form.figures`.
        merit: What is compared within a game; the larger tuple did better.
        faults: In how many turns it was late, crashed, or said nothing usable.
        detail: What went wrong first, in words; empty if nothing did.
        seconds: The median of the times that it took for its answers, and the longest.
    """

    score: tuple[int, ...]
    merit: tuple[int, ...]
    faults: Mapping[str, int] = field(default_factory=dict)
    detail: str = ""
    seconds: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A game that was played.

    Attributes:
        stays: What came of it for players 1 and so on.
        turns: How many turns it had.
        record: The session, which ``check`` accepts.
    """

    stays: tuple[Stay, ...]
    turns: int
    record: str


class Timed:
    """A bot whose answers are timed.

    Attributes:
        seconds: How long it took for each.
        failure: How it failed; None if it did not.
    """

    def __init__(self, bot: Asked) -> None:
        self._bot = bot
        self.seconds: list[float] = []
        self.failure: BotFailure | None = None

    def ask(self, text: str, timeout: float) -> str:
        """Send a text and get a line within the timeout, in seconds."""
        start = monotonic()
        try:
            return self._bot.ask(text, timeout)
        except BotFailure as failure:
            self.failure = failure
            raise
        finally:
            self.seconds.append(monotonic() - start)


def read_map(word: str, home: Path, kind: FileKind) -> tuple[str, str]:
    """Read a file that a contest's file names: where it is, and its text."""
    path = str(home / word)
    return path, read_input(path, kind)


def sum_up(seconds: Sequence[float]) -> tuple[float, float]:
    """Find the median and the maximum of the times of answers, in seconds; 0 if there are none."""
    return (round(median(seconds), 4), round(max(seconds), 4)) if seconds else (0.0, 0.0)


def name_fault(kind: str) -> str:
    """Find the contests' word for a game's own word of what went wrong."""
    return _FAULTS.get(kind, "illegal")


def split_command(command: str, name: str) -> list[str]:
    """Split a command into a program and its arguments.

    Raises:
        InputError: It cannot be split, or is empty.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(name, f"its command {visible(command)!r}: {error}") from error
    if not words:
        raise InputError(name, "its command is empty")
    return words
