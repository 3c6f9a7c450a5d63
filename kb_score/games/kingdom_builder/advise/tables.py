"""What a card pays more for a placement, asked once for all placements that it cannot tell apart.

A placement is a set of vacant hexes, given by their numbers. The rules say what a card looks at of
each hex; hexes that show it the same are one kind. So a card knows a placement as a few kinds, and
where these show it nothing in common, as several such things, its parts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kb_score.engine.terms import Value

# Hexes that are neighbours of each other, or one alone.
Cluster = tuple[int, ...]
# The kinds of the clusters of a placement, or of a part of it, ascending.
Kinds = tuple[int, ...]

# So many numbers are kept of rows that were added up.
_KEPT = 4_000_000
# For kinds that no placement can have together.
_NEVER = -(10**6)


@dataclass(frozen=True, slots=True)
class Sight:
    """What a card looks at.

    Attributes:
        card: The card's name.
        looks: What each vacant hex shows it, in the order of the hexes.
        joins: Whether neighbours count as one.
        apart: How parts without anything in common go together: ``sum``, ``most``, or not at all.
        minds: Whether the settlements of other players matter.
        guessed: Whether the rules do not say what the card looks at: parts are taken to add up.
    """

    card: str
    looks: tuple[frozenset[Value], ...]
    joins: bool
    apart: str
    minds: bool
    guessed: bool = False


@dataclass(slots=True)
class Table:
    """What one card pays more for placements, as far as it has been asked."""

    sight: Sight
    near: Sequence[frozenset[int]]  # the vacant neighbours of each hex
    kinds: list[int] = field(default_factory=list)  # the kind of each hex alone
    _numbers: dict[tuple[int, frozenset[Value]], int] = field(default_factory=dict)
    _examples: list[list[Cluster]] = field(default_factory=list)
    _sizes: list[int] = field(default_factory=list)
    _shown: list[frozenset[Value]] = field(default_factory=list)
    _prices: dict[Kinds, int] = field(default_factory=dict)
    _rows: dict[Kinds, list[int]] = field(default_factory=dict)
    _parts: dict[int, set[Kinds]] = field(default_factory=dict)
    _showing: dict[Value, list[int]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.kinds = [self.meet((hex_,)) for hex_ in range(len(self.sight.looks))]

    def meet(self, cluster: Cluster) -> int:
        """Number the kind of a cluster, and keep it as an example of its kind."""
        shown = frozenset[Value]().union(*(self.sight.looks[hex_] for hex_ in cluster))
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
        """Name the kinds of a placement, by its clusters."""
        if not self.sight.joins:
            return tuple(sorted(self.kinds[hex_] for cluster in clusters for hex_ in cluster))
        return tuple(sorted(self._kind(cluster) for cluster in clusters))

    def unknown(self, size: int) -> Iterator[tuple[Kinds, tuple[int, ...]]]:
        """Yield each part of a size that was not asked for, with a placement that has these kinds.

        All clusters of this size have been met, and smaller parts have been asked for.
        """
        for kinds in self._grow(size):
            if kinds not in self._prices:
                example = self._find_example(kinds, ())
                if example is not None:
                    yield kinds, tuple(hex_ for cluster in example for hex_ in cluster)

    def learn(self, kinds: Kinds, gain: int) -> None:
        """Note what the card pays more for one part."""
        self._prices[kinds] = gain

    def gain(self, kinds: Kinds) -> int:
        """Tell what the card pays more for a placement with these kinds."""
        found = self._prices.get(kinds)
        if found is not None:
            return found
        parts = list(self._split(kinds))
        if len(parts) < 2:
            return _NEVER if parts else 0
        gains = [self._prices.get(part, _NEVER) for part in parts]
        return sum(gains) if self.sight.apart == "sum" else max(gains)

    def row(self, kinds: Kinds) -> list[int]:
        """List what it pays more for these kinds and one hex more, by the kind of that hex."""
        if kinds not in self._rows:
            singles = 1 + max(self.kinds)
            if len(self._rows) * singles > _KEPT:
                self._rows.clear()
            self._rows[kinds] = [self.gain(tuple(sorted((*kinds, k)))) for k in range(singles)]
        return self._rows[kinds]

    def missing(self, clusters: Sequence[Cluster]) -> Iterator[tuple[Kinds, tuple[int, ...]]]:
        """Yield the parts of a placement that were not asked for, as `unknown` does."""
        mine = clusters if self.sight.joins else [(h,) for cluster in clusters for h in cluster]
        by_kind: dict[int, list[Cluster]] = {}
        for cluster in mine:
            by_kind.setdefault(self._kind(cluster), []).append(cluster)
        for part in self._split(self.kinds_of(clusters)):
            if part not in self._prices:
                yield part, tuple(hex_ for kind in part for hex_ in by_kind[kind].pop())

    def _kind(self, cluster: Cluster) -> int:
        if len(cluster) == 1:
            return self.kinds[cluster[0]]
        shown = frozenset[Value]().union(*(self.sight.looks[hex_] for hex_ in cluster))
        found = self._numbers.get((len(cluster), shown))
        return self.meet(cluster) if found is None else found

    def _touch(self, first: int, second: int) -> bool:
        """Whether the card has to look at two kinds together."""
        return not self.sight.apart or not self._shown[first].isdisjoint(self._shown[second])

    def _grow(self, size: int) -> Iterator[Kinds]:
        """Yield the parts of a size: kinds that all have to be looked at together."""
        found = self._parts.setdefault(size, set())
        for smaller in range(size):
            for part in self._parts[smaller] if smaller else {()}:
                for kind in self._find_touching(part):
                    grown = tuple(sorted((*part, kind)))
                    if self._sizes[kind] == size - smaller and grown not in found:
                        found.add(grown)
                        yield grown

    def _find_touching(self, part: Kinds) -> Iterable[int]:
        """Find the kinds that have to be looked at together with a part, or all for none."""
        if not part or not self.sight.apart:
            return range(len(self._sizes))
        shown = frozenset[Value]().union(*(self._shown[kind] for kind in part))
        return {kind for what in shown for kind in self._showing[what]}

    def _split(self, kinds: Kinds) -> Iterator[Kinds]:
        """Split kinds into parts that show the card nothing in common."""
        left = list(kinds)
        while left:
            part = [left.pop(0)]
            for kind in part:  # it grows on the way
                joined = [other for other in left if self._touch(kind, other)]
                part += joined
                for other in joined:
                    left.remove(other)
            yield tuple(sorted(part))

    def _find_example(
        self, kinds: Kinds, before: tuple[Cluster, ...]
    ) -> tuple[Cluster, ...] | None:
        """Find clusters of these kinds that are apart from each other and from those before."""
        if not kinds:
            return before
        for cluster in self._examples[kinds[0]]:
            if all(self._is_apart(cluster, other) for other in before):
                found = self._find_example(kinds[1:], (*before, cluster))
                if found is not None:
                    return found
        return None

    def _is_apart(self, cluster: Cluster, other: Cluster) -> bool:
        if not set(cluster).isdisjoint(other):
            return False
        return not self.sight.joins or all(self.near[hex_].isdisjoint(other) for hex_ in cluster)


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
