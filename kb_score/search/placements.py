"""The search for the placements that gain most, and a table of what each card pays for them."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple, TypeAlias, TypeVar

from kb_score.engine.supervisor import Deadline
from kb_score.engine.terms import Value

# Hexes by their numbers, from 0. A cluster is one hex, or hexes that are neighbours of each other.
Hexes: TypeAlias = tuple[int, ...]
Cluster: TypeAlias = Hexes
# The vacant neighbours of each hex.
Neighbours: TypeAlias = Sequence[frozenset[int]]
# The kinds of the clusters of a placement, or of a part of it, ascending.
Kinds: TypeAlias = tuple[int, ...]
# What hexes show a card: any terms.
Shown: TypeAlias = frozenset[Value]

# The rows of one card hold at most this many numbers.
_MOST_NUMBERS = 4_000_000
# What a card pays for kinds that no placement can have together.
_NEVER = -(10**6)


@dataclass(frozen=True, slots=True)
class _Kind:
    """Clusters that a card cannot tell apart."""

    size: int  # the number of their hexes
    shown: Shown  # what they show the card
    examples: list[Cluster]


@dataclass(slots=True)
class CardTable:
    """What one card looks at, and how much more it pays for the placements that were priced."""

    card: str
    near: Neighbours
    looks: Sequence[Shown]  # by vacant hex
    joins: bool  # whether neighbours count as one
    # How the card pays for parts that show it nothing in common: the "sum" or the "most" of what it
    # pays for each; empty if it has to be asked about all parts together.
    apart: str
    minds: bool  # whether the settlements of other players matter
    hex_kinds: list[int] = field(default_factory=list)  # the kind of each hex alone
    prices: dict[Kinds, int] = field(default_factory=dict)  # what the card pays more, by part
    _kinds: list[_Kind] = field(default_factory=list)
    _numbers: dict[tuple[int, Shown], int] = field(default_factory=dict)
    _rows: dict[Kinds, list[int]] = field(default_factory=dict)
    _parts: dict[int, set[Kinds]] = field(default_factory=lambda: {0: {()}})  # by their size
    _showing: dict[Value, list[int]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.hex_kinds = [self.add_cluster((hex_,)) for hex_ in range(len(self.looks))]

    def add_cluster(self, cluster: Cluster) -> int:
        """Return the kind of a cluster, and keep the cluster as an example of its kind."""
        key = self._key_of(cluster)
        number = self._numbers.setdefault(key, len(self._kinds))
        if number == len(self._kinds):
            size, shown = key
            self._kinds.append(_Kind(size, shown, []))
            for what in shown:
                self._showing[what].append(number)
        self._kinds[number].examples.append(cluster)
        return number

    def kinds_of(self, clusters: Iterable[Cluster]) -> Kinds:
        """Return the kinds of a placement, whose clusters have all been added."""
        kinds: list[int] = []
        for cluster in clusters:
            if self.joins:
                kinds.append(self._numbers[self._key_of(cluster)])
            else:
                kinds += [self.hex_kinds[hex_] for hex_ in cluster]
        return _sort(kinds)

    def find_unpriced(self, size: int) -> Iterator[tuple[Kinds, Hexes]]:
        """Yield the kinds of each part of a size that needs a price, with a placement of them.

        All clusters of this size have been added, and all smaller parts have been yielded.
        """
        found = self._parts.setdefault(size, set())
        for smaller in range(size):
            for part in self._parts[smaller]:
                for kind in self._find_touching(part):
                    if self._kinds[kind].size != size - smaller:
                        continue
                    grown = _sort((*part, kind))
                    if grown in found:
                        continue
                    found.add(grown)
                    example = self._find_example(grown, frozenset())
                    if example is not None:
                        yield grown, example

    def gain_of(self, kinds: Kinds) -> int:
        """Return how much more the card pays for a placement with these kinds."""
        if kinds in self.prices:
            return self.prices[kinds]
        gains = [self.prices.get(part, _NEVER) for part in self._split(kinds)]
        if self.apart == "sum":
            return sum(gains)
        return max(gains)

    def gains_with_one_more(self, kinds: Kinds) -> list[int]:
        """List how much more the card pays for these kinds and one hex, by the kind of the hex."""
        if kinds not in self._rows:
            length = 1 + max(self.hex_kinds)
            if len(self._rows) * length > _MOST_NUMBERS:
                self._rows.clear()
            grown = [_sort((*kinds, kind)) for kind in range(length)]
            self._rows[kinds] = list(map(self.gain_of, grown))
        return self._rows[kinds]

    def _key_of(self, cluster: Cluster) -> tuple[int, Shown]:
        """Return what makes up the kind of a cluster: its size, and what it shows the card."""
        looks = [self.looks[hex_] for hex_ in cluster]
        return len(cluster), Shown().union(*looks)

    def _find_touching(self, part: Kinds) -> Iterable[int]:
        """Find the kinds that have to be priced together with a part; all for an empty part."""
        if not part or not self.apart:
            return range(len(self._kinds))
        touching: set[int] = set()
        for kind in part:
            for value in self._kinds[kind].shown:
                touching.update(self._showing[value])
        return touching

    def _split(self, kinds: Kinds) -> Iterator[Kinds]:
        """Split kinds into parts that show the card nothing in common."""
        if not self.apart:
            yield kinds
            return
        left = list(kinds)
        while left:
            part = [left.pop(0)]
            for kind in part:  # the loop also reaches what it appends
                shown = self._kinds[kind].shown
                apart: list[int] = []
                for other in left:
                    if shown.isdisjoint(self._kinds[other].shown):
                        apart.append(other)
                    else:
                        part.append(other)
                left = apart
            yield _sort(part)

    def _find_example(self, kinds: Kinds, barred: frozenset[int]) -> Hexes | None:
        """Find clusters of these kinds that are apart from each other and from the barred hexes."""
        if not kinds:
            return ()
        for cluster in self._kinds[kinds[0]].examples:
            if not barred.isdisjoint(cluster):
                continue
            taken = barred.union(cluster)
            if self.joins:
                neighbours = [self.near[hex_] for hex_ in cluster]
                taken = taken.union(*neighbours)
            others = self._find_example(kinds[1:], taken)
            if others is not None:
                return (*cluster, *others)
        return None


def _sort(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(numbers))


def find_clusters(hexes: Iterable[int], near: Neighbours) -> list[Cluster]:
    """Find the clusters of a placement, each in ascending order."""
    left = set(hexes)
    found: list[Cluster] = []
    while left:
        cluster = [left.pop()]
        for hex_ in cluster:  # the loop also reaches what it appends
            cluster += near[hex_] & left
            left -= near[hex_]
        found.append(_sort(cluster))
    return found


def list_clusters(near: Neighbours, size: int) -> set[Cluster]:
    """List all clusters of a size."""
    if size == 1:
        return {(hex_,) for hex_ in range(len(near))}
    found: set[Cluster] = set()
    for cluster in list_clusters(near, size - 1):
        for hex_ in cluster:
            for neighbour in near[hex_].difference(cluster):
                found.add(_sort((*cluster, neighbour)))
    return found


class RankedPlacement(NamedTuple):
    """A placement in its rank: more gain first, then fewer settlements, then reading order."""

    loss: int  # the gain, negated
    settlements: int
    hexes: Hexes  # ascending


_Item = TypeVar("_Item")


@dataclass(slots=True)
class PlacementSearch:
    """Searches placements on vacant hexes for those that gain most.

    The search raises a TimeUp at the deadline; what it has found by then is in `best`.
    """

    tables: Sequence[CardTable]
    near: Neighbours
    # Returns how much more a card pays for each of some placements.
    ask: Callable[[CardTable, Sequence[Hexes]], Iterable[int]]
    deadline: Deadline
    kept: int  # the number of placements to keep
    least_gain: int  # placements that gain less are not kept
    best: list[RankedPlacement] = field(default_factory=list)

    def search_all(self, most: int) -> None:
        """Search all placements of at most this many settlements."""
        hexes = range(len(self.near))
        largest = min(most, len(hexes))
        for size in range(1, largest + 1):
            clusters = self._prepare(size)
            if size > 1:
                self._offer_each(clusters)
            for placed in self._in_time(combinations(hexes, size - 1)):
                self._complete(placed)

    def search_among(self, placements: Sequence[Hexes]) -> None:
        """Search some placements only, all of one size."""
        for size in range(1, len(placements[0]) + 1):
            self._prepare(size)
        self._offer_each(placements)

    def gains_of(self, hexes: Iterable[int]) -> dict[str, int]:
        """Return how much more each card pays for a placement."""
        clusters = find_clusters(hexes, self.near)
        gains: dict[str, int] = {}
        for table in self.tables:
            kinds = table.kinds_of(clusters)
            gains[table.card] = table.gain_of(kinds)
        return gains

    def _prepare(self, size: int) -> list[Cluster]:
        """Price all that the cards can tell apart in placements of a size; return the clusters."""
        clusters = sorted(list_clusters(self.near, size))
        for table in self.tables:
            if table.joins and size > 1:
                for cluster in clusters:
                    table.add_cluster(cluster)
            unpriced = dict(self._in_time(table.find_unpriced(size)))
            gains = self.ask(table, list(unpriced.values()))
            table.prices.update(zip(unpriced, gains, strict=True))
        return clusters

    def _offer_each(self, placements: Iterable[Hexes]) -> None:
        for hexes in self._in_time(placements):
            gains = self.gains_of(hexes)
            self._offer(sum(gains.values()), hexes)

    def _complete(self, placed: Hexes) -> None:
        """Offer some hexes with each further hex that is apart from them.

        If they are apart from each other, too, the further hex is the last: this offers each
        placement once.
        """
        clusters = find_clusters(placed, self.near)
        first = 0
        if len(clusters) == len(placed):
            first = max(placed, default=-1) + 1
        if first == len(self.near):
            return
        rows = [table.gains_with_one_more(table.kinds_of(clusters)) for table in self.tables]
        most = sum(map(max, rows))
        if most < self.least_gain:
            return
        by_table: list[list[int]] = []
        for row, table in zip(rows, self.tables, strict=True):
            by_table.append([row[kind] for kind in table.hex_kinds[first:]])
        gains = map(sum, zip(*by_table, strict=True))
        neighbours = [self.near[hex_] for hex_ in placed]
        barred = set(placed).union(*neighbours)
        for hex_, gain in enumerate(gains, first):
            if gain >= self.least_gain and hex_ not in barred:
                self._offer(gain, (*placed, hex_))

    def _offer(self, gain: int, hexes: Hexes) -> None:
        """Keep a placement if it is among the best."""
        if gain < self.least_gain:
            return
        placement = RankedPlacement(-gain, len(hexes), _sort(hexes))
        insort(self.best, placement)
        del self.best[self.kept :]
        if len(self.best) == self.kept:
            self.least_gain = -self.best[-1].loss

    def _in_time(self, items: Iterable[_Item]) -> Iterator[_Item]:
        """Yield items until the time is over."""
        for number, item in enumerate(items):
            if number % 64 == 0:
                self.deadline.check()
            yield item
