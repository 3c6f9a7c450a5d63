"""Matches, bots and contests of Kingdom Builder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from random import Random
from typing import Any

from kb_score.arena.referee import Reporter
from kb_score.engine.rules import GameRules, Use
from kb_score.engine.terms import Row
from kb_score.errors import InputError
from kb_score.games.game import (
    MAX_TURNS,
    Arena,
    BotProtocol,
    Case,
    Match,
    MatchSetup,
    Option,
    Score,
    Scoring,
)
from kb_score.games.kingdom_builder.board import MAX_PLAYERS
from kb_score.games.kingdom_builder.match import Deck, KingdomBuilderMatch, begin_match, draw_setup
from kb_score.games.kingdom_builder.records import load_names, read_game
from kb_score.shell.output import Block, Table

_MERIT = Use(("merit",))
_RANK = Use(("common/means", "rank"))

# A legal game in which all hexes of grass are built on: three are free before turn 21.
_RECORD = files("kb_score.arena") / "kingdom_builder_cases.txt"
# How many turns of that game precede each position.
_MIDDLE = 12  # the middle of the game
_GRASS_LEFT = 20  # three hexes of grass are free
_NO_GRASS = 21  # no hex of grass is free
_ONE_LEFT = 26  # the player builds the last settlement

_SEED = 1
_MAX_TURNS = 60  # the most turns that a bot plays in the whole-game case


def list_cases(rules: GameRules) -> Sequence[Case]:
    """Return the edge cases of the protocol, most of them positions from one game."""
    from kb_score.arena.bot import NotAsked, ask_turns, ask_twice, close_after

    names = load_names(rules)
    record = _RECORD.read_text(encoding="utf-8")
    game = read_game(record, names, name="the game that leads there")

    def after(turns: int, card: str = "") -> Callable[[], Match]:
        """Return a function that begins a match after a number of turns of the game."""

        def begin() -> Match:
            part = replace(game, lines=game.lines[:turns])
            deck = Deck(names.deck, Random(_SEED))
            terrain = card or game.lines[turns].terrains[0]
            try:
                return KingdomBuilderMatch(rules, part, deck, terrain)
            except InputError as error:
                raise NotAsked(str(error)) from error

        return begin

    ask = ask_turns()
    last = len(game.lines) - 1
    return [
        Case("first-turn", "the first turn of a game", ask, after(0)),
        Case("middle", "a turn in the middle of a game", ask, after(_MIDDLE)),
        Case(
            "only-hexes",
            "exactly as many hexes are free as must be built on",
            ask,
            after(_GRASS_LEFT),
        ),
        Case(
            "nothing-to-do",
            "no hex of the card's terrain is free: a further card is drawn",
            ask,
            after(_NO_GRASS, "grass"),
        ),
        Case(
            "one-left",
            "the player has one settlement left, and builds no more than that",
            ask,
            after(_ONE_LEFT),
        ),
        Case(
            "end-of-game",
            "the last turn of a game: the input is closed after it",
            close_after(),
            after(last),
        ),
        Case(
            "input-closed",
            "the input is closed in the middle of a game",
            close_after(),
            after(_MIDDLE),
        ),
        Case("same-twice", "the same turn, twice", ask_twice(), after(_MIDDLE)),
        Case(
            "whole-game",
            "the last turns of a game, to its end, in both seats",
            ask_turns(_MAX_TURNS, whole=True),
            after(_GRASS_LEFT),
        ),
    ]


class GoldReporter(Reporter):
    """Prints the gold of each player at the end."""

    def write_blocks(self, match: Match, result: Mapping[str, Any]) -> list[Block]:
        """Return the last line and the table of a match."""
        faults = self.list_faults()
        rows = tuple(zip(self.names, self.bots, result["gold"], *faults.values(), strict=True))
        return [self.write_end(match), Table("", ("player", "bot", "gold", *faults), rows)]


_BOARD = Option(
    "board",
    "oracle farm tavern paddock",
    "The four quadrants, each with /180 if it is turned.",
    unit="QUADRANTS",
)
_QUEENIES = Option("queenies", None, "Small sets to play with: capitol, caves.", unit="NAMES")
_CARDS = Option(
    "cards", "", "The cards that pay, by name  [default: three at random].", unit="NAMES"
)


class KingdomBots(BotProtocol):
    """A bot is sent the cards that are drawn for its turn; the referee plays if it fails."""

    on_fault = "play for"

    def list_cases(self, rules: GameRules, **options: Any) -> Sequence[Case]:
        """Return the edge cases of the protocol; see `list_cases`."""
        return list_cases(rules, **options)


class KingdomScoring(Scoring):
    """Bots are ranked by their gold, or by the number of games they have won."""

    map_setting = "board"
    map_key = "boards"
    figures = ("gold", "wins")
    metrics = ("gold", "wins")
    score_key = _MERIT
    ranking = _RANK

    def score(self, rules: GameRules, result: Mapping[str, Any], _players: int) -> list[Score]:
        """Return each player's gold, wins (1 for a winner, otherwise 0) and score key."""
        gold = result["gold"]
        facts: list[Row] = [(seat, (paid,)) for seat, paid in enumerate(gold)]
        answer = rules.ask(self.score_key, {"outcome": facts})
        keys = dict(answer["merit"])
        winners = {player for (player,) in answer["winner"]}
        scores: list[Score] = []
        for seat, paid in enumerate(gold):
            has_won = int(seat in winners)
            figures = (paid, has_won)
            scores.append((figures, keys[seat]))
        return scores


class KingdomArena(Arena):
    """Matches of two to five players on four quadrants."""

    bots = KingdomBots()
    scoring = KingdomScoring()
    players = (2, MAX_PLAYERS)
    settings = (_BOARD, _CARDS, _QUEENIES)
    seed = Option("seed", 0, "Seed for the shuffling.")
    playout_options = (
        replace(_BOARD, default=None, help=f"{_BOARD.help[:-1]}  [default: random]."),
        _CARDS,
        _QUEENIES,
        Option("players", None, "The number of players  [default: 2 to 5].", 1, MAX_PLAYERS),
        MAX_TURNS,
    )
    reporter = GoldReporter

    def new_match(self, rules: GameRules, setup: MatchSetup, random: Random) -> Match:
        """Begin a match; see `begin_match`."""
        return begin_match(rules, setup, random)

    def draw_setup(self, rules: GameRules, setup: MatchSetup, random: Random) -> MatchSetup:
        """Return a setup in which everything that was not set is drawn at random."""
        return draw_setup(rules, setup, random)
