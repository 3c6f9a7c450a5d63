"""Steady: plays like Greedy, but runs for a whole game and reads a line each turn."""

import sys

from board import answer, choose_greedily, read_line

for line in sys.stdin:
    player, board = read_line(line.strip())
    answer(choose_greedily(board, player))
