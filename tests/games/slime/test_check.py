"""The command ``check slime``: games of the independent simulator, also spoiled or cut off."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.slime.games import STYLES, check, games
from tests.helpers import ROOT, add_rules, run
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
from tests.oracles.slime_records import check_session, write_frames, write_session

SESSION = (ROOT / "boards" / "slime" / "session.txt").read_text()
EXAMPLES = int(os.environ.get("KB_SCORE_EXAMPLES", "6"))


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
    "answer",
    ["0 0 1 " + "9" * 5000, "-0 +0 01 1", "0 0 1 1.0", "0 0 1 1 1", "0 0 1 \u0661", "\t0 0 1 1 "],
)
def test_odd_answers_are_read_as_the_simulator_reads_them(answer: str) -> None:
    text = f"1,1.2,...,3.4\n{answer}\n"

    assert check(text)["result"]["squares"] == list(check_session(text)[0])


@pytest.mark.parametrize("seed", range(4))
def test_a_rule_that_derives_nothing_changes_no_explanation(seed: int, tmp_path: Path) -> None:
    rules = add_rules(tmp_path, 'violation(T,"idle","","") :- turn(T), T < 0.')
    frames = write_frames(random_game(Random(seed), 5 + seed, 50, STYLES[seed]))

    assert check(frames, "--all", "--rules", rules) == check(frames, "--all")


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
