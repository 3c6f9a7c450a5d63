"""What a user's rules can do to Slime."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.games.slime.games import SHORT, STYLES, check, codes
from tests.helpers import ASP, ROOT, run, write_copy
from tests.oracles.slime import random_game
from tests.oracles.slime_records import write_frames

BOARDS = ROOT / "boards"
FRAMES = "slime/record/frames.lp"


@pytest.mark.slow
def test_a_constant_of_a_users_copy_that_is_not_asked_is_known(folder: Path) -> None:
    write_copy(folder, FRAMES, (ASP / FRAMES).read_text() + "#const spare = 1.\n")
    command = ("--rules", folder, "--const", "spare=2", "--format", "json")

    for record, first in (("session.txt", ()), ("frames.txt", ("--first", 2))):
        assert run("check", "slime", BOARDS / "slime" / record, *first, *command).status == 0


def test_the_kind_of_move_that_counts_is_the_one_that_is_listed(folder: Path) -> None:
    # Both a jump and a merge lead from the first board to the second.
    frames = folder.parent / "frames.txt"
    frames.write_text("11.\n111\n234\n\n.11\n111\n234\n")
    rules = "slime/rules/rules.lp"
    text = (ASP / rules).read_text()
    ours, theirs = "kind(2,jump). kind(3,merge).", "kind(2,merge). kind(3,jump)."
    assert ours in text
    write_copy(folder, rules, text.replace(ours, theirs))
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

    assert codes(SHORT, "--rules", folder) == [(turn, "south-west") for turn in range(1, 10)]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("holds((2,0),O,T-1), turn(T)", id="after-a-turn"),
        pytest.param("before_holds((2,0),O,T)", id="before-a-turn"),
        pytest.param(
            "before_holds(S,O,T), S = (2,0), answer(S1,S2,T1), T1 < 2", id="of-another-turn"
        ),
        pytest.param("before_holds(S,O,T), S = (2,0), not around(S,0)", id="where-no-answer-leads"),
        pytest.param("O = #max { O1 : before_holds((2,0),O1,T) }, turn(T)", id="in-an-aggregate"),
        pytest.param(
            "mover(P,T), before_holds((P-P+2,0),O,T), answer(S,S1,T1), T1 = 1", id="computed"
        ),
    ],
)
def test_added_rules_may_ask_whose_any_square_is(folder: Path, body: str) -> None:
    (folder / "house.lp").write_text(f'violation(T,"south-west",O,"") :- {body}, O != 3.\n')

    assert codes(SHORT, "--rules", folder) == [(turn, "south-west") for turn in range(2, 10)]


@pytest.mark.parametrize(
    ("rule", "whole"),
    [
        ('violation(T,"south-west",O,"") :- holds((2,0),O,T), O > 4.', True),
        ('violation(T,"south-west",O,"") :- before_holds((2,0),O,T), O > 4.', True),
        ('violation(T,"from",O,"") :- answer(S,To,T), before_holds(S,O,T), O > 4.', True),
        ('violation(T,"pass",P,"") :- did(P,pass,T), P > 4.', False),
    ],
)
def test_all_squares_of_all_boards_are_derived_only_where_a_rule_asks(
    folder: Path, rule: str, whole: bool
) -> None:
    (folder / "house.lp").write_text(rule + "\n")
    record = BOARDS / "slime" / "session.txt"

    program = run("facts", record, "--game", "slime", "--program", "--rules", folder).out

    assert ("\nasks_all.\n" in program) is whole


LEAP = "reach(leap,3). onto(leap,empty).\n"
LEAP_BY_RULES = """\
offset(Down,Across,3) :- Down = -3..3, Across = -3..3, (|Down|-3) * (|Across|-3) = 0.
#program step(t).
move(leap,From,To,t) :-
    answer(From,To,t), far(3,t), mover(P,t), before_holds(From,P,t), before_holds(To,0,t).
"""


@pytest.mark.parametrize(
    ("leap", "refusal"),
    [
        (LEAP, "a leap goes to an empty square, but the slime on 0,3 belongs to player 2"),
        (LEAP_BY_RULES, "no move of 3 squares goes from 0,0 to 0,3"),
    ],
)
def test_a_new_move_is_known_to_every_command(folder: Path, leap: str, refusal: str) -> None:
    (folder / "leap.lp").write_text(leap)
    rules = ("--rules", folder, "--format", "json")
    bots = [word for _ in range(4) for word in ("--bot", "printf '0 0 0 3\\n' #")]
    short = ("--size", 5, "--const", "last_turn=4", "--record", folder / "session.txt")
    table = run("play", "slime", *bots, *short, "--rules", folder, "--format", "csv").out
    session = ("check", "slime", folder / "session.txt", "--const", "last_turn=4", *rules)
    boards = [line[2:] for line in (folder / "session.txt").read_text().splitlines()[1::2][:-1]]
    frames = "\n".join(board.replace(",", "\n") + "\n" for board in boards)

    assert table.splitlines()[0] == "player,bot,squares,spread,jump,merge,pass,leap"
    assert run(*session).json[0]["counts"]["leap"] == [1, 0, 0, 0]
    verdict = check(frames, "--rules", folder)
    assert verdict["counts"]["leap"] == [1, 0, 0, 0]
    assert verdict["explanations"][0] == {"turn": 1, "player": 1, "kind": "leap", "move": "0 0 0 3"}
    assert codes(frames) == [(1, "no-explanation")]
    legal = ("legal", "slime", BOARDS / "slime" / "session.txt", "--turn", 1, *rules)
    (found,) = run(*legal).json
    assert found["counts_as"].count("leap") == 7
    assert run(*legal, "--move", "0 0 0 3").json[0]["counts_as"] == "leap"
    assert "no move goes 4 squares far" in run(*legal, "--move", "0 0 0 4").json[0]["detail"]
    onto = run("legal", "slime", "-", "--move", "0 0 0 3", *rules, given="1..2\n....\n....\n3..4\n")
    assert onto.json[0]["detail"] == refusal


@pytest.mark.parametrize("seed", range(4))
def test_a_file_that_derives_nothing_changes_no_explanation(folder: Path, seed: int) -> None:
    (folder / "idle.lp").write_text('violation(T,"idle","","") :- turn(T), T < 0.\n')
    frames = write_frames(random_game(Random(seed), 5 + seed, 50, STYLES[seed]))

    assert check(frames, "--all", "--rules", folder) == check(frames, "--all")


def test_the_referee_goes_by_added_rules(folder: Path) -> None:
    (folder / "house.lp").write_text("terminal(T) :- move(jump,From,To,T).\n")
    bots = [word for _ in range(4) for word in ("--bot", "printf '0 0 0 2\\n' #")]

    ran = run("play", "slime", *bots, "--rules", folder, "--format", "json")

    assert ran.json[0]["result"]["turns"] == 1
