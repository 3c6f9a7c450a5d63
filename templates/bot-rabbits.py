"""A bot for the rabbits: each goes the shortest way to an exit, and gives way to others.

    kb-score bot rabbits -- python3 bot.py
    kb-score play rabbits MAP -- python3 bot.py

It is started anew for each run, with the map and a seed as its last arguments.
`kb-score docs rabbits` has the rules, the protocol and the maps.
"""

import re
import sys
from collections import deque
from pathlib import Path

rows = [line.strip() for line in Path(sys.argv[-2]).read_text().splitlines()]
rows = [row for row in rows if row and row[0] != ";"]  # the others are comments
CELLS = {(x, y): sign for y, row in enumerate(rows) for x, sign in enumerate(row)}


def list_beside(cell):
    """List the cells beside a cell that are no walls."""
    x, y = cell
    beside = ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y))
    return [near for near in beside if CELLS.get(near, "#") != "#"]


# How many steps it is from each cell to the nearest exit, e.
steps = {cell: 0 for cell, sign in CELLS.items() if sign == "e"}
queue = deque(steps)
while queue:
    cell = queue.popleft()
    for near in list_beside(cell):
        if near not in steps:
            steps[near] = steps[cell] + 1
            queue.append(near)

# Each turn: "turnsleft 35", what crushers did, and where the rabbits are: "rabbits 6,4 8,7 7,3".
for line in sys.stdin:
    if line.startswith("rabbits"):
        rabbits = [(int(x), int(y)) for x, y in re.findall(r"(\d+),(\d+)", line)]
        taken, moves = set(rabbits), []
        for rabbit in rabbits:  # here is where to think: this one fears no crusher
            best = min(list_beside(rabbit), key=lambda cell: steps.get(cell, 10**6), default=rabbit)
            if best not in taken or CELLS[best] == "e":
                taken.add(best)
                moves.append("{},{} to {},{}".format(*rabbit, *best))
        # The answer has to leave at once.
        print("move " + "; ".join(moves), flush=True)
