"""Sums: which totals can be reached if each turn has some numbers that it can add."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums of one number out of each of some sets.

    Most sets have no gap; then any sum between the smallest and the largest can be reached. What
    those with gaps can add up to is kept as the bits of an integer.
    """

    sets: tuple[Set[int], ...]

    @property
    def least(self) -> int:
        """The smallest sum."""
        return sum(map(min, self.sets))

    @property
    def most(self) -> int:
        """The largest sum."""
        return sum(map(max, self.sets))

    def choose(self, total: int) -> list[int] | None:
        """Pick a number out of each set, in order, that add up to a total; None if none do."""
        gapped = [i for i, some in enumerate(self.sets) if max(some) - min(some) >= len(some)]
        even = [i for i in range(len(self.sets)) if i not in set(gapped)]
        reached = self._reached(gapped)
        low = sum(min(self.sets[i]) for i in even)
        high = sum(max(self.sets[i]) for i in even)
        # The least that the sets without gaps leave to those with gaps, up to the most.
        window = (reached[-1] >> max(0, total - high)) if total >= low else 0
        if not window or (rest := max(0, total - high) + _lowest_bit(window)) > total - low:
            return None
        picked = {}
        missing = total - rest
        for i in even:
            picked[i] = min(max(self.sets[i]), min(self.sets[i]) + missing - low)
            missing, low = missing - picked[i], low - min(self.sets[i])
        for i, before in zip(reversed(gapped), reversed(reached[:-1]), strict=True):
            picked[i] = next(n for n in self.sets[i] if rest >= n and before >> (rest - n) & 1)
            rest -= picked[i]
        return [picked[i] for i in range(len(self.sets))]

    def _reached(self, gapped: Sequence[int]) -> list[int]:
        reached = [1]
        for i in gapped:
            bits = 0
            for number in self.sets[i]:
                bits |= reached[-1] << number
            reached.append(bits)
        return reached


def _lowest_bit(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
