"""frames.lp: which moves explain what changes between two boards."""

from __future__ import annotations

import pytest

from tests.helpers import derive
from tests.rules.slime.squares import list_alterations, list_facts, list_tallies, size


def ask(predicate: str, *boards: str, more: str = "") -> set[tuple[object, ...]]:
    holds = " ".join(list_facts("holds", board, turn) for turn, board in enumerate(boards))
    told = f"{holds} {list_alterations(*boards)} {list_tallies(*boards)}"
    facts = f"{size(boards[0])} turns({len(boards) - 1}). {told} {more}"
    return derive("slime", "rules record frames", facts, predicate, turns="step")


def test_every_slime_that_may_have_spread_explains_the_turn() -> None:
    found = ask("explains/4", "1.. ... 1.2", "1.. 1.. 1.2")

    assert found == {
        (1, 1, "spread", (0, 0, 1, 0)),
        (1, 1, "spread", (2, 0, 1, 0)),
    }


def test_a_board_that_stays_as_it_is_may_be_anybodys_pass() -> None:
    assert ask("explains/4", "1.2 ... 3.4", "1.2 ... 3.4") == {
        (1, player, "pass", ()) for player in (1, 2, 3, 4)
    }


def test_a_jump_counts_before_a_merge() -> None:
    found = ask("explanation/5", "11. 111 234", ".11 111 234", more="first(1).")

    assert [row[1:4] for row in sorted(found)] == [
        (1, 1, "jump"),
        (2, 1, "merge"),
        (3, 1, "merge"),
    ]
    assert ask("did/3", "11. 111 234", ".11 111 234", more="first(1).") >= {(1, "jump", 1)}


def test_of_one_kind_the_smallest_squares_count_as_numbers() -> None:
    # In a column slime stands above and below what is new, in rows 8 and 10 of 12.
    rows = ["." * 12] * 12
    rows[8] = rows[10] = ".1" + "." * 10
    after = [*rows[:9], rows[8], *rows[10:]]

    found = ask("explanation/5", " ".join(rows), " ".join(after), more="first(1).")

    assert [row[4] for row in sorted(found)] == [(8, 1, 9, 1), (10, 1, 9, 1)]


@pytest.mark.parametrize(
    ("boards", "players"),
    [
        pytest.param(["1.2 ... 3.4", "1.2 ... 3.4"], {1}, id="start"),
        pytest.param(["1.. ... ..2", "1.. .1. ..1"], {1}, id="one-who-can-have-moved"),
        pytest.param(["12. ... ...", "12. .2. ..."], {1, 2, 3, 4}, id="nobody-can-have"),
        pytest.param(["1.. ... ...", "1.. ... ..."], {1, 2, 3, 4}, id="anybody-can-have"),
    ],
)
def test_whoever_leaves_least_unexplained_may_have_moved_first(
    boards: list[str], players: set[int]
) -> None:
    assert ask("possible/1", *boards) == {(player,) for player in players}


def test_who_moves_first_can_be_given() -> None:
    assert ask("possible/1", "1.2 ... 3.4", "1.2 ... 3.4", more="first(3).") == {(3,)}


def test_a_turn_without_an_explanation_is_a_violation_of_its_player() -> None:
    found = ask("violation/4", "1.2 ... 3.4", "1.2 .1. 3.4")

    assert {row[:3] for row in found} == {(1, "no-explanation", 1)}
    assert ask("amiss/2", "1.2 ... 3.4", "1.2 .1. 3.4") == {((1, 1), 1)}


def test_boards_after_a_full_one_are_after_the_end() -> None:
    full = "111 111 111"

    found = ask("violation/4", ".11 111 111", full, full)

    assert {row[:2] for row in found} == {(2, "after-end")}
    assert ("finished", "yes") in ask("result/2", ".11 111 111", full, full)
