"""The book of a contest: which results in its file count, and which games are still to come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kb_score.contests.results import read_results
from kb_score.contests.schedule import Match
from kb_score.shell.output import complain

if TYPE_CHECKING:
    from pathlib import Path

    from kb_score.contests.plan import Keys, Plan
    from kb_score.contests.results import GameResult
    from kb_score.contests.schedule import Games

_LARGEST = 2**31 - 1  # what clingo counts with
_ADDED = 1 << 62
_BITS = 12  # numbers of one chunk, as a power of two


@dataclass(slots=True)
class Numbers:
    """A set of numbers that takes a bit for each, where many stand close together."""

    count: int = 0
    _chunks: dict[int, int] = field(default_factory=dict)

    def __contains__(self, number: int) -> bool:
        """Whether a number is in it."""
        chunk, bit = number >> _BITS, number & ((1 << _BITS) - 1)
        return bool(self._chunks.get(chunk, 0) >> bit & 1)

    def add(self, number: int) -> bool:
        """Add a number; tell whether it is new."""
        if number in self:
            return False
        chunk, bit = number >> _BITS, number & ((1 << _BITS) - 1)
        self._chunks[chunk] = self._chunks.get(chunk, 0) | 1 << bit
        self.count += 1
        return True


@dataclass(frozen=True, slots=True)
class Entry:
    """A result that counts.

    Attributes:
        match: Which game of the contest it is now.
        result: What came of it.
    """

    match: Match
    result: GameResult


@dataclass(frozen=True)
class Book:
    """The results of a contest.

    Attributes:
        plan: The contest.
        games: Its games.
        keys: What tells its games apart.
        path: The file of results.
    """

    plan: Plan
    games: Games
    keys: Keys
    path: Path
    # How many results did not count when they were last read.
    _stale: Counter[str] = field(default_factory=Counter)

    def read(self, played: Numbers | None = None) -> Iterator[Entry]:
        """Yield the results that count, each game once, in the order in which they ended.

        What does not count is of bots, maps, limits or rules that are not those of now.

        Args:
            played: The numbers of these games are added to it; none that is in it is yielded.

        Raises:
            InputError: The file cannot be read, or holds something else.
        """
        seats = {bot.name: number for number, bot in enumerate(self.plan.bots)}
        fields = {field.name: number for number, field in enumerate(self.plan.fields)}
        found = Numbers() if played is None else played
        self._stale.clear()
        for result in read_results(self.path):
            match = self._find(result, seats, fields)
            if match is None:
                self._stale["results"] += 1
            elif found.add(_mark(match)):
                yield Entry(match, result)

    def tell_stale(self) -> None:
        """Tell how many results did not count when they were last read, if there were any."""
        if number := self._stale["results"]:
            changed = "bots, boards, limits, settings or rules have changed since"
            counts = "1 result does" if number == 1 else f"{number} results do"
            complain(f"{self.path}: {counts} not count: {changed}", kind="note")

    def _find(
        self, result: GameResult, seats: dict[str, int], fields: dict[str, int]
    ) -> Match | None:
        known = result.field in fields and all(name in seats for name in result.bots)
        if not known or not len(result.stays) == len(result.bots) == self.plan.table:
            return None
        figures = len(self.plan.arena.form.figures)
        if any(len(s.score) != figures or max(map(abs, s.score)) > _LARGEST for s in result.stays):
            return None
        bots = tuple(seats[name] for name in result.bots)
        said = Match(result.number - 1, bots, fields[result.field], result.round, 0, result.added)
        match = self.games.find(said)
        return match if match and self.keys.key(match) == result.key else None

    def list_left(self, played: Numbers) -> Iterator[Match]:
        """Yield the games that are not among the played ones, one by one: there may be billions."""
        own = self.games.count_own()
        for number in range(self.games.count()):
            if number + _ADDED * (number >= own) not in played:
                yield self.games.match(number)


def _mark(match: Match) -> int:
    """Make a number of a game: the contest's own games and those that were added count apart."""
    return match.number + _ADDED * match.added
