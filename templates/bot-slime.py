"""A bot for Slime: it spreads to a square beside its own, or passes.

    kb-score bot slime -- python3 bot.py
    kb-score play slime --bot "python3 bot.py" --bot human --bot human --bot human

It is started anew for each turn, with one argument: its number and the rows of the board, as in
1,1..2,....,....,3..4. It prints the row and column that it moves from, and those that it moves to.
`kb-score docs slime` tells what else a move can be: a jump, or a merge.
"""

import sys

player, *board = sys.argv[1].split(",")
size = range(len(board))
moves = [
    (row, column, to_row, to_column)
    for row in size
    for column in size
    if board[row][column] == player
    for to_row in (row - 1, row, row + 1)
    for to_column in (column - 1, column, column + 1)
    if to_row in size and to_column in size and board[to_row][to_column] == "."
]
print(*(moves[0] if moves else (0, 0, 0, 0)))  # here is where to think; what is no move is a pass
