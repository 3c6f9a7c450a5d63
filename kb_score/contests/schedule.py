"""Which bots sit where in game k, on which field and with which seed: computed from k alone.

A contest of 2,000 bots of Slime has 6.6e11 tables. So no game is ever listed: the games are
numbered, and a number is turned into a game when the game is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from math import comb, factorial
from random import Random
from typing import Literal, Protocol

Seating = Literal["file", "all", "rotate"]

_SEEDS = 2**31 - 1  # seeds that every bot's language has room for


@dataclass(frozen=True, slots=True)
class Match:
    """A game of a contest, before it is played.

    Attributes:
        number: Its number, from 0.
        seats: The bots of players 1 and so on, by their places in the contest's file, from 0.
        field: The board or map, by its place in the contest's file, from 0.
        round: The round, from 0.
        seed: What the game draws by; the same for all tables of a round on one field, so that luck
            is the same for all.
        added: Whether it was added to the contest's own games, since its table was not clear.
    """

    number: int
    seats: tuple[int, ...]
    field: int
    round: int
    seed: int
    added: bool = False

    def is_like(self, other: Match) -> bool:
        """Whether it has the seats, the field and the round of another one."""
        same = (self.seats, self.field, self.round) == (other.seats, other.field, other.round)
        return same and self.added == other.added


class Games(Protocol):
    """The games of a contest, each made from its number when it is wanted."""

    def count(self) -> int:
        """Count the games."""

    def count_own(self) -> int:
        """Count those that come before all that were added."""

    def match(self, number: int) -> Match:
        """Make the game of a number from 0 to `count` - 1; else an IndexError."""

    def find(self, match: Match) -> Match | None:
        """Find the game that another one is, which may have another number; or None."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """All games of a contest: each table in each seating, on each field, in each round.

    Rounds come one after another: a contest that is stopped early has let all bots play nearly
    equally often.

    Attributes:
        bots: How many bots there are.
        table: How many of them play a game.
        seating: Each table once, in the order of the file; or once in every order; or so often that
            each bot sits on each seat once.
        fields: How many boards or maps there are.
        rounds: How often all of that is played.
        seed: What the seeds of the games follow from.
    """

    bots: int
    table: int
    seating: Seating = "file"
    fields: int = 1
    rounds: int = 1
    seed: int = 1

    def count(self) -> int:
        """Count the games."""
        return self.rounds * comb(self.bots, self.table) * self._orders * self.fields

    def count_own(self) -> int:
        """Count the games: none was added."""
        return self.count()

    def match(self, number: int) -> Match:
        """Make the game of a number from 0 to `count` - 1."""
        if not 0 <= number < self.count():
            raise IndexError(number)
        rest, field = divmod(number, self.fields)
        rest, order = divmod(rest, self._orders)
        round_, table = divmod(rest, comb(self.bots, self.table))
        seats = _find_combination(table, self.bots, self.table)
        ordered = self._order(seats, order)
        return Match(number, ordered, field, round_, find_seed(self.seed, field, round_))

    def find(self, match: Match) -> Match | None:
        """Find the game whose seats, field and round are those of another; None if there is none.

        When bots are added to a contest, its games get other numbers.
        """
        seats, table = match.seats, tuple(sorted(match.seats))
        if (
            match.added
            or len(set(seats)) != self.table
            or not 0 <= table[0] <= table[-1] < self.bots
        ):
            return None
        if not (0 <= match.field < self.fields and 0 <= match.round < self.rounds):
            return None
        orders = range(self._orders)
        order = next((i for i in orders if self._order(table, i) == seats), None)
        if order is None:
            return None
        number = match.round * comb(self.bots, self.table) + _rank_combination(table, self.bots)
        return self.match((number * self._orders + order) * self.fields + match.field)

    @property
    def _orders(self) -> int:
        return {"file": 1, "all": factorial(self.table), "rotate": self.table}[self.seating]

    def _order(self, seats: tuple[int, ...], order: int) -> tuple[int, ...]:
        if self.seating == "rotate":
            return seats[order:] + seats[:order]
        left, ordered = list(seats), []
        for places in range(len(seats), 0, -1):
            place, order = divmod(order, factorial(places - 1))
            ordered.append(left.pop(place))
        return tuple(ordered)


@dataclass(frozen=True, slots=True)
class Sample:
    """Some games of a contest, drawn so that all bots play nearly equally often.

    The bots are shuffled again and again, and each shuffle is cut into tables. Where bots are left
    over, those who sit out a shuffle take turns. Seats come by chance; all tables of a shuffle have
    one field and one seed.

    Attributes:
        bots: How many bots there are.
        table: How many of them play a game.
        games: How many games are drawn.
        fields: How many boards or maps there are; they come in turn.
        seed: What is drawn by.
    """

    bots: int
    table: int
    games: int
    fields: int = 1
    seed: int = 1

    def count(self) -> int:
        """Count the games."""
        return self.games

    def count_own(self) -> int:
        """Count the games: none was added."""
        return self.games

    def match(self, number: int) -> Match:
        """Make the game of a number from 0 to `count` - 1."""
        if not 0 <= number < self.games:
            raise IndexError(number)
        shuffle, place = divmod(number, self.bots // self.table)
        order = _shuffle(self.bots, self.table, self.seed, shuffle)
        seats = order[place * self.table :][: self.table]
        field, round_ = shuffle % self.fields, shuffle // self.fields
        return Match(number, seats, field, round_, find_seed(self.seed, field, round_))

    def find(self, match: Match) -> Match | None:
        """Find the game that was drawn with a number; None if its seats or others were others."""
        if not 0 <= match.number < self.games:
            return None
        own = self.match(match.number)
        return own if own.is_like(match) else None


@dataclass(frozen=True, slots=True)
class Grown:
    """A contest to which games have been added.

    Attributes:
        base: The contest before.
        more: The games that come after its own.
    """

    base: Games
    more: tuple[Match, ...]

    def count(self) -> int:
        """Count the games."""
        return self.base.count() + len(self.more)

    def count_own(self) -> int:
        """Count those that come before all that were added."""
        return self.base.count()

    def match(self, number: int) -> Match:
        """Make the game of a number from 0 to `count` - 1."""
        first = self.base.count()
        return self.base.match(number) if number < first else self.more[number - first]

    def find(self, match: Match) -> Match | None:
        """Find a game, an added one only by its number."""
        if not match.added:
            return self.base.find(match)
        known = self.base.count() <= match.number < self.count()
        found = self.match(match.number) if known else None
        return found if found and found.is_like(match) else None


@dataclass(frozen=True, slots=True)
class Growing:
    """A contest to which games may have been added by somebody else: all that it finds count.

    Attributes:
        base: The contest before.
        seed: What the seeds of the games follow from.
    """

    base: Games
    seed: int

    def count(self) -> int:
        """Count the games that are known."""
        return self.base.count()

    def count_own(self) -> int:
        """Count those that come before all that were added."""
        return self.base.count()

    def match(self, number: int) -> Match:
        """Make the game of a number from 0 to `count` - 1."""
        return self.base.match(number)

    def find(self, match: Match) -> Match | None:
        """Find a game; one that was added is found as it was played."""
        if not match.added:
            return self.base.find(match)
        return replace(match, seed=find_seed(self.seed, match.field, match.round))


def find_seed(seed: int, field: int, round_: int) -> int:
    """Find the seed of a field in a round, from 1 to 2^31 - 1."""
    text = f"{seed} {field} {round_}"
    return int.from_bytes(sha256(text.encode()).digest()[:8]) % _SEEDS + 1


def _find_combination(number: int, bots: int, table: int) -> tuple[int, ...]:
    """Find the combination of a number, in the order of `itertools.combinations`."""
    found = []
    first = 0
    for left in range(table, 0, -1):
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


def _rank_combination(seats: Sequence[int], bots: int) -> int:
    """Find the number of a combination, in the order of `itertools.combinations`."""
    left = len(seats)
    after = sum(comb(bots - 1 - seat, left - i) for i, seat in enumerate(seats))
    return comb(bots, left) - 1 - after


@lru_cache(maxsize=8)
def _shuffle(bots: int, table: int, seed: int, number: int) -> tuple[int, ...]:
    """Shuffle the bots that play in a shuffle of a sample."""
    # In this order the bots sit out, as many at a time as are left over.
    waiting = Random(f"{seed} waiting").sample(range(bots), bots)
    over = bots % table
    out = {waiting[(number * over + i) % bots] for i in range(over)}
    playing = [bot for bot in range(bots) if bot not in out]
    Random(f"{seed} {number}").shuffle(playing)
    return tuple(playing)
