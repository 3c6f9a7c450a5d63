"""The fewest turns of a search that everybody survives, by trying everything, in plain Python."""

from __future__ import annotations

from itertools import product

from tests.oracles.search_party import SIGHT, STEPS, Map

Place = tuple[int, int]


def fewest_turns(map_: Map) -> int:
    """Count the turns of the shortest search in which nobody dies; for small maps."""
    cells = sorted(map_.open_cells)
    bit = {cell: 1 << i for i, cell in enumerate(cells)}
    sees = {c: frozenset(d for d in cells if (d[0] - c[0], d[1] - c[1]) in SIGHT) for c in cells}
    shown = {c: sum(bit[d] for d in sees[c]) for c in cells}
    moves = {
        (x, y): [(x + dx, y + dy) for dx, dy in STEPS.values() if (x + dx, y + dy) in bit]
        for x, y in cells
    }
    costars, whole = map_.costars, (1 << len(cells)) - 1
    party = (map_.start,) * len(map_.cast)
    layer = {(party, shown[map_.start])}
    known = set(layer)
    turns = 0
    while all(seen != whole for _, seen in layer):
        after = set()
        for people, seen in layer:
            for moved in product(*(moves[place] for place in people)):
                if not _all_live(moved, costars, sees):
                    continue
                # Who of two costars, or of two extras, is where makes no difference.
                star, others = moved[0], moved[1:]
                sorted_ = (star, *sorted(others[:costars]), *sorted(others[costars:]))
                now = seen
                for place in moved:
                    now |= shown[place]
                if (sorted_, now) not in known:
                    known.add((sorted_, now))
                    after.add((sorted_, now))
        layer = after
        turns += 1
    return turns


def _all_live(people: tuple[Place, ...], costars: int, sees: dict[Place, frozenset[Place]]) -> bool:
    for i in range(1, len(people)):
        seen = [j for j, other in enumerate(people) if j != i and other in sees[people[i]]]
        is_costar = i <= costars
        if not seen or (not is_costar and min(seen) > costars and len(seen) < 2):
            return False
    return True
