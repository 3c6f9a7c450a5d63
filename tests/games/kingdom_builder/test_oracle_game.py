"""The plain-Python referee of the published game against the worked examples of its rules."""

from functools import cache
from random import Random

import pytest

from tests.oracles import kingdom_builder
from tests.oracles.kingdom_builder_game import CODES, Rulings, check_game, check_record
from tests.oracles.kingdom_builder_game_broken import break_game
from tests.oracles.kingdom_builder_game_gold import pay
from tests.oracles.kingdom_builder_game_play import Action, begin_turn, end_turn, judge, perform
from tests.oracles.kingdom_builder_game_random import random_game
from tests.oracles.kingdom_builder_game_record import read_record, write_record
from tests.oracles.kingdom_builder_game_rulings import RECIPES, ruling_pairs
from tests.oracles.kingdom_builder_game_state import State, Tile, draw_position
from tests.oracles.kingdom_builder_game_targets import (
    LOCATION_TILES,
    MANDATORY,
    NOMAD_TILES,
    legal_targets,
)

EXAMPLE = """\
board oracle farm tavern paddock
cards fishermen merchants knights
players 2
start 1
1 grass: 4,11 4,12 5,11 +farm@5,12
2 forest: 0,15 0,16 0,17 +farm@1,17
1 desert: 3,15 3,16 4,16; farm 6,12
2 canyon: farm 0,18; 2,17 3,17 4,18
"""

E1 = """\
G  G  F  D  D  G
 G  W  F  M  D  G
C  F  F  T  L  G
 N  N  W  L  L  G
"""
E2 = """\
G  G1 F  D  D  G
 G  W  F  M  D  G
C  F  F  T  L  G2
 N  N  W  L  L  G
"""
E4 = """\
G  G1 G# G2 G  G
 G2 W  G1 G  G  G
C  F  G  T  G  G
 N  N  W  G# L  G
"""
E5 = """\
M  D  W  F  G  G
 L  F1 D  N  G  N
L  N  W  F  W  C
 G  W1 D  D  L  F
"""
E6 = """\
G  G1 G1 G1 W  G
 D  F  D1 F  G1 G
C  F  L1 F  G1 G
 N  N1 N  G# G1 G
"""
E7 = """\
G  G  F  D  D  G
 G  W  M  C  D2 G
C  F  F1 T  L  G
 N  N  W  L  L  G
"""
E8 = """\
D1 D1 D1 G  D  D
 G  G  G  G  D  D
"""
E9 = """\
G  G1 G  W  W  G
 G  F  G  G  W  G
W  F  F  N  L1 G
 W  N  M  L  L  G
"""
E10 = """\
G  G1 G  G  G  G
 G  T  G  G  T  G
G  G  G2 G  G1 G
 N  N  M  L  L  G
"""
E11 = """\
G  G  G  G  G  G
 G  G1 F  G2 G  G
C  F  G  W  G  G
 N  G  M  L  O  G
"""


def targets(state: State, action: str, *, source: str = "") -> str:
    """Write the legal hexes of an action, or those that a move from `source` may reach."""
    start = () if not source else (state.board.at(source),)
    found = [target[-1] for target in legal_targets(state, action) if target[:-1] == start]
    return " ".join(map(state.board.name, sorted(found)))


def act(state: State, text: str, *, name: str = MANDATORY) -> Action:
    """Read an action's targets, divided by blanks: `0,1 0,2` or `0,1>0,2`."""
    return Action(name, tuple(tuple(map(state.board.at, word.split(">"))) for word in text.split()))


def play(state: State, text: str, *, name: str = MANDATORY) -> None:
    fault = perform(state, act(state, text, name=name))
    assert fault is None


def code_of(state: State, text: str, *, name: str) -> str | None:
    fault = judge(state, act(state, text, name=name))
    return fault.code if fault else None


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

    assert targets(state, action) == hexes


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

    assert targets(state, action, source=source) == hexes


def test_adjacency_is_judged_afresh_for_each_settlement() -> None:
    state = draw_position(E2, card="G")
    seen = [targets(state, MANDATORY)]
    for place in ("1,0", "0,0"):
        play(state, place)
        seen.append(targets(state, MANDATORY))
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
    after_one = targets(state, MANDATORY)
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


PLAIN = """\
G  G  G  G  G  G
 G  G1 G  G2 G  G
G  W  W  W  G  G
 G  M  M  D  D  D
"""


