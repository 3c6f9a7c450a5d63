"""Random games of Slime: the rules list the moves of each turn, and a generator picks one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb_score.games.playouts import Playout
from kb_score.games.slime.legal import list_legal
from kb_score.games.slime.play import LiveBoard, start_game

if TYPE_CHECKING:
    from random import Random

    from kb_score.engine.run import GameRules

# What a player answers who has no move.
_PASS = "pass"


def play_randomly(rules: GameRules, generator: Random, *, size: int, most_turns: int) -> Playout:
    """Play a game in which each move is as likely as any other of its turn.

    Args:
        rules: The rules.
        generator: Draws the moves.
        size: Rows and columns of the board.
        most_turns: The game stops after this many turns.
    """
    live, lines = LiveBoard(start_game(size, rules), rules), list[str]()
    state = live.state
    while not state.ended and state.turn < most_turns:
        moves = list_legal(state, rules).moves
        answer = generator.choice(moves) if moves else _PASS
        lines += [f"{state.mover},{state.board}", answer]
        state = live.play(answer)
    problem = "" if state.ended else f"the game is not over after {most_turns} turns"
    if state.ended:
        lines.append(" ".join(map(str, state.squares)))
    squares = list(state.squares)
    result = {"turns": state.turn, "squares": squares, "finished": state.ended}
    return Playout("".join(f"{line}\n" for line in lines), result, problem)
