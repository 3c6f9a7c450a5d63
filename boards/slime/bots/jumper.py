"""Jumper: jumps to where it converts most, and spreads only if it cannot jump."""

from board import PASS, answer, gain, list_moves, read_argument

player, board = read_argument()
moves = list_moves(board, player)


def liking(kind_and_move):
    """Rank a move: jumps first, then spreads, then merges."""
    kind, _ = kind_and_move
    return ("merge", "spread", "jump").index(kind), gain(board, player, *kind_and_move)


answer(max(moves, key=liking, default=("", PASS))[1])
