"""Random runs: the rules say what rabbits and crushers may do, a generator picks."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kb_score.games.playouts import Playout
from kb_score.games.rabbits.maps import read_map
from kb_score.games.rabbits.play import LiveRun
from kb_score.games.rabbits.session import Run, Turn, write_session

if TYPE_CHECKING:
    from random import Random

    from kb_score.engine.run import GameRules


def play_randomly(
    rules: GameRules, generator: Random, map_: tuple[str, str], *, turns: int
) -> Playout:
    """Play a run in which everybody moves at random.

    Args:
        rules: The rules.
        generator: Draws the moves.
        map_: The name of a map, and its text.
        turns: How many turns are played.

    Raises:
        KbScoreError: The map or the rules cannot be used.
    """
    name, text = map_
    station = read_map(text, name)
    live, played = LiveRun(station, rules, generator), list[Turn]()
    for left in range(turns, 0, -1):
        actions, rabbits = live.crush()
        requests = _draw(live, generator)
        played.append(Turn(left, actions, rabbits, requests))
        live.answer(requests)
    session = write_session((Run(1, 0, tuple(played), live.saved),), station)
    result = {"turns": turns, "runs": 1, "saved": live.saved, "finished": True}
    return Playout(session, result)


def _draw(live: LiveRun, generator: Random) -> tuple[tuple[int, int], ...]:
    """Draw a move, or none, for each rabbit, and the order of the moves."""
    ways = defaultdict[int, list[int]](list)
    for cell, to in live.list_steps():
        ways[cell].append(to)
    chosen = [(cell, generator.choice([cell, *some])) for cell, some in ways.items()]
    moves = [(cell, to) for cell, to in chosen if cell != to]
    generator.shuffle(moves)
    return tuple(moves)
