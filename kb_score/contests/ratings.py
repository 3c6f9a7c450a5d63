"""How strong the bots of a contest are, and how sure that is.

Ratings are those at which the updates of openskill's Plackett-Luce model come to rest. openskill
goes through the games one after another; its update of a rating is a step up the slope of a
likelihood, and the last steps count most. Here the slopes of all games are summed, and the place is
found where the sum and the pull to a starting belief, N(25, 50/3), cancel out. So the order of the
games is of no account, and a bot that always wins has a finite rating.

A game of k bots has the scale c = beta sqrt(k), openskill's once sigma is small. Bot i comes first
with the chance exp(rating i / c) / (sum over all of exp(rating / c)), then so on among the others.
From `LARGEST` bots on the scale is that of `LARGEST`: else the starting belief would outweigh what
a game of a hundred bots says. A tie is taken as openskill takes it: one stage, in which each of a
bots has the share 1/a.

Ratings are relative: their mean is 25 whatever the bots are. With beta = 25/6 the better of two
bots wins 73 % of their games, e to 1, at a gap of 5.9; in games of four it is ahead as often at a
gap of 8.3.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from operator import mul, sub
from random import Random
from statistics import NormalDist

from openskill.models import PlackettLuce

_MODEL = PlackettLuce()
MEAN = _MODEL.mu
SD = 2 * _MODEL.sigma  # with openskill's own, ratings of bots far apart are pulled off the truth
BETA = _MODEL.beta
LARGEST = 5

Vector = list[float]
# For each bot of a game, last place first: 1.0 if all who share its place have been named, else
# 0.0. Games with the same pattern stand in one array.
Pattern = tuple[float, ...]
Rows = Iterable[tuple[int, ...]]
RatedGames = Sequence[tuple[Pattern, Rows]]

_PULL = 1 / SD**2
_STRIDE = 2 * BETA  # no rating moves farther in a step
_STEPS = 100  # of Newton: from the start some six are needed
_TURNS = 100  # of conjugate gradients in a step: some five are needed
_REPLICATES = 200
_DRAWN = 20_000  # games of a replicate, at most
_SURE = 0.95
_Z = NormalDist().inv_cdf((1 + _SURE) / 2)
_EXACT = 1e-3  # of a rating, in standard deviations
_ROUGH = 0.1  # of a replicate; the step after it would be a tenth of this


@dataclass(frozen=True, slots=True)
class Rating:
    """How strong a bot is."""

    rating: float  # its strength; the mean of all bots is 25
    sd: float  # the standard deviation of what chance has done to it
    interval: tuple[float, float]  # holds the true strength of this bot in 95 of 100 contests
    # The intervals of all bots hold all their true strengths in 95 of 100 contests.
    together: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of values that games gave."""

    mean: float  # the mean
    # Holds the true mean in 95 of 100 contests. None if fewer than two values came.
    interval: tuple[float, float] | None


def rate_bots(games: GameLog, bots: int, *, seed: int) -> list[Rating]:
    """Rate bots by their games, with intervals by a bootstrap over games.

    Two hundred times, as many games as there are, but at most 20,000, are drawn from them and
    rated. Each time the starting belief in each bot is drawn as well: a bot without games is as
    unsure as this belief. A bot that has always won has won in all that is drawn; so no rating is
    surer than the bend of the likelihood tells, which is its inverse variance if the model holds.

    The time grows with the games only up to 20,000, but for the ratings themselves.
    """
    start = [MEAN] * bots
    ratings, slope = settle(games.read(), 1.0, start, start, _EXACT)
    replicates = _replicate(games, ratings, Random(seed))
    spreads = [
        math.hypot(*column) / math.sqrt(_REPLICATES) for column in zip(*replicates, strict=True)
    ]
    together = max(_Z, _find_largest(replicates, spreads))
    least = _find_least(slope.bend, games.find_players())
    return [
        Rating(rating, sd, _widen(rating, _Z * sd), _widen(rating, together * sd))
        for rating, sd in zip(ratings, map(max, spreads, least), strict=True)
    ]


def _find_least(bend: Vector, players: Set[int]) -> Vector:
    """Find the least standard deviation of each rating.

    The mean is fixed: two bots share the error of their gap, each of n bears 1 - 1/n of its own.
    """
    shares = (1 - 1 / len(players) if bot in players else 1.0 for bot in range(len(bend)))
    return [share / math.sqrt(b) for share, b in zip(shares, bend, strict=True)]


def _find_largest(replicates: Sequence[Vector], spreads: Vector) -> float:
    """Find what the farthest bot of a replicate exceeds in 5 of 100, in standard deviations."""
    farthest = sorted(
        max((abs(x) / s for x, s in zip(replicate, spreads, strict=True) if s), default=0.0)
        for replicate in replicates
    )
    return farthest[math.ceil(_SURE * len(farthest)) - 1]


