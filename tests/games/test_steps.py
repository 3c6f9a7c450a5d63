"""Games with chance in which a turn has several actions: `ladder`, and variations of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.helpers import ROOT, Ran, run

LADDER = ROOT / "tests" / "games" / "ladder"
# B has no move in the second turn, and A is on top before the end of the last one.
GAME = "roll 2\nup X, up Y\nroll 0\n\nroll 2\nup X, up X\nA wins\n"


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    """A copy of the game, which a test may change."""
    return Path(shutil.copytree(LADDER, tmp_path / "ladder"))


def change(folder: Path, file: str, *pairs: tuple[str, str]) -> None:
    text = (folder / file).read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / file).write_text(text)


def ask(folder: Path, verb: str, record: str, *words: object) -> Ran:
    path = folder.parent / "record.txt"
    path.write_text(record)
    return run(verb, "ladder", path, "--game-dir", folder, *words)


def check(folder: Path, record: str) -> str:
    """Return the first violation of a record; empty if it is consistent."""
    found = ask(folder, "check", record, "--format", "json").json[0]["violations"]
    return f"{found[0]['turn']} {found[0]['code']}" if found else ""


def test_a_turn_may_have_no_action_and_a_game_may_end_within_a_turn(ladder: Path) -> None:
    assert check(ladder, GAME) == ""
    assert check(ladder, GAME.replace("roll 0\n\n", "roll 0\n")) == "4 not-now"
    assert check(ladder, GAME.replace("A wins", "roll 1")) == "7 after-end"
    assert check(ladder, GAME.replace("A wins", "B wins")) == "6 wrong-result"


def test_random_games_are_consistent_and_their_turns_are_counted(ladder: Path) -> None:
    games = ladder.parent / "games"
    words = ("--game-dir", ladder, "--games", 20, "-o", games, "--format", "json")
    played = run("playouts", "ladder", *words).json

    verdicts = run("check", "ladder", games, "--game-dir", ladder, "--format", "json").json

    assert all(verdict["consistent"] and verdict["result"]["finished"] for verdict in verdicts)
    turns = {Path(game["record"]).name: game["result"]["turns"] for game in played}
    assert turns == {Path(one["record"]).name: one["result"]["turns"] for one in verdicts}
    assert any("\n\n" in path.read_text() for path in games.iterdir())


def test_a_record_in_which_an_empty_line_is_lost_is_refused_when_it_is_played(ladder: Path) -> None:
    change(ladder, "texts.lark", ("_NL: /\\n/", "_NL: /(?:[ \\t]*\\n)+/"))

    told = [run("playouts", "ladder", "--game-dir", ladder, "--seed", n).err for n in range(4)]

    assert any("turns were played, but the grammar reads" in one for one in told)


def test_the_steps_of_a_line_are_those_of_one_player(tmp_path: Path) -> None:
    """In the game of `new game` players take turns: a step is a turn."""
    three = Path(shutil.copytree(ROOT / "templates" / "game", tmp_path / "three"))
    change(three, "texts.lark", ("turn: PLACE _NL", "turn: step (_COMMA step)* _NL\nstep: PLACE"))
    (three / "texts.lark").write_text((three / "texts.lark").read_text() + "_COMMA: /, /\n")
    record = tmp_path / "record.txt"

    record.write_text("place 0 0\nplace 0 1\n")
    assert run("check", "three", record, "--game-dir", three).status == 0
    record.write_text("place 0 0, place 0 1\n")
    assert "after-turn" in run("check", "three", record, "--game-dir", three).out


def test_what_is_legal_is_listed_after_a_part_of_a_turn(ladder: Path) -> None:
    begun = "roll 2\n"

    first = ask(ladder, "legal", begun, "--format", "json").json[0]
    later = ask(ladder, "legal", begun, "--after", "up X", "--format", "json").json[0]
    last = ask(ladder, "legal", begun, "--after", "up X, up Y")

    assert first["moves"] == later["moves"] == ["up X", "up Y"]
    assert "0 legal moves" in last.out
    assert "the turn may end here" in last.err
    assert ask(ladder, "legal", begun, "--after", "up P").err == (
        "--after: no-stone (player 1): player 1 has no stone P\n"
    )


@pytest.mark.parametrize(
    ("after", "move", "said"),
    [
        ("", "up X, up Y", "up X, up Y: legal"),
        ("", "up X, up P", "no-stone"),
        ("", "up X, up Y, up X", "no-step"),
        ("", "", "the end of the turn: illegal"),
        ("up X, up Y", "", "the end of the turn: legal"),
    ],
)
def test_a_part_of_a_turn_is_judged(ladder: Path, after: str, move: str, said: str) -> None:
    assert said in ask(ladder, "legal", "roll 2\n", "--after", after, "--move", move).out


def test_what_chance_may_do_is_listed_and_judged(ladder: Path) -> None:
    listed = ask(ladder, "legal", "roll 0\n\n", "--format", "json").json[0]

    assert listed["moves"] == ["roll 0", "roll 1", "roll 2"]
    assert ask(ladder, "legal", "roll 0\n\n", "--move", "roll 2").status == 0
    assert "no-die" in ask(ladder, "legal", "roll 0\n\n", "--move", "roll 3").out


def test_a_step_that_is_judged_is_explained(ladder: Path) -> None:
    told = ask(ladder, "legal", "roll 2\n", "--move", "up X, up P", "--why", "no-stone").out

    assert "An action at step 3 is illegal, no-stone: player 1 has no stone P" in told


def test_what_chance_is_said_to_do_twice_is_a_mistake(ladder: Path) -> None:
    change(ladder, "texts.lark", ("roll: DIE _NL", "roll: DIE+ _NL"), ("/roll ", "/[ ]*roll "))

    assert ":1:7: this is said twice" in ask(ladder, "check", "roll 1 roll 1\n").err


def test_a_turn_without_a_step_is_a_mistake_of_the_grammar(ladder: Path) -> None:
    change(ladder, "texts.lark", ("roll: DIE _NL -> step", "roll: DIE _NL"))

    told = ask(ladder, "check", GAME).err

    assert "texts.lark: turn 1 of " in told
    assert "has no step: each alternative of turn needs one (-> step)" in told


def test_what_a_line_needs_after_a_comma_is_told(ladder: Path) -> None:
    told = ask(ladder, "check", "roll 2\nup X, jump Y\n").err

    assert "unexpected 'j': expected a stone that goes up, such as \"up X\"" in told


def test_the_state_before_a_step_may_be_handed_on_by_a_chain(ladder: Path) -> None:
    chain = "".join(
        f"before_{name}({values},t) :- {name}({values},t-1).\n"
        for name, values in [("at", "S,N"), ("next", "P"), ("rolls", "P"), ("left", "N")]
    )
    (ladder / "chain.lp").write_text(f"#program open(t).\n{chain}")

    assert check(ladder, GAME) == ""


def test_a_picture_is_one_of_a_turn(ladder: Path) -> None:
    drawn = ladder.parent / "turn.svg"

    assert ask(ladder, "draw", GAME, "--turn", 6, "-o", drawn).err == ""
    assert "turn 6" in drawn.read_text()
    assert (
        "there are pictures of turns 0 to 6"
        in ask(ladder, "draw", GAME, "--turn", 7, "-o", drawn).err
    )


def test_people_see_what_all_players_are_told(ladder: Path) -> None:
    played = run(
        "play", "ladder", "--game-dir", ladder, "--bot", "human", "--bot", "human", given="quit\n"
    )

    assert "die: " in played.err
