"""The games of a contest as ratings need them: who came before whom, in arrays of numbers.

A million games of four bots take 16 MB.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from random import Random

# For each bot of a game, last place first: 1.0 if all who share its place have been named, else
# 0.0. Games with the same pattern stand in one array.
Pattern = tuple[float, ...]
Rows = Iterable[tuple[int, ...]]
Games = Sequence[tuple[Pattern, Rows]]


@dataclass(frozen=True, slots=True)
class _Table:
    """Games of one pattern, which can be read again and again."""

    size: int
    bots: array[int] = field(default_factory=lambda: array("i"))

    def __len__(self) -> int:
        return len(self.bots) // self.size

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return zip(*[iter(self.bots)] * self.size, strict=True)

    def __getitem__(self, number: int) -> tuple[int, ...]:
        return tuple(self.bots[number * self.size : (number + 1) * self.size])


@dataclass(slots=True)
class GameLog:
    """Games, each with the places of its bots. It grows; nothing is taken away.

    Attributes:
        count: How many games of two bots or more there are. A bot alone beats nobody: such a game
            says nothing, and is not kept.
    """

    count: int = 0
    _tables: dict[Pattern, _Table] = field(default_factory=dict)

    def add(self, bots: Sequence[int], places: Sequence[int]) -> None:
        """Add a game.

        Args:
            bots: Who played, as numbers from 0, each once.
            places: Their places in the same order; the lowest is the best, equal ones are a tie.

        Raises:
            ValueError: A bot has no place, or a place no bot; a bot plays twice; a number is
                negative.
        """
        if len(set(bots)) < len(bots) or min(bots, default=0) < 0:
            raise ValueError(f"each bot plays once, and has a number from 0: {list(bots)}")
        ordered = sorted(zip(places, bots, strict=True), reverse=True)
        if len(ordered) < 2:
            return
        sizes = [len(list(group)) for _, group in groupby(place for place, _ in ordered)]
        pattern = tuple(closes for size in sizes for closes in (*[0.0] * (size - 1), 1.0))
        table = self._tables.setdefault(pattern, _Table(len(pattern)))
        table.bots.extend(bot for _, bot in ordered)
        self.count += 1

    def read(self) -> Games:
        """Give all games, pattern by pattern; the bots of a game come last place first."""
        return list(self._tables.items())

    def find_players(self) -> set[int]:
        """Find the bots that have played against others."""
        return {bot for table in self._tables.values() for bot in table.bots}

    def draw(self, games: int, random: Random) -> Games:
        """Draw so many games, each from all of them: some come twice or more, some never."""
        numbers = iter(sorted(random.choices(range(self.count), k=games)))
        drawn: list[tuple[Pattern, list[tuple[int, ...]]]] = []
        number, first = next(numbers, None), 0
        for pattern, table in self._tables.items():
            rows = []
            while number is not None and number < first + len(table):
                rows.append(table[number - first])
                number = next(numbers, None)
            if rows:
                drawn.append((pattern, rows))
            first += len(table)
        return drawn
