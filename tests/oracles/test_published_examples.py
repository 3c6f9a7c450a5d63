"""The plain versions of the rules against what the games print; the rules have tests of their own.

The worked examples of Kingdom Builder stand in tests/transcripts/kingdom_builder/legal.md, and
random games compare the plain version with the rules.
"""

from random import Random

import pytest

from tests.helpers import EXAMPLE, EXAMPLE_GOLD
from tests.oracles import kingdom_builder as scorer
from tests.oracles.kingdom_builder_game import check_game
from tests.oracles.kingdom_builder_game_examples import EXAMPLE as GAME
from tests.oracles.rabbits import Run
from tests.oracles.rabbits import parse_map as parse_station
from tests.oracles.search_party import check_plan, parse_map
from tests.oracles.search_party_bots import write_stream
from tests.oracles.slime import Answer, Kind, explanations, move, scores


def test_the_example_board_pays_what_the_rules_print() -> None:
    gold = scorer.score(scorer.parse(EXAMPLE.read_text(encoding="utf-8")))

    assert {card: gold[card] for card in EXAMPLE_GOLD} == EXAMPLE_GOLD


def test_the_example_of_the_notation_is_legal_and_unfinished() -> None:
    result = check_game(GAME)

    assert (result.turns, result.finished, result.violations) == (4, False, ())


def test_the_plan_of_the_search_party_finishes_in_four_turns() -> None:
    map_ = parse_map("6 5 0 0\n......\n......\n..S...\n......\n......\n")

    assert check_plan(map_, "@4.\n@6.\n@6.\n@6.\n4 0 0\n") == (4, 0, 0, True, True)


def test_the_first_turn_of_the_search_party_is_told_as_printed() -> None:
    rows = "##...##\n#.....#\n.......\n..S....\n.......\n#......\n##.....\n###....\n"
    seen = "##...##\n#ooo..#\nooooo..\nooooo..\nooooo..\n#ooo...\n##.....\n###....\n"

    told = write_stream(parse_map("7 8 2 0\n" + rows), [])

    assert told == "Turn 1\n@:2,3 A:2,3 B:2,3.\n" + seen + "-" * 40 + "\n"


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
    board = tuple(before.split())

    assert move(board, 1, answer) == (tuple(after.split()), kind)
    assert answer in explanations(board, tuple(after.split()), 1)


def test_the_arena_of_slime_has_the_printed_scores() -> None:
    arena = "11111222 11111444 11.22444 .1222.4. 333.3244 33333.44 333...44 333....4"

    assert scores(tuple(arena.split())) == (13, 9, 15, 14)


def test_a_rabbit_bot_is_told_lines_as_printed() -> None:
    run = Run(parse_station("########\n#      #\n########"), Random(0), True)
    run.rabbits, run.crushers, run.turns_left = {(2, 1), (4, 1), (5, 1), (6, 1)}, {(1, 1): 0}, 35

    run.crush()

    assert run.tell() == ("turnsleft 35", "crusher 1,1 crushes 2,1", "rabbits 4,1 5,1 6,1")
