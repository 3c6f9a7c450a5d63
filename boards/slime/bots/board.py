"""What the bots of this folder share: the board, its moves and what a move does.

A bot is given one argument, the player's number and the rows of the board: 3,11.2,....,....,3..4
It prints four numbers: from row, from column, to row, to column. A persistent bot is given such a
line on its standard input each turn instead.
"""

import sys

PASS = (0, 0, 0, 0)


def read_argument():
    """Read the player and the board, a list of lists of characters."""
    return read_line(sys.argv[1])


def read_line(line):
    """Read the player and the board of a line."""
    player, *rows = line.split(",")
    return player, [list(row) for row in rows]


def choose_greedily(board, player):
    """Choose the move that gains most, of equals the first from the north."""
    moves = list_moves(board, player)
    best = max(moves, key=lambda move: gain(board, player, *move), default=("", PASS))
    return best[1]


def around(board, row, column, distance):
    """List the squares at a distance of 1 or 2 that are on the board."""
    size = len(board)
    return [
        (r, c)
        for r in range(max(0, row - distance), min(size, row + distance + 1))
        for c in range(max(0, column - distance), min(size, column + distance + 1))
        if max(abs(r - row), abs(c - column)) == distance
    ]


def list_moves(board, player):
    """List all spreads, jumps and merges, each with its kind."""
    moves = []
    for row, line in enumerate(board):
        for column, owner in enumerate(line):
            if owner != player:
                continue
            for r, c in around(board, row, column, 1):
                if board[r][c] == ".":
                    moves.append(("spread", (row, column, r, c)))
                elif board[r][c] == player:
                    moves.append(("merge", (row, column, r, c)))
            for r, c in around(board, row, column, 2):
                if board[r][c] == ".":
                    moves.append(("jump", (row, column, r, c)))
    return moves


def gain(board, player, kind, move):
    """Count how many squares more the player has after a move."""
    _, _, row, column = move
    beside = [board[r][c] for r, c in around(board, row, column, 1)]
    if kind == "merge":
        return beside.count(".") - 1
    return sum(owner not in (".", player) for owner in beside) + (kind == "spread")


def answer(move):
    """Print a move at once: who is waited for must not keep it back."""
    print(*move, flush=True)