def _replicate(games: GameLog, ratings: Vector, random: Random) -> list[Vector]:
    """Rate drawn games again and again; how far each time the ratings are from those of all games.

    Of many games only a part is drawn. Ratings by m of n games vary sqrt(n / m) times as much.
    """
    drawn = min(games.count, _DRAWN)
    share = drawn / games.count if drawn else 1.0
    replicates = []
    for _ in range(_REPLICATES):
        beliefs = [random.gauss(0.0, SD) for _ in ratings]
        shift = sum(beliefs) / len(beliefs) if beliefs else 0.0
        centres = [MEAN + (belief - shift) / math.sqrt(share) for belief in beliefs]
        rated, _ = settle(games.draw(drawn, random), 1 / share, ratings, centres, _ROUGH)
        replicates.append([(x - y) * math.sqrt(share) for x, y in zip(rated, ratings, strict=True)])
    return replicates


def find_separated(ratings: Sequence[Rating]) -> list[bool]:
    """Find for each rating but the last, in this order, if its interval is above the next one's."""
    return [one.interval[0] > other.interval[1] for one, other in pairwise(ratings)]


def find_mean(counts: Mapping[float, int]) -> Mean:
    """Find the mean of values with its interval.

    The interval is what the bias-corrected and accelerated bootstrap tends to, computed from the
    spread and the skewness of the values: nothing is drawn. With few values it is wider, as
    Student's t is.
    """
    number = sum(counts.values())
    mean = math.fsum(value * count for value, count in counts.items()) / number
    if number < 2:
        return Mean(mean, None)
    second, third = (
        math.fsum(count * (value - mean) ** power for value, count in counts.items()) / number
        for power in (2, 3)
    )
    skewness = third / second**1.5 if second > 0 else 0.0
    shift = skewness * (2 * _Z**2 + 1) / (6 * math.sqrt(number))
    t, error = _find_t(number - 1), math.sqrt(second / (number - 1))
    return Mean(mean, (mean + (shift - t) * error, mean + (shift + t) * error))


def _find_t(freedom: int) -> float:
    """Find the quantile of Student's t for 95 % (Abramowitz and Stegun 26.7.5)."""
    if freedom < 3:
        return 12.7062 if freedom == 1 else 4.30265
    z = _Z
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )


def _widen(middle: float, by: float) -> tuple[float, float]:
    return (middle - by, middle + by)


@dataclass(frozen=True, slots=True)
class _GameTable:
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
    """Games, each with the places of its bots, in arrays: a million of four bots take 16 MB."""

    # How many games of two bots or more there are. A bot alone beats nobody: such a game says
    # nothing, and is not kept.
    count: int = 0
    _tables: dict[Pattern, _GameTable] = field(default_factory=dict)

    def add(self, bots: Sequence[int], places: Sequence[int]) -> None:
        """Add a game."""
        if len(set(bots)) < len(bots) or min(bots, default=0) < 0:
            raise ValueError(f"each bot plays once, and has a number from 0: {list(bots)}")
        ordered = sorted(zip(places, bots, strict=True), reverse=True)
        if len(ordered) < 2:
            return
        sizes = [len(list(group)) for _, group in groupby(place for place, _ in ordered)]
        pattern = tuple(closes for size in sizes for closes in (*[0.0] * (size - 1), 1.0))
        table = self._tables.setdefault(pattern, _GameTable(len(pattern)))
        table.bots.extend(bot for _, bot in ordered)
        self.count += 1

    def read(self) -> RatedGames:
        """Give all games, pattern by pattern; the bots of a game come last place first."""
        return list(self._tables.items())

    def find_players(self) -> set[int]:
        """Find the bots that have played against others."""
        return {bot for table in self._tables.values() for bot in table.bots}

    def draw(self, games: int, random: Random) -> RatedGames:
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


def find_scale(bots: int) -> float:
    """Find the scale c of a game of so many bots: over a gap of c the odds are e to 1."""
    return BETA * math.sqrt(min(bots, LARGEST))


@dataclass(frozen=True, slots=True)
class Slope:
    """The slope of the likelihood at some ratings, and how it bends."""

    gradient: Vector  # which way each rating goes, by the games and the pull
    bend: Vector  # how fast this changes with the bot's own rating: the inverse of a variance
    turn: Callable[[Vector], Vector]  # what a change of all ratings takes from the gradient


