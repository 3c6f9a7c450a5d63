"""The search for the placements that gain most.

Placements are looked through by size: one settlement first. For each size the cards are asked about
all that they can tell apart, and then all placements are added up from that. Where no end of a
placement can be good enough by what the cards can pay at most, its ends are left out.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, TypeVar

from kb_score.games.kingdom_builder.advise.tables import find_clusters, list_clusters

if TYPE_CHECKING:
    from kb_score.engine.aside import Deadline
    from kb_score.games.kingdom_builder.advise.tables import Cluster, Kinds, Table

# What a placement gains, and its hexes by number.
Gained = tuple[int, tuple[int, ...]]

_Item = TypeVar("_Item")

# What a card pays more for each of some placements, with hexes by number.
Ask = Callable[["Table", Sequence[tuple[int, ...]]], Iterable[int]]


@dataclass(slots=True)
class Best:
    """The best placements so far: more gain first, then fewer settlements, then reading order."""

    most: int  # so many are kept
    least: int  # they gain at least this much
    _found: list[tuple[int, int, tuple[int, ...]]] = field(default_factory=list)

    def offer(self, gain: int, hexes: tuple[int, ...]) -> None:
        """Keep a placement if it is one of the best."""
        if gain < self.least:
            return
        insort(self._found, (-gain, len(hexes), tuple(sorted(hexes))))
        del self._found[self.most :]
        if len(self._found) == self.most:
            self.least = -self._found[-1][0]

    def list_all(self) -> list[Gained]:
        """List the gain and the hexes of each, the best first."""
        return [(-loss, hexes) for loss, _, hexes in self._found]


@dataclass(slots=True)
class Search:
    """Looks through placements on vacant hexes, which are numbered from 0.

    Attributes:
        tables: What each card pays.
        near: The vacant neighbours of each hex.
        ask: Asks a card.
        deadline: When to stop.
        best: The best placements so far.
    """

    tables: Sequence[Table]
    near: Sequence[frozenset[int]]
    ask: Ask
    deadline: Deadline
    best: Best

    def look_through(self, most: int) -> None:
        """Look through all placements of up to so many settlements; a TimeUp stops that."""
        for size in range(1, min(most, len(self.near)) + 1):
            clusters = sorted(list_clusters(self.near, size))
            self._prepare(size, clusters)
            if size > 1:
                for cluster in self._in_time(clusters):
                    self.best.offer(self._gain([cluster]), cluster)
            for placed in self._in_time(self._beginnings(size - 1)):
                self._end(placed)

    def look_at(self, placements: Sequence[tuple[int, ...]]) -> None:
        """Look at some placements only; a TimeUp stops that."""
        split = [find_clusters(hexes, self.near) for hexes in placements]
        for table in self.tables:
            asked = {
                part: hexes
                for clusters in self._in_time(split)
                for part, hexes in table.missing(clusters)
            }
            self._learn(table, list(asked.items()))
        for clusters, hexes in self._in_time(zip(split, placements, strict=True)):
            self.best.offer(self._gain(clusters), hexes)

    def _prepare(self, size: int, clusters: Iterable[Cluster]) -> None:
        """Ask the cards about all that they can tell apart in placements of a size."""
        joined = list(clusters) if size > 1 else []
        for table in self.tables:
            for cluster in joined if table.sight.joins else ():
                table.meet(cluster)
        for table in self.tables:
            self._learn(table, list(self._in_time(table.unknown(size))))

    def _learn(self, table: Table, asked: Sequence[tuple[Kinds, tuple[int, ...]]]) -> None:
        gains = self.ask(table, [hexes for _, hexes in asked])
        for (kinds, _), gain in zip(asked, gains, strict=True):
            table.learn(kinds, gain)

    def _gain(self, clusters: Sequence[Cluster]) -> int:
        return sum(table.gain(table.kinds_of(clusters)) for table in self.tables)

    def _beginnings(self, size: int) -> Iterator[Sequence[Cluster]]:
        """Yield all placements of a size, to which one hex more is to be added."""
        for hexes in combinations(range(len(self.near)), size):
            yield find_clusters(hexes, self.near) if size > 1 else [(hex_,) for hex_ in hexes]

    def _end(self, placed: Sequence[Cluster]) -> None:
        """Add each hex that is apart from what is placed; of hexes that all are, it is the last."""
        joined = any(len(cluster) > 1 for cluster in placed)
        first = 0 if joined else max((c[-1] + 1 for c in placed), default=0)
        rows = [table.row(table.kinds_of(placed)) for table in self.tables]
        if first == len(self.near) or sum(map(max, rows)) < self.best.least:
            return
        gains = zip(
            *(
                map(row.__getitem__, table.kinds[first:])
                for row, table in zip(rows, self.tables, strict=True)
            ),
            strict=True,
        )
        before = tuple(hex_ for cluster in placed for hex_ in cluster)
        barred = set(before).union(*(self.near[hex_] for hex_ in before))
        for hex_, gain in enumerate(map(sum, gains), first):
            if gain >= self.best.least and hex_ not in barred:
                self.best.offer(gain, (*before, hex_))

    def _in_time(self, items: Iterable[_Item]) -> Iterator[_Item]:
        for number, item in enumerate(items):
            if number % 64 == 0:
                self.deadline.check()
            yield item
