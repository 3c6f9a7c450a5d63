"""Simulated contests between bots of known strengths: do the ratings find them?

    python -m tools.ratings [--contests 100] [--seed 1]

Each setting is a kind of contest, of so many bots, seats and games. Games are drawn by the
Plackett-Luce model from known strengths. A line a setting says in how many contests the order of
the ratings is the true one, if the games are enough to find it; how many of all intervals hold the
truth; and in how many contests all of them do. The exit status is 1 if such an order is not found
in 95 of 100 contests, or if fewer than 93 or more than 98 of 100 intervals hold the truth.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from kb_score.arena.contests.ratings import GameLog, Rating, find_scale, find_separated, rate_bots


def space(gap: float) -> Callable[[Random, int], list[float]]:
    """Strengths with the same gap between neighbours, in a random order."""
    return lambda random, bots: random.sample([i * gap for i in range(bots)], bots)


def scatter(sd: float) -> Callable[[Random, int], list[float]]:
    """Strengths from a normal distribution."""
    return lambda random, bots: [random.gauss(0, sd) for _ in range(bots)]


@dataclass(frozen=True, slots=True)
class Setting:
    """A kind of contest.

    Attributes:
        name: What it is called.
        bots: How many bots there are.
        seats: How many of them play a game.
        games: How many games are played.
        strengths: Draws their strengths.
        decisive: Whether the games are enough to find the order.
    """

    name: str
    bots: int
    seats: int
    games: int
    strengths: Callable[[Random, int], list[float]]
    decisive: bool = False


SETTINGS = (
    Setting("gaps of 3", 6, 4, 600, space(3.0), decisive=True),
    Setting("two bots", 2, 2, 60, space(4.0), decisive=True),
    Setting("few games", 10, 4, 40, scatter(6.0)),
    Setting("all alike", 8, 4, 200, scatter(0.0)),
    Setting("far apart", 6, 4, 300, space(6.0), decisive=True),
    Setting("one table", 30, 30, 40, scatter(4.0)),
)


@dataclass(slots=True)
class Tally:
    """What has come out in contests of a setting.

    Attributes:
        contests: How many there were.
        ordered: In how many of them the order of the ratings is the true one.
        intervals: How many intervals there were.
        held: How many of these hold the truth.
        alone: In how many contests all intervals hold it.
        separated: How many pairs of neighbours were found to be separated.
        wrongly: How many of these are in the wrong order, or alike.
        pairs: How many pairs of neighbours there were.
        sds: The standard deviations of all ratings.
    """

    contests: int = 0
    ordered: int = 0
    intervals: int = 0
    held: int = 0
    alone: int = 0
    separated: int = 0
    wrongly: int = 0
    pairs: int = 0
    sds: list[float] = field(default_factory=list)

    def add(self, ratings: list[Rating], truth: list[float]) -> None:
        """Compare the ratings of a contest with the truth."""
        order = sorted(range(len(ratings)), key=lambda bot: -ratings[bot].rating)
        separated = find_separated([ratings[bot] for bot in order])
        pairs = list(zip(pairwise(order), separated, strict=True))
        held = [r.interval[0] <= t <= r.interval[1] for r, t in zip(ratings, truth, strict=True)]
        self.contests += 1
        self.ordered += all(truth[a] >= truth[b] for a, b in pairwise(order))
        self.intervals += len(held)
        self.held += sum(held)
        self.alone += all(held)
        self.separated += sum(separated)
        self.wrongly += sum(apart and truth[a] <= truth[b] for (a, b), apart in pairs)
        self.pairs += len(pairs)
        self.sds += [rating.sd for rating in ratings]

    def say(self) -> str:
        """Say what came out."""
        return (
            f"intervals {self.held}/{self.intervals} "
            f"({self.held / self.intervals:.1%}), all of a contest: {self.alone}; "
            f"separated {self.separated}/{self.pairs}, "
            f"{self.wrongly} wrongly; sd {sum(self.sds) / len(self.sds):.2f}"
        )


def play(setting: Setting, random: Random) -> tuple[GameLog, list[float]]:
    """Play a contest; return its games and the true strengths, whose mean is 25."""
    drawn = setting.strengths(random, setting.bots)
    truth = [25 + strength - sum(drawn) / len(drawn) for strength in drawn]
    scale = find_scale(setting.seats)
    games = GameLog()
    for _ in range(setting.games):
        seats = random.sample(range(setting.bots), setting.seats)
        # Of exponential times with these rates, the order is Plackett and Luce's.
        times = {bot: random.expovariate(math.exp((truth[bot] - 25) / scale)) for bot in seats}
        games.add(sorted(seats, key=times.__getitem__), range(1, setting.seats + 1))
    return games, truth


def simulate(setting: Setting, contests: int, seed: int) -> Tally:
    """Play so many contests and rate their bots."""
    tally = Tally()
    for number in range(contests):
        games, truth = play(setting, Random(f"{seed} {setting.name} {number}"))
        tally.add(rate_bots(games, setting.bots, seed=number), truth)
    return tally


def main(arguments: list[str] | None = None) -> int:
    """Print what came out; return 1 if it is not what is promised."""
    parser = argparse.ArgumentParser(prog="python -m tools.ratings", description=__doc__)
    parser.add_argument("--contests", type=int, default=100, help="how many of each setting")
    parser.add_argument("--seed", type=int, default=1, help="what is drawn by")
    options = parser.parse_args(arguments)
    kept = True
    for setting in SETTINGS:
        tally = simulate(setting, options.contests, options.seed)
        order = f"order {tally.ordered}/{tally.contests}, " if setting.decisive else ""
        sys.stdout.write(f"{setting.name}: {order}{tally.say()}\n")
        sys.stdout.flush()
        kept &= 0.93 <= tally.held / tally.intervals <= 0.98
        kept &= not setting.decisive or tally.ordered >= 0.95 * tally.contests
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
