"""A bot for Horror Movie Search Party: all walk together to the nearest cell that is not searched.

    kb-score bot search-party -- python3 bot.py
    kb-score play search-party MAP -- python3 bot.py

`kb-score docs search_party` has the rules, the protocol and the maps.
"""

import sys
from collections import deque

# The directions are those of the keys of numbers: 8 is north, 5 stays.
STEPS = {"8": (0, -1), "4": (-1, 0), "6": (1, 0), "2": (0, 1)}
STEPS |= {"7": (-1, -1), "9": (1, -1), "1": (-1, 1), "3": (1, 1)}


def find_direction(board, start):
    """Find the first step of a shortest way to a cell that is a dot."""
    first = {start: "5"}
    cells = deque(first)
    while cells:
        x, y = cells.popleft()
        if board[y][x] == ".":
            return first[x, y]
        for direction, (dx, dy) in STEPS.items():
            there = x + dx, y + dy
            inside = 0 <= there[1] < len(board) and 0 <= there[0] < len(board[0])
            if inside and there not in first and board[there[1]][there[0]] != "#":
                first[there] = direction if (x, y) == start else first[x, y]
                cells.append(there)
    return "5"


# Each turn: "Turn 1", the people as in "@:3,4 A:3,4.", the rows of the board, a line of hyphens.
while sys.stdin.readline().startswith("Turn"):
    people = sys.stdin.readline().rstrip(".\n").split()
    board = []
    while not (row := sys.stdin.readline().rstrip("\n")).startswith("-"):
        board.append(row)
    x, y = people[0].split(":")[1].split(",")
    direction = find_direction(board, (int(x), int(y)))  # here is where to think
    # Each one's name and direction; the answer has to leave at once.
    print(" ".join(who[0] + direction for who in people) + ".", flush=True)
