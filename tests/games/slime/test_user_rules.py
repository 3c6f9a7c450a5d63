"""What a user's rules can do to Slime."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.games.slime.games import SHORT, codes
from tests.helpers import ASP, ROOT, run

BOARDS = ROOT / "boards"


def test_a_constant_of_a_users_copy_that_is_not_asked_is_known(folder: Path) -> None:
    text = (ASP / "slime" / "frames.lp").read_text()
    (folder / "frames.lp").write_text(text + "#const spare = 1.\n")
    command = ("--rules", folder, "--const", "spare=2", "--format", "json")

    for record, first in (("session.txt", ()), ("frames.txt", ("--first", 2))):
        assert run("check", "slime", BOARDS / "slime" / record, *first, *command).status == 0


def test_the_kind_of_move_that_counts_is_the_one_that_is_listed(folder: Path) -> None:
    # Both a jump and a merge lead from the first board to the second.
    frames = folder.parent / "frames.txt"
    frames.write_text("11.\n111\n234\n\n.11\n111\n234\n")
    text = (ASP / "slime" / "frames.lp").read_text()
    ours, theirs = "kind(2,jump). kind(3,merge).", "kind(2,merge). kind(3,jump)."
    assert ours in text
    (folder / "frames.lp").write_text(text.replace(ours, theirs))
    command = ("check", "slime", frames, "--first", 1, "--format", "json")

    for kind, options in (("jump", []), ("merge", ["--rules", folder])):
        found = run(*command, *options).json[0]
        assert found["counts"][kind] == [1, 0, 0, 0]
        assert [move["kind"] for move in found["explanations"]] == [kind]


def test_more_rules_can_be_added(folder: Path) -> None:
    # No jumping in this house: a jump takes itself back.
    (folder / "house.lp").write_text('violation(T,"jump","","") :- move(jump,From,To,T).\n')
    text = "1,1...2,.....,.....,.....,3...4\n0 0 0 2\n"

    assert codes(text) == []
    assert codes(text, "--rules", folder) == [(1, "jump")]


def test_added_rules_may_look_at_every_square_of_every_board(folder: Path) -> None:
    rule = 'violation(T,"south-west",O,"") :- holds((2,0),O,T), O != 3.'
    (folder / "house.lp").write_text(rule + "\n")

    assert codes(SHORT, "--rules", folder) == [(turn, "south-west") for turn in range(1, 9)]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("holds((2,0),O,T-1), turn(T)", id="after-a-turn"),
        pytest.param("before((2,0),O,T)", id="before-a-turn"),
        pytest.param("before(S,O,T), S = (2,0), answer(S1,S2,T1), T1 < 2", id="of-another-turn"),
        pytest.param("before(S,O,T), S = (2,0), not around(S,0)", id="where-no-answer-leads"),
        pytest.param("O = #max { O1 : before((2,0),O1,T) }, turn(T)", id="in-an-aggregate"),
        pytest.param("mover(P,T), before((P-P+2,0),O,T), answer(S,S1,T1), T1 = 1", id="computed"),
    ],
)
def test_added_rules_may_ask_whose_any_square_is(folder: Path, body: str) -> None:
    (folder / "house.lp").write_text(f'violation(T,"south-west",O,"") :- {body}, O != 3.\n')

    assert codes(SHORT, "--rules", folder) == [(turn, "south-west") for turn in range(2, 10)]


def test_the_referee_goes_by_added_rules(folder: Path) -> None:
    (folder / "house.lp").write_text("terminal(T) :- move(jump,From,To,T).\n")
    bots = [word for _ in range(4) for word in ("--bot", "printf '0 0 0 2\\n' #")]

    ran = run("play", "slime", *bots, "--rules", folder, "--format", "json")

    assert ran.json[0]["result"]["turns"] == 1
