"""The search for the placements that gain most, and what it knows of what each card pays."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeVar

from kb_score.engine.supervisor import Deadline
from kb_score.engine.terms import Value

# Hexes that are neighbours of each other, or one alone; they are numbered from 0.
Cluster = tuple[int, ...]
# The kinds of the clusters of a placement, or of a part of it, ascending.
Kinds = tuple[int, ...]

# So many numbers are kept of rows that were added up.
_KEPT = 4_000_000
# For kinds that no placement can have together.
_NEVER = -(10**6)


@dataclass(slots=True)
class CardTable:
    """What one card looks at, and what it pays more for placements, as far as it was asked."""

    card: str
    near: Sequence[frozenset[int]]  # the vacant neighbours of each hex
    looks: Sequence[frozenset[Value]]  # what each vacant hex shows it
    joins: bool  # whether neighbours count as one
    apart: str  # how parts without anything in common go together: sum, most, or not at all
    minds: bool  # whether the settlements of other players matter
    kinds: list[int] = field(default_factory=list)  # the kind of each hex alone
    prices: dict[Kinds, int] = field(default_factory=dict)  # what was asked for, part by part
    _numbers: dict[tuple[int, frozenset[Value]], int] = field(default_factory=dict)
    _examples: list[list[Cluster]] = field(default_factory=list)
    _sizes: list[int] = field(default_factory=list)
    _shown: list[frozenset[Value]] = field(default_factory=list)
    _rows: dict[Kinds, list[int]] = field(default_factory=dict)
    _parts: dict[int, set[Kinds]] = field(default_factory=lambda: {0: {()}})  # by their size
    _showing: dict[Value, list[int]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.kinds = [self.meet((hex_,)) for hex_ in range(len(self.looks))]

    def meet(self, cluster: Cluster) -> int:
        """Number the kind of a cluster, and keep it as an example of its kind."""
        shown = self._look(cluster)
        kind = self._numbers.setdefault((len(cluster), shown), len(self._sizes))
        if kind == len(self._sizes):
            self._sizes.append(len(cluster))
            self._shown.append(shown)
            self._examples.append([])
            for what in shown:
                self._showing[what].append(kind)
        self._examples[kind].append(cluster)
        return kind

    def kinds_of(self, clusters: Iterable[Cluster]) -> Kinds:
        """Name the kinds of a placement, by its clusters, which have all been met."""
        if not self.joins:
            return tuple(sorted(self.kinds[hex_] for cluster in clusters for hex_ in cluster))
        return tuple(sorted(self._numbers[len(c), self._look(c)] for c in clusters))

    def unknown(self, size: int) -> Iterator[tuple[Kinds, tuple[int, ...]]]:
        """Yield each part of a size, kinds to be looked at together, with a placement of them.

        All clusters of this size have been met, and smaller parts have been yielded.
        """
        found = self._parts.setdefault(size, set())
        for smaller in range(size):
            for part in self._parts[smaller]:
                for kind in self._find_touching(part):
                    grown = tuple(sorted((*part, kind)))
                    if self._sizes[kind] == size - smaller and grown not in found:
                        found.add(grown)
                        example = self._find_example(grown, frozenset())
                        if example is not None:
                            yield grown, example

    def gain(self, kinds: Kinds) -> int:
        """Tell what the card pays more for a placement with these kinds."""
        if kinds in self.prices:
            return self.prices[kinds]
        gains = [self.prices.get(part, _NEVER) for part in self._split(kinds)]
        return sum(gains) if self.apart == "sum" else max(gains)

    def row(self, kinds: Kinds) -> list[int]:
        """List what it pays more for these kinds and one hex more, by the kind of that hex."""
        if kinds not in self._rows:
            singles = 1 + max(self.kinds)
            if len(self._rows) * singles > _KEPT:
                self._rows.clear()
            self._rows[kinds] = [self.gain(tuple(sorted((*kinds, k)))) for k in range(singles)]
        return self._rows[kinds]

    def _look(self, cluster: Cluster) -> frozenset[Value]:
        return frozenset[Value]().union(*(self.looks[hex_] for hex_ in cluster))

    def _find_touching(self, part: Kinds) -> Iterable[int]:
        """Find the kinds that have to be looked at together with a part, or all for none."""
        if not part or not self.apart:
            return range(len(self._sizes))
        shown = frozenset[Value]().union(*(self._shown[kind] for kind in part))
        return {kind for what in shown for kind in self._showing[what]}

    def _split(self, kinds: Kinds) -> Iterator[Kinds]:
        """Split kinds into parts that show the card nothing in common."""
        if not self.apart:
            yield kinds
            return
        left = list(kinds)
        while left:
            part = [left.pop(0)]
            for kind in part:  # it grows on the way
                shown = self._shown[kind]
                part += [other for other in left if not shown.isdisjoint(self._shown[other])]
                left = [other for other in left if shown.isdisjoint(self._shown[other])]
            yield tuple(sorted(part))

    def _find_example(self, kinds: Kinds, barred: frozenset[int]) -> tuple[int, ...] | None:
        """Find the hexes of clusters of these kinds that are apart, and none of the barred ones."""
        if not kinds:
            return ()
        for cluster in self._examples[kinds[0]]:
            if barred.isdisjoint(cluster):
                beside = [self.near[hex_] for hex_ in cluster] if self.joins else []
                found = self._find_example(kinds[1:], barred.union(cluster, *beside))
                if found is not None:
                    return (*cluster, *found)
        return None


def find_clusters(hexes: Iterable[int], near: Sequence[frozenset[int]]) -> list[Cluster]:
    """Find the clusters of a placement, each in ascending order."""
    left, found = set(hexes), []
    while left:
        cluster = [left.pop()]
        for hex_ in cluster:  # it grows on the way
            cluster += near[hex_] & left
            left -= near[hex_]
        found.append(tuple(sorted(cluster)))
    return found


def list_clusters(near: Sequence[frozenset[int]], size: int) -> set[Cluster]:
    """List all clusters of a size."""
    if size == 1:
        return {(hex_,) for hex_ in range(len(near))}
    return {
        tuple(sorted((*cluster, more)))
        for cluster in list_clusters(near, size - 1)
        for hex_ in cluster
        for more in near[hex_]
        if more not in cluster
    }


_Item = TypeVar("_Item")


@dataclass(slots=True)
class PlacementSearch:
    """Looks through placements on vacant hexes."""

    tables: Sequence[CardTable]
    near: Sequence[frozenset[int]]  # the vacant neighbours of each hex
    # What a card pays more for each of some placements.
    ask: Callable[[CardTable, Sequence[tuple[int, ...]]], Iterable[int]]
    deadline: Deadline
    most: int  # so many placements are kept
    least: int  # they gain at least this much
    # More gain first, then fewer settlements, then reading order: loss, settlements and hexes.
    best: list[tuple[int, int, tuple[int, ...]]] = field(default_factory=list)

    def look_through(self, most: int) -> None:
        """Look through all placements of up to so many settlements; a TimeUp stops that."""
        for size in range(1, min(most, len(self.near)) + 1):
            clusters = self._prepare(size)
            if size > 1:
                self._look_at(clusters)
            for placed in self._in_time(combinations(range(len(self.near)), size - 1)):
                self._end(placed)

    def look_at(self, placements: Sequence[tuple[int, ...]]) -> None:
        """Look at some placements only, all of one size; a TimeUp stops that."""
        for size in range(1, len(placements[0]) + 1):
            self._prepare(size)
        self._look_at(placements)

    def gains(self, hexes: Iterable[int]) -> dict[str, int]:
        """Tell what each card pays more for a placement."""
        clusters = find_clusters(hexes, self.near)
        return {table.card: table.gain(table.kinds_of(clusters)) for table in self.tables}

    def _prepare(self, size: int) -> list[Cluster]:
        """Ask the cards about all that they can tell apart in placements of a size."""
        clusters = sorted(list_clusters(self.near, size))
        for table in self.tables:
            for cluster in clusters if table.joins and size > 1 else ():
                table.meet(cluster)
            asked = list(self._in_time(table.unknown(size)))
            gains = self.ask(table, [hexes for _, hexes in asked])
            for (kinds, _), gain in zip(asked, gains, strict=True):
                table.prices[kinds] = gain
        return clusters

    def _look_at(self, placements: Iterable[tuple[int, ...]]) -> None:
        for hexes in self._in_time(placements):
            self._offer(sum(self.gains(hexes).values()), hexes)

    def _end(self, placed: tuple[int, ...]) -> None:
        """Add each hex that is apart from what is placed; of hexes that all are, it is the last."""
        clusters = find_clusters(placed, self.near)
        joined = len(clusters) < len(placed)
        first = 0 if joined else max(placed, default=-1) + 1
        rows = [table.row(table.kinds_of(clusters)) for table in self.tables]
        if first == len(self.near) or sum(map(max, rows)) < self.least:
            return
        paid = zip(rows, self.tables, strict=True)
        gains = zip(*([row[k] for k in table.kinds[first:]] for row, table in paid), strict=True)
        barred = set(placed).union(*(self.near[hex_] for hex_ in placed))
        for hex_, gain in enumerate(map(sum, gains), first):
            if gain >= self.least and hex_ not in barred:
                self._offer(gain, (*placed, hex_))

    def _offer(self, gain: int, hexes: tuple[int, ...]) -> None:
        if gain < self.least:
            return
        insort(self.best, (-gain, len(hexes), tuple(sorted(hexes))))
        del self.best[self.most :]
        if len(self.best) == self.most:
            self.least = -self.best[-1][0]

    def _in_time(self, items: Iterable[_Item]) -> Iterator[_Item]:
        for number, item in enumerate(items):
            if number % 64 == 0:
                self.deadline.check()
            yield item
