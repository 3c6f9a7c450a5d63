"""Records of Slime: what is read, and what is refused with its place."""

from __future__ import annotations

import pytest

from tests.games.slime.games import SHORT, check
from tests.helpers import ROOT, run
from tests.oracles.slime_records import check_session


@pytest.mark.parametrize("claim", ["9,0,0,0", "9 0 0 0\n\n", " 9, 0, 0, 0\n", "\n9 0 0 0\n"])
def test_the_scores_at_the_end_are_set_apart_by_blanks_or_commas(claim: str) -> None:
    assert check(SHORT + claim)["claimed"] == {"squares": [9, 0, 0, 0]}


@pytest.mark.parametrize("claim", ["1,1,1,1", "4,10,22,28", "1,11,22,30", "1,1234,2345,3456"])
def test_four_numbers_after_the_last_turn_are_scores(claim: str) -> None:
    verdict = check(f"1,1.2,...,3.4\n0 0 1 1\n{claim}\n\n")

    assert verdict["claimed"] == {"squares": [int(number) for number in claim.split(",")]}


def test_three_rows_of_three_squares_are_a_board_and_no_scores() -> None:
    verdict = check("4,123,412,333\n0 0 0 0\n")

    assert verdict["claimed"] is None
    assert "wrong-start" in {violation["code"] for violation in verdict["violations"]}


@pytest.mark.parametrize(
    "answer",
    ["0 0 1 " + "9" * 5000, "-0 +0 01 1", "0 0 1 1.0", "0 0 1 1 1", "0 0 1 \u0661", "\t0 0 1 1 "],
)
def test_odd_answers_are_read_as_the_simulator_reads_them(answer: str) -> None:
    text = f"1,1.2,...,3.4\n{answer}\n"

    assert check(text)["result"]["squares"] == list(check_session(text)[0])


@pytest.mark.parametrize(
    ("name", "fact"),
    [
        ("session", "go(0,0,0,1,1)."),
        ("session", 'board_cell(1,0,".",1,5).'),
        ("session", "claimed_mover(2,2)."),
        ("session", "scores(1,0,0,24,52)."),
        ("frames", "frame_cell(4,4,4,0,7)."),
    ],
)
def test_facts_are_printed_of_every_kind_of_record(name: str, fact: str) -> None:
    ran = run("facts", ROOT / "boards" / "slime" / f"{name}.txt", "--game", "slime")

    assert ran.status == 0
    assert fact in ran.out.split()
