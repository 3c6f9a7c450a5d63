"""Greedy: the move after which it has the most squares, of equals the first from the north."""

from board import PASS, answer, gain, list_moves, read_argument

player, board = read_argument()
moves = list_moves(board, player)
best = max(moves, key=lambda kind_and_move: gain(board, player, *kind_and_move), default=("", PASS))
answer(best[1])
