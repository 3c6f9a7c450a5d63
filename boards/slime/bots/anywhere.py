"""Anywhere: any move.

The choice hangs on the board alone, so that a game can be played again: chance comes from the
characters of the argument. (A file must not be called random.py, for the others import from this
folder and would find it in place of Python's own module.)
"""

import random
import sys

from board import PASS, answer, list_moves, read_argument

player, board = read_argument()
random.seed(sys.argv[1])
moves = list_moves(board, player)
answer(random.choice(moves)[1] if moves else PASS)
