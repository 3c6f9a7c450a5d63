"""Arenas: what a contest needs to know of a game, to seat bots, let them play and compare them.

A game that has contests has a module ``contest`` with an `Arena` called ``ARENA``.
"""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from kb_score.engine.run import Use
from kb_score.errors import InputError, visible
from kb_score.shell.bots import BotFailure
from kb_score.shell.files import read_input

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Row
    from kb_score.errors import FileKind
    from kb_score.games.referee import Asked

MERIT = Use("merit")
# How a turn may go wrong.
FAULTS = ("late", "crashed", "illegal")
# What the games' own words for that mean here.
_FAULTS = {"late": "late", "ended": "crashed", "crashed": "crashed"}


@dataclass(frozen=True, slots=True)
class Option:
    """A number that a contest's file may set, within bounds; a whole one if the default is."""

    default: int | float
    least: int | float
    most: int | float


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


# How often a bot (by its number) had a score on a field (by its number).
Tally = Counter[tuple[int, int, tuple[int, ...]]]


class StandingRow(NamedTuple):
    """``standing(Bot,Key)``: the bot with the larger key comes first."""

    bot: int
    key: tuple[Any, ...]


class MeritRow(NamedTuple):
    """``merit(Seat,Merit)``: what is compared within a game."""

    seat: int
    merit: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """What the file of a contest of a game may say.

    Attributes:
        game: The game's folder.
        limits: The times that bots have.
        figures: What a `Stay.score` says, such as ``squares``.
        measures: The figures of which a contest's file may choose one to rank by, the usual one
            first.
        uses: The uses of the rules that a game depends on.
        least: How many bots play a game, at the least.
        most: How many at the most.
        field_key: What the file calls the things to play on, such as ``maps``; empty if there is
            nothing to choose.
        settings: The numbers that a game depends on.
        words: The texts that a game depends on, with what they are if nothing is said.
        in_shell: Whether a command is one for the shell.
        counts_if: The figure that is 0 in games whose other figures do not count, such as those
            that were not finished; empty if all count.
    """

    game: str
    limits: Mapping[str, Option]
    figures: tuple[str, ...]
    measures: tuple[str, ...]
    uses: tuple[Use, ...]
    least: int = 1
    most: int = 1
    field_key: str = ""
    settings: Mapping[str, Option] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    in_shell: bool = False
    counts_if: str = ""


class Arena(ABC):
    """A game as contests see it.

    Attributes:
        form: What the file of a contest may say.
    """

    form: ClassVar[Form]

    def read_field(self, word: str, home: Path, rules: GameRules) -> Field:
        """Read what is played on, by the word of a contest's file, which is in a folder.

        Raises:
            KbScoreError: There is no such thing.
        """
        raise NotImplementedError

    @abstractmethod
    def prepare(self, sitting: Sitting, rules: GameRules) -> None:
        """Find out before the first game what would be wrong with each, but for the seats.

        Raises:
            KbScoreError: Something is.
        """

    @abstractmethod
    def play(self, sitting: Sitting, rules: GameRules) -> Outcome:
        """Play a game to its end.

        Raises:
            KbScoreError: A bot cannot be started, or the user's rules cannot be used.
        """

    @abstractmethod
    def rank(
        self, bots: int, tally: Tally, fields: int, measure: str, rules: GameRules
    ) -> list[StandingRow]:
        """Find what is compared to rank bots 0 and so on, by the rules.

        Raises:
            RuleError: The user's rules cannot be used.
        """

    def find_merits(
        self, scores: Sequence[tuple[int, ...]], rules: GameRules
    ) -> list[tuple[int, ...]]:
        """Find what is compared within a game, by ``merit.lp``."""
        facts: list[Row] = [(seat, score) for seat, score in enumerate(scores)]
        rows = rules.ask(MERIT, {"outcome": facts}).read(MeritRow)
        merits = {row.seat: row.merit for row in rows}
        return [merits[seat] for seat in range(len(scores))]


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


def find_places(standings: Iterable[StandingRow]) -> dict[int, int]:
    """Find the places of bots, from 1: larger keys come first, and equals share a place."""
    places: dict[int, int] = {}
    ordered = sorted(standings, key=lambda row: row.key, reverse=True)
    for _, equals in groupby(ordered, key=lambda row: row.key):
        place = len(places) + 1
        places |= {row.bot: place for row in equals}
    return places


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
