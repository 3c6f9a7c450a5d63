"""Arenas: games as contests see them, to seat bots, let them play and compare them.

A game that has contests has a module ``contest`` with an `Arena` called ``ARENA``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from kb_score.engine.run import Use
from kb_score.games.sitting import NO_FIELD

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Row
    from kb_score.games.sitting import Field, Outcome, Sitting
    from kb_score.shell.replay import Replay

MERIT = Use("merit")
# What errors call a record that `Arena.follow` draws.
RECORD = "the record"


@dataclass(frozen=True, slots=True)
class Option:
    """A number that a contest's file may set, within bounds; a whole one if the default is."""

    default: int | float
    least: int | float
    most: int | float


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
        has_luck: Whether the same bots play another game with another seed.
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
    has_luck: bool = False


class Arena(ABC):
    """A game as contests see it.

    Attributes:
        form: What the file of a contest may say.
    """

    form: ClassVar[Form]

    def read_field(self, word: str, home: Path, rules: GameRules) -> Field:
        """Read what is played on, by the word of a contest's file, which is in a folder.

        A game that has nothing to choose need not say it.

        Raises:
            KbScoreError: There is no such thing.
        """
        return NO_FIELD

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
    def follow(self, record: str, field: Field, rules: GameRules) -> Replay:
        """Draw each turn of a game, by the record that `play` has made of it.

        Raises:
            KbScoreError: It is no such record, or the rules draw nothing.
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


def find_places(standings: Iterable[StandingRow]) -> dict[int, int]:
    """Find the places of bots, from 1: larger keys come first, and equals share a place."""
    places: dict[int, int] = {}
    ordered = sorted(standings, key=lambda row: row.key, reverse=True)
    for _, equals in groupby(ordered, key=lambda row: row.key):
        place = len(places) + 1
        places |= {row.bot: place for row in equals}
    return places
