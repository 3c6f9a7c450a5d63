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
from random import Random
from statistics import NormalDist
from typing import Any, TypeAlias

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
_STRIDE = 2 * BETA  # no rating moves farther in a step
_STEPS = 100  # of Newton: from the start some six are needed
_TURNS = 100  # of conjugate gradients in a step: some five are needed
_REPLICATES = 200
_DRAWN = 20_000  # games of a replicate, at most
_FEWEST = 5  # values of which a mean has an interval
_Z = NormalDist().inv_cdf(0.975)
_EXACT = 1e-3  # of a rating, in standard deviations
_ROUGH = 0.1  # of a replicate; the step after it would be a tenth of this


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
    surer than the bend of the likelihood tells, which is its inverse variance if the model holds.
    """
    if not bots:
        return []
    likelihood, random, start = Likelihood(games, bots), Random(seed), numpy.full(bots, MEAN)
    ratings, bend = likelihood.settle(numpy.ones(games.count), start, start, _EXACT)
    # Of many games only a part is drawn. Ratings by m of n games vary sqrt(n / m) times as much.
    drawn = min(games.count, _DRAWN)
    share = drawn / games.count if drawn else 1.0
    squares = numpy.zeros(bots)
    for _ in range(_REPLICATES):
        beliefs = numpy.array([random.gauss(0.0, SD) for _ in range(bots)])
        centres = MEAN + (beliefs - beliefs.mean()) / math.sqrt(share)
        counts = numpy.bincount(_draw(random, games.count, drawn), minlength=games.count)
        rated, _ = likelihood.settle(counts / share, ratings, centres, _ROUGH)
        squares += (rated - ratings) ** 2 * share
    # The mean is fixed: two bots share the error of their gap, each of n bears 1 - 1/n of its own.
    played = likelihood.played
    least = numpy.where(played, 1 - 1 / max(1, played.sum()), 1.0) / numpy.sqrt(numpy.diag(bend))
    sds = numpy.maximum(numpy.sqrt(squares / _REPLICATES), least)
    return [
        Rating(rating, sd, (rating - _Z * sd, rating + _Z * sd))
        for rating, sd in zip(ratings.tolist(), sds.tolist(), strict=True)
    ]


def _draw(random: Random, count: int, number: int) -> Numbers:
    """Draw so many numbers below ``count``, those of `Random.choices`, but all at a time."""
    version, (*key, at), gauss = random.getstate()
    twin: Any = numpy.random.RandomState()  # the same generator as Python's
    twin.set_state(("MT19937", key, at))
    drawn: Numbers = (twin.random_sample(number) * count).astype(numpy.intp)
    state = twin.get_state()
    random.setstate((version, (*state[1].tolist(), state[2]), gauss))
    return drawn


@dataclass(frozen=True, slots=True)
class _Stages:
    """The stages of all games that have one scale and as many bots that are still in."""

    scale: float  # over a gap of this the odds are e to 1
    games: Numbers  # the game that each stage is of
    sets: Numbers  # for each of these, a row of `bots`
    bots: Numbers  # the bots that are still in: a row each, no two alike


class Likelihood:
    """The likelihood of ratings, by games of which each may count more than once."""

    def __init__(self, games: GameLog, bots: int) -> None:
        self._bots = bots
        nothing, first = numpy.zeros(0, dtype=numpy.intp), 0
        # For each game and each bot in it: the shares of stages that it has won, over the scale.
        who, game, won = [nothing], [nothing], [numpy.zeros(0)]
        found = defaultdict[tuple[float, int], list[tuple[Numbers, Numbers]]](list)
        for pattern, table in games.tables.items():
            rows = numpy.array(table, dtype=numpy.intp).reshape(-1, len(pattern))
            numbers, scale = numpy.arange(first, first + len(rows)), find_scale(len(pattern))
            first += len(rows)
            ends = [-1, *(i for i, closes in enumerate(pattern) if closes)]
            for start, end in pairwise(ends):
                # Of a tie each has the same share; who is last alone has come before nobody.
                tied, share = rows[:, start + 1 : end + 1], (end > 0) / (end - start) / scale
                who.append(tied.ravel())
                game.append(numpy.repeat(numbers, end - start))
                won.append(numpy.full(tied.size, share))
                if end > 0:
                    still_in = numpy.sort(rows[:, : end + 1], axis=1)
                    found[scale, end + 1].append((numbers, still_in))
        self._who, self._game = numpy.concatenate(who), numpy.concatenate(game)
        self._won = numpy.concatenate(won)
        self.played = numpy.bincount(self._who, minlength=bots) > 0  # who has played others
        if len(self.played) > bots:
            raise IndexError(f"bot {len(self.played) - 1} of {bots}")
        self._stages: list[_Stages] = []
        for (scale, _), parts in sorted(found.items()):
            which = numpy.concatenate([numbers for numbers, _ in parts])
            rows = numpy.concatenate([rows for _, rows in parts])
            alike, sets = numpy.unique(rows, axis=0, return_inverse=True)
            self._stages.append(_Stages(scale, which, sets.reshape(-1), alike))

    def find_slope(self, counts: Vector, ratings: Vector, centres: Vector) -> tuple[Vector, Vector]:
        """Find the gradient, with the pull to centres, and how it falls: the negative Hessian."""
        weighed = self._won * counts[self._game]
        gradient = _sum_by(self._who, weighed, self._bots) + (centres - ratings) * _PULL
        bend = numpy.diag(numpy.full(self._bots, _PULL))
        for stages in self._stages:
            times = _sum_by(stages.sets, counts[stages.games], len(stages.bots))
            drawn = times > 0
            bots, times = stages.bots[drawn], times[drawn, None]
            chances = numpy.exp((ratings[bots] - MEAN) / stages.scale)
            chances /= chances.sum(axis=1, keepdims=True)
            expected = _sum_by(bots, times * chances, self._bots)
            gradient -= expected / stages.scale
            bend += numpy.diag(expected / stages.scale**2)
            bend -= _sum_products(bots, times, chances, self._bots) / stages.scale**2
        return gradient, bend

    def settle(
        self, counts: Vector, ratings: Vector, centres: Vector, exact: float
    ) -> tuple[Vector, Vector]:
        """Move ratings, with the slope of a concave likelihood, till they rest.

        They rest when none moves by more than ``exact`` standard deviations. Returns them, and the
        negative Hessian before the last step.
        """
        for _ in range(_STEPS):
            gradient, bend = self.find_slope(counts, ratings, centres)
            step = _solve(bend, gradient)
            step *= min(1.0, _STRIDE / max(abs(step).max(), 1e-9))
            ratings = ratings + step
            # Games say nothing about the mean: it is that of the centres.
            ratings += (centres - ratings).mean()
            if (step**2 * numpy.diag(bend) <= exact**2).all():
                break
        return ratings, bend


def _sum_products(bots: Numbers, times: Vector, chances: Vector, count: int) -> Vector:
    """Sum for each pair of bots the products of their chances over all stages."""
    size = bots.shape[1]
    if size * 8 > count:  # most of a row would be filled
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


def _solve(bend: Vector, gradient: Vector) -> Vector:
    """Find Newton's step by conjugate gradients, to a tenth: the next step mends the rest."""
    diagonal, step, rest = numpy.diag(bend), numpy.zeros_like(gradient), gradient
    way = rest / diagonal
    size = rest @ way
    enough = size / 100
    for _ in range(_TURNS):
        if size <= enough:
            break
        taken = bend @ way
        length = size / (way @ taken)
        step, rest = step + length * way, rest - length * taken
        before, size = size, rest @ (rest / diagonal)
        way = rest / diagonal + size / before * way
    return step


