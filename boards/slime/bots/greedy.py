"""Greedy: the move after which it has the most squares, of equals the first from the north."""

from board import answer, choose_greedily, read_argument

player, board = read_argument()
answer(choose_greedily(board, player))
