"""The plain versions against what the challenges and the published rules print.

The rules are compared with the plain versions on random boards and games, so that a mistake of
either shows there; a mistake that both share shows here.
"""

from pathlib import Path

import pytest

from tests.helpers import EXAMPLE_GOLD
from tests.oracles import kingdom_builder as scorer
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
    E11,
    EXAMPLE,
    write_targets,
)
from tests.oracles.kingdom_builder_game_state import draw_position
from tests.oracles.kingdom_builder_game_targets import MANDATORY
from tests.oracles.rabbits_situations import corridor, situation
from tests.oracles.search_party import check_plan, parse_map
from tests.oracles.search_party_bots import write_stream
from tests.oracles.slime import Answer, Board, Kind, explanations, move, scores

SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.mark.parametrize("card", EXAMPLE_GOLD)
def test_the_example_board_pays_what_the_rules_print(card: str) -> None:
    path = SHARED / "kingdom_builder" / "example.txt"
    if not path.exists():
        pytest.skip(f"the example board is not at {path}")

    assert scorer.score(scorer.parse(path.read_text(encoding="utf-8")))[card] == EXAMPLE_GOLD[card]


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


def test_the_example_of_the_notation_is_legal_and_unfinished() -> None:
    result = check_game(EXAMPLE)

    assert (result.turns, result.finished, result.violations) == (4, False, ())


def test_the_plan_of_the_search_party_finishes_in_four_turns() -> None:
    map_ = parse_map("6 5 0 0\n......\n......\n..S...\n......\n......\n")

    assert check_plan(map_, "@4.\n@6.\n@6.\n@6.\n4 0 0\n") == (4, 0, 0, True, True)


def test_the_first_turn_of_the_search_party_is_told_as_printed() -> None:
    rows = "##...##\n#.....#\n.......\n..S....\n.......\n#......\n##.....\n###....\n"
    seen = "##...##\n#ooo..#\nooooo..\nooooo..\nooooo..\n#ooo...\n##.....\n###....\n"

    told = write_stream(parse_map("7 8 2 0\n" + rows), [])

    assert told == "Turn 1\n@:2,3 A:2,3 B:2,3.\n" + seen + "-" * 40 + "\n"


def board(text: str) -> Board:
    """Write a board of slime in one line, its rows apart by a blank."""
    return tuple(text.split())


# The challenge prints its figures with four rows of five.
@pytest.mark.parametrize(
    ("before", "answer", "after", "kind"),
    [
        ("11.22 1..22 ..22. .....", (0, 1, 1, 2), "11.12 1.112 ..11. .....", "spread"),
        ("11..2 1...2 ....2 ...22", (0, 1, 2, 3), "1...2 1...1 ...11 ...11", "jump"),
        ("11..2 1.1.2 ....2 ..222", (0, 1, 1, 2), "1.112 11112 .1112 ..222", "merge"),
    ],
)
def test_a_move_of_slime_gives_the_figure(
    before: str, answer: Answer, after: str, kind: Kind
) -> None:
    assert move(board(before), 1, answer) == (board(after), kind)
    assert answer in explanations(board(before), board(after), 1)


def test_the_arena_of_slime_has_the_printed_scores() -> None:
    arena = board("11111222 11111444 11.22444 .1222.4. 333.3244 33333.44 333...44 333....4")

    assert scores(arena) == (13, 9, 15, 14)


def test_a_rabbit_bot_is_told_lines_as_printed() -> None:
    run = situation(corridor("#Xo ooo#"))
    run.turns_left = 35

    run.crush()

    assert run.tell() == ("turnsleft 35", "crusher 1,1 crushes 2,1", "rabbits 4,1 5,1 6,1")
