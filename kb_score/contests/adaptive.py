"""More games for a contest whose table is not clear yet: those that may help most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from random import Random
from typing import TYPE_CHECKING

from kb_score.contests.schedule import Fixture, Grown, find_seed
from kb_score.contests.standings import BotStanding, find_standings, tally_games

if TYPE_CHECKING:
    from kb_score.contests.runner import Runner
    from kb_score.contests.store import Store

_LEAST = 20  # games that are added at a time, at the least
_SHARE = 10  # or this part of those that have been played, if that is more
_TRIES = 200  # draws until bots are found that have not met yet
# A game is filled up with bots that stand at most so far from the two that it is for.
_NEAR = 2


@dataclass(frozen=True, slots=True)
class _Gap:
    """Two neighbours in the table whose ratings are not separated."""

    place: int  # the place of the first one in the order of the table, from 0
    reach: float  # how far the interval of the second one reaches above the lower end of the first


def play_until_separated(runner: Runner, most: int) -> str:
    """Play on until all neighbours in the table are separated, or there are ``most`` games.

    What is played follows from the results alone, so that a contest that was interrupted goes on as
    if it had not been. Returns why no more games are played.
    """
    store = runner.store
    if len(store.plan.bots) < 2:
        return "one bot has nobody to be separated from"
    while True:
        standings = find_standings(tally_games(store.plan, store.read()), runner.rules)
        played = store.fixtures.count()
        gaps = list(_find_gaps(standings))
        if not gaps:
            return "all neighbours are separated"
        if played >= most:
            pairs = "1 pair is" if len(gaps) == 1 else f"{len(gaps)} pairs are"
            return f"of all neighbours {pairs} not separated after {played} games"
        number = min(most - played, max(_LEAST, played // _SHARE))
        random = Random(f"{store.plan.seed} {played}")
        more = _Chooser(store, standings, gaps, random).choose(number)
        if not more:
            return "these bots have played all games that differ from each other"
        earlier = store.fixtures.more if isinstance(store.fixtures, Grown) else ()
        store = replace(store, fixtures=Grown(store.plan.schedule, (*earlier, *more)))
        replace(runner, store=store).play_left()


def _find_gaps(standings: Sequence[BotStanding]) -> Iterator[_Gap]:
    for place, standing in enumerate(standings):
        if standing.separated is False:
            one, other = standing.rating.interval, standings[place + 1].rating.interval
            yield _Gap(place, other[1] - one[0])


@dataclass(frozen=True, slots=True)
class _Chooser:
    """Chooses games between bots that are not separated, the more the less clear they are."""

    store: Store  # the games until now
    standings: Sequence[BotStanding]  # what has come of them
    gaps: Sequence[_Gap]  # the neighbours that are not separated
    random: Random  # what is drawn with

    def choose(self, number: int) -> list[Fixture]:
        """Choose at most so many games; none if all that differ have been played."""
        plan, first = self.store.plan, self.store.fixtures.count()
        seed, round_ = plan.seed, plan.rounds + first
        return [
            Fixture(
                first + i, bots, map_, round_ + at, find_seed(seed, map_, round_ + at), added=True
            )
            for i, (bots, map_, at) in enumerate(islice(self._draw(), number))
        ]

    def _draw(self) -> Iterator[tuple[tuple[int, ...], int, int]]:
        """Yield bots, a map and how many rounds later, without end or until there are none."""
        plan = self.store.plan
        if plan.type.seed is None:
            # Who plays alone would only play the same game again.
            yield from self._meet_anew() if plan.players > 1 else ()
            return
        for i in count():
            at, map_ = divmod(i, len(plan.maps))
            for bots in self._list_alone() if plan.players == 1 else [self._draw_group()]:
                yield bots, map_, at

    def _list_alone(self) -> list[tuple[int, ...]]:
        """List all bots that are not separated, each alone: they run with the same new seed."""
        places = sorted({place for gap in self.gaps for place in (gap.place, gap.place + 1)})
        return [(self.standings[place].bot,) for place in places]

    def _meet_anew(self) -> Iterator[tuple[tuple[int, ...], int, int]]:
        """Have bots meet in games and on maps where they have not met yet."""
        met = {(game.fixture.bots, game.fixture.map) for game in self.store.read()}
        maps, failed = len(self.store.plan.maps), 0
        while failed < _TRIES:
            drawn = self._draw_group(), self.random.randrange(maps)
            failed = failed + 1 if drawn in met else 0
            if not failed:
                met.add(drawn)
                yield *drawn, 0

    def _draw_group(self) -> tuple[int, ...]:
        """Draw two neighbours that are not separated, and others who stand near, in any order."""
        size, last = self.store.plan.players, len(self.standings)
        (gap,) = self.random.choices(self.gaps, [gap.reach + 1e-9 for gap in self.gaps])
        low = max(0, min(gap.place - _NEAR, last - size))
        near = range(low, min(last, max(gap.place + 2 + _NEAR, low + size)))
        others = [place for place in near if place not in (gap.place, gap.place + 1)]
        places = [gap.place, gap.place + 1, *self.random.sample(others, size - 2)]
        self.random.shuffle(places)
        return tuple(self.standings[place].bot for place in places)
