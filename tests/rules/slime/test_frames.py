"""frames.lp: which moves explain what changes between two boards."""

from __future__ import annotations

from tests.helpers import derive
from tests.rules.slime.squares import list_news, size


def ask(predicate: str, *boards: str, more: str = "") -> set[tuple[object, ...]]:
    shown = list_news(*boards, terminal="frame", first=0)
    facts = f"{size(boards[0])} frames(0). {shown} {more}"
    return derive("slime", "rules record frames", facts, predicate, turns="step")


def test_every_slime_that_may_have_spread_explains_the_turn() -> None:
    found = ask("explains/4", "1.. ... 1.2", "1.. 1.. 1.2", more="first(1).")

    assert found == {(1, 1, "spread", (0, 0, 1, 0)), (1, 1, "spread", (2, 0, 1, 0))}


def test_a_board_that_stays_as_it_is_may_be_anybodys_pass() -> None:
    assert ask("explains/4", "1.2 ... 3.4", "1.2 ... 3.4") == {
        (1, player, "pass", ()) for player in (1, 2, 3, 4)
    }


def test_a_jump_counts_before_a_merge() -> None:
    found = ask("ranked/5", "11. 111 234", ".11 111 234", more="first(1).")

    assert [row[1:4] for row in sorted(found)] == [(1, 1, "jump"), (2, 1, "merge"), (3, 1, "merge")]
    assert ask("did/3", "11. 111 234", ".11 111 234", more="first(1).") >= {(1, "jump", 1)}


def test_of_one_kind_the_smallest_squares_count_as_numbers() -> None:
    # In a column slime stands above and below what is new, in rows 8 and 10 of 12.
    rows = ["." * 12] * 12
    rows[8] = rows[10] = ".1" + "." * 10
    after = [*rows[:9], rows[8], *rows[10:]]

    found = ask("ranked/5", " ".join(rows), " ".join(after), more="first(1).")

    assert [row[4] for row in sorted(found)] == [(8, 1, 9, 1), (10, 1, 9, 1)]


EXCERPT = ("11. ... 3.4", "111 ... 3.4")


def test_player_1_moves_first_at_the_start_of_a_game() -> None:
    assert ask("mover_of/2", "1.2 ... 3.4", "1.2 ... 3.4") == {(1, 1)}


def test_another_first_board_is_a_wrong_start_after_which_it_is_nobodys_turn() -> None:
    detail = ("squares that differ from the start of a game:", 2)

    assert ask("violation/4", *EXCERPT) == {(1, "wrong-start", "", detail)}
    assert ask("amiss/2", *EXCERPT) == {((0, 1), 0), ((0, 2), 0)}
    assert ask("mover_of/2", *EXCERPT) == set()


def test_a_first_board_alone_may_be_a_wrong_start() -> None:
    assert {row[:2] for row in ask("violation/4", EXCERPT[0])} == {(1, "wrong-start")}
    assert ask("violation/4", "1.2 ... 3.4") == set()


def test_an_excerpt_has_the_player_first_who_is_said_to_be() -> None:
    assert ask("violation/4", *EXCERPT, more="first(1).") == set()
    assert ask("mover_of/2", "1.2 ... 3.4", "1.2 ... 3.4", more="first(3).") == {(3, 1)}


def test_a_turn_without_an_explanation_is_a_violation_of_its_player() -> None:
    found = ask("violation/4", "1.2 ... 3.4", "1.2 .1. 3.4")

    assert {row[:3] for row in found} == {(1, "no-explanation", 1)}
    assert ask("amiss/2", "1.2 ... 3.4", "1.2 .1. 3.4") == {((1, 1), 1)}


def test_boards_after_a_full_one_are_after_the_end() -> None:
    full = "111 111 111"

    found = ask("violation/4", ".11 111 111", full, full, more="first(1).")

    assert {row[:2] for row in found} == {(2, "after-end")}
    assert ("finished", "yes") in ask("result/2", ".11 111 111", full, full, more="first(1).")
