"""The edge cases of the protocol of Kingdom Builder, and the report of a match."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from random import Random
from typing import Any

from kb_score.arena.probes import Case, NotAsked, ask_turns, ask_twice, close_after
from kb_score.arena.referee import Reporter
from kb_score.engine.rules import GameRules
from kb_score.errors import InputError
from kb_score.games import GameFolder
from kb_score.games.kingdom_builder.position import list_shown
from kb_score.games.kingdom_builder.records import hyphenate, read_record
from kb_score.games.kingdom_builder.rules import GAME
from kb_score.games.match import Match
from kb_score.shell.output import Block, Table

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
    headings: list[str] = []
    turns: list[str] = []
    for line in _RECORD.read_text(encoding="utf-8").splitlines(keepends=True):
        (turns if ":" in line else headings).append(line)
    game = read_record("".join([*headings, *turns]), rules, "the game that leads there")

    def after(number: int, card: str = "") -> Callable[[], Match]:
        """Return a function that begins a match after a number of turns of the game."""

        def begin() -> Match:
            terrain = card or hyphenate(list_shown(game, number + 1)[0])
            text = "".join([*headings, *turns[:number]])
            try:
                return GameFolder(GAME).type.go_on(rules, text, Random(_SEED), terrain)
            except InputError as error:
                raise NotAsked(str(error)) from error

        return begin

    ask = ask_turns()
    last = len(turns) - 1
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