def find_slope(games: RatedGames, weight: float, ratings: Vector, centres: Vector) -> Slope:
    """Sum the slopes of games, each of which has a weight; ratings are pulled to their centres."""
    gradient = [(centre - at) * _PULL for centre, at in zip(centres, ratings, strict=True)]
    bend = [_PULL] * len(ratings)
    nothing = [0.0] * len(ratings)
    parts: list[tuple[RatedGames, float, Vector, Vector]] = []
    for scale in sorted({find_scale(len(pattern)) for pattern, _ in games}):
        chosen = [(pattern, rows) for pattern, rows in games if find_scale(len(pattern)) == scale]
        strengths = [math.exp((rating - MEAN) / scale) for rating in ratings]
        inverse = _sweep(chosen, strengths, strengths, 0.0)
        squared = _sweep(chosen, strengths, nothing, 1.0)
        factor = weight / scale**2
        chances = list(map(mul, strengths, inverse))
        for bot, share in enumerate(_count_shares(chosen, len(ratings))):
            gradient[bot] += weight / scale * (share - chances[bot])
            bend[bot] += factor * (chances[bot] - strengths[bot] ** 2 * squared[bot])
        parts.append((chosen, factor, strengths, chances))

    def turn(change: Vector) -> Vector:
        taken = [_PULL * x for x in change]
        for chosen, factor, strengths, chances in parts:
            moved = list(map(mul, strengths, change))
            others = _sweep(chosen, strengths, moved, 0.0)
            for bot, x in enumerate(change):
                taken[bot] += factor * (chances[bot] * x - strengths[bot] * others[bot])
        return taken

    return Slope(gradient, bend, turn)


def settle(
    games: RatedGames, weight: float, ratings: Vector, centres: Vector, exact: float
) -> tuple[Vector, Slope]:
    """Move ratings, with the slope of a concave likelihood, till they rest.

    They rest when none moves by more than ``exact`` standard deviations. Returns them, and the
    slope before the last step.
    """
    for _ in range(_STEPS):
        slope = find_slope(games, weight, ratings, centres)
        step = _solve(slope)
        longest = max(map(abs, step), default=0.0)
        if longest > _STRIDE:
            step = [x * _STRIDE / longest for x in step]
        ratings = [rating + x for rating, x in zip(ratings, step, strict=True)]
        # Games say nothing about the mean: it is that of the centres.
        shift = math.fsum(map(sub, centres, ratings)) / max(1, len(ratings))
        ratings = [rating + shift for rating in ratings]
        if all(x * x * b <= exact * exact for x, b in zip(step, slope.bend, strict=True)):
            break
    return ratings, slope


def _solve(slope: Slope) -> Vector:
    """Find Newton's step by conjugate gradients, to a tenth."""
    step = [0.0] * len(slope.gradient)
    rest = slope.gradient
    scaled = [r / b for r, b in zip(rest, slope.bend, strict=True)]
    way, size = scaled, _dot(rest, scaled)
    enough = size / 100
    for _ in range(_TURNS):
        if size <= enough:
            break
        taken = slope.turn(way)
        length = size / _dot(way, taken)
        step = [x + length * w for x, w in zip(step, way, strict=True)]
        rest = [r - length * t for r, t in zip(rest, taken, strict=True)]
        scaled = [r / b for r, b in zip(rest, slope.bend, strict=True)]
        before, size = size, _dot(rest, scaled)
        way = [x + size / before * w for x, w in zip(scaled, way, strict=True)]
    return step


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return math.fsum(map(mul, left, right))


def _count_shares(games: RatedGames, bots: int) -> Vector:
    """Count the stages that each bot has won; of a tie it has a share."""
    shares = [0.0] * bots
    for pattern, rows in games:
        closed = [i for i, closes in enumerate(pattern) if closes]
        ends = zip([-1, *closed], closed, strict=False)
        each = [1 / (end - start) for start, end in ends for _ in range(end - start)]
        for row in rows:
            for bot, share in zip(row, each, strict=True):
                shares[bot] += share
    return shares


def _sweep(games: RatedGames, strengths: Vector, values: Vector, first: float) -> Vector:
    """Sum F / S^2 for each bot over the stages of its games that it is still in.

    S is the sum of the strengths of those who are still in at that stage, F that of their values,
    and `first`. All that the slope needs is such a sum, and nearly all time is spent here.
    """
    sums = [0.0] * len(strengths)
    for pattern, rows in games:
        for row in rows:
            strength, value, stages = 0.0, first, []
            for bot, closes in zip(row, pattern, strict=True):
                strength += strengths[bot]
                value += values[bot]
                stages.append(closes * value / (strength * strength))
            so_far = 0.0
            for bot in reversed(row):
                so_far += stages.pop()
                sums[bot] += so_far
    return sums
