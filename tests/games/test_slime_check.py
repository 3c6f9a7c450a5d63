"""The command ``check slime``, from the outside: records, verdicts, messages."""

import json
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.plain.slime import (
    Style,
    Turn,
    finished,
    move,
    parse_answer,
    random_game,
    scores,
    start_board,
)
from benchmarks.plain.slime_records import check_session, write_frames, write_session
from kb_score.cli import main

ROOT = Path(__file__).parents[2]
EXAMPLES = int(os.environ.get("KB_SCORE_EXAMPLES", "12"))
STYLES: list[Style] = ["random", "greedy", "mixed", "long"]
# A whole game on 3 x 3: a spread that converts all, passes, a merge, a spread that fills.
SHORT = (
    "1,1.2,...,3.4\n0 0 1 1\n2,1.1,.1.,1.1\n0 2 1 2\n3,1.1,.1.,1.1\n\n4,1.1,.1.,1.1\n0 0 0 0\n"
    "1,1.1,.1.,1.1\n0 0 1 1\n2,.11,111,111\nno\n3,.11,111,111\nno\n4,.11,111,111\nno\n"
    "1,.11,111,111\n0 1 0 0\n"
)


def run(text: str | bytes, *options: str) -> Result:
    return CliRunner().invoke(main, ["check", "slime", "-", *options], input=text)


def check(text: str, *options: str) -> dict[str, Any]:
    result = run(text, "--format", "json", *options)
    verdict: dict[str, Any] = json.loads(result.stdout)
    assert result.exit_code == (0 if verdict["consistent"] else 1)
    return verdict


def codes(text: str, *options: str) -> list[tuple[int, str]]:
    return [(v["turn"], v["code"]) for v in check(text, *options)["violations"]]


def test_a_session_of_a_whole_game_is_consistent() -> None:
    verdict = check(SHORT + "9 0 0 0\n")

    assert verdict["violations"] == []
    assert verdict["result"] == {"turns": 9, "squares": [9, 0, 0, 0], "finished": True}
    assert verdict["claimed"] == {"squares": [9, 0, 0, 0]}
    assert verdict["counts"] == {
        "spread": [2, 0, 0, 0],
        "jump": [0, 0, 0, 0],
        "merge": [1, 0, 0, 0],
        "pass": [0, 2, 2, 2],
    }


@pytest.mark.parametrize("claim", ["9,0,0,0", "9 0 0 0\n\n", " 9, 0, 0, 0\n", "\n9 0 0 0\n"])
def test_the_scores_at_the_end_are_set_apart_by_blanks_or_commas(claim: str) -> None:
    assert check(SHORT + claim)["claimed"] == {"squares": [9, 0, 0, 0]}


def test_a_blank_answer_is_a_pass() -> None:
    assert check("1,1.2,...,3.4\n\n")["result"]["turns"] == 1


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("1,1.2,...,3.4", "1,1.2,...,4.3", [(1, "wrong-start")], id="wrong-start"),
        pytest.param("2,1.1", "3,1.1", [(2, "wrong-player")], id="wrong-player"),
        pytest.param(
            "4,.11,111,111", "4,112,111,111", [(8, "wrong-board")], id="a-full-board-too-early"
        ),
        pytest.param("4,.11,111,111", "4,.12,111,111", [(8, "wrong-board")], id="wrong-board"),
        pytest.param("9 0 0 0", "8 1 0 0", [(9, "wrong-result")] * 2, id="wrong-result"),
        pytest.param(
            "9 0 0 0",
            "2,111,111,111\n0 0 0 0\n3,1.1,111,111\nno\n9 0 0 0",
            [(10, "after-end")],
            id="after-end",
        ),
    ],
)
def test_a_fault_of_a_session_is_found_at_its_turn(
    old: str, new: str, expected: list[tuple[int, str]]
) -> None:
    text = (SHORT + "9 0 0 0\n").replace(old, new, 1)

    assert codes(text) == expected
    assert check(text)["result"] == {"turns": 9, "squares": [9, 0, 0, 0], "finished": True}


def test_scores_claimed_before_the_end_are_not_finished() -> None:
    text = "1,1.2,...,3.4\n0 0 1 1\n5 0 0 0\n"

    assert codes(text) == [(1, "not-finished")]
    assert check(text)["result"] == {"turns": 1, "squares": [5, 0, 0, 0], "finished": False}


