"""Requests to bots: lines of JSON, which docs/kingdom_builder_bots.md describes.

This module is the interface for Python bots that use the rules: it provides `read_request`, and the
classes and functions for a turn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kb_score.engine.rules import GameRules
from kb_score.engine.terms import Name, Value
from kb_score.games.kingdom_builder.board import Board, FactRows, Hex, Notation, load_notation
from kb_score.games.kingdom_builder.position import Choices, GameState, Tile, TurnPosition, restore
from kb_score.games.kingdom_builder.records import (
    Action,
    Count,
    Line,
    Names,
    load_names,
    read_answer,
    read_hex,
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
    names: Names,
    state: GameState,
    cards: Sequence[str],
    done: Sequence[Action],
    constants: Mapping[str, str],
) -> str:
    """Return the request to a bot, a line of JSON with all that a player may know.

    Args:
        state: The state before the turn.
        cards: The terrains of the cards of the turn.
        done: The actions of the turn so far.
        constants: The rulings and constants that were set.
    """
    request: dict[str, Any] = {
        "game": "kingdom-builder",
        "turn": state.turns + 1,
        "player": state.mover,
        "players": len(state.left),
        "cards": list(state.cards),
        "terrains": list(cards),
        "done": write_actions(done),
        "board": str(draw_state(state, names.notation)).splitlines(),
        "supply": list(state.left),
        "tiles": [_describe_tile(tile) for tile in state.tiles],
    }
    if constants:
        request["const"] = constants
    lies_on = state.board.get("lies_on", ())
    for word, (_, kind) in names.headings.items():
        places = [list(read_hex(place)) for thing, place in lies_on if thing == Name(kind)]
        if places:
            request[word] = places
    request["facts"] = {**state.board, **state.facts}
    line = json.dumps(request, separators=(",", ":"))
    return f"{line}\n"


def _describe_tile(tile: Tile) -> dict[str, Any]:
    """Return a tile for JSON, with its holder, or with the number of such tiles on its hex."""
    found: dict[str, Any] = {"tile": tile.kind.replace("_", "-"), "hex": list(tile.place)}
    if tile.player:
        found["player"] = tile.player
    else:
        found["number"] = tile.number
    return found


def draw_state(state: GameState, notation: Notation | None = None) -> Board:
    """Return the board of a game, by default with our symbols."""
    if notation is None:
        notation = load_notation()
    ((height, width),) = state.board["size"]
    assert isinstance(height, int)
    assert isinstance(width, int)
    land = state.board.get("land", ())
    terrain = state.board.get("terrain", ())
    hexes: dict[Value, str] = {
        (row, column): notation.symbols[str(kind)] for kind, row, column in (*land, *terrain)
    }
    for player, place, _ in state.facts.get("before_stands", ()):
        hexes[place] += str(player)
    for place, _ in state.facts.get("before_blocked", ()):
        hexes[place] += "#"
    columns = range(width)
    rows = [tuple(hexes[row, column] for column in columns) for row in range(height)]
    return Board("position", tuple(rows), notation=notation)


@dataclass(frozen=True, slots=True)
class Told:
    """A request to a bot: the position in which it has to act, and the object of the request."""

    position: TurnPosition
    json: Mapping[str, Any]


def read_request(line: str, rules: GameRules) -> Told:
    """Parse the line of a request, for Python bots that use the rules.

    The request sets the constants of the rules.
    """
    request = json.loads(line)
    constants = request.get("const", {})
    changes = replace(rules.changes, constants=tuple(constants.items()))
    rules = replace(rules, changes=changes)
    facts: FactRows = {
        name: [tuple(map(restore, row)) for row in rows] for name, rows in request["facts"].items()
    }
    done = read_answer(request["done"], rules)
    now = Line(tuple(request["terrains"]), done).drawn_now()
    steps = [step for _, step in request["facts"].get("before_next", ())]
    before = Count(request["turn"] - 1, max(steps, default=1) - 1)
    position = TurnPosition(rules, facts, now, before=before, live=True)
    return Told(position, request)
