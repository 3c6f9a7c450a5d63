"""Ratings of the bots of a contest, and means of their scores, with 95 % intervals.

Ratings are the fixed point of the updates of openskill's Plackett-Luce model. openskill processes
the games one after another: each update is a step up the slope of a likelihood, and the last steps
count most. Here the slopes of all games are summed, and the ratings are where the sum and the pull
towards a starting belief, N(25, 50/3), cancel out. So the order of the games does not matter, and
a bot that always wins has a finite rating.

A game of k bots has the scale c = beta sqrt(k), as in openskill when sigma is small. Bot i is first
with probability exp(rating i / c) / (sum over all of exp(rating / c)), and so on among the others.
Games of more than `LARGEST` bots have the scale of `LARGEST`; otherwise the starting belief would
outweigh a game of a hundred bots. A tie of n bots is one stage in which each bot has the share 1/n,
as in openskill.

Ratings are relative: their mean is always 25. With beta = 25/6 the better of two bots wins 73 % of
their games, e to 1, at a gap of 5.9; in games of four it is ahead as often at a gap of 8.3.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

import numpy
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[numpy.float64]
Numbers: TypeAlias = NDArray[numpy.intp]
Interval: TypeAlias = tuple[float, float]

# The defaults of openskill 6.2, which are those of Weng and Lin, "A Bayesian approximation method
# for online ranking", JMLR 12 (2011): mu = 25, sigma = mu / 3, beta = sigma / 2.
MEAN = 25.0
BETA = 25 / 6
SD = 50 / 3  # with openskill's own sigma, distant ratings are pulled away from their true values
LARGEST = 5

_PULL = 1 / SD**2
_LONGEST_STEP = 2 * BETA  # no rating moves farther in a step of Newton's method
_MAX_STEPS = 100  # from the start about six are needed
_REPLICATES = 200  # of the bootstrap
_MAX_DRAWN = 20_000  # games of a replicate
_FEWEST_VALUES = 5  # a mean of fewer has no interval
_Z = NormalDist().inv_cdf(0.975)
# Largest last step of Newton's method, in standard deviations. A replicate may stop earlier: the
# step after it would be a hundredth of this.
_EXACT = 1e-3
_ROUGH = 0.1


@dataclass(frozen=True, slots=True)
class Rating:
    """The estimated strength of a bot."""

    rating: float  # the mean of all bots is 25
    sd: float  # the standard error of the rating
    interval: Interval  # contains the true strength in 95 of 100 contests


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a value over games."""

    mean: float
    # Contains the true mean in 95 of 100 contests; None if there are fewer than five values.
    interval: Interval | None


@dataclass(slots=True)
class GameLog:
    """Games, each with the places of its bots, in arrays: a million games of four take 16 MB."""

    # Number of games with two bots or more; games of one bot are not stored.
    count: int = 0
    # The bots of the games with the same pattern of ties, last place first. For each bot, the
    # pattern says whether it is the last one listed of those that share its place.
    tables: dict[tuple[bool, ...], array[int]] = field(default_factory=dict)

    def add(self, bots: Sequence[int], places: Sequence[int]) -> None:
        """Add a game, with the numbers of its bots, from 0, and their places, from 1.

        Raises a ValueError if a bot has a negative number or occurs twice, or has no place.
        """
        is_repeated = len(set(bots)) < len(bots)
        if is_repeated or min(bots, default=0) < 0:
            raise ValueError(f"each bot must play once and have a number from 0 up: {list(bots)}")
        pairs = zip(places, bots, strict=True)
        last_first = sorted(pairs, reverse=True)
        if len(last_first) < 2:
            return
        ordered_places = []
        ordered_bots = []
        for place, bot in last_first:
            ordered_places.append(place)
            ordered_bots.append(bot)
        pattern = []
        for place, better in pairwise(ordered_places):
            pattern.append(place != better)
        pattern.append(True)
        table = self.tables.setdefault(tuple(pattern), array("i"))
        table.extend(ordered_bots)
        self.count += 1

    def list_players(self) -> list[int]:
        """Return the bots of the games, in ascending order."""
        players = set[int]()
        for table in self.tables.values():
            players.update(table)
        return sorted(players)

    def renumber(self, players: Sequence[int]) -> GameLog:
        """Return the same games with new numbers: that of a bot is its index in ``players``."""
        numbers = {}
        for number, player in enumerate(players):
            numbers[player] = number
        tables = {}
        for pattern, table in self.tables.items():
            renumbered = [numbers[player] for player in table]
            tables[pattern] = array("i", renumbered)
        return GameLog(self.count, tables)


