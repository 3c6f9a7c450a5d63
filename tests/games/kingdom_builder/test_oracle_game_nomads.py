"""The plain-Python referee of the published game: tiles and cards of Nomads, judged by hand."""

import pytest

from tests.oracles.kingdom_builder_game_examples import code_of, play
from tests.oracles.kingdom_builder_game_play import begin_turn, end_turn
from tests.oracles.kingdom_builder_game_state import State, Tile, draw_position
from tests.oracles.kingdom_builder_game_targets import MANDATORY, NOMAD_TILES

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
