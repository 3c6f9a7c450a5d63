"""Requests to bots: lines of JSON, which docs/kingdom_builder_bots.md describes.

This module is the interface for Python bots that use the rules: it provides `read_request`, and the
classes and functions for a turn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from kb_score.engine.program import BEFORE
from kb_score.engine.rules import GameRules
from kb_score.engine.terms import Facts, Name, Value
from kb_score.games.kingdom_builder.board import Board, FactRows, Hex, Notation, load_notation
from kb_score.games.kingdom_builder.position import begin_turn, redraw
from kb_score.games.kingdom_builder.records import (
    Action,
    Names,
    find_files,
    hyphenate,
    load_names,
    read_actions,
    read_hex,
    read_record,
    write_actions,
)
from kb_score.games.kingdom_builder.rules import TURNS
from kb_score.games.position import RulesPosition

if TYPE_CHECKING:
    from kb_score.games.rules_match import RulesMatch

__all__ = [
    "Action",
    "Hex",
    "RulesPosition",
    "Told",
    "begin_turn",
    "draw_board",
    "list_actions",
    "load_names",
    "read_actions",
    "read_request",
    "write_actions",
    "write_request",
]


def write_request(match: RulesMatch) -> str:
    """Return the request to a bot, a line of JSON with all that the mover of a match may know."""
    names = load_names(match.rules)
    facts, seen = match.begun
    facts = {
        name: sorted(rows, key=str) if name.startswith(BEFORE) else rows
        for name, rows in facts.items()
        if rows and name not in _HIDDEN
    }
    facts |= _list_paid(match, names, facts)
    request: dict[str, Any] = {
        "game": "kingdom-builder",
        "turn": match.turn + 1,
        "player": match.mover,
        "players": len(seen["supply_left"]),
        "cards": [card for (card,) in facts.get("chosen", ())],
        "terrains": [card.replace("-", "_") for card in match.drawn],
        "done": match.said,
        "board": str(draw_board(facts, names.notation)).splitlines(),
        "supply": [number for _, number, _ in sorted(seen["supply_left"])],
        "tiles": _list_tiles(seen),
    }
    constants = dict(match.rules.changes.constants)
    if constants:
        request["const"] = constants
    for word, (_, kind) in names.headings.items():
        lies_on = facts.get("lies_on", ())
        places = [list(read_hex(place)) for thing, place in lies_on if thing == Name(kind)]
        if places:
            request[word] = places
    request["facts"] = facts
    line = json.dumps(request, separators=(",", ":"))
    return f"{line}\n"


# What lies hidden in the pile.
_HIDDEN = ("before_pile", "before_discards")


def _list_paid(match: RulesMatch, names: Names, facts: Facts) -> Facts:
    """Return the facts of what cards have paid so far, if cards of the game pay before its end."""
    if not names.in_game.intersection(card for (card,) in facts.get("chosen", ())):
        return {}
    record = read_record(match.record, match.rules)
    use = replace(TURNS, exact=(("deed", 2), ("score", 3)))
    answer = match.rules.ask(use, record.facts)
    deeds = {card for card, _ in answer.rows.get(("deed", 2), ())}
    paid = [row for row in answer.rows.get(("score", 3), ()) if row[0] in deeds]
    return {"gold_before": sorted(paid, key=str)} if paid else {}


def _list_tiles(seen: Mapping[str, Sequence[tuple[Any, ...]]]) -> list[dict[str, Any]]:
    """Return the tiles that lie on the board, then those that players hold, by hex."""
    found = [
        (0, place, {"tile": hyphenate(tile), "hex": list(place), "number": number})
        for tile, place, number, _ in seen["lies"]
    ]
    found += [
        (player, place, {"tile": hyphenate(tile), "hex": list(place), "player": player})
        for player, tile, place, _ in seen["in_hand"]
    ]
    found.sort(key=lambda one: one[:2])
    return [tile for *_, tile in found]


def draw_board(facts: Facts, notation: Notation | None = None) -> Board:
    """Return the board of a position, by default with our symbols."""
    if notation is None:
        notation = load_notation()
    ((height, width),) = facts["size"]
    assert isinstance(height, int)
    assert isinstance(width, int)
    hexes: dict[Value, str] = {}
    for kind, row, column in (*facts.get("land", ()), *facts.get("terrain", ())):
        hexes[row, column] = notation.symbols[str(kind)]
    for player, place, _ in facts.get("before_stands", ()):
        hexes[place] += str(player)
    for place, _ in facts.get("before_blocked", ()):
        hexes[place] += "#"
    rows = [tuple(hexes[row, column] for column in range(width)) for row in range(height)]
    return Board("position", tuple(rows), notation=notation)


@dataclass(frozen=True, slots=True)
class Told:
    """A request to a bot: the position in which it has to act, and the object of the request."""

    position: RulesPosition
    json: Mapping[str, Any]

    def legal(self, actions: Sequence[Action] = ()) -> list[Action]:
        """List what is legal after some actions of the turn; each has at most one target."""
        position = self.position
        if actions:
            position = position.after(position.read_parts(write_actions(actions), "the plan"))
        return list_actions(position)


def list_actions(position: RulesPosition) -> list[Action]:
    """List what is legal in a position; each action has at most one target."""
    moves = [move for one in position.moves() for move in one.moves]
    return [action for move in moves for action in read_actions(move, position.rules, "legal")]


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
    steps = [step for _, step in request["facts"].get("before_next", ())]
    position = RulesPosition(
        files=find_files(),
        rules=rules,
        facts=facts,
        step=max(steps, default=1),
        turn=request["turn"],
        name="answer",
        mover=request["player"],
        is_live=True,
    )
    cards = [{"shows": [(Name(card),)]} for card in request["terrains"]]
    position = position.after(cards)
    if request["done"]:
        position = position.after(position.read_parts(request["done"], "done"))
    if len(cards) > 1:
        position = redraw(position)
    return Told(position, request)


def restore(value: Any) -> Value:
    """Return a value from JSON as that of a fact; strings become constants."""
    if isinstance(value, str):
        return Name(value)
    if isinstance(value, list | tuple):
        return tuple(map(restore, value))
    return cast("Value", value)