def rate_bots(games: GameLog, bots: int, *, seed: int) -> list[Rating]:
    """Rate bots by their games, in the order of their numbers, with intervals by a bootstrap.

    Each of 200 replicates draws as many games as were played, at most 20,000, and a starting belief
    for each bot. A bot that has won all games wins in every replicate, too. The standard error is
    therefore never less than what the curvature of the likelihood implies; the curvature is the
    inverse of the variance if the model holds. A bot without games has the starting belief as its
    rating.
    """
    if not bots:
        return []
    players = games.list_players()
    ratings = numpy.full(bots, MEAN)
    sds = numpy.full(bots, SD)
    if players:
        # The time grows with the cube of the number of bots, so bots without games are left out.
        renumbered = games.renumber(players)
        likelihood = Likelihood(renumbered, len(players))
        every_game = numpy.ones(games.count)
        start = ratings[players]
        maximum = likelihood.maximise(every_game, start, start, _EXACT)
        ratings[players] = maximum.ratings
        sds[players] = _find_least_sds(maximum.curvature)
        variances = _bootstrap(likelihood, games.count, ratings, players, seed)
        bootstrap_sds = numpy.sqrt(variances)
        sds = numpy.maximum(sds, bootstrap_sds)
    found = []
    for rating, sd in zip(ratings.tolist(), sds.tolist(), strict=True):
        radius = _Z * sd
        low = rating - radius
        high = rating + radius
        interval = (low, high)
        found.append(Rating(rating, sd, interval))
    return found


def _find_least_sds(curvature: Vector) -> Vector:
    """Find the least standard errors, by the negative Hessian of the log-likelihood."""
    # The mean is fixed: two bots share the error of their gap; each of n bears 1 - 1/n of its own.
    bots = len(curvature)
    own_share = 1 - 1 / bots
    diagonal = curvature.diagonal()
    precisions = numpy.sqrt(diagonal)
    least_sds: Vector = own_share / precisions
    return least_sds


def _bootstrap(
    likelihood: Likelihood, games: int, ratings: Vector, players: Sequence[int], seed: int
) -> Vector:
    """Return the variance of each rating over resampled games and starting beliefs.

    ``players`` are the bots that have played; only their ratings are in the likelihood.
    """
    generator = numpy.random.default_rng(seed)
    # Ratings from a sample of m of n games vary sqrt(n / m) times as much.
    drawn = min(games, _MAX_DRAWN)
    share = drawn / games
    bots = len(ratings)
    squares = numpy.zeros(bots)
    for _ in range(_REPLICATES):
        beliefs = generator.normal(0.0, SD, bots)
        beliefs -= beliefs.mean()
        centres = MEAN + beliefs / math.sqrt(share)
        chosen = generator.integers(games, size=drawn)
        counts = numpy.bincount(chosen, minlength=games) / share
        # The rating of a bot without games is its starting belief.
        found = centres.copy()
        beginning = ratings[players]
        maximum = likelihood.maximise(counts, beginning, centres[players], _ROUGH)
        found[players] = maximum.ratings
        deviations = found - ratings
        squares += deviations**2 * share
    return squares / _REPLICATES


@dataclass(frozen=True, slots=True)
class _Stage:
    """One stage of all games with the same pattern of ties.

    ``still_in`` and ``winners`` have a row for each game.
    """

    scale: float
    games: Numbers
    still_in: Numbers
    winners: Numbers


def _list_stages(log: GameLog) -> Iterator[_Stage]:
    """Yield the stages of games, which are numbered from 0 in the order of the tables."""
    first = 0
    for pattern, table in log.tables.items():
        bots = len(pattern)
        listed = numpy.array(table, numpy.intp)
        rows = listed.reshape(-1, bots)
        following = first + len(rows)
        games = numpy.arange(first, following)
        first = following
        scale = find_scale(bots)
        start = 0
        for end, closes in enumerate(pattern, 1):
            if not closes:
                continue
            # A bot that is alone in last place has beaten nobody.
            if end > 1:
                still_in = rows[:, :end]
                winners = rows[:, start:end]
                yield _Stage(scale, games, still_in, winners)
            start = end


