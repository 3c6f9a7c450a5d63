"""The command ``check slime``: sessions, frames, and games of the independent simulator."""

from __future__ import annotations

import os
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.slime.games import SHORT, check, codes, games
from tests.helpers import ROOT, run
from tests.oracles.slime import (
    Turn,
    finished,
    legal_moves,
    move,
    parse_answer,
    random_game,
    scores,
    start_board,
)
from tests.oracles.slime_records import write_frames, write_session

BOARDS = ROOT / "boards" / "slime"
FRAMES = "1..\n...\n1.2\n\n1..\n1..\n1.2\n"
START = "1.2\n...\n3.4\n\n"
SESSION = (BOARDS / "session.txt").read_text()
EXAMPLES = int(os.environ.get("KB_SCORE_EXAMPLES", "6"))


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


def test_a_blank_answer_is_a_pass() -> None:
    assert check("1,1.2,...,3.4\n\n")["result"]["turns"] == 1


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("1,1.2,...,3.4", "1,1.2,...,4.3", [(1, "wrong-start")], id="wrong-start"),
        pytest.param("2,1.1", "3,1.1", [(2, "wrong-player")], id="wrong-player"),
        # The check goes on from what is printed, so the next board does not follow from it.
        pytest.param(
            "4,.11,111,111",
            "4,.12,111,111",
            [(8, "wrong-board"), (9, "wrong-board")],
            id="wrong-board",
        ),
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


def test_a_full_board_that_is_printed_too_early_ends_the_game() -> None:
    text = (SHORT + "9 0 0 0\n").replace("4,.11,111,111", "4,112,111,111", 1)

    assert codes(text) == [
        (8, "wrong-board"),
        (8, "wrong-result"),
        (8, "wrong-result"),
        (9, "after-end"),
    ]
    assert check(text)["result"] == {"turns": 8, "squares": [8, 1, 0, 0], "finished": True}


@pytest.mark.slow
def test_a_session_cut_off_anywhere_stops_early() -> None:
    text = SESSION
    lines = text.splitlines(keepends=True)
    ends = [len("".join(lines[:n])) for n in range(1, len(lines), 8)]
    end = len(text)
    within = range(3, 45, 5), range(1030, 1060, 5), range(1550, 1590, 5), range(end - 20, end)

    for end in (*ends, *(end for some in within for end in some)):
        ran = run("check", "slime", "-", "--format", "json", given=text[:end])
        verdict = ran.json[0]
        assert (ran.status, verdict["violations"]) == (0, []), text[:end][-80:]
        assert verdict["result"]["finished"] == (end >= text.index("1 0 2 0\n1 0 0 24") + 7)
        assert verdict["claimed"] == ({"squares": [1, 0, 0, 24]} if end >= len(text) - 1 else None)


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        # A line that is given without an answer is compared like others.
        pytest.param("1,1.2,...,3.4", (), [], id="right"),
        pytest.param("1,1.2,...,4.3", (), [(1, "wrong-start")], id="wrong-start"),
        pytest.param("2,1.2,...,3.4", (), [(1, "wrong-player")], id="wrong-player"),
        pytest.param("1,12,34", (), [(1, "after-end")], id="after-end"),
        pytest.param(f"{SHORT[:22]}2,1.1,.1.,1.1", (), [], id="second-right"),
        pytest.param(f"{SHORT[:22]}2,1.1,.1.,1.", (), [], id="second-cut"),
        pytest.param(f"{SHORT[:22]}2,1.1,.2.,1.1", (), [(2, "wrong-board")], id="wrong-board"),
        pytest.param(f"{SHORT[:22]}3,1.1,.1.,1.1", (), [(2, "wrong-player")], id="third-player"),
        pytest.param(f"{SHORT}2,111,111,111", (), [(10, "after-end")], id="second-after-end"),
        # Scores may be cut within the last number, and look like a line that is given.
        pytest.param(f"{SHORT}9 0 0 1", (), [(9, "wrong-result")], id="other-scores"),
        pytest.param(f"{SESSION[:-2]}\n", (), [(52, "wrong-result")], id="a-digit-less"),
        pytest.param(SESSION[:-2], (), [], id="cut-scores"),
        pytest.param(
            "1,1..2,....,....,3..4\n0 0 0 1\n4,11,22,24\n", (), [(1, "not-finished")], id="commas"
        ),
        # Frames: who moves first can be said, and on the start board it is player 1.
        pytest.param(FRAMES, ("--first", 1), [], id="first"),
        pytest.param(FRAMES, ("--first", 2), [(1, "no-explanation")], id="not-second"),
        pytest.param(f"{START}2.2\n.2.\n2.2\n", (), [(1, "no-explanation")], id="start"),
        pytest.param(f"{START}1.2\n...\n3..\n", (), [(1, "no-explanation")], id="vanishes"),
        pytest.param(f"{START}1.2\n.1.\n3.4\n", (), [(1, "no-explanation")], id="unconverted"),
        pytest.param(f"{START}1.1\n11.\n1.1\n", (), [(1, "no-explanation")], id="two-spreads"),
    ],
)
def test_a_record_has_these_violations(
    text: str, options: tuple[object, ...], expected: list[tuple[int, str]]
) -> None:
    assert codes(text, *options) == expected


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
    # In an excerpt the end is that of the game, and is told once.
    excerpt = "2,1..2,....,....,3..4\n0 3 0 2\n3,1.22,....,....,3..4\n3 0 2 0\n"
    (found,) = check(excerpt, "--turns-before", 1, "--const", "last_turn=2")["violations"]
    assert found["detail"] == "the game is over after turn 2"


