"""More games for a contest whose table is not clear yet: those that may help most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from random import Random
from typing import TYPE_CHECKING

from kb_score.contests.schedule import Grown, Match, find_seed
from kb_score.contests.standings import find_standings, take_down

if TYPE_CHECKING:
    from kb_score.contests.book import Book
    from kb_score.contests.host import Host
    from kb_score.contests.standings import Standing

_LEAST = 20  # games that are added at a time, at the least
_SHARE = 10  # or this part of those that have been played, if that is more
_TRIES = 200  # draws until a table is found that has not met yet
# A table is filled up with bots that stand at most so far from the two that it is for.
_NEAR = 2


@dataclass(frozen=True, slots=True)
class _Gap:
    """Two neighbours in the table whose ratings are not separated.

    Attributes:
        place: The place of the first one in the order of the table, from 0.
        reach: How far the interval of the second one reaches above the lower end of the first.
    """

    place: int
    reach: float


def play_until_separated(host: Host, most: int) -> tuple[Book, str]:
    """Play on until all neighbours in the table are separated, or there are ``most`` games.

    What is played follows from the results alone, so that a contest that was interrupted goes on as
    if it had not been.

    Returns:
        The book with all games, and why no more are played.

    Raises:
        KbScoreError: A game cannot be played, or not be kept.
    """
    book = host.book
    if len(book.plan.bots) < 2:
        return book, "one bot has nobody to be separated from"
    while True:
        standings = find_standings(take_down(book.plan, book.read()), host.rules)
        played = book.games.count()
        gaps = list(_find_gaps(standings))
        if not gaps:
            return book, "all neighbours are separated"
        if played >= most:
            pairs = "1 pair is" if len(gaps) == 1 else f"{len(gaps)} pairs are"
            return book, f"of all neighbours {pairs} not separated after {played} games"
        number = min(most - played, max(_LEAST, played // _SHARE))
        random = Random(f"{book.plan.seed} {played}")
        more = _Chooser(book, standings, gaps, random).choose(number)
        if not more:
            return book, "these bots have played all games that differ from each other"
        earlier = book.games.more if isinstance(book.games, Grown) else ()
        book = replace(book, games=Grown(book.plan.schedule, (*earlier, *more)))
        replace(host, book=book).play_left()


def _find_gaps(standings: Sequence[Standing]) -> Iterator[_Gap]:
    for place, standing in enumerate(standings):
        if standing.separated is False:
            one, other = standing.rating.interval, standings[place + 1].rating.interval
            yield _Gap(place, other[1] - one[0])


@dataclass(frozen=True, slots=True)
class _Chooser:
    """Chooses games between bots that are not separated, the more the less clear they are.

    Attributes:
        book: The games until now.
        standings: What has come of them.
        gaps: The neighbours that are not separated.
        random: What is drawn with.
    """

    book: Book
    standings: Sequence[Standing]
    gaps: Sequence[_Gap]
    random: Random

    def choose(self, number: int) -> list[Match]:
        """Choose at most so many games; none if all that differ have been played."""
        plan, first = self.book.plan, self.book.games.count()
        seed, round_ = plan.seed, plan.rounds + first
        return [
            Match(
                first + i,
                seats,
                field,
                round_ + at,
                find_seed(seed, field, round_ + at),
                added=True,
            )
            for i, (seats, field, at) in enumerate(islice(self._draw(), number))
        ]

    def _draw(self) -> Iterator[tuple[tuple[int, ...], int, int]]:
        """Yield seats, a field and how many rounds later, without end or until there are none."""
        plan = self.book.plan
        if not plan.arena.form.has_luck:
            # Who plays alone would only play the same game again.
            yield from self._meet_anew() if plan.table > 1 else ()
            return
        for i in count():
            at, field = divmod(i, len(plan.fields))
            for seats in self._list_alone() if plan.table == 1 else [self._draw_table()]:
                yield seats, field, at

    def _list_alone(self) -> list[tuple[int, ...]]:
        """List all bots that are not separated, each alone: they run with the same new seed."""
        places = sorted({place for gap in self.gaps for place in (gap.place, gap.place + 1)})
        return [(self.standings[place].bot,) for place in places]

    def _meet_anew(self) -> Iterator[tuple[tuple[int, ...], int, int]]:
        """Have bots meet at tables and on fields where they have not met yet."""
        met = {(entry.match.seats, entry.match.field) for entry in self.book.read()}
        fields, failed = len(self.book.plan.fields), 0
        while failed < _TRIES:
            drawn = self._draw_table(), self.random.randrange(fields)
            failed = failed + 1 if drawn in met else 0
            if not failed:
                met.add(drawn)
                yield *drawn, 0

    def _draw_table(self) -> tuple[int, ...]:
        """Draw two neighbours that are not separated, and others who stand near, in any order."""
        size, last = self.book.plan.table, len(self.standings)
        (gap,) = self.random.choices(self.gaps, [gap.reach + 1e-9 for gap in self.gaps])
        low = max(0, min(gap.place - _NEAR, last - size))
        near = range(low, min(last, max(gap.place + 2 + _NEAR, low + size)))
        others = [place for place in near if place not in (gap.place, gap.place + 1)]
        places = [gap.place, gap.place + 1, *self.random.sample(others, size - 2)]
        self.random.shuffle(places)
        return tuple(self.standings[place].bot for place in places)
