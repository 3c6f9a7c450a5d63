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
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import NormalDist
from typing import TypeAlias

import numpy
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[numpy.float64]
Numbers: TypeAlias = NDArray[numpy.intp]

# The defaults of openskill 6.2, which are those of Weng and Lin, "A Bayesian approximation method
# for online ranking", JMLR 12 (2011): mu = 25, sigma = mu / 3, beta = sigma / 2.
MEAN = 25.0
BETA = 25 / 6
SD = 50 / 3  # with openskill's own sigma, ratings of bots far apart are pulled off the truth
LARGEST = 5

_PULL = 1 / SD**2
_LONGEST_STEP = 2 * BETA  # no rating moves farther in a step of Newton's method
_MOST_STEPS = 100  # from the start some six are needed
_REPLICATES = 200  # of the bootstrap
_MOST_DRAWN = 20_000  # games of a replicate
_FEWEST_VALUES = 5  # a mean of fewer has no interval
_Z = NormalDist().inv_cdf(0.975)
# How far a rating may still be from where it rests, in standard deviations. A replicate may stop
# earlier: the step after it would be a hundredth of this.
_EXACT = 1e-3
_ROUGH = 0.1


@dataclass(frozen=True, slots=True)
class Rating:
    """How strong a bot is."""

    rating: float  # its strength; the mean of all bots is 25
    sd: float  # the standard deviation of what chance has done to it
    interval: tuple[float, float]  # holds the true strength of this bot in 95 of 100 contests


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of values that games gave."""

    mean: float  # the mean
    # Holds the true mean in 95 of 100 contests. None if fewer than five values came.
    interval: tuple[float, float] | None


@dataclass(slots=True)
class GameLog:
    """Games, each with the places of its bots, in arrays: a million of four bots take 16 MB."""

    # How many games of two bots or more there are. A bot alone beats nobody: such a game says
    # nothing, and is not kept.
    count: int = 0
    # The bots of games that have one pattern, last place first. A pattern is, for each of these
    # bots, whether all who share its place have been named.
    tables: dict[tuple[bool, ...], array[int]] = field(default_factory=dict)

    def add(self, bots: Sequence[int], places: Sequence[int]) -> None:
        """Add a game."""
        if len(set(bots)) < len(bots) or min(bots, default=0) < 0:
            raise ValueError(f"each bot plays once, and has a number from 0: {list(bots)}")
        ordered = sorted(zip(places, bots, strict=True), reverse=True)
        if len(ordered) < 2:
            return
        pattern = (*(place != after for (place, _), (after, _) in pairwise(ordered)), True)
        self.tables.setdefault(pattern, array("i")).extend(bot for _, bot in ordered)
        self.count += 1


def rate_bots(games: GameLog, bots: int, *, seed: int) -> list[Rating]:
    """Rate bots by their games, with intervals by a bootstrap over games.

    Two hundred times, as many games as there are, but at most 20,000, are drawn from them and
    rated. Each time the starting belief in each bot is drawn as well: a bot without games is as
    unsure as this belief. A bot that has always won has won in all that is drawn; so no rating is
    surer than the curvature of the likelihood tells, which is its inverse variance if the model
    holds.

    Args:
        games: The games; each bot is a number from 0.
        bots: The number of bots.
        seed: The seed of what is drawn.

    Returns:
        The ratings, by the numbers of the bots.

    Raises:
        IndexError: A game has a bot with a number of ``bots`` or more.
    """
    if not bots:
        return []
    likelihood = Likelihood(games, bots)
    every_game = numpy.ones(games.count)
    start = numpy.full(bots, MEAN)
    ratings, curvature = likelihood.maximise(every_game, start, start, _EXACT)
    variances = _bootstrap(likelihood, games.count, ratings, seed)
    # The mean is fixed: two bots share the error of their gap, each of n bears 1 - 1/n of its own.
    rated = max(1, likelihood.played.sum())
    own_share = numpy.where(likelihood.played, 1 - 1 / rated, 1.0)
    least = own_share / numpy.sqrt(numpy.diag(curvature))
    sds = numpy.maximum(numpy.sqrt(variances), least)
    return [
        Rating(rating, sd, (rating - _Z * sd, rating + _Z * sd))
        for rating, sd in zip(ratings.tolist(), sds.tolist(), strict=True)
    ]


def _bootstrap(likelihood: Likelihood, games: int, ratings: Vector, seed: int) -> Vector:
    """Return the variance of each rating over games and starting beliefs that are drawn anew."""
    generator = numpy.random.default_rng(seed)
    # Of many games only a part is drawn. Ratings by m of n games vary sqrt(n / m) times as much.
    drawn = min(games, _MOST_DRAWN)
    share = drawn / games if drawn else 1.0
    squares = numpy.zeros(len(ratings))
    for _ in range(_REPLICATES):
        beliefs = generator.normal(0.0, SD, len(ratings))
        centres = MEAN + (beliefs - beliefs.mean()) / math.sqrt(share)
        if games:
            chosen = generator.integers(games, size=drawn)
            counts = numpy.bincount(chosen, minlength=games) / share
        else:
            counts = numpy.zeros(0)
        replicate, _ = likelihood.maximise(counts, ratings, centres, _ROUGH)
        squares += (replicate - ratings) ** 2 * share
    return squares / _REPLICATES


@dataclass(frozen=True, slots=True)
class _Stages:
    """The stages of all games that have one scale and as many bots that are still in.

    Attributes:
        scale: Over a gap of this the odds are e to 1.
        games: The game that each stage is of.
        sets: For each stage, its row of ``bots``.
        bots: The bots that are still in: a row each, no two alike.
    """

    scale: float
    games: Numbers
    sets: Numbers
    bots: Numbers


class _StageCollector:
    """Collects what games say: who has won which share of a stage, and who was in each stage."""

    def __init__(self) -> None:
        nothing = numpy.zeros(0, dtype=numpy.intp)
        # Side by side: a bot, a game, and the share that the bot has won there, over the scale.
        self._bots = [nothing]
        self._games = [nothing]
        self._shares = [numpy.zeros(0)]
        # By scale and number of bots, the games and the bots that are still in.
        self._stages = defaultdict[tuple[float, int], list[tuple[Numbers, Numbers]]](list)

    def add(self, pattern: Sequence[bool], rows: Numbers, games: Numbers) -> None:
        """Add games of one pattern.

        Args:
            pattern: For each bot, last place first, whether all who share its place were named.
            rows: The bots of each game, last place first.
            games: The numbers of the games.
        """
        scale = find_scale(len(pattern))
        start = 0
        for end in (i + 1 for i, closes in enumerate(pattern) if closes):
            tied = rows[:, start:end]
            # Of a tie each has the same share; who is last alone has come before nobody.
            has_beaten = end > 1
            share = 1 / (end - start) / scale if has_beaten else 0.0
            self._bots.append(tied.ravel())
            self._games.append(numpy.repeat(games, end - start))
            self._shares.append(numpy.full(tied.size, share))
            if has_beaten:
                still_in = numpy.sort(rows[:, :end], axis=1)
                self._stages[scale, end].append((games, still_in))
            start = end

    def find_wins(self) -> tuple[Numbers, Numbers, Vector]:
        """Return bots, games and shares, side by side."""
        bots = numpy.concatenate(self._bots)
        games = numpy.concatenate(self._games)
        shares = numpy.concatenate(self._shares)
        return bots, games, shares

    def find_stages(self) -> list[_Stages]:
        """Return the stages, by scale and number of bots."""
        found = []
        for (scale, _), parts in sorted(self._stages.items(), key=lambda item: item[0]):
            games = numpy.concatenate([games for games, _ in parts])
            rows = numpy.concatenate([rows for _, rows in parts])
            alike, sets = numpy.unique(rows, axis=0, return_inverse=True)
            found.append(_Stages(scale, games, sets.reshape(-1), alike))
        return found


class Likelihood:
    """The likelihood of ratings, by games of which each may count more than once.

    Attributes:
        played: By bot, whether it has played against others.
    """

    def __init__(self, games: GameLog, bots: int) -> None:
        """Read the games; an IndexError if one of them has a bot of a higher number."""
        collector = _StageCollector()
        first = 0
        for pattern, table in games.tables.items():
            rows = numpy.array(table, dtype=numpy.intp).reshape(-1, len(pattern))
            collector.add(pattern, rows, numpy.arange(first, first + len(rows)))
            first += len(rows)
        self._bots = bots
        self._winners, self._games, self._shares = collector.find_wins()
        self._stages = collector.find_stages()
        self.played = numpy.bincount(self._winners, minlength=bots) > 0
        if len(self.played) > bots:
            raise IndexError(f"bot {len(self.played) - 1} of {bots}")

    def find_slope(self, counts: Vector, ratings: Vector, centres: Vector) -> tuple[Vector, Vector]:
        """Find the gradient of the log-likelihood and its negative Hessian.

        Args:
            counts: How often each game counts.
            ratings: The ratings at which the slope is taken, by bot.
            centres: The starting belief in each bot, which pulls.
        """
        won = self._shares * counts[self._games]
        gradient = _sum_by(self._winners, won, self._bots) + (centres - ratings) * _PULL
        curvature = numpy.diag(numpy.full(self._bots, _PULL))
        for stages in self._stages:
            times = _sum_by(stages.sets, counts[stages.games], len(stages.bots))
            drawn = times > 0
            bots = stages.bots[drawn]
            times = times[drawn, None]
            chances = numpy.exp((ratings[bots] - MEAN) / stages.scale)
            chances /= chances.sum(axis=1, keepdims=True)
            expected = _sum_by(bots, times * chances, self._bots)
            gradient -= expected / stages.scale
            curvature += numpy.diag(expected / stages.scale**2)
            curvature -= _sum_products(bots, times, chances, self._bots) / stages.scale**2
        return gradient, curvature

    def maximise(
        self, counts: Vector, ratings: Vector, centres: Vector, exact: float
    ) -> tuple[Vector, Vector]:
        """Move ratings by Newton's method until the likelihood, which is concave, is largest.

        Args:
            counts: How often each game counts.
            ratings: Where to start, by bot.
            centres: The starting belief in each bot; the ratings have the mean of these.
            exact: It ends when no rating moves by more than this, in standard deviations.

        Returns:
            The ratings, and the negative Hessian before the last step.
        """
        for _ in range(_MOST_STEPS):
            gradient, curvature = self.find_slope(counts, ratings, centres)
            step = numpy.linalg.solve(curvature, gradient)
            longest = max(abs(step).max(), 1e-9)
            step *= min(1.0, _LONGEST_STEP / longest)
            ratings = ratings + step
            # Games say nothing about the mean: it is that of the centres.
            ratings += (centres - ratings).mean()
            if (step**2 * numpy.diag(curvature) <= exact**2).all():
                break
        return ratings, curvature


def _sum_products(bots: Numbers, times: Vector, chances: Vector, count: int) -> Vector:
    """Sum for each pair of bots the products of their chances over all stages.

    Args:
        bots: The bots of each stage.
        times: How often each stage counts, in one column.
        chances: The chance of each of the bots in each stage.
        count: The number of all bots.
    """
    most_of_a_row_is_filled = bots.shape[1] * 8 > count
    if most_of_a_row_is_filled:
        full = numpy.zeros((len(bots), count))
        numpy.put_along_axis(full, bots, chances, axis=1)
        summed: Vector = full.T @ (times * full)
        return summed
    pairs = bots[:, :, None] * count + bots[:, None, :]
    products = (times * chances)[:, :, None] * chances[:, None, :]
    return _sum_by(pairs, products, count**2).reshape(count, count)


def _sum_by(numbers: Numbers, values: Vector, count: int) -> Vector:
    """Sum the values that have each number from 0 to ``count`` - 1."""
    return numpy.bincount(numbers.ravel(), values.ravel(), count).astype(numpy.float64)


def find_scale(bots: int) -> float:
    """Find the scale c of a game of some bots: over a gap of c the odds are e to 1."""
    return BETA * math.sqrt(min(bots, LARGEST))


def find_separated(ratings: Sequence[Rating]) -> list[bool]:
    """Return for each rating but the last whether its interval is above that of the next one."""
    return [one.interval[0] > other.interval[1] for one, other in pairwise(ratings)]


def find_mean(counts: Mapping[float, int]) -> Mean:
    """Find the mean of values with its interval.

    The interval is what the bias-corrected and accelerated bootstrap tends to, computed from the
    spread and the skewness of the values: nothing is drawn. With few values it is wider, as
    Student's t is, but it never reaches beyond the least and the greatest of them, as those of a
    bootstrap never do. Fewer than five say too little.

    Args:
        counts: How often each value came; at least one value.
    """
    number = sum(counts.values())
    mean = math.fsum(value * count for value, count in counts.items()) / number
    if number < _FEWEST_VALUES:
        return Mean(mean, None)
    second = _find_moment(counts, mean, 2)
    third = _find_moment(counts, mean, 3)
    skewness = third / second**1.5 if second > 0 else 0.0
    shift = skewness * (2 * _Z**2 + 1) / (6 * math.sqrt(number))
    t = _find_t(number - 1)
    error = math.sqrt(second / (number - 1))
    low = max(mean + (shift - t) * error, min(counts))
    high = min(mean + (shift + t) * error, max(counts))
    return Mean(mean, (low, high))


def _find_moment(counts: Mapping[float, int], mean: float, power: int) -> float:
    """Find a central moment of values, each with how often it came."""
    deviations = (count * (value - mean) ** power for value, count in counts.items())
    return math.fsum(deviations) / sum(counts.values())


def _find_t(freedom: int) -> float:
    """Find the quantile of Student's t for 95 %, from 4 on (Abramowitz and Stegun 26.7.5)."""
    z = _Z
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )
