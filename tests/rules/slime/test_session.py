"""session_check.lp and record.lp: a session on boards of two turns or three."""

from __future__ import annotations

from tests.helpers import derive
from tests.rules.slime.squares import list_news, size

START, FIRST, SECOND = "1.2 ... 3.4", "1.1 .1. 1.1", "1.1 .1. 1.1"
# Player 1 spreads to the middle, player 2 passes.
MOVES = "answer((0,0),(1,1),1). turn(1..2). claimed_mover(1,1). claimed_mover(2,2). "


def ask(
    predicate: str, *boards: str, more: str = "", moves: str = MOVES
) -> set[tuple[object, ...]]:
    """Look at a session; its last board is the one that the last turn is given."""
    facts = size(START) + moves + list_news(*boards) + more
    return derive(
        "slime", "rules session record session_check", facts, predicate, turns="open step"
    )


def violations(*boards: str, more: str = "") -> set[tuple[object, object]]:
    found = ask("violation/4", *boards, more=more)
    return {(turn, code) for turn, code, _, _ in found}


def test_a_session_that_follows_from_its_moves_is_right() -> None:
    assert violations(START, FIRST) == set()


def test_whose_every_square_is_can_be_asked_of_each_turn() -> None:
    pairs = {((r, c), o) for r, row in enumerate(FIRST.split()) for c, o in enumerate(row)}

    found = ask("holds/3", START, FIRST, more="asks_all.")

    owners = {(square, int(owner.replace(".", "0"))) for square, owner in pairs}
    assert {row[:2] for row in found if row[2] == 1} == owners
    assert {row[:2] for row in found if row[2] == 2} == owners


def test_a_wrong_start_is_reported_at_the_first_turn() -> None:
    assert violations("2.1 ... 3.4", "2.1 .1. 3.4") >= {(1, "wrong-start")}


def test_a_turn_that_leads_elsewhere_makes_the_next_board_wrong() -> None:
    assert violations(START, "1.1 .1. 1.4") == {(2, "wrong-board")}
    # The second square lies where no move looks.
    assert violations(START, "1.1 .11 1.1") == {(2, "wrong-board")}


def test_the_check_goes_on_from_a_wrong_board() -> None:
    moves = (
        MOVES.replace("turn(1..2)", "turn(1..3)") + "answer((2,2),(1,2),2). claimed_mover(3,3). "
    )
    # Player 2 keeps the corner, by mistake, and moves from there.
    wrong = "1.1 .1. 1.2"

    found = ask("violation/4", START, wrong, "1.1 .12 1.2", moves=moves)

    assert {row[:2] for row in found} == {(2, "wrong-board"), (3, "wrong-board")}
    detail = "squares that differ from what the rules make of the previous board:"
    assert {row[3] for row in found if row[0] == 3} == {(detail, 2)}


def test_what_the_last_turn_does_is_part_of_the_outcome() -> None:
    assert ask("result/2", START, moves="answer((0,0),(1,1),1). turn(1). ") == {
        ("turns", 1),
        ("squares", (5, 0, 0, 0)),
        ("finished", "no"),
    }


def test_a_board_that_is_filled_by_the_last_turn_ends_the_game() -> None:
    moves = "answer((0,1),(0,0),1). turn(1). "

    assert ("finished", "yes") in ask("result/2", ".11 111 111", moves=moves)


def test_another_player_than_the_mover_is_the_wrong_player() -> None:
    found = ask(
        "violation/4", START, FIRST, moves=MOVES.replace("claimed_mover(2,2)", "claimed_mover(4,2)")
    )

    assert {row[:3] for row in found} == {(2, "wrong-player", 2)}


def test_turns_after_a_full_board_are_after_the_end() -> None:
    found = ask(
        "violation/4", "111 111 111", "111 111 111", more="turns_before(4).", moves="turn(1..2). "
    )

    assert {row[:2] for row in found} == {(1, "after-end")}


def test_an_outcome_that_is_claimed_too_early_is_not_finished() -> None:
    assert violations(START, FIRST, more="scores(9,0,0,0,2).") == {(2, "not-finished")}


def test_each_player_with_a_wrong_claim_is_named() -> None:
    claim = "scores(5,0,1,0,2). #const last_turn = 2. [override]"

    found = ask("violation/4", START, FIRST, more=claim)

    assert {row[:3] for row in found} == {(2, "wrong-result", 3)}


def test_turns_are_counted_by_player_and_kind() -> None:
    made = {row for row in ask("made/3", START, FIRST) if row[2]}

    assert made == {(1, "spread", 1), (2, "pass", 1)}
