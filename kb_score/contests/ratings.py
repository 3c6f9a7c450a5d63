"""How strong the bots of a contest are, and how sure that is.

A rating is that of openskill's Plackett-Luce model, at rest: see `kb_score.contests.plackett_luce`.
Ratings are relative: their mean is 25 whatever the bots are. In games of k bots, a bot comes before
another with the odds exp(gap / c) to 1, where c = 25/6 sqrt(k). So the better of two bots wins 73 %
of their games, e to 1, at a gap of 5.9; at a table of four it is ahead as often at a gap of 8.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from statistics import NormalDist

from kb_score.contests.game_log import GameLog
from kb_score.contests.plackett_luce import MEAN, SD, Vector, settle

__all__ = ["GameLog", "Mean", "Rating", "find_mean", "find_separated", "rate_bots"]

_REPLICATES = 200
_DRAWN = 20_000  # games of a replicate, at most
_SURE = 0.95
_Z = NormalDist().inv_cdf((1 + _SURE) / 2)
_EXACT = 1e-3  # of a rating, in standard deviations
_ROUGH = 0.1  # of a replicate; the step after it would be a tenth of this


@dataclass(frozen=True, slots=True)
class Rating:
    """How strong a bot is.

    Attributes:
        rating: Its strength; the mean of all bots is 25.
        sd: The standard deviation of what chance has done to it.
        interval: Holds the true strength of this bot in 95 of 100 contests.
        together: The intervals of all bots hold all their true strengths in 95 of 100 contests.
    """

    rating: float
    sd: float
    interval: tuple[float, float]
    together: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of values that games gave.

    Attributes:
        mean: The mean.
        interval: Holds the true mean in 95 of 100 contests. None if fewer than two values came.
    """

    mean: float
    interval: tuple[float, float] | None


def rate_bots(games: GameLog, bots: int, *, seed: int) -> list[Rating]:
    """Rate bots by their games, with intervals by a bootstrap over games.

    Two hundred times, as many games as there are, but at most 20,000, are drawn from them and
    rated. Each time the starting belief in each bot is drawn as well: a bot without games is as
    unsure as this belief. A bot that has always won has won in all that is drawn; so no rating is
    surer than the bend of the likelihood tells, which is its inverse variance if the model holds.

    The time grows with the games only up to 20,000, but for the ratings themselves.

    Args:
        games: The games.
        bots: How many bots there are; some may have no games.
        seed: What is drawn by.

    Returns:
        The ratings of bots 0, 1 and so on.

    Raises:
        IndexError: A bot of a game has a number that is too high.
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

    Args:
        counts: How often each value came; at least one did.
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
