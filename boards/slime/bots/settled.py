"""Settled: never jumps, and merges only where it cannot spread. It runs for a whole game."""

import sys

from board import PASS, answer, gain, list_moves, read_line


def liking(board, player, move):
    """Rank a move: spreads before merges, and those that gain most first."""
    kind, _ = move
    return ("merge", "spread").index(kind), gain(board, player, *move)


for line in sys.stdin:
    player, board = read_line(line.strip())
    moves = [move for move in list_moves(board, player) if move[0] != "jump"]
    best = max(moves, key=lambda move: liking(board, player, move), default=("", PASS))
    answer(best[1])
