"""A bot for Kingdom Builder: it builds on any legal hexes, and uses no tile.

    kb-score bot kingdom-builder -- python3 bot.py
    kb-score play kingdom-builder --bot "python3 bot.py" --bot "python3 bot.py 2"

It needs the Python that kb-score is installed in, for it asks the rules what is legal.
`kb-score docs kingdom_builder_bots` has the protocol, for bots in other languages too.
"""

import sys
from random import Random

from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.bots import read_request, write_actions

RULES = GameRules("kingdom_builder")
RANDOM = Random(sys.argv[1] if sys.argv[1:] else "1")

# A line for each turn: all that a player may know, as JSON.
for line in sys.stdin:
    told = read_request(line, RULES)
    turn = []
    # What may follow; the mandatory action comes to its end where nothing more of it is legal.
    while moves := [move for move in told.legal(turn) if move.name == "mandatory"]:
        turn.append(RANDOM.choice(moves))  # here is where to think
    # The answer has to leave at once.
    print(write_actions(turn), flush=True)