@dataclass(frozen=True, slots=True)
class _StageGroup:
    """The stages of all games with the same scale and number of bots still in.

    Attributes:
        scale: The gap between ratings at which the odds are e to 1.
        games: The game of each stage.
        sets: The index into ``bots`` of each stage.
        bots: The different sets of bots that are still in, one per row.
    """

    scale: float
    games: Numbers
    sets: Numbers
    bots: Numbers


def _group_stages(stages: Iterable[_Stage]) -> Iterator[_StageGroup]:
    """Yield groups of stages, by scale and number of bots."""
    groups = defaultdict[tuple[float, int], list[_Stage]](list)
    for stage in stages:
        _, size = stage.still_in.shape
        groups[stage.scale, size].append(stage)
    for (scale, _), grouped in sorted(groups.items()):
        games = []
        still_in = []
        for stage in grouped:
            games.append(stage.games)
            still_in.append(stage.still_in)
        rows = numpy.concatenate(still_in)
        rows.sort(axis=1)
        bots, sets = numpy.unique(rows, axis=0, return_inverse=True)
        yield _StageGroup(scale, numpy.concatenate(games), sets, bots)


class Slope(NamedTuple):
    """The derivatives of the log-likelihood at some ratings."""

    gradient: Vector
    curvature: Vector  # the negative Hessian


class Maximum(NamedTuple):
    """Where the likelihood is largest."""

    ratings: Vector
    curvature: Vector  # the negative Hessian before the last step


class Likelihood:
    """The likelihood of ratings, given games that may count more than once."""

    def __init__(self, log: GameLog, bots: int) -> None:
        """Read the games of a number of bots."""
        nothing = numpy.zeros(0, numpy.intp)
        winners = [nothing]
        games = [nothing]
        # The share that each winner has won in its game, over the scale.
        shares = [numpy.zeros(0)]
        stages = list(_list_stages(log))
        for stage in stages:
            # All bots of a tie have the same share.
            _, tied_count = stage.winners.shape
            share = 1 / tied_count / stage.scale
            winners.append(stage.winners.ravel())
            games.append(numpy.repeat(stage.games, tied_count))
            shares.append(numpy.full(stage.winners.size, share))
        self._bots = bots
        self._winners = numpy.concatenate(winners)
        self._games = numpy.concatenate(games)
        self._shares = numpy.concatenate(shares)
        self._groups = list(_group_stages(stages))

    def find_slope(self, counts: Vector, ratings: Vector, centres: Vector) -> Slope:
        """Find the gradient of the log-likelihood and its negative Hessian.

        ``counts`` says how often each game counts; ``ratings``, where the slope is taken, and
        ``centres``, the means of the starting beliefs, have an entry for each bot.
        """
        count = self._bots
        won = self._shares * counts[self._games]
        gradient = _sum_by(self._winners, won, count)
        gradient += (centres - ratings) * _PULL
        pulls = numpy.full(count, _PULL)
        curvature = numpy.diag(pulls)
        for group in self._groups:
            scale = group.scale
            stage_counts = counts[group.games]
            times = _sum_by(group.sets, stage_counts, len(group.bots))
            # Sets of bots that a replicate does not draw add nothing.
            drawn = times > 0
            bots = group.bots[drawn]
            times = times[drawn, None]
            strengths = (ratings[bots] - MEAN) / scale
            chances = numpy.exp(strengths)
            chances /= chances.sum(axis=1, keepdims=True)
            wins = times * chances
            expected = _sum_by(bots, wins, count)
            products = _sum_products(bots, times, chances, count)
            gradient -= expected / scale
            squared_scale = scale**2
            own = expected / squared_scale
            curvature += numpy.diag(own)
            curvature -= products / squared_scale
        return Slope(gradient, curvature)

    def maximise(self, counts: Vector, ratings: Vector, centres: Vector, exact: float) -> Maximum:
        """Move ratings by Newton's method until the log-likelihood (concave) is largest.

        The arguments are those of `find_slope`; the result has the mean of the centres. ``exact``
        is the largest last step of a rating, in standard deviations.
        """
        for _ in range(_MAX_STEPS):
            gradient, curvature = self.find_slope(counts, ratings, centres)
            step = numpy.linalg.solve(curvature, gradient)
            longest = abs(step).max()
            if longest > _LONGEST_STEP:
                step *= _LONGEST_STEP / longest
            ratings = ratings + step
            # Games say nothing about the mean: it is that of the centres.
            shifts = centres - ratings
            ratings += shifts.mean()
            squares = step**2 * curvature.diagonal()
            is_exact = squares <= exact**2
            if is_exact.all():
                break
        return Maximum(ratings, curvature)


