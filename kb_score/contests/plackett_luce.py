"""The ratings at which the updates of openskill's Plackett-Luce model come to rest.

openskill goes through the games one after another; its update of a rating is a step up the slope of
a likelihood, and the last steps count most. Here the slopes of all games are summed, and the place
is found where the sum and the pull to a starting belief, N(25, 50/3), cancel out. So the order of
the games is of no account, and a bot that always wins has a finite rating.

A game of k bots has the scale c = beta sqrt(k), openskill's once sigma is small. Bot i comes first
with the chance exp(rating i / c) / (sum over all of exp(rating / c)), then so on among the others.
From `LARGEST` bots on the scale is that of `LARGEST`: else the starting belief would outweigh what
a game of a hundred bots says. A tie is taken as openskill takes it: one stage, in which each of a
bots has the share 1/a.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import mul, sub

from openskill.models import PlackettLuce

from kb_score.contests.game_log import Games

_MODEL = PlackettLuce()
MEAN = _MODEL.mu
SD = 2 * _MODEL.sigma  # with openskill's own, ratings of bots far apart are pulled off the truth
BETA = _MODEL.beta
LARGEST = 5

Vector = list[float]

_PULL = 1 / SD**2
_STRIDE = 2 * BETA  # no rating moves farther in a step
_STEPS = 100  # of Newton: from the start some six are needed
_TURNS = 100  # of conjugate gradients in a step: some five are needed


def find_scale(bots: int) -> float:
    """Find the scale c of a game of so many bots: over a gap of c the odds are e to 1."""
    return BETA * math.sqrt(min(bots, LARGEST))


@dataclass(frozen=True, slots=True)
class Slope:
    """The slope of the likelihood at some ratings, and how it bends.

    Attributes:
        gradient: Which way each rating goes, by the games and the pull.
        bend: How fast this changes with the bot's own rating: the inverse of a variance.
        turn: What a change of all ratings takes from the gradient.
    """

    gradient: Vector
    bend: Vector
    turn: Callable[[Vector], Vector]


def find_slope(games: Games, weight: float, ratings: Vector, centres: Vector) -> Slope:
    """Sum the slopes of games.

    Args:
        games: The games.
        weight: How much each counts.
        ratings: Where the slope is wanted.
        centres: Where the pull of each rating leads.
    """
    gradient = [(centre - at) * _PULL for centre, at in zip(centres, ratings, strict=True)]
    bend = [_PULL] * len(ratings)
    nothing = [0.0] * len(ratings)
    parts: list[tuple[Games, float, Vector, Vector]] = []
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
    games: Games, weight: float, ratings: Vector, centres: Vector, exact: float
) -> tuple[Vector, Slope]:
    """Move ratings, with the slope of a concave likelihood, till they rest.

    Args:
        games: The games.
        weight: How much each counts.
        ratings: Where to begin.
        centres: Where the pull of each rating leads.
        exact: They rest when no rating moves by more than this, in standard deviations.

    Returns:
        The ratings, and the slope before the last step.
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


def _count_shares(games: Games, bots: int) -> Vector:
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


def _sweep(games: Games, strengths: Vector, values: Vector, first: float) -> Vector:
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
