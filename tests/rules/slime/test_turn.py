"""rules.lp: one turn on boards that are worked out by hand."""

from __future__ import annotations

import pytest

from tests.helpers import derive
from tests.rules.slime.squares import list_facts, paint, size

# The challenge prints four rows of five and says that its boards are 5x5; the fifth row is empty.
FIGURES = [
    pytest.param("11.22 1..22 ..22. .....", "01 12", "11.12 1.112 ..11. .....", id="spread"),
    pytest.param("11..2 1...2 ....2 ...22", "01 23", "1...2 1...1 ...11 ...11", id="jump"),
    pytest.param("11..2 1.1.2 ....2 ..222", "01 12", "1.112 11112 .1112 ..222", id="merge"),
]


def ask(board: str, squares: str, predicate: str, *, turn: str = "1") -> set[tuple[object, ...]]:
    """Let player 1 go from one square to another, such as "01 12"."""
    source, target = (",".join(square) for square in squares.split())
    facts = f"turn({turn}). mover(1,{turn}). answer(({source}),({target}),{turn}). {size(board)}"
    facts += list_facts("before_holds", board, turn)
    return derive("slime", "rules", facts, predicate, turns="step")


def play(board: str, squares: str) -> str:
    return paint(board, ask(board, squares, "becomes/3"))


@pytest.mark.parametrize(("before", "squares", "after"), FIGURES)
def test_a_move_does_what_the_figure_of_the_challenge_shows(
    before: str, squares: str, after: str
) -> None:
    assert play(f"{before} .....", squares) == f"{after} ....."


@pytest.mark.parametrize(
    ("board", "squares", "after"),
    [
        pytest.param("12. 2.. ...", "00 02", ".11 2.. ...", id="jump-converts-around-its-end"),
        pytest.param("1.2 ..2 222", "00 10", "1.2 1.2 112", id="no-wrap-around-the-edge"),
        pytest.param("234 1.2 111", "10 11", "111 111 111", id="enemies-of-every-player"),
        pytest.param("1.. .1. ...", "00 11", ".11 111 111", id="merge-leaves-its-square-empty"),
        pytest.param("112 ... 3.4", "00 01", ".12 111 3.4", id="merge-converts-nobody"),
        pytest.param("112 222 ...", "00 01", ".12 222 ...", id="merge-without-room"),
    ],
)
def test_a_move_changes_these_squares(board: str, squares: str, after: str) -> None:
    assert play(board, squares) == after


@pytest.mark.parametrize(
    "squares",
    [
        pytest.param("00 00", id="onto-itself"),
        pytest.param("11 12", id="from-an-empty-square"),
        pytest.param("01 11", id="from-enemy-slime"),
        pytest.param("00 01", id="onto-an-enemy"),
        pytest.param("00 20", id="onto-own-slime-at-two"),
        pytest.param("00 03", id="too-far"),
        pytest.param("20 30", id="off-the-board"),
    ],
)
def test_everything_else_is_a_pass(squares: str) -> None:
    assert ask("12. ... 1..", squares, "move/4") == set()


def test_a_turn_that_is_tried_out_is_worked_out_like_any_other() -> None:
    changes = ask("1.2 ... 3.4", "00 11", "becomes/3", turn="try(7,a)")

    assert paint("1.2 ... 3.4", changes) == "1.1 .1. 1.1"


@pytest.mark.parametrize(
    ("given", "side", "corners"),
    [
        ("size(3,3).", 3, {(0, 0), (0, 2), (2, 0), (2, 2)}),
        ("option(size,4).", 4, {(0, 0), (0, 3), (3, 0), (3, 3)}),
        ("", 2, {(0, 0), (0, 1), (1, 0), (1, 1)}),
    ],
)
def test_a_game_starts_with_a_slime_in_every_corner(
    given: str, side: int, corners: set[tuple[int, int]]
) -> None:
    starts = derive("slime", "rules", given, "starts/2")

    assert len(starts) == side * side
    assert dict(zip(sorted(corners), range(1, 5), strict=True)) == {s: o for s, o in starts if o}


def test_players_move_in_turns() -> None:
    movers = derive("slime", "rules session", "opened(1..6).", "mover/2", turns="open")

    assert movers == {(1, 1), (2, 2), (3, 3), (4, 4), (1, 5), (2, 6)}


def test_a_turn_asks_about_the_square_it_leaves_and_those_around_the_one_it_goes_to() -> None:
    asked = {square for square, _ in ask("... ... ...", "00 12", "asks_holds/2")}

    around = {(r, c) for r in (0, 1, 2) for c in (1, 2, 3)}
    assert asked == {(0, 0)} | around


def test_squares_that_a_turn_does_not_change_are_carried_over() -> None:
    left = ask("12. ... ...", "00 11", "holds/3")

    assert {((0, 0), 1, 1), ((0, 1), 1, 1), ((1, 1), 1, 1)} <= left


@pytest.mark.parametrize(
    ("facts", "turns"),
    [
        pytest.param("full(3).", {3}, id="full-board"),
        pytest.param("full(9). #const last_turn = 4. [override]", {4, 5}, id="last-turn"),
        pytest.param("full(9).", set(), id="neither"),
    ],
)
def test_a_game_is_over_on_a_full_board_or_after_the_last_turn(facts: str, turns: set[int]) -> None:
    over = derive(
        "slime",
        "rules session",
        f"turn(1..5). holds((0,0),0,0). {facts}",
        "terminal/1",
        turns="step",
    )

    assert over == {(turn,) for turn in turns}


def test_a_turn_without_a_move_is_a_pass() -> None:
    facts = "turn(1..2). mover(1,1). mover(2,2). move(jump,(0,0),(0,2),2)."

    found = derive("slime", "rules session", facts, "did/3", turns="step")

    assert found == {(1, "pass", 1), (2, "jump", 2)}


def test_the_squares_of_each_player_are_counted() -> None:
    facts = "turn(9). before_empties(3,9). before_squares(1,2,9). before_squares(2,3,9). "
    facts += "before_holds((0,0),2,9). before_holds((0,1),0,9). "
    facts += "becomes((0,0),1,9). becomes((0,1),1,9)."

    def ask(predicate: str) -> set[tuple[object, ...]]:
        found = derive("slime", "rules session play", facts, predicate, turns="step")
        return {row for row in found if row[-1] == 9}

    assert ask("squares/3") == {(1, 4, 9), (2, 2, 9)}
    assert ask("empties/2") == {(2, 9)}


def test_the_squares_of_the_start_are_counted() -> None:
    squares = derive("slime", "rules session play", "size(3,3).", "squares/3")

    assert squares == {(player, 1, 0) for player in (1, 2, 3, 4)}
    assert derive("slime", "rules session play", "size(3,3).", "empties/2") == {(5, 0)}
