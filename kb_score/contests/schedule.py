"""Which bots play game k in which order, on which map and with which seed: computed from k alone.

A contest of 2,000 bots of Slime has 6.6e11 fours. So no game is ever listed: the games are
numbered, and a number is turned into a game when the game is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from math import comb, factorial
from random import Random
from typing import Literal, Protocol

Seating = Literal["file", "all", "rotate"]

_SEEDS = 2**31 - 1  # seeds that every bot's language has room for


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game of a contest, before it is played."""

    number: int  # its number, from 0
    # The bots of players 1 and so on, by their places in the contest's file, from 0.
    bots: tuple[int, ...]
    map: int  # what it is played on, by its place in the contest's file, from 0
    round: int  # the round, from 0
    # What the game draws by; the same for all games of a round on one map, so that luck is the same
    # for all.
    seed: int
    # Whether an earlier version of kb-score added it to the contest's own games.
    added: bool = False

    def is_like(self, other: Fixture) -> bool:
        """Whether it has the bots, the map and the round of another one."""
        same = (self.bots, self.map, self.round) == (other.bots, other.map, other.round)
        return same and self.added == other.added


class Fixtures(Protocol):
    """The games of a contest, each made from its number when it is wanted."""

    def count(self) -> int:
        """Count the games."""

    def fixture(self, number: int) -> Fixture:
        """Make the game of a number from 0 to `count` - 1; else an IndexError."""

    def find(self, fixture: Fixture) -> Fixture | None:
        """Find the game that another one is, which may have another number; or None."""


@dataclass(frozen=True, slots=True)
class Schedule(Fixtures):
    """All games of a contest: each group of bots in each seating, on each map, in each round.

    Rounds come one after another: a contest that is stopped early has let all bots play nearly
    equally often.
    """

    bots: int  # how many bots there are
    players: int  # how many of them play a game
    # Each group once, in the order of the file; or once in every order; or so often that each bot
    # is each player once.
    seating: Seating = "file"
    maps: int = 1  # how many boards or maps there are
    rounds: int = 1  # how often all of that is played
    seed: int = 1  # what the seeds of the games follow from

    def count(self) -> int:
        """Count the games."""
        return self.rounds * comb(self.bots, self.players) * self._orders * self.maps

    def fixture(self, number: int) -> Fixture:
        """Make the game of a number from 0 to `count` - 1."""
        if not 0 <= number < self.count():
            raise IndexError(number)
        rest, map_ = divmod(number, self.maps)
        rest, order = divmod(rest, self._orders)
        round_, group = divmod(rest, comb(self.bots, self.players))
        bots = self._order(_find_combination(group, self.bots, self.players), order)
        return Fixture(number, bots, map_, round_, find_seed(self.seed, map_, round_))

    def find(self, fixture: Fixture) -> Fixture | None:
        """Find the game whose bots, map and round are those of another; None if there is none.

        When bots are added to a contest, its games get other numbers.
        """
        group = tuple(sorted(fixture.bots))
        if fixture.added or len(set(group)) != self.players:
            return None
        if not 0 <= group[0] <= group[-1] < self.bots:
            return None
        if not (0 <= fixture.map < self.maps and 0 <= fixture.round < self.rounds):
            return None
        orders = range(self._orders)
        order = next((i for i in orders if self._order(group, i) == fixture.bots), None)
        if order is None:
            return None
        number = fixture.round * comb(self.bots, self.players) + _rank_combination(group, self.bots)
        return self.fixture((number * self._orders + order) * self.maps + fixture.map)

    @property
    def _orders(self) -> int:
        return {"file": 1, "all": factorial(self.players), "rotate": self.players}[self.seating]

    def _order(self, group: tuple[int, ...], order: int) -> tuple[int, ...]:
        if self.seating == "rotate":
            return group[order:] + group[:order]
        left, ordered = list(group), []
        for places in range(len(group), 0, -1):
            place, order = divmod(order, factorial(places - 1))
            ordered.append(left.pop(place))
        return tuple(ordered)


@dataclass(frozen=True, slots=True)
class Sample(Fixtures):
    """Some games of a contest, drawn so that all bots play nearly equally often.

    The bots are shuffled again and again, and each shuffle is cut into games. Where bots are left
    over, those who sit out a shuffle take turns. Who is which player comes by chance; all games of
    a shuffle have one map and one seed.
    """

    bots: int  # how many bots there are
    players: int  # how many of them play a game
    games: int  # how many games are drawn
    maps: int = 1  # how many boards or maps there are; they come in turn
    seed: int = 1  # what is drawn by

    def count(self) -> int:
        """Count the games."""
        return self.games

    def fixture(self, number: int) -> Fixture:
        """Make the game of a number from 0 to `count` - 1."""
        if not 0 <= number < self.games:
            raise IndexError(number)
        shuffle, place = divmod(number, self.bots // self.players)
        order = _shuffle(self.bots, self.players, self.seed, shuffle)
        bots = order[place * self.players :][: self.players]
        round_, map_ = divmod(shuffle, self.maps)
        return Fixture(number, bots, map_, round_, find_seed(self.seed, map_, round_))

    def find(self, fixture: Fixture) -> Fixture | None:
        """Find the game that was drawn with a number; None if its bots or others were others."""
        if not 0 <= fixture.number < self.games:
            return None
        own = self.fixture(fixture.number)
        return own if own.is_like(fixture) else None


def find_seed(seed: int, map_: int, round_: int) -> int:
    """Find the seed of a map in a round, from 1 to 2^31 - 1."""
    text = f"{seed} {map_} {round_}"
    return int.from_bytes(sha256(text.encode()).digest()[:8]) % _SEEDS + 1


def _find_combination(number: int, bots: int, players: int) -> tuple[int, ...]:
    """Find the combination of a number, in the order of `itertools.combinations`."""
    found = []
    first = 0
    for left in range(players, 0, -1):
        # How many combinations begin with ``first``; the next bot is found by halving.
        before = comb(bots - first, left)
        low, high = first, bots - left
        while low < high:
            middle = (low + high + 1) // 2
            if before - comb(bots - middle, left) <= number:
                low = middle
            else:
                high = middle - 1
        number -= before - comb(bots - low, left)
        found.append(low)
        first = low + 1
    return tuple(found)


def _rank_combination(group: Sequence[int], bots: int) -> int:
    """Find the number of a combination, in the order of `itertools.combinations`."""
    left = len(group)
    after = sum(comb(bots - 1 - bot, left - i) for i, bot in enumerate(group))
    return comb(bots, left) - 1 - after


@lru_cache(maxsize=8)
def _shuffle(bots: int, players: int, seed: int, number: int) -> tuple[int, ...]:
    """Shuffle the bots that play in a shuffle of a sample."""
    # In this order the bots sit out, as many at a time as are left over.
    waiting = Random(f"{seed} waiting").sample(range(bots), bots)
    over = bots % players
    out = {waiting[(number * over + i) % bots] for i in range(over)}
    playing = [bot for bot in range(bots) if bot not in out]
    Random(f"{seed} {number}").shuffle(playing)
    return tuple(playing)
