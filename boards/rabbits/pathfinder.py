"""A bot in the style of the challenge's framework: each rabbit takes the shortest way to an exit.

It keeps away from the crushers that it has heard of, and never sends two rabbits to one cell.
Start it as the controller does: ``python pathfinder.py MAP SEED``.
"""

import re
import sys
from collections import deque
from pathlib import Path

STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))


def read_map(path):
    """Read the map; return the rows as the controller sees them."""
    rows = [line.strip() for line in Path(path).read_text().splitlines()]
    return [row for row in rows if row and row[0] != ";"]


def beside(cell):
    """List the four cells around a cell."""
    return [(cell[0] + dx, cell[1] + dy) for dx, dy in STEPS]


def find_distances(rows):
    """Count for each corridor cell the steps to the nearest exit."""
    cells = {(x, y): symbol for y, row in enumerate(rows) for x, symbol in enumerate(row)}
    distances = {cell: 0 for cell, symbol in cells.items() if symbol == "e"}
    queue = deque(distances)
    while queue:
        cell = queue.popleft()
        for near in beside(cell):
            if cells.get(near, "#") != "#" and near not in distances:
                distances[near] = distances[cell] + 1
                queue.append(near)
    return distances


def choose_moves(rabbits, crushers, distances):
    """Choose where rabbits go, those in front first: nowhere near a crusher if it can be helped."""
    close = {cell for crusher in crushers for cell in [crusher, *beside(crusher)]}
    taken = set(rabbits)
    moves = []
    for rabbit in sorted(rabbits, key=lambda cell: (distances.get(cell, 9999), cell)):
        taken.discard(rabbit)
        ways = [cell for cell in beside(rabbit) if cell in distances]
        ways = [cell for cell in ways if cell not in taken and cell not in crushers]
        best = min([rabbit, *ways], key=lambda cell: (cell in close, distances.get(cell, 9999)))
        if distances.get(best) != 0:
            taken.add(best)
        if best != rabbit:
            moves.append((rabbit, best))
    return moves


def main():
    """Answer the controller until it closes the pipe."""
    distances = find_distances(read_map(sys.argv[1]))
    crushers = set()
    for message in sys.stdin:
        places = [tuple(map(int, pair)) for pair in re.findall(r"(\d+),(\d+)", message)]
        if message.startswith("crusher"):
            # Places come in pairs: from where, to where.
            crushers -= set(places[::2])
            crushers |= set(places[1::2])
        elif message.startswith("rabbits"):
            moves = choose_moves(places, crushers, distances)
            print("move " + "; ".join(f"{a},{b} to {c},{d}" for (a, b), (c, d) in moves))
            sys.stdout.flush()


main()
