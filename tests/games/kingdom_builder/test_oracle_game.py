"""The plain-Python referee of the published game against the worked examples of its rules."""

import pytest

from tests.oracles.kingdom_builder_game import Rulings, check_game
from tests.oracles.kingdom_builder_game_examples import (
    E1,
    E2,
    E4,
    E5,
    E6,
    E7,
    E8,
    E9,
    E10,
    E11,
    EXAMPLE,
    act,
    code_of,
    play,
    write_targets,
)
from tests.oracles.kingdom_builder_game_play import begin_turn, end_turn, judge
from tests.oracles.kingdom_builder_game_state import State, Tile, draw_position
from tests.oracles.kingdom_builder_game_targets import MANDATORY


@pytest.mark.parametrize(
    ("drawing", "action", "card", "player", "hexes"),
    [
        pytest.param(E1, MANDATORY, "G", 1, "0,0 0,1 0,5 1,0 1,5 2,5 3,5", id="e1-grass"),
        pytest.param(E1, MANDATORY, "D", 1, "0,3 0,4 1,4", id="e1-desert"),
        pytest.param(E1, MANDATORY, "L", 1, "2,4 3,3 3,4", id="e1-flower"),
        pytest.param(E2, MANDATORY, "F", 1, "0,2", id="e3-forest"),
        pytest.param(E2, MANDATORY, "D", 1, "0,3 0,4 1,4", id="e3-desert"),
        pytest.param(E2, MANDATORY, "N", 1, "3,0 3,1", id="e3-canyon"),
        pytest.param(E4, MANDATORY, "G", 1, "0,0 1,3 2,2", id="e4-player-1"),
        pytest.param(E4, MANDATORY, "G", 2, "0,0 0,4 1,3", id="e4-player-2"),
        pytest.param(E5, "tower", "G", 1, "0,1 1,0 3,0 3,2", id="e5-tower-of-1"),
        pytest.param(
            *(E5, "tower", "G", 2, "0,1 0,3 0,4 0,5 1,0 1,5 2,0 3,0 3,2 3,3 3,4 3,5"),
            id="e5-tower-of-2",
        ),
        pytest.param(E5, "oasis", "G", 1, "0,1 1,2 3,2", id="e5-oasis"),
        pytest.param(E6, "tavern", "G", 1, "0,0", id="e6-tavern"),
        pytest.param(E6, "village", "G", 1, "1,1 1,3 2,3 2,5", id="e6-village"),
        pytest.param(E11, "quarry", "G", 1, "0,1 0,2 1,0 2,2", id="e11-quarry"),
    ],
)
def test_an_action_may_be_aimed_at_the_hexes_of_the_worked_example(
    drawing: str, action: str, card: str, player: int, hexes: str
) -> None:
    state = draw_position(drawing, player=player, card=card)

    assert write_targets(state, action) == hexes


@pytest.mark.parametrize(
    ("drawing", "action", "source", "rulings", "hexes"),
    [
        pytest.param(E7, "paddock", "2,2", Rulings(), "0,1 0,3 2,4", id="e7-paddock"),
        pytest.param(E7, "caravan", "2,2", Rulings(), "2,1 3,1", id="e7-caravan"),
        pytest.param(E8, "barn", "0,2", Rulings(), "0,2", id="e8-barn"),
        pytest.param(E8, "barn", "0,2", Rulings(vacated=0), "0,4 0,5 1,4 1,5", id="e8-vacated"),
        pytest.param(E8, "barn", "0,2", Rulings(move_lift=0), "0,4 0,5 1,4 1,5", id="e8-lift"),
        pytest.param(E9, "harbor", "0,1", Rulings(), "1,4", id="e9-from-grass"),
        pytest.param(E9, "harbor", "2,4", Rulings(), "0,3 0,4 1,4 2,0 3,0", id="e9-from-flower"),
        pytest.param(E9, "harbor", "0,1", Rulings(move_lift=0), "1,4", id="e9-grass-lift"),
        pytest.param(E9, "harbor", "2,4", Rulings(move_lift=0), "1,4", id="e9-flower-lift"),
        pytest.param(E11, "caravan", "1,1", Rulings(), "0,1 0,2 1,0 1,2 2,2 3,0", id="e11-caravan"),
    ],
)
def test_a_settlement_may_move_to_the_hexes_of_the_worked_example(
    drawing: str, action: str, source: str, rulings: Rulings, hexes: str
) -> None:
    state = draw_position(drawing, card="D", rulings=rulings)

    assert write_targets(state, action, source=source) == hexes