def test_a_board_of_four_squares_is_full_before_the_first_turn() -> None:
    assert codes("1,12,34\n0 0 0 1\n") == [(1, "after-end")]
    assert check("12\n34\n")["result"] == {"turns": 0, "squares": [1, 1, 1, 1], "finished": True}


def test_the_last_turn_is_a_constant_of_the_rules() -> None:
    assert check(SHORT, "--const", "last_turn=8")["result"]["turns"] == 8
    assert codes(SHORT, "--const", "last_turn=8") == [(9, "after-end")]


def test_the_first_wrong_board_is_drawn_beside_the_derived_one() -> None:
    result = run(SHORT.replace("4,.11,111,111", "4,.12,111,111"))

    assert result.exit_code == 1
    assert " .  1 [2]" in result.stdout
    assert " .  1 [1]" in result.stdout


# Frames


def test_frames_say_which_moves_explain_them() -> None:
    verdict = check("1.2\n...\n3.4\n\n1.1\n.1.\n1.1\n\n1.1\n.1.\n1.1\n", "--all")

    assert verdict["explanations"] == [
        {"turn": 1, "player": 1, "kind": "spread", "move": "0 0 1 1"},
        {"turn": 2, "player": 2, "kind": "pass", "move": ""},
    ]


def test_all_moves_that_explain_a_turn_are_listed_on_demand() -> None:
    frames = "1..\n...\n1.2\n\n1..\n1..\n1.2\n"

    assert [e["move"] for e in check(frames)["explanations"]] == ["0 0 1 0"]
    assert [e["move"] for e in check(frames, "--all")["explanations"]] == ["0 0 1 0", "2 0 1 0"]


def test_whose_turn_it_is_in_the_middle_of_a_game_is_inferred() -> None:
    turns = random_game(Random(8), 5, 30, "random")[13:]

    assert check(write_frames(turns))["explanations"][0]["player"] == 2


def test_who_moves_first_can_be_said() -> None:
    frames = "1..\n...\n1.2\n\n1..\n1..\n1.2\n"

    assert codes(frames, "--first", "1") == []
    assert codes(frames, "--first", "2") == [(1, "no-explanation")]


def test_on_the_start_board_player_1_moves() -> None:
    assert codes("1.2\n...\n3.4\n\n2.2\n.2.\n2.2\n") == [(1, "no-explanation")]


@pytest.mark.parametrize(
    "after",
    [
        pytest.param("1.2\n...\n3..\n", id="slime-vanishes"),
        pytest.param("1.2\n.1.\n3.4\n", id="conversion-forgotten"),
        pytest.param("1.1\n11.\n1.1\n", id="two-spreads"),
    ],
)
def test_a_change_that_no_move_makes_has_no_explanation(after: str) -> None:
    assert codes(f"1.2\n...\n3.4\n\n{after}") == [(1, "no-explanation")]


def test_frames_after_a_full_board_are_after_the_end() -> None:
    frames = ".11\n111\n111\n\n111\n111\n111\n\n111\n111\n111\n"

    assert codes(frames) == [(2, "after-end")]
    assert check(frames)["result"] == {"turns": 1, "squares": [9, 0, 0, 0], "finished": True}


# Games of the independent simulator


@st.composite
def games(draw: st.DrawFn) -> list[Turn]:
    size = draw(st.integers(3, 9))
    style = draw(st.sampled_from(STYLES))
    return random_game(Random(draw(st.integers(0, 10**6))), size, 60, style)


@settings(max_examples=EXAMPLES, deadline=None)
@given(games())
def test_every_game_is_consistent_as_session_and_as_frames(turns: list[Turn]) -> None:
    over = finished(turns[-1].after, len(turns))
    result = {"turns": len(turns), "squares": list(scores(turns[-1].after)), "finished": over}
    session, frames = check(write_session(turns, scores=over)), check(write_frames(turns))

    assert session["violations"] == frames["violations"] == []
    assert session["result"] == frames["result"] == result
    for kind, counts in session["counts"].items():
        assert counts == [
            sum(t.kind == kind and t.player == player for t in turns) for player in (1, 2, 3, 4)
        ]


