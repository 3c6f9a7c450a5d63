"""Tiles that are got, lost and used up: the tenth worked example of the rules of play."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kb_score.engine.rules import Changes, GameRules
from kb_score.engine.terms import Facts, Name
from kb_score.games.kingdom_builder.board import parse_board
from kb_score.games.kingdom_builder.position import TurnPosition, find_on_board
from kb_score.games.kingdom_builder.records import line_facts, load_names, read_actions
from tests.helpers import derive
from tests.oracles.kingdom_builder_game_examples import E10

RULES = GameRules("kingdom_builder")
WEST, EAST = (1, 1), (1, 4)
FILES = "board turn held judge tiles/*"


def farms(player: int, actions: str = "", rules: GameRules = RULES) -> TurnPosition:
    """Both locations are farms; player 1 holds a tile of each, player 2 one of the western one."""
    position = find_on_board(rules, parse_board(E10), player, ("grass",))
    state: Facts = {
        "players": [(3,)],
        "yields": [(place, Name("farm")) for place in (WEST, EAST)],
        "held_before": [(1, WEST), (1, EAST), (2, WEST)],
        "had_before": [(1, WEST), (1, EAST), (2, WEST)],
        "taken_before": [(WEST, 2), (EAST, 1)],
    }
    position = replace(position, facts={**position.facts, **state})
    done = read_actions(actions, load_names(RULES), name="actions") if actions else ()
    return position.after(done)


def find(player: int, actions: str, predicate: str) -> set[object]:
    """Find the location hexes that a predicate of the player speaks of."""
    position = farms(player, actions)
    facts = {**position.facts, **line_facts(position.lines)}
    rows = derive("kingdom_builder", FILES, facts, predicate)
    return {row[1] for row in rows if row[0] == player}


@pytest.mark.parametrize(
    ("move", "lost"),
    [
        pytest.param("0,1>0,3", {WEST}, id="off-the-western-farm"),
        pytest.param("0,1>2,0", {WEST}, id="off-the-western-farm-downwards"),
        pytest.param("2,4>0,5", set(), id="still-beside-the-eastern-farm"),
        pytest.param("2,4>0,3", {EAST}, id="off-the-eastern-farm"),
    ],
)
def test_a_farm_is_lost_with_the_last_settlement_beside_it(move: str, lost: set[object]) -> None:
    assert find(1, f"paddock {move}", "lost/4") == lost


def test_a_lost_farm_does_not_come_back() -> None:
    assert find(1, "paddock 2,4>0,3; 0,4 0,2 1,3", "lost/4") == {EAST}
    assert find(1, "paddock 2,4>0,3; 0,4 0,2 1,3", "gets/3") == set()


@pytest.mark.parametrize(
    ("player", "place", "got"),
    [
        pytest.param(2, "0,2", set(), id="has-that-farm"),
        pytest.param(2, "0,4", {EAST}, id="last-tile"),
        pytest.param(3, "0,2", set(), id="none-left"),
        pytest.param(3, "0,4", {EAST}, id="last-tile-of-another"),
    ],
)
def test_a_farm_is_got_once_from_a_location_that_has_one_left(
    player: int, place: str, got: set[object]
) -> None:
    assert find(player, place, "gets/3") == got


@pytest.mark.parametrize(
    ("ruling", "move", "code"),
    [
        pytest.param("choose", "0,1>0,3", None, id="the-used-one-is-given-up"),
        pytest.param("exact", "0,1>0,3", None, id="the-western-one-was-used"),
        pytest.param("choose", "2,4>0,3", None, id="the-used-one-is-given-up-for-the-eastern"),
        pytest.param("exact", "2,4>0,3", "tile-used", id="the-unused-one-is-lost"),
    ],
)
def test_a_twin_is_usable_after_the_loss_of_the_used_one(
    ruling: str, move: str, code: str | None
) -> None:
    rules = GameRules("kingdom_builder", Changes((), (("twin_tile", ruling),)))
    # Of two farms that of the first hex in reading order is used first.
    position = replace(farms(1, f"farm 1,0; paddock {move}", rules), lent=("paddock",))

    reason = position.find_reason(read_actions("farm 1,3", load_names(RULES), name="actions"))

    assert (reason.code if reason else None) == code
