"""A bot for Horror Movie Search Party: the whole cast walks together to what is not yet searched.

    kb-score play search-party MAP -- python boards/search_party/bots/walker.py [DIRECTIONS]

Of two ways that are equally long it takes the one whose first step stands first in DIRECTIONS.
It knows nothing but what the challenge's controller tells: the turn, the people, the board and a
line of hyphens. Nobody dies, for everybody sees everybody.
"""

import sys
from collections import deque

STEPS = {"7": (-1, -1), "8": (0, -1), "9": (1, -1), "4": (-1, 0), "6": (1, 0), "1": (-1, 1)}
STEPS |= {"2": (0, 1), "3": (1, 1)}
DIRECTIONS = sys.argv[1] if len(sys.argv) > 1 else "78946123"


def main() -> None:
    while sys.stdin.readline().startswith("Turn"):
        people = sys.stdin.readline().rstrip(".\n").split()
        board = []
        while not (line := sys.stdin.readline().rstrip("\n")).startswith("-"):
            board.append(line)
        x, y = people[0].split(":")[1].split(",")
        direction = find_way(board, int(x), int(y))
        print(" ".join(who[0] + direction for who in people) + ".", flush=True)


def find_way(board: list[str], x: int, y: int) -> str:
    """Find the first step towards the nearest unsearched cell."""
    first = {(x, y): "5"}
    cells = deque(first)
    while cells:
        x, y = cells.popleft()
        if board[y][x] == ".":
            return first[x, y]
        for direction in DIRECTIONS:
            dx, dy = STEPS[direction]
            there = x + dx, y + dy
            inside = 0 <= there[1] < len(board) and 0 <= there[0] < len(board[0])
            if inside and there not in first and board[there[1]][there[0]] != "#":
                first[there] = direction if first[x, y] == "5" else first[x, y]
                cells.append(there)
    return "5"


main()