@settings(max_examples=EXAMPLES, deadline=None)
@given(games(), st.data())
def test_a_square_misprinted_anywhere_is_one_wrong_board(
    turns: list[Turn], data: st.DataObject
) -> None:
    lines = write_session(turns, scores=False).split("\n")
    turn = data.draw(st.integers(1, len(turns)))
    line = lines[2 * turn - 2]
    place = data.draw(st.sampled_from([i for i, c in enumerate(line) if c in "1234."][1:]))
    owner = data.draw(st.sampled_from([c for c in "1234." if c != line[place]]))
    lines[2 * turn - 2] = line[:place] + owner + line[place + 1 :]
    verdict = check("\n".join(lines))

    code = "wrong-start" if turn == 1 else "wrong-board"
    assert [(v["turn"], v["code"]) for v in verdict["violations"]] == [(turn, code)]
    assert verdict["result"]["squares"] == list(scores(turns[-1].after))


@settings(max_examples=EXAMPLES, deadline=None)
@given(games(), st.data())
def test_an_answer_exchanged_leads_to_what_the_simulator_makes_of_it(
    turns: list[Turn], data: st.DataObject
) -> None:
    turn = data.draw(st.integers(1, len(turns)))
    answers = [t.answer for t in turns]
    answers[turn - 1] = data.draw(
        st.sampled_from(["0 0 1 1", "1 1 2 2", "0 0 0 2", "x", "3 3 4 2"])
    )
    lines = [f"{t.player},{','.join(t.before)}\n{a}\n" for t, a in zip(turns, answers, strict=True)]
    verdict = check("".join(lines))

    board, expected = start_board(len(turns[0].before)), []
    played = 0
    while played < len(turns) and not finished(board, played):
        if board != turns[played].before:
            expected.append(played + 1)
        board, _ = move(board, played % 4 + 1, parse_answer(answers[played]))
        played += 1
    wrong = [v["turn"] for v in verdict["violations"] if v["code"] == "wrong-board"]
    assert wrong == expected
    assert verdict["result"]["turns"] == played
    assert verdict["result"]["squares"] == list(scores(board))
    assert (played < len(turns)) == any(v["code"] == "after-end" for v in verdict["violations"])


# What is no record


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b"\x89PNG\x00\x01", "not text", id="binary"),
        pytest.param(b"hello\nworld\n", "-:1:1", id="prose"),
        pytest.param(b"1,1.2,...,3.4\n", "before the bot has answered", id="no-answer"),
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
def test_what_is_no_record_is_told_of_with_its_place(text: bytes, message: str) -> None:
    result = run(text)

    assert result.exit_code == 2
    assert message in result.stderr
    assert not result.stdout
    assert "Traceback" not in result.stderr


def test_a_record_may_have_any_line_ends_and_a_byte_order_mark() -> None:
    text = b"\xef\xbb\xbf" + (SHORT + "9 0 0 0").replace("\n", "\r\n").encode()

    assert run(text).exit_code == 0


@pytest.mark.parametrize(
    "answer",
    ["0 0 1 " + "9" * 5000, "-0 +0 01 1", "0 0 1 1.0", "0 0 1 1 1", "0 0 1 \u0661", "\t0 0 1 1 "],
)
def test_odd_answers_are_read_as_the_simulator_reads_them(answer: str) -> None:
    text = f"1,1.2,...,3.4\n{answer}\n"

    assert check(text)["result"]["squares"] == list(check_session(text)[0])


def test_more_rules_can_be_added(tmp_path: Path) -> None:
    # No jumping in this house: a jump takes itself back.
    (tmp_path / "house.lp").write_text('violation(T,"jump","","") :- move(jump,From,To,T).\n')
    text = "1,1...2,.....,.....,.....,3...4\n0 0 0 2\n"

    assert codes(text) == []
    assert codes(text, "--rules", str(tmp_path)) == [(1, "jump")]


# Records to try


@pytest.mark.parametrize("name", ["session", "frames", "wrong"])
def test_a_record_to_try_gives_its_expected_result(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    expected = [
        json.loads(line) for line in Path("boards/slime/expected.jsonl").read_text().splitlines()
    ]
    path = f"boards/slime/{name}.txt"

    result = CliRunner().invoke(main, ["check", "slime", path, "--format", "json"])

    assert json.loads(result.stdout) == next(e for e in expected if e["record"] == path)


def test_the_game_to_try_is_what_the_simulator_plays() -> None:
    text = (ROOT / "boards" / "slime" / "session.txt").read_text()

    assert check_session(text) == ((1, 0, 0, 24), True)


def test_facts_are_known_by_the_look_of_the_file() -> None:
    path = str(ROOT / "boards" / "slime" / "session.txt")

    result = CliRunner().invoke(main, ["facts", path])

    assert result.exit_code == 0
    assert "answer((0,0),(0,1),1)." in result.stdout
    assert "printed((0,0),1,1)." in result.stdout
