"""More games for a contest whose table is not clear yet: those that may help most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
        overlap: How much their intervals have in common.
    """

    place: int
    overlap: float


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
        count = book.games.count()
        gaps = list(_find_gaps(standings))
        if not gaps:
            return book, "all neighbours are separated"
        if count >= most:
            return book, f"{len(gaps)} pairs of neighbours are not separated after {count} games"
        number = min(most - count, max(_LEAST, count // _SHARE))
        more = _choose(book, standings, gaps, number)
        if not more:
            return book, "these bots have played all games that differ from each other"
        earlier = book.games.more if isinstance(book.games, Grown) else ()
        book = replace(book, games=Grown(book.plan.schedule, (*earlier, *more)))
        replace(host, book=book).play_left()


def _find_gaps(standings: Sequence[Standing]) -> Iterator[_Gap]:
    for place, standing in enumerate(standings):
        if standing.separated is False:
            one, other = standing.rating.interval, standings[place + 1].rating.interval
            yield _Gap(place, min(one[1], other[1]) - max(one[0], other[0]))


def _choose(
    book: Book, standings: Sequence[Standing], gaps: Sequence[_Gap], number: int
) -> list[Match]:
    """Choose games between bots that are not separated, the more the less clear they are."""
    plan, first = book.plan, book.games.count()
    random = Random(f"{plan.seed} {first}")
    round_ = plan.rounds + first
    if plan.table == 1:
        drawn = _run_again(book, standings, gaps, number, round_)
    elif plan.arena.form.has_luck:
        drawn = _meet_again(book, standings, gaps, number, round_, random)
    else:
        drawn = _meet_anew(book, standings, gaps, number, round_, random)
    return [
        Match(first + i, seats, field, at, find_seed(plan.seed, field, at), added=True)
        for i, (seats, field, at) in enumerate(drawn)
    ]


_Drawn = Iterator[tuple[tuple[int, ...], int, int]]


def _run_again(
    book: Book, standings: Sequence[Standing], gaps: Sequence[_Gap], number: int, round_: int
) -> _Drawn:
    """Have all bots that are not separated run with new seeds."""
    plan = book.plan
    if not plan.arena.form.has_luck:
        return
    places = sorted({place for gap in gaps for place in (gap.place, gap.place + 1)})
    bots, fields = [standings[place].bot for place in places], len(plan.fields)
    for i in range(max(1, number // len(bots))):
        for bot in bots:
            yield (bot,), i % fields, round_ + i // fields


def _meet_again(
    book: Book,
    standings: Sequence[Standing],
    gaps: Sequence[_Gap],
    number: int,
    round_: int,
    random: Random,
) -> _Drawn:
    fields = len(book.plan.fields)
    for i in range(number):
        yield _draw_table(book, standings, gaps, random), i % fields, round_ + i // fields


def _meet_anew(
    book: Book,
    standings: Sequence[Standing],
    gaps: Sequence[_Gap],
    number: int,
    round_: int,
    random: Random,
) -> _Drawn:
    """Have bots meet at tables and on fields where they have not met yet."""
    met = {(entry.match.seats, entry.match.field) for entry in book.read()}
    fields = len(book.plan.fields)
    for _ in range(number):
        for _ in range(_TRIES):
            drawn = _draw_table(book, standings, gaps, random), random.randrange(fields)
            if drawn not in met:
                met.add(drawn)
                yield *drawn, round_
                break
        else:
            return


def _draw_table(
    book: Book, standings: Sequence[Standing], gaps: Sequence[_Gap], random: Random
) -> tuple[int, ...]:
    """Draw two neighbours that are not separated, and others who stand near them, in any order."""
    size = book.plan.table
    (gap,) = random.choices(gaps, [gap.overlap + 1e-9 for gap in gaps])
    low = max(0, min(gap.place - _NEAR, len(standings) - size))
    near = range(low, min(len(standings), max(gap.place + 2 + _NEAR, low + size)))
    others = [place for place in near if place not in (gap.place, gap.place + 1)]
    places = [gap.place, gap.place + 1, *random.sample(others, size - 2)]
    random.shuffle(places)
    return tuple(standings[place].bot for place in places)