def _sum_products(bots: Numbers, times: Vector, chances: Vector, count: int) -> Vector:
    """Return a matrix with the sum of the products of two bots' chances over all stages.

    ``bots`` and ``chances`` have a row for each stage; ``times`` says in one column how often it
    counts.
    """
    stages, size = bots.shape
    if size * 8 > count:
        # Most entries of the matrix are not 0.
        full = numpy.zeros((stages, count))
        numpy.put_along_axis(full, bots, chances, axis=1)
        weighted = times * full
        summed: Vector = full.T @ weighted
        return summed
    # Each pair of bots is one number.
    first_bots = bots[:, :, None]
    second_bots = bots[:, None, :]
    pairs = first_bots * count + second_bots
    weighted = times * chances
    first_chances = weighted[:, :, None]
    second_chances = chances[:, None, :]
    products = first_chances * second_chances
    sums = _sum_by(pairs, products, count**2)
    return sums.reshape(count, count)


def _sum_by(numbers: Numbers, values: Vector, count: int) -> Vector:
    """Sum the values that have each number from 0 to ``count`` - 1."""
    flat_numbers = numbers.ravel()
    flat_values = values.ravel()
    sums = numpy.bincount(flat_numbers, flat_values, count)
    return sums.astype(numpy.float64)


def find_scale(bots: int) -> float:
    """Return the scale of a game by its number of bots: the gap at which the odds are e to 1."""
    counted = min(bots, LARGEST)
    return BETA * math.sqrt(counted)


def find_separated(ratings: Sequence[Rating]) -> list[bool]:
    """Return for each rating but the last whether its interval is above that of the next one."""
    separated = []
    for rating, following in pairwise(ratings):
        low, _ = rating.interval
        _, high = following.interval
        separated.append(low > high)
    return separated


def find_mean(counts: Mapping[float, int]) -> Mean:
    """Find the mean of values and its interval, from how often each value occurs.

    The interval is the limit of the bias-corrected and accelerated bootstrap, computed from the
    variance and the skewness of the values. With few values it is wider, as Student's t is. It
    never extends beyond the smallest and the largest value, as in a bootstrap. Fewer than five
    values have no interval.
    """
    number = sum(counts.values())
    mean = _find_moment(counts, 0.0, 1)
    if number < _FEWEST_VALUES:
        return Mean(mean, None)
    second = _find_moment(counts, mean, 2)
    third = _find_moment(counts, mean, 3)
    skewness = 0.0
    if second > 0:
        skewness = third / second**1.5
    acceleration = skewness / (6 * math.sqrt(number))
    shift = (2 * _Z**2 + 1) * acceleration
    freedom = number - 1
    t = _find_t(freedom)
    error = math.sqrt(second / freedom)
    low = mean + (shift - t) * error
    high = mean + (shift + t) * error
    low = max(low, min(counts))
    high = min(high, max(counts))
    return Mean(mean, (low, high))


def _find_moment(counts: Mapping[float, int], centre: float, power: int) -> float:
    """Return the mean of a power of the values' distances from a centre."""
    powers = []
    for value, count in counts.items():
        deviation = value - centre
        powers.append(count * deviation**power)
    total = math.fsum(powers)
    number = sum(counts.values())
    return total / number


def _find_t(freedom: int) -> float:
    """Find Student's t for 95 %, with 4 degrees of freedom or more (Abramowitz, Stegun 26.7.5)."""
    z = _Z
    z3 = z**3
    z5 = z**5
    z7 = z**7
    first = (z3 + z) / (4 * freedom)
    second = (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom**2)
    third = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom**3)
    return z + first + second + third