def test_adjacency_is_judged_afresh_for_each_settlement() -> None:
    state = draw_position(E2, card="G")
    seen = [write_targets(state, MANDATORY)]
    for place in ("1,0", "0,0"):
        play(state, place)
        seen.append(write_targets(state, MANDATORY))
    seen.append(code_of(state, "3,5", name=MANDATORY) or "legal")

    assert seen == ["0,0 1,0", "0,0", "0,5 1,5 3,5", "legal"]


def test_a_settlement_that_leaves_a_free_hex_beside_ones_own_is_not_adjacent() -> None:
    state = draw_position(E2, card="G")

    fault = judge(state, act(state, "1,0 3,5 0,0"))

    assert fault is not None
    assert (fault.code, fault.target) == ("not-adjacent", (state.board.at("3,5"),))


@pytest.mark.parametrize(
    ("cards", "last", "code"),
    [
        pytest.param("N", "0,3", "wrong-terrain", id="no-card-left"),
        pytest.param("ND", "0,3", None, id="desert-drawn"),
        pytest.param("NND", "0,3", None, id="canyon-drawn-again"),
        pytest.param("NF", "0,2", None, id="forest-drawn"),
        pytest.param("NF", "2,1", None, id="forest-beside-the-canyon"),
        pytest.param("NF", "1,2", "not-adjacent", id="forest-far-off"),
    ],
)
def test_a_third_canyon_settlement_comes_from_a_redrawn_card(
    cards: str, last: str, code: str | None
) -> None:
    state = draw_position(E2, card=cards)
    play(state, "3,0")
    after_one = write_targets(state, MANDATORY)
    play(state, "3,1")

    assert after_one == "3,1"
    assert code_of(state, last, name=MANDATORY) == code


def test_the_turn_stops_where_the_ruling_draws_no_other_card() -> None:
    state = draw_position(E2, card="N", rulings=Rulings(no_hex="stop"))
    play(state, "3,0 3,1")

    assert end_turn(state.copy()) is None
    assert code_of(state, "0,3", name=MANDATORY) == "too-many"


def position_of_farms(rulings: Rulings) -> State:
    """Build E10: player 1 holds both farms and a paddock, player 2 the other tile of 1,1."""
    kinds = {"1,1": "farm", "1,4": "farm"}
    state = draw_position(E10, kinds=kinds, rulings=rulings)
    west, east = state.board.at("1,1"), state.board.at("1,4")
    state.tiles[1] = [Tile("farm", west, 1), Tile("farm", east, 4), Tile("paddock", 99, 7)]
    state.tiles[2] = [Tile("farm", west, 2)]
    state.had[1], state.had[2] = {west, east, 99}, {west}
    state.left = {west: 0, east: 1}
    return state


@pytest.mark.parametrize(
    ("move", "lost"),
    [
        pytest.param("0,1>0,3", "1,1", id="off-the-western-farm"),
        pytest.param("0,1>2,0", "1,1", id="off-the-western-farm-down"),
        pytest.param("2,4>0,5", "", id="still-beside"),
        pytest.param("2,4>0,3", "1,4", id="off-the-eastern-farm"),
    ],
)
@pytest.mark.parametrize("when", ["immediate", "end_of_turn"])
def test_a_farm_is_lost_when_no_settlement_is_beside_it(move: str, lost: str, when: str) -> None:
    state = position_of_farms(Rulings(tile_loss=when))
    play(state, move, name="paddock")

    expected = {("-", "farm", state.board.at(lost))} if lost and when == "immediate" else set()
    assert {event for event in state.events if event[0] == "-"} == expected


