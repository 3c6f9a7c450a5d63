"""Random games of the search party: the rules say where people may go, a generator picks."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from kb_score.games.playouts import Playout, play_live
from kb_score.games.search_party.play import SearchParty

if TYPE_CHECKING:
    from random import Random

    from kb_score.engine.run import GameRules

# How often people go on in their direction: who turns at each step hardly gets anywhere.
_STEADY = 7 / 8


def play_randomly(
    rules: GameRules, generator: Random, map_: tuple[str, str], *, most_turns: int
) -> Playout:
    """Play a game in which everybody makes random legal moves.

    Args:
        rules: The rules.
        generator: Draws the moves.
        map_: The name of a map, and its text.
        most_turns: The game stops after this many turns.

    Raises:
        KbScoreError: The map or the rules cannot be used.
    """
    name, text = map_
    live = SearchParty(rules, text, name)
    return play_live(live, Wanderers(live, generator), most_turns)


class Wanderers:
    """A player that moves the whole cast."""

    def __init__(self, game: SearchParty, generator: Random) -> None:
        self._game, self._random = game, generator
        self._before: dict[str, int] = {}
        self._places: dict[str, int] = {}

    def ask(self, _text: str, _timeout: float) -> str:
        """Draw a line of moves."""
        moves: dict[str, int] = {}
        places = self._game.places()
        for person, rows in groupby(sorted(self._game.list_choices()), lambda row: row.person):
            choices = [row.direction for row in rows]
            before = self._before.get(person)
            # Who has stood still chooses anew.
            going = before in choices and places[person] != self._places[person]
            steady = going and self._random.random() < _STEADY
            moves[person] = before if steady and before else self._random.choice(choices)
        self._before, self._places = moves, places
        return " ".join(f"{person}{direction}" for person, direction in moves.items()) + "."