# Frames


def test_frames_say_which_moves_explain_them() -> None:
    verdict = check("1.2\n...\n3.4\n\n1.1\n.1.\n1.1\n\n1.1\n.1.\n1.1\n", "--all")

    assert verdict["explanations"] == [
        {"turn": 1, "player": 1, "kind": "spread", "move": "0 0 1 1"},
        {"turn": 2, "player": 2, "kind": "pass", "move": ""},
    ]


def test_all_moves_that_explain_a_turn_are_listed_on_demand() -> None:
    def list_moves(*options: object) -> list[str]:
        return [e["move"] for e in check(FRAMES, "--first", 1, *options)["explanations"]]

    assert list_moves() == ["0 0 1 0"]
    assert list_moves("--all") == ["0 0 1 0", "2 0 1 0"]


def test_an_excerpt_of_a_game_is_a_wrong_start_unless_it_is_said_who_moves_first() -> None:
    turns = random_game(Random(8), 5, 30, "random")
    excerpt = write_frames(turns[13:])

    assert codes(write_frames(turns)) == []
    assert codes(excerpt) == [(1, "wrong-start")]
    assert codes(excerpt, "--first", 2) == []
    assert check(excerpt, "--first", 2)["explanations"][0]["player"] == 2


def test_a_wrong_start_of_frames_is_drawn_and_told_what_to_do_about() -> None:
    ran = run("check", "slime", "-", given="11.\n...\n3.4\n\n111\n...\n3.4\n")

    assert ran.status == 1
    assert "the first board; in brackets what differs from the start of a game\n" in ran.out
    assert "\n0  1 [1][.]\n1  .  .  .\n2  3  .  4\n" in ran.out
    said = "if these frames are an excerpt of a game, say with --first who moves first"
    assert ran.err == f"note: {said}\n"


def test_frames_after_a_full_board_are_after_the_end() -> None:
    frames = ".11\n111\n111\n\n111\n111\n111\n\n111\n111\n111\n"

    assert codes(frames, "--first", 1) == [(2, "after-end")]
    assert check(frames, "--first", 1)["result"] == {
        "turns": 1,
        "squares": [9, 0, 0, 0],
        "finished": True,
    }


@pytest.mark.slow
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


@pytest.mark.slow
@settings(max_examples=EXAMPLES, deadline=None)
@given(games(), st.data())
def test_a_square_misprinted_anywhere_is_a_wrong_board_of_its_turn(
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
    found = [(v["turn"], v["code"]) for v in verdict["violations"]]
    assert found[0] == (turn, code)
    # The check goes on from what is printed, which the next turn may repair.
    assert set(found[1:]) <= {(turn + 1, "wrong-board"), (turn + 1, "after-end")}
    if turn < len(turns) and len(found) < 3 and (turn + 1, "after-end") not in found:
        assert verdict["result"]["squares"] == list(scores(turns[-1].after))


@pytest.mark.slow
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

    # Each turn is judged from the board that is printed before it.
    board, expected = start_board(len(turns[0].before)), []
    played = 0
    while played < len(turns) and not finished(board, played):
        if board != turns[played].before:
            expected.append(played + 1)
        before = turns[played].before
        board, _ = move(before, played % 4 + 1, parse_answer(answers[played]))
        played += 1
    wrong = [v["turn"] for v in verdict["violations"] if v["code"] == "wrong-board"]
    assert wrong == expected
    assert verdict["result"]["turns"] == played
    assert verdict["result"]["squares"] == list(scores(board))
    assert (played < len(turns)) == any(v["code"] == "after-end" for v in verdict["violations"])


@pytest.mark.slow
@settings(max_examples=2 * EXAMPLES, deadline=None)
@given(st.integers(2, 6), st.data())
def test_the_explanations_of_a_turn_are_all_moves_with_its_effect(
    size: int, data: st.DataObject
) -> None:
    squares = st.text(st.sampled_from("112.."), min_size=size, max_size=size)
    before = tuple(data.draw(st.lists(squares, min_size=size - 1, max_size=size - 1)))
    before = (*before, "1" + "." * (size - 1))
    moves = legal_moves(before, 1)
    after, _ = move(before, 1, data.draw(st.sampled_from(moves)))
    frames = "\n".join(before) + "\n\n" + "\n".join(after)

    found = check(frames, "--first", 1, "--all")["explanations"]

    expected = {" ".join(map(str, a)) for a in moves if move(before, 1, a)[0] == after}
    assert {explanation["move"] for explanation in found} == expected