@pytest.mark.parametrize(("again", "got"), [pytest.param(0, False), pytest.param(1, True)])
def test_a_lost_farm_comes_back_only_by_ruling(again: int, got: bool) -> None:
    state = position_of_farms(Rulings(tile_again=again))
    play(state, "2,4>0,3", name="paddock")
    play(state, "0,4")  # beside 1,4 again

    assert (("+", "farm", state.board.at("1,4")) in state.events) == got


@pytest.mark.parametrize(
    ("ruling", "used", "code"),
    [
        pytest.param("choose", 0, None, id="choose-the-lost-one-used"),
        pytest.param("choose", 1, None, id="choose-the-other-one-used"),
        pytest.param("exact", 0, None, id="exact-the-lost-one-used"),
        pytest.param("exact", 1, "tile-used", id="exact-the-other-one-used"),
    ],
)
def test_a_twin_is_usable_after_the_loss_of_the_used_one(
    ruling: str, used: int, code: str | None
) -> None:
    state = position_of_farms(Rulings(twin_tile=ruling))
    state.tiles[1][used].used = state.turn
    play(state, "0,1>0,3", name="paddock")

    assert code_of(state, "1,3", name="farm") == code


@pytest.mark.parametrize(
    ("player", "place", "got"),
    [
        pytest.param(2, "0,2", False, id="has-that-farm"),
        pytest.param(2, "0,4", True, id="last-tile"),
        pytest.param(3, "0,2", False, id="none-left"),
    ],
)
def test_a_farm_is_got_once_from_a_location_that_has_one_left(
    player: int, place: str, got: bool
) -> None:
    state = position_of_farms(Rulings())
    state.player, state.turn = player, 27 + player
    assert begin_turn(state, ("G",)) is None
    state.own[2].clear()  # their place does not matter here
    play(state, place)

    assert any(event[0] == "+" for event in state.events) == got


def test_the_quarry_takes_one_or_two_walls() -> None:
    state = draw_position(E11, card="G")
    state.tiles[1] = [Tile("quarry", 99, 1)]

    assert code_of(state, "", name="quarry") == "too-few"
    assert code_of(state, "0,1", name="quarry") is None
    assert code_of(state, "0,1 2,2", name="quarry") is None
    assert code_of(state, "0,1 2,2 1,0", name="quarry") == "too-many"
    assert code_of(state, "0,5", name="quarry") == "not-adjacent"


def test_the_example_of_the_notation_is_legal_and_unfinished() -> None:
    result = check_game(EXAMPLE)

    assert (result.turns, result.finished, result.violations) == (4, False, ())


@pytest.mark.parametrize(
    ("old", "new", "violation"),
    [
        pytest.param("farm 6,12", "farm 0,0", (3, "not-adjacent", 1), id="farm-far-off"),
        pytest.param("farm@5,12", "farm@1,17", (1, "note-wrong", 1), id="another-farm"),
        pytest.param("4,18", "0,10", (4, "wrong-terrain", 2), id="desert-for-canyon"),
        pytest.param("2 forest", "1 forest", (2, "wrong-player", 1), id="out-of-turn"),
        pytest.param("3,16 4,16; ", "3,16; ", (3, "too-few", 1), id="two-settlements"),
        pytest.param("3,16 4,16; farm 6,12", "3,16; farm 6,12; 4,16", (3, "action-between", 1)),
        pytest.param("canyon:", "canyon/desert:", (4, "wrong-terrain", 2), id="card-left-over"),
        pytest.param("0,18", "0,18 +farm@1,17", (4, "note-wrong", 2), id="farm-got-again"),
        pytest.param("farm 6,12", "barn 4,11>4,12", (3, "tile-not-held", 1), id="no-barn"),
        pytest.param("4,18\n", "4,18\ngold 9 9\n", (4, "not-finished", ""), id="claim-too-early"),
    ],
)
def test_a_change_of_the_example_is_named_at_its_turn(
    old: str, new: str, violation: tuple[int, str, int | str]
) -> None:
    assert old in EXAMPLE
    result = check_game(EXAMPLE.replace(old, new))

    assert result.violations == (violation,)