def position_with(*kinds: str, cards: tuple[str, ...] = (), card: str = "G") -> State:
    """Build PLAIN, where player 1 holds location tiles or nomad tiles of the turn before."""
    state = draw_position(PLAIN, players=2, card=card)
    state.cards = cards
    state.tiles[1] = [Tile(kind, 99, state.turn - 2, nomad=kind in NOMAD_TILES) for kind in kinds]
    return state


def test_an_outpost_frees_one_hex_that_breaks_adjacency() -> None:
    state = position_with("outpost")
    play(state, "", name="outpost")

    assert code_of(state, "0,0 0,5 0,1", name=MANDATORY) == "not-adjacent"
    play(state, "0,1 0,5 1,5")
    assert state.pending == 0


def test_an_outpost_lapses_at_the_end_of_the_turn() -> None:
    state = position_with("outpost")
    play(state, "", name="outpost")
    play(state, "0,1 0,2 1,0")
    assert end_turn(state) is None
    assert begin_turn(state, ("G",)) is None

    assert state.pending == 0


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        pytest.param("1,1>1,2", None, id="one-step"),
        pytest.param("1,1>1,2 1,2>0,2 0,2>0,1 0,1>1,1", None, id="round-trip"),
        pytest.param("1,1>1,2 1,2>0,2 0,2>0,1 0,1>0,0 0,0>1,0", "too-many", id="five-steps"),
        pytest.param("1,1>0,3", "not-a-target", id="two-hexes"),
        pytest.param("1,1>2,1", "wrong-terrain", id="water"),
        pytest.param("1,1>1,2 1,2>1,3", "not-free", id="opponent"),
        pytest.param("1,2>1,1", "not-a-target", id="no-settlement"),
        pytest.param("1,2", "not-a-target", id="no-move"),
        pytest.param("", "too-few", id="no-step"),
    ],
)
def test_a_resettlement_is_one_to_four_steps(steps: str, code: str | None) -> None:
    assert code_of(position_with("resettlement"), steps, name="resettlement") == code


@pytest.mark.parametrize(
    ("supply", "places", "code"),
    [
        pytest.param(9, "2,1 2,2 2,3", None, id="three"),
        pytest.param(9, "2,1 2,2", "too-few", id="two-of-three"),
        pytest.param(2, "2,1 2,2", None, id="two-left"),
        pytest.param(2, "2,1 2,2 2,3", "no-supply", id="none-left"),
        pytest.param(9, "2,3", "not-adjacent", id="far"),
        pytest.param(9, "2,4", "wrong-terrain", id="grass"),
        pytest.param(9, "2,1 2,2 2,3 2,4", "too-many", id="four"),
    ],
)
def test_a_donation_builds_three_on_its_terrain(supply: int, places: str, code: str | None) -> None:
    state = position_with("donation-water")
    state.supply[1] = supply

    assert code_of(state, places, name="donation-water") == code


def test_a_sword_returns_a_settlement_and_costs_its_owner_the_tile() -> None:
    drawing = "G  G1 G  G2\n G  G  T  G\n"
    state = draw_position(drawing, kinds={"1,2": "farm"}, players=2)
    farm = state.board.at("1,2")
    state.tiles[1] = [Tile("sword", 99, state.turn - 2, nomad=True)]
    state.tiles[2] = [Tile("farm", farm, 2)]
    supply = state.supply[2]
    assert code_of(state, "0,1", name="sword") == "not-a-target"
    play(state, "0,3", name="sword")

    assert (state.supply[2], state.tiles[2]) == (supply + 1, [])
    assert state.events == {("-", "farm", farm)}


@pytest.mark.parametrize(
    ("got", "code"),
    [
        pytest.param(0, "tile-too-new", id="this-turn"),
        pytest.param(1, None, id="next-turn"),
        pytest.param(2, "tile-not-held", id="after-that"),
    ],
)
def test_a_nomad_tile_is_usable_in_the_next_turn_only(got: int, code: str | None) -> None:
    state = position_with("treasure")
    state.tiles[1][0].got = state.turn - 2 * got

    assert code_of(state, "", name="treasure") == code


def test_a_treasure_pays_once() -> None:
    state = position_with("treasure")
    play(state, "", name="treasure")

    assert state.gold[1] == 3
    assert code_of(state, "", name="treasure") == "tile-used"


