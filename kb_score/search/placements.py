"""The search for the placements that gain the most, and a table of what each card pays for them."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple, TypeAlias, TypeVar

from kb_score.engine.supervisor import Deadline
from kb_score.engine.terms import Value

# Hexes by their numbers, from 0. A cluster is one hex, or a group that is connected.
Hexes: TypeAlias = tuple[int, ...]
Cluster: TypeAlias = Hexes
# The vacant neighbours of each hex.
Neighbours: TypeAlias = Sequence[frozenset[int]]
# The kinds of the clusters of a placement, or of a part of it, ascending.
Kinds: TypeAlias = tuple[int, ...]
# What a card sees when it looks at hexes: terms of the rules.
Shown: TypeAlias = frozenset[Value]

# The cached rows of one card hold at most this many numbers.
_MAX_NUMBERS = 4_000_000
# The gain of kinds that no placement can combine.
_NEVER = -(10**6)


@dataclass(frozen=True, slots=True)
class _Kind:
    """Clusters that a card cannot tell apart."""

    size: int  # the number of hexes of each cluster
    shown: Shown  # what the card sees there
    examples: list[Cluster]


@dataclass(slots=True)
class CardTable:
    """What one card looks at, and the gold that it adds for the placements priced so far.

    Attributes:
        near: The vacant neighbours of each hex.
        looks: What the card sees on each vacant hex.
        joins: Whether neighbouring settlements count as one.
        apart: How the card pays for parts that have nothing in common for it: the ``sum`` or the
            ``most`` of what it pays for each; empty if it has to be asked about all parts together.
        minds: Whether the settlements of other players matter to the card.
        hex_kinds: The kind of each single hex.
        prices: The gold that the card adds, by the kinds of a part.
    """

    card: str
    near: Neighbours
    looks: Sequence[Shown]
    joins: bool
    apart: str
    minds: bool
    hex_kinds: list[int] = field(default_factory=list)
    prices: dict[Kinds, int] = field(default_factory=dict)
    _kinds: list[_Kind] = field(default_factory=list)
    _numbers: dict[tuple[int, Shown], int] = field(default_factory=dict)
    _rows: dict[Kinds, list[int]] = field(default_factory=dict)
    _parts: dict[int, set[Kinds]] = field(default_factory=lambda: {0: {()}})  # by their size
    _showing: dict[Value, list[int]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.hex_kinds += [self.add_cluster((hex_,)) for hex_ in range(len(self.looks))]

    def add_cluster(self, cluster: Cluster) -> int:
        """Return the kind of a cluster of vacant hexes, from 0.

        The cluster is stored as an example of its kind.
        """
        key = self._key_of(cluster)
        known = len(self._kinds)
        number = self._numbers.setdefault(key, known)
        if number == known:
            size, shown = key
            self._kinds.append(_Kind(size, shown, []))
            for what in shown:
                self._showing[what].append(number)
        self._kinds[number].examples.append(cluster)
        return number

    def kinds_of(self, clusters: Iterable[Cluster]) -> Kinds:
        """Return the kinds of a placement's clusters, all of which have been added before.

        They are those of its single hexes if the card does not join neighbours, in ascending order.
        """
        kinds: list[int] = []
        for cluster in clusters:
            if self.joins:
                kinds.append(self._numbers[self._key_of(cluster)])
            else:
                kinds += [self.hex_kinds[hex_] for hex_ in cluster]
        return _sort(kinds)

    def find_unpriced(self, size: int) -> Iterator[tuple[Kinds, Hexes]]:
        """Yield the kinds of each part of a size that needs a price, with an example.

        All clusters of this size have been added, and all smaller parts have been yielded.
        """
        found = self._parts.setdefault(size, set())
        for smaller in range(size):
            missing = size - smaller
            for part in self._parts[smaller]:
                for kind in self._find_touching(part):
                    if self._kinds[kind].size != missing:
                        continue
                    grown = _sort((*part, kind))
                    if grown in found:
                        continue
                    found.add(grown)
                    example = self._find_example(grown, frozenset())
                    if example is not None:
                        yield grown, example

    def gain_of(self, kinds: Kinds) -> int:
        """Return the gold that the card adds for a placement."""
        if kinds in self.prices:
            return self.prices[kinds]
        gains = [self.prices.get(part, _NEVER) for part in self._split(kinds)]
        return sum(gains) if self.apart == "sum" else max(gains)

    def gains_with_one_more(self, kinds: Kinds) -> list[int]:
        """Return the gold that the card adds for a placement and one more hex.

        It is listed by the kind of that hex.
        """
        if kinds not in self._rows:
            length = 1 + max(self.hex_kinds)
            if len(self._rows) * length > _MAX_NUMBERS:
                self._rows.clear()
            self._rows[kinds] = [self.gain_of(_sort((*kinds, kind))) for kind in range(length)]
        return self._rows[kinds]

    def _key_of(self, cluster: Cluster) -> tuple[int, Shown]:
        """Return what defines the kind of a cluster: its size, and what the card sees there."""
        return len(cluster), Shown().union(*(self.looks[hex_] for hex_ in cluster))

    def _find_touching(self, part: Kinds) -> Iterable[int]:
        """Return the kinds that have to be priced together with a part; all for an empty part."""
        if not part or not self.apart:
            return range(len(self._kinds))
        touching: set[int] = set()
        for kind in part:
            for value in self._kinds[kind].shown:
                touching.update(self._showing[value])
        return touching

    def _split(self, kinds: Kinds) -> Iterator[Kinds]:
        """Split kinds into parts that have nothing in common for the card."""
        if not self.apart:
            yield kinds
            return
        left = list(kinds)
        while left:
            first = left.pop(0)
            part = [first]
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
        """Find a placement of these kinds without barred hexes; None if there is none.

        If the card joins neighbours, no two of its clusters are neighbours.
        """
        if not kinds:
            return ()
        first, *others = kinds
        for cluster in self._kinds[first].examples:
            if not barred.isdisjoint(cluster):
                continue
            taken = barred.union(cluster)
            if self.joins:
                taken = taken.union(*(self.near[hex_] for hex_ in cluster))
            rest = self._find_example(tuple(others), taken)
            if rest is not None:
                return (*cluster, *rest)
        return None


def _sort(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(numbers))


def find_clusters(hexes: Iterable[int], near: Neighbours) -> list[Cluster]:
    """Return the clusters of a placement, each in ascending order."""
    left = set(hexes)
    found: list[Cluster] = []
    while left:
        first = left.pop()
        cluster = [first]
        for hex_ in cluster:  # the loop also reaches what it appends
            cluster += near[hex_] & left
            left -= near[hex_]
        found.append(_sort(cluster))
    return found


def list_clusters(near: Neighbours, size: int) -> set[Cluster]:
    """Return all clusters of a size, each in ascending order."""
    if size == 1:
        return {(hex_,) for hex_ in range(len(near))}
    found: set[Cluster] = set()
    for cluster in list_clusters(near, size - 1):
        for hex_ in cluster:
            neighbours = near[hex_].difference(cluster)
            found.update(_sort((*cluster, neighbour)) for neighbour in neighbours)
    return found


class RankedPlacement(NamedTuple):
    """A placement; placements are ordered by gain, then fewer settlements, then reading order."""

    loss: int  # the negated gain
    settlements: int
    hexes: Hexes  # ascending


_Item = TypeVar("_Item")


@dataclass(slots=True)
class PlacementSearch:
    """Searches placements on vacant hexes for those that gain the most.

    Attributes:
        near: The vacant neighbours of each hex.
        ask: Returns the gold that a card adds for each of the given placements.
        least_gain: Placements that gain less are not kept.
        best: The best placements found so far, best first.
    """

    tables: Sequence[CardTable]
    near: Neighbours
    ask: Callable[[CardTable, Sequence[Hexes]], Iterable[int]]
    deadline: Deadline
    kept: int
    least_gain: int
    best: list[RankedPlacement] = field(default_factory=list)

    def search_all(self, most: int) -> None:
        """Search all placements of at most this many settlements.

        If the deadline passes, it raises TimeUp, and `best` has what was found by then.
        """
        hexes = range(len(self.near))
        largest = min(most, len(hexes))
        for size in range(1, largest + 1):
            clusters = self._prepare(size)
            if size > 1:
                self._offer_each(clusters)
            for placed in self._in_time(combinations(hexes, size - 1)):
                self._complete(placed)

    def search_among(self, placements: Sequence[Hexes]) -> None:
        """Search some placements only, all of one size.

        If the deadline passes, it raises TimeUp, and `best` has what was found by then.
        """
        largest = len(placements[0])
        for size in range(1, largest + 1):
            self._prepare(size)
        self._offer_each(placements)

    def gains_of(self, hexes: Iterable[int]) -> dict[str, int]:
        """Return the gold that each card adds for a placement."""
        clusters = find_clusters(hexes, self.near)
        return {table.card: table.gain_of(table.kinds_of(clusters)) for table in self.tables}

    def _prepare(self, size: int) -> list[Cluster]:
        """Price all parts of a size that a card can tell apart, and return the clusters."""
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
            self._offer(sum(self.gains_of(hexes).values()), hexes)

    def _complete(self, placed: Hexes) -> None:
        """Offer some hexes with each further hex that is not their neighbour.

        If no two of them are neighbours either, only hexes after the last of them are added, so
        that each placement is offered once.
        """
        clusters = find_clusters(placed, self.near)
        first = 0
        if len(clusters) == len(placed):
            first = max(placed, default=-1) + 1
        if first == len(self.near):
            return
        rows = [table.gains_with_one_more(table.kinds_of(clusters)) for table in self.tables]
        if sum(map(max, rows)) < self.least_gain:
            return
        by_table = [
            [row[kind] for kind in table.hex_kinds[first:]]
            for row, table in zip(rows, self.tables, strict=True)
        ]
        gains = map(sum, zip(*by_table, strict=True))
        barred = set(placed).union(*(self.near[hex_] for hex_ in placed))
        for hex_, gain in enumerate(gains, first):
            if gain >= self.least_gain and hex_ not in barred:
                self._offer(gain, (*placed, hex_))

    def _offer(self, gain: int, hexes: Hexes) -> None:
        """Keep a placement if it is among the best."""
        if gain < self.least_gain:
            return
        insort(self.best, RankedPlacement(-gain, len(hexes), _sort(hexes)))
        del self.best[self.kept :]
        if len(self.best) == self.kept:
            self.least_gain = -self.best[-1].loss

    def _in_time(self, items: Iterable[_Item]) -> Iterator[_Item]:
        """Yield items, and raise TimeUp if the deadline has passed."""
        for number, item in enumerate(items):
            if number % 64 == 0:
                self.deadline.check()
            yield item
