"""The odd cases of the protocol of Kingdom Builder, most of them moments of one game."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from kb_score.games.bot_command import make_bot
from kb_score.games.compliance import Begin, Case, Exam, NotAsked, Times
from kb_score.games.kingdom_builder.cards import GAME
from kb_score.games.kingdom_builder.play.bots import read_answer, write_request
from kb_score.games.kingdom_builder.play.deal import Deck, open_box
from kb_score.games.kingdom_builder.play.live import Position, Refusal, begin_game, play_turns
from kb_score.games.kingdom_builder.play.names import load_names
from kb_score.games.kingdom_builder.play.reader import read_game
from kb_score.games.kingdom_builder.play.referee import NoTurn, Request, join_line, judge_turn
from kb_score.games.ways import Seats, ask_turns, ask_twice, close_after
from kb_score.shell.bots import Bot
from kb_score.shell.options import timeout_option

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.games.kingdom_builder.play.game import Game

# A legal game in which each hex of grass is built on: three are left for turn 21.
_RECORD = """\
board oracle farm tavern paddock
cards fishermen knights miners
players 2
start 1
1 grass: 19,7 18,7 19,8
2 grass: 14,6 13,5 13,4
1 grass: 17,6 18,8 19,9
2 grass: 14,5 14,4 15,4
1 grass: 17,7 18,9 19,10
2 grass: 0,0 0,1 0,2
1 grass: 17,9 17,8 18,10
2 grass: 1,0 2,0 1,1
1 grass: 17,10 19,11 17,11
2 grass: 1,2 2,3 3,3
1 grass: 18,11 16,9 18,17
2 grass: 0,6 1,6 2,7
1 grass: 18,18 19,16 18,16
2 grass: 2,8 0,19 1,18
1 grass: 18,15 19,15 17,14
2 grass: 1,19 0,18 17,18
1 grass: 17,16 19,17 8,10
2 grass: 6,10 6,11 7,11
1 grass: 7,10 4,12 5,11
2 grass: 5,10 4,11 6,12
1 grass: 5,3 6,4 5,4
2 forest: 7,12 6,13 2,4
1 flower: 16,15 16,17 6,5
2 forest: 16,5 8,13 0,7
1 desert: 7,5 8,6 9,6
2 forest: 7,13 2,5 1,7
1 flower: 16,16
2 canyon: 3,2
"""
_MIDDLE = 12  # turns before the middle of the game
_GRASS_LEFT, _NO_GRASS = 20, 21  # turns before three hexes of grass are left, and none
_ONE_LEFT = 26  # turns before the player builds the last settlement

_SEED = 1
_MOST = 60  # answers that a case asks for at the most


def list_cases(
    rules: GameRules, command: Sequence[str], *, end: float, timeout: float
) -> tuple[Sequence[Case], Times]:
    """List the cases; see `kb_score.games.bot_command`.

    Raises:
        KbScoreError: The rules cannot be used.
    """
    game = read_game(_RECORD, load_names(rules), name="the game of the cases")
    start = partial(Bot, command)

    def after(turns: int, card: str = "", *, whole: bool = False) -> Begin:
        return lambda: _begin(game, turns, card, rules, whole=whole)

    last = len(game.lines) - 1
    cases = [
        Case("first-turn", "the first turn of a game", ask_turns(), start, after(0)),
        Case("middle", "a turn in the middle of a game", ask_turns(), start, after(_MIDDLE)),
        Case("only-hexes", "just as many hexes are free as must be built on", ask_turns(_MOST),
             start, after(_GRASS_LEFT)),
        Case("nothing-to-do", "no hex of the card's terrain is free: a further card is drawn",
             ask_turns(_MOST), start, after(_NO_GRASS, "grass")),
        Case("one-left", "the player has one settlement left, and builds no more than that",
             ask_turns(_MOST), start, after(_ONE_LEFT)),
        Case("end-of-game", "the last turn of a game: the input is closed after it",
             close_after(_MOST), start, after(last)),
        Case("input-closed", "the input is closed in the middle of a game", close_after(), start,
             after(_MIDDLE)),
        Case("same-twice", "the same turn, twice", ask_twice(_MOST), start, after(_MIDDLE)),
        Case("whole-game", "the last turns of a game to its end, on both seats",
             ask_turns(_MOST, whole=True), lambda: Seats(start, _find_seat),
             after(_GRASS_LEFT, whole=True)),
    ]  # fmt: skip
    return cases, Times(timeout, timeout, end)


def _begin(game: Game, turns: int, card: str, rules: GameRules, *, whole: bool) -> Exam:
    """Begin with the turn after some of the game, with a card or with the one of the game."""
    position = play_turns(begin_game(game, rules), game.lines[:turns], rules)
    if isinstance(position, Refusal):
        raise NotAsked(f"the rules refuse the game that leads there: {position}")
    return _Exam(game, position, card or game.lines[turns].terrains[0], rules, whole=whole)


class _Exam:
    """One turn, or all turns to the end of the game, with further cards where they are due."""

    def __init__(
        self, game: Game, position: Position, card: str, rules: GameRules, *, whole: bool
    ) -> None:
        self._game, self._rules, self._whole = game, rules, whole
        self._names = load_names(rules)
        self._deck = Deck(open_box(rules).terrains, Random(_SEED))
        self._request = Request(game, position, (card,))
        self.finished = position.finished

    def tell(self) -> str:
        """Write what the bot is told."""
        return write_request(self._request)

    def answer(self, line: str) -> list[str]:
        """Judge an answer; it is a turn, or legal so far."""
        request = self._request
        try:
            parts = read_answer(line, self._names)
            outcome = judge_turn(request, parts, self._rules)
        except NoTurn as problem:
            return [str(problem)]
        if isinstance(outcome, Refusal):
            cards = *request.terrains, self._draw()
            done = join_line(request, parts).parts
            self._request = replace(request, terrains=cards, done=done)
            return []
        self.finished = outcome.finished or not self._whole
        self._request = Request(self._game, outcome, (self._draw(),))
        return []

    def _draw(self) -> str:
        card = self._deck.draw()
        self._deck.discard(card)
        return card


def _find_seat(text: str) -> int:
    """Find out who is told a text."""
    seat = json.loads(text)["player"]
    assert isinstance(seat, int)
    return seat


bot = make_bot(
    GAME,
    list_cases,
    timeout_option(10.0, "Time that the bot has for an answer."),
    help_="""A bot of one player.

    COMMAND starts the bot anew for each case, as `kb-score play kingdom-builder` does. A case may
    begin with a later turn of a game: what a bot is told then is all that it needs.
    """,
    example="kingdom-builder -- python3 bot.py",
)