@pytest.mark.parametrize(
    ("cards", "places", "gold"),
    [
        pytest.param("families", "0,1 0,2 0,3", 2, id="families-in-a-row"),
        pytest.param("families", "0,1 0,2 1,2", 0, id="families-round-a-corner"),
        pytest.param("families", "1,0 2,0 3,0", 0, id="families-zigzag"),
        pytest.param("ambassadors", "0,1 1,2 0,3", 2, id="ambassadors-twice-beside-2"),
        pytest.param("shepherds", "1,0 0,0 0,1", 0, id="shepherds-grass-is-left"),
        pytest.param("merchants", "0,1 0,2 0,3", 0, id="no-such-card"),
    ],
)
def test_a_nomads_card_pays_what_is_built(cards: str, places: str, gold: int) -> None:
    state = position_with(cards=(cards,))
    play(state, places)

    assert state.gold[1] == gold


def test_shepherds_pay_where_no_free_hex_of_the_terrain_is_beside() -> None:
    state = position_with(card="D", cards=("shepherds",))
    play(state, "3,4 3,3 3,5")  # 3,4 leaves two free deserts, 3,3 and 3,5 have none beside

    assert state.gold[1] == 4


@cache
def games() -> tuple[str, ...]:
    """Play 200 games of 2 to 5 players, every second one with Nomads."""
    return tuple(
        random_game(Random(seed), 2 + seed // 2 % 4, nomads=seed % 2 == 1) for seed in range(200)
    )


def test_random_games_are_accepted_to_the_end_with_their_gold() -> None:
    results = [check_game(text) for text in games()]

    assert len(results) == 200
    assert [result.violations for result in results] == [()] * 200
    assert all(result.finished for result in results)


def test_random_games_use_every_tile_and_write_every_sort_of_note() -> None:
    actions = [
        action for text in games() for line in read_record(text).lines for action in line.actions
    ]

    assert {action.name for action in actions} == {MANDATORY, *LOCATION_TILES, *NOMAD_TILES}
    assert {sign for action in actions for sign, _, _ in action.notes} == {"+", "-"}


def test_a_record_is_written_as_it_was_read() -> None:
    for text in games()[:20]:
        heading = text.splitlines()[0].removeprefix("board ")
        assert write_record(heading, read_record(text)) == text


def test_every_player_has_had_equally_many_turns_and_somebody_has_no_settlement_left() -> None:
    for text in games()[::2]:  # without Nomads no settlement comes back
        record = read_record(text)
        state = check_record(record).position
        assert len(record.lines) % record.players == 0
        assert 0 in state.supply[1:]


def test_the_end_pays_what_the_scorer_of_finished_boards_pays() -> None:
    compared = 0
    for text in games()[::2]:
        state = check_game(text).position
        terrain, board = state.board.terrain, state.board
        on_water = any(terrain[place] == "W" for own in state.own for place in own)
        if state.players > 4 or on_water:  # that scorer knows neither
            continue
        symbols = "".join(
            str(owner) if owner else symbol if symbol in "WMTC" else "."
            for symbol, owner in zip(terrain, state.owner, strict=True)
        )
        rows = [symbols[start : start + board.width] for start in range(0, 400, board.width)]
        for card, gold in kingdom_builder.score(rows, state.players).items():
            assert gold == tuple(pay(state, card, player + 1) for player in range(state.players))
            compared += 1
    assert compared > 200


@pytest.mark.parametrize("code", CODES)
def test_a_broken_game_is_caught_at_the_turn_of_its_change(code: str) -> None:
    found = 0
    for seed, text in enumerate(games()[:10]):
        try:
            broken, (turn, wrong) = break_game(Random(seed), text, code=code)
        except LookupError:
            continue
        violations = check_game(broken).violations
        assert wrong == code
        assert [violation[:2] for violation in violations] == [(turn, code)]
        assert read_record(broken).lines[: turn - 1] == read_record(text).lines[: turn - 1]
        assert broken != text
        found += 1
    assert found >= 8


def test_each_ruling_tells_a_record_apart() -> None:
    pairs = ruling_pairs()

    assert [pair.ruling for pair in pairs] == [recipe.ruling for recipe in RECIPES]
    assert {pair.ruling for pair in pairs} == set(Rulings.__dataclass_fields__)
    for pair in pairs:
        assert pair.by_default != pair.by_ruling, pair.ruling
