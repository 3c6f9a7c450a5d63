"""What a bot is told: a line, JSON; docs/kingdom_builder_bots.md has the protocol.

Bots in Python that ask the rules find here what they need for it: `read_request` and the classes
and functions of the turn. Their names stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kb_score.engine.rules import GameRules
from kb_score.engine.terms import Value
from kb_score.games.kingdom_builder.board import Board, Hex, Notation, load_notation
from kb_score.games.kingdom_builder.position import Choices, GameState, TurnPosition, restore
from kb_score.games.kingdom_builder.records import (
    Action,
    GameRecord,
    Line,
    load_names,
    read_answer,
    write_actions,
)

__all__ = [
    "Action",
    "Choices",
    "Hex",
    "Line",
    "Told",
    "TurnPosition",
    "draw_state",
    "load_names",
    "read_request",
    "write_actions",
    "write_request",
]


def write_request(
    game: GameRecord,
    state: GameState,
    cards: Sequence[str],
    done: Sequence[Action],
    constants: Mapping[str, str],
) -> str:
    """Write what the mover is told: all that a player may know."""
    told = {
        "game": "kingdom-builder",
        "turn": state.turns + 1,
        "player": state.mover,
        "players": game.players,
        "cards": list(game.cards),
        "terrains": list(cards),
        "done": write_actions(done),
        "board": str(draw_state(state, game.notation)).splitlines(),
        "supply": list(state.left),
        "tiles": [
            {"tile": tile.kind.replace("_", "-"), "hex": list(tile.place)}
            | ({"player": tile.player} if tile.player else {"number": tile.number})
            for tile in state.tiles
        ],
        **({"const": constants} if constants else {}),
        **{what.word: [list(place) for place in what.places] for what in game.placed},
        "facts": {**state.board, **state.facts},
    }
    return json.dumps(told, separators=(",", ":")) + "\n"


def draw_state(state: GameState, notation: Notation | None = None) -> Board:
    """Draw the board of a game, as a file of a board has it, in some notation or in ours."""
    notation = notation or load_notation()
    ((height, width),) = state.board["size"]
    assert isinstance(height, int)
    assert isinstance(width, int)
    hexes: dict[Value, str] = {}
    land = state.board.get("land", ())
    terrain = state.board.get("terrain", ())
    for kind, row, column in (*land, *terrain):
        symbol = notation.symbols[str(kind)]
        hexes[row, column] = symbol
    for player, place in state.facts.get("stood", ()):
        hexes[place] += str(player)
    for (place,) in state.facts.get("walled", ()):
        hexes[place] += "#"
    rows: list[tuple[str, ...]] = []
    for r in range(height):
        row_hexes = [hexes[r, c] for c in range(width)]
        rows.append(tuple(row_hexes))
    return Board("position", tuple(rows), notation=notation)


@dataclass(frozen=True, slots=True)
class Told:
    """What a bot was told: the position in which it is to act, and the JSON as it is."""

    position: TurnPosition
    json: Mapping[str, Any]


def read_request(line: str, rules: GameRules) -> Told:
    """Read what a bot is told, for bots in Python that ask the rules."""
    told = json.loads(line)
    changes = replace(rules.changes, constants=tuple(told.get("const", {}).items()))
    rules = replace(rules, changes=changes)
    facts = {
        name: [tuple(map(restore, row)) for row in rows] for name, rows in told["facts"].items()
    }
    done = read_answer(told["done"], load_names(rules))
    now = Line(None, tuple(told["terrains"]), done).drawn_now()
    return Told(TurnPosition(rules, facts, (now,), before=told["turn"] - 1, live=True), told)
