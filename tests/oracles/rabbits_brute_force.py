"""All that can have happened in a run log of a tiny station, tried out in plain Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import permutations, product
from random import Random

from tests.oracles.rabbits import (
    HEADINGS,
    Cell,
    Map,
    Run,
    move_line,
    prey_headings,
    wander_headings,
)

Frame = tuple[frozenset[Cell], frozenset[Cell]]
Crushers = frozenset[tuple[Cell, int]]


def totals(station: Map, frames: list[Frame], in_pairs: bool) -> set[int]:
    """Collect the totals that some choices in all turns lead to; empty if none explains a frame."""
    run = Run(station, Random(0), in_pairs)
    run.spawn()
    if frames[0] != (frozenset(run.rabbits), frozenset(run.crushers)):
        return set()
    # The totals so far, by the headings of the crushers.
    states: dict[Crushers, set[int]] = defaultdict(set)
    for headings in product(HEADINGS, repeat=len(run.crushers)):
        states[frozenset(zip(run.crushers, headings, strict=True))] = {0}
    for (rabbits, _), after in zip(frames, [*frames[1:], None], strict=True):
        following: dict[Crushers, set[int]] = defaultdict(set)
        for crushers, before in states.items():
            for run in _moved_crushers(station, dict(crushers), rabbits, in_pairs):
                for saved in _saved(station, run, after):
                    following[frozenset(run.crushers.items())] |= {n + saved for n in before}
        states = following
    return set().union(*states.values())


def _moved_crushers(
    station: Map, crushers: dict[Cell, int], rabbits: frozenset[Cell], in_pairs: bool
) -> Iterator[Run]:
    options = [
        prey_headings(station, cell, crushers, rabbits)
        or wander_headings(station, cell, heading, crushers)
        for cell, heading in crushers.items()
    ]
    seen = set()
    for chosen in product(*options):
        for order in permutations(zip(crushers, chosen, strict=True)):
            run = Run(station, Random(0), in_pairs)
            run.rabbits, run.crushers = set(rabbits), dict(order)
            for cell, heading in order:
                ray = station.sight[cell][heading]
                if ray and ray[0] not in run.crushers:
                    run.advance(cell, heading)
            key = frozenset(run.crushers.items())
            if key not in seen:
                seen.add(key)
                yield run


def _saved(station: Map, run: Run, after: Frame | None) -> set[int]:
    """Try all moves of the rabbits; return how many were saved where the next frame fits."""
    if after is not None and after[1] != run.crushers.keys():
        return set()
    found = set()
    rabbits = sorted(run.rabbits)
    for targets in product(*([rabbit, *station.beside[rabbit]] for rabbit in rabbits)):
        moves = [(a, b) for a, b in zip(rabbits, targets, strict=True) if a != b]
        tried = Run(station, Random(0), run.collide_in_pairs)
        tried.rabbits, tried.crushers = set(rabbits), dict(run.crushers)
        tried.answer(move_line(moves))
        tried.spawn()
        if after is None or tried.rabbits == after[0]:
            found.add(tried.saved)
    return found
