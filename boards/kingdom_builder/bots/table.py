"""What the bots here share: reading what they are told, and asking the rules.

A bot says how it chooses; this file does the rest. Bots in other languages read the same lines:
docs/kingdom_builder_bots.md has the protocol.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kb_score.engine.rules import Changes, GameRules, Use
from kb_score.engine.terms import Name
from kb_score.games.kingdom_builder.bots import (
    Action,
    Hex,
    Told,
    begin_turn,
    list_actions,
    load_names,
    read_request,
    write_actions,
)

# A bot is told the rulings of its game, but not a user's rules: they are named behind its name.
RULES = GameRules("kingdom_builder", Changes(tuple(map(Path, sys.argv[1:]))))


@dataclass(frozen=True)
class Table:
    """A position of the game in which the bot is to act."""

    told: Told

    @property
    def me(self) -> int:
        """The bot's own number."""
        return self.told.json["player"]

    def legal(self, actions: Sequence[Action] = ()) -> list[Action]:
        """List what is legal after some actions of the turn."""
        return self.told.legal(actions)

    def gold(self, plans: Sequence[Sequence[Action]]) -> list[int]:
        """Score the boards that some plans lead to, by the rules: the gold of the bot itself."""
        # Together they take the rules much less time than one by one.
        answers = self.told.position.rules.ask_boards(
            self._scoring, [self._board(plan) for plan in plans]
        )
        totals = [dict(answer["total"]) for answer in answers]
        return [total[self.me] for total in totals]

    @cached_property
    def free_tiles(self) -> set[Hex]:
        """The locations and nomad spaces where the bot could still get a tile."""
        reached = self.told.position.facts.get("before_has_reached", ())
        had = {place for who, place, _ in reached if who == self.me}
        tiles = self.told.json["tiles"]
        return {tuple(tile["hex"]) for tile in tiles if "number" in tile} - had

    @cached_property
    def _scoring(self) -> Use:
        at_end = load_names(RULES).cards - load_names(RULES).in_game
        cards = [card for card in self.told.json["cards"] if card in at_end]
        return Use(("board", "score", "total", *(f"cards/{c}" for c in ["castles", *cards])))

    def next_moves(self, plan: Iterable[Action], terrain: str) -> list[Action]:
        """List where the bot could build first in its next turn, if the others did nothing."""
        facts = self.told.position.facts
        kept = {name: facts[name] for name in ("size", "terrain", "land", "players")}
        stood = [(who, place) for place, who in self._owners(plan).items()]
        walled = [(place,) for place, _ in facts.get("before_blocked", ())]
        state = {"starter": [(self.me,)], "stood": stood, "walled": walled}
        rules = self.told.position.rules
        return list_actions(begin_turn(rules, {**kept, **state}, [terrain], "", mover=self.me))

    def _board(self, plan: Iterable[Action]) -> dict[str, list[tuple[object, ...]]]:
        facts = self.told.position.facts
        return {
            **{name: facts[name] for name in ("size", "terrain", "land", "players")},
            "settlement": [(who, *place) for place, who in self._owners(plan).items()],
            "chosen": [(Name(card),) for card in self.told.json["cards"]],
        }

    def _owners(self, plan: Iterable[Action]) -> dict[Hex, int]:
        """Find whose settlement stands where after a plan."""
        stands = self.told.position.facts.get("before_stands", ())
        owners = {place: who for who, place, _ in stands}
        name = ""
        for action in plan:
            name = name if action.name == "also" else action.name
            for start, place in action.targets:
                owners.pop(start, None)
                if name == "sword":
                    del owners[place]
                elif name != "quarry":
                    owners[place] = self.me
        return owners


def neighbours(place: Hex) -> set[Hex]:
    """List the places beside a hex, on the board or not."""
    row, column = place
    shift = row % 2
    return {
        *((row, column - 1), (row, column + 1)),
        *((row + down, column + shift - side) for down in (-1, 1) for side in (0, 1)),
    }


def play(choose: Callable[[Table], Sequence[Action]]) -> None:
    """Answer what the referee asks, turn after turn."""
    for line in sys.stdin:
        print(write_actions(choose(Table(read_request(line, RULES)))), flush=True)
