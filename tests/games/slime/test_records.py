"""Records of Slime: what is read, and what is refused with its place."""

from __future__ import annotations

import pytest

from kb_score.games.slime.records import Session, read_record
from tests.games.slime.games import SHORT, check
from tests.helpers import ROOT, run
from tests.oracles.slime_records import check_session


def read_session(text: str) -> Session:
    record = read_record(text)
    assert isinstance(record, Session)
    return record


@pytest.mark.parametrize("claim", ["9,0,0,0", "9 0 0 0\n\n", " 9, 0, 0, 0\n", "\n9 0 0 0\n"])
def test_the_scores_at_the_end_are_set_apart_by_blanks_or_commas(claim: str) -> None:
    assert read_session(SHORT + claim).claimed == (9, 0, 0, 0)


@pytest.mark.parametrize("claim", ["1,1,1,1", "4,10,22,28", "1,11,22,30", "1,1234,2345,3456"])
def test_four_numbers_after_the_last_turn_are_scores(claim: str) -> None:
    session = read_session(f"1,1.2,...,3.4\n0 0 1 1\n{claim}\n\n")

    assert session.claimed == tuple(map(int, claim.split(",")))


def test_three_rows_of_three_squares_are_a_board_and_no_scores() -> None:
    assert read_session("4,123,412,333\n0 0 0 0\n").boards == ("123,412,333",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b"\x89PNG\x00\x01", "not text", id="binary"),
        pytest.param(b"hello\nworld\n", "-:1:1", id="prose"),
        pytest.param(b"1,1.2,..\n", "row 0 of the board has 3 squares", id="half-a-line"),
        pytest.param(b"1,1.2,..,3.4\n\n", "row 1 of the board has 2 squares", id="ragged"),
        pytest.param(b"1,1.2,...,3.4\n\n2,12,34\n\n", "the board has 2 rows", id="other-size"),
        pytest.param(b"5,1.2,...,3.4\n\n", "-:1:1", id="player-5"),
        pytest.param(b"1,1.2,.x.,3.4\n\n", "-:1:", id="wrong-symbol"),
        pytest.param(
            b"1,1.2,...,3.4\n\n99999999999 0 0 0", "numbers here go up", id="beyond-32-bits"
        ),
        pytest.param(b"1.2\n...\n3.4\n\n1.2\n...\n", "the board has 2 rows", id="short-frame"),
        pytest.param(b"11..2\n1...2\n....2\n...22\n", "has 5 squares", id="not-square"),
        pytest.param(b"1\n", "2 to 256 rows", id="one-square"),
        pytest.param(b"1.2\n" * 200_000, "squares", id="endless"),
    ],
)
def test_a_text_that_is_no_record_is_refused_with_its_place(text: bytes, message: str) -> None:
    ran = run("check", "slime", "-", given=text)

    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_a_record_may_have_any_line_ends_and_a_byte_order_mark() -> None:
    text = b"\xef\xbb\xbf" + (SHORT + "9 0 0 0").replace("\n", "\r\n").encode()

    assert run("check", "slime", "-", given=text).status == 0


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
        ("session", "answer((0,0),(0,1),1)."),
        ("session", "claimed_holds((0,0),1,0)."),
        ("session", "claimed_mover(2,2)."),
        ("session", "claimed_result(squares,(1,0,0,24))."),
        ("frames", "holds((0,4),2,0)."),
    ],
)
def test_facts_are_printed_of_every_kind_of_record(name: str, fact: str) -> None:
    ran = run("facts", ROOT / "boards" / "slime" / f"{name}.txt", "--game", "slime")

    assert ran.status == 0
    assert fact in ran.out.split()