def find_scale(bots: int) -> float:
    """Find the scale c of a game of so many bots: over a gap of c the odds are e to 1."""
    return BETA * math.sqrt(min(bots, LARGEST))


def find_separated(ratings: Sequence[Rating]) -> list[bool]:
    """Find for each rating but the last, in this order, if its interval is above the next one's."""
    return [one.interval[0] > other.interval[1] for one, other in pairwise(ratings)]


def find_mean(counts: Mapping[float, int]) -> Mean:
    """Find the mean of values with its interval.

    The interval is what the bias-corrected and accelerated bootstrap tends to, computed from the
    spread and the skewness of the values: nothing is drawn. With few values it is wider, as
    Student's t is, but it never reaches beyond the least and the greatest of them, as those of a
    bootstrap never do. Fewer than five say too little.
    """
    number = sum(counts.values())
    mean = math.fsum(value * count for value, count in counts.items()) / number
    if number < _FEWEST:
        return Mean(mean, None)
    second, third = (
        math.fsum(count * (value - mean) ** power for value, count in counts.items()) / number
        for power in (2, 3)
    )
    skewness = third / second**1.5 if second > 0 else 0.0
    shift = skewness * (2 * _Z**2 + 1) / (6 * math.sqrt(number))
    t, error = _find_t(number - 1), math.sqrt(second / (number - 1))
    low, high = mean + (shift - t) * error, mean + (shift + t) * error
    return Mean(mean, (max(low, min(counts)), min(high, max(counts))))


def _find_t(freedom: int) -> float:
    """Find the quantile of Student's t for 95 %, from 4 on (Abramowitz and Stegun 26.7.5)."""
    z = _Z
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )
