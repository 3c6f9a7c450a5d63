"""``kb-score legal slime``: what a player may do, and why an answer counts as a pass."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.slime.games import SHORT, find_position, games
from tests.helpers import Ran, run
from tests.oracles.slime import (
    PLAYERS,
    Turn,
    finished,
    legal_moves,
    move,
    parse_answer,
    random_game,
)

BOARD = "1.2..\n11...\n.2...\n.....\n3...4\n"


def look(text: str, *options: object) -> Ran:
    return run("legal", "slime", "-", "--format", "json", *options, given=text)


def write_session(turns: list[Turn]) -> str:
    return "".join(f"{t.player},{','.join(t.before)}\n{t.answer}\n" for t in turns)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        pytest.param("0 0 0 1", "spread", id="spread"),
        pytest.param("0 0 2 0", "jump", id="jump"),
        pytest.param("0 0 1 1", "merge", id="merge"),
        pytest.param(" +0  0 01 1 ", "merge", id="signs-and-zeros"),
    ],
)
def test_a_legal_answer_is_told_with_its_kind(answer: str, kind: str) -> None:
    ran = look(BOARD, "--player", 1, "--move", answer)

    assert (ran.status, ran.err) == (0, "")
    assert ran.json == [
        {
            "move": answer,
            "legal": True,
            "code": None,
            "detail": None,
            "reasons": [],
            "counts_as": kind,
        }
    ]


@pytest.mark.parametrize(
    ("answer", "code", "places"),
    [
        pytest.param("", "no-answer", [], id="nothing"),
        pytest.param("0 0 1", "no-answer", [], id="three-numbers"),
        pytest.param("0 0 0 1 0", "no-answer", [], id="five-numbers"),
        pytest.param("5 0 0 1", "off-board", [[5, 0]], id="from-off-the-board"),
        pytest.param("0 0 0 -1", "off-board", [[0, -1]], id="to-off-the-board"),
        pytest.param("0 0 0 999999999", "off-board", [[0, 999999999]], id="far-off-the-board"),
        pytest.param("0 0 0 99999999999", "off-board", [], id="too-far-to-count"),
        pytest.param("3 3 3 4", "no-own-slime", [[3, 3]], id="from-an-empty-square"),
        pytest.param("2 1 2 0", "no-own-slime", [[2, 1]], id="from-enemy-slime"),
        pytest.param("0 0 0 0", "wrong-distance", [[0, 0], [0, 0]], id="nowhere"),
        pytest.param("1 0 4 1", "wrong-distance", [[1, 0], [4, 1]], id="too-far"),
        pytest.param("0 0 0 2", "not-empty", [[0, 2]], id="jump-onto-enemy-slime"),
        pytest.param("1 0 2 1", "not-empty", [[2, 1]], id="spread-onto-enemy-slime"),
    ],
)
def test_an_answer_that_counts_as_a_pass_is_told_with_the_reason(
    answer: str, code: str, places: list[list[int]]
) -> None:
    ran = look(BOARD, "--player", 1, "--move", answer)

    (line,) = ran.json
    assert (ran.status, ran.err) == (1, "")
    assert (line["legal"], line["code"], line["counts_as"]) == (False, code, "pass")
    assert [reason["places"] for reason in line["reasons"]] == [places]
    assert line["detail"] == line["reasons"][0]["detail"]


def test_a_jump_onto_own_slime_is_refused_by_its_owner() -> None:
    (line,) = look("1.1..\n.....\n.....\n.....\n3...4\n", "--player", 1, "--move", "0 0 0 2").json

    assert (
        line["detail"] == "a jump goes to an empty square, but the slime on 0,2 belongs to player 1"
    )


def test_people_read_what_an_answer_counts_as() -> None:
    options = ("legal", "slime", "-", "--player", 1, "--move")

    legal = run(*options, "0 0 0 1", given=BOARD).out
    refused = run(*options, "3 3 3 4", given=BOARD).out

    assert legal == "0 0 0 1: counts as a spread\n"
    assert refused.startswith("3 3 3 4: counts as a pass\n\ncode ")
    assert refused.endswith("no-own-slime  the square 3,3 is empty\n")


def test_the_moves_of_the_next_turn_are_listed_with_their_kinds() -> None:
    ran = run("legal", "slime", "-", "--turn", 1, "--format", "csv", given=SHORT)

    spreads = [{"move": f"0 0 {to}", "counts as": "spread"} for to in ("0 1", "1 0", "1 1")]
    jumps = [{"move": f"0 0 {to}", "counts as": "jump"} for to in ("1 2", "2 1")]
    assert sorted(ran.csv, key=lambda row: row["move"]) == sorted(
        spreads + jumps, key=lambda row: row["move"]
    )


def test_a_player_without_a_move_is_told_that_he_passes() -> None:
    ran = run("legal", "slime", "-", "--turn", 2, given=SHORT)

    assert ran.out == "turn 2, player 2: 0 legal moves: every answer counts as a pass\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        pytest.param(BOARD, [], "do not begin with the start", id="boards-without-player"),
        pytest.param(SHORT, ["--player", 1], "says whose turn it is", id="session-with-player"),
    ],
)
def test_what_cannot_be_looked_at_is_said(text: str, options: list[object], message: str) -> None:
    ran = look(text, *options)

    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_of_a_wrong_board_the_derived_one_counts() -> None:
    wrong = SHORT.replace("3,1.1,.1.,1.1", "3,1.1,.1.,3.3")

    assert look(wrong, "--turn", 3).json[0]["moves"] == []


@pytest.mark.slow
@given(games(), st.data())
@settings(max_examples=15)
def test_the_legal_moves_are_those_of_the_oracle(turns: list[Turn], data: st.DataObject) -> None:
    number = data.draw(st.integers(1, len(turns)))
    turn = turns[number - 1]

    board, position = find_position(write_session(turns), number)
    (found,) = position.moves()

    assert (board, found.player) == (",".join(turn.before), turn.player)
    assert found.moves == tuple(
        " ".join(map(str, m)) for m in legal_moves(turn.before, turn.player)
    )
    kinds = tuple(move(turn.before, turn.player, parse_answer(m))[1] for m in found.moves)
    assert found.counts_as == kinds


@given(st.integers(0, 10**6), st.sampled_from(PLAYERS), st.tuples(*[st.integers(-1, 5)] * 4))
@settings(max_examples=30)
def test_each_answer_has_either_the_oracles_kind_or_one_reason(
    seed: int, player: int, answer: tuple[int, int, int, int]
) -> None:
    rng = Random(seed)
    board = random_game(rng, 5, rng.randint(1, 30), "mixed")[-1].before
    assert not finished(board, 0)
    _, position = find_position("\n".join(board), 1, player)

    judged = position.judge(" ".join(map(str, answer)))

    assert judged.counts_as == move(board, player, answer)[1]
    assert len(judged.reasons) == (judged.counts_as == "pass")
