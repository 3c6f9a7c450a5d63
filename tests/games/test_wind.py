"""The wind: a small game whose texts have words of the rules, and in whose turns chance decides."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest

from kb_score.engine.rules import GameRules
from kb_score.errors import Fault
from kb_score.games import list_games
from kb_score.games.match import MatchSetup
from kb_score.games.rules_match import RulesMatch
from tests.helpers import Ran, run

WIND = Path(__file__).parent / "wind"
GAME = "% player 1: Anna\nNorth: 0,1\nnortherly: 0,2; boat 0,5\n"


@pytest.fixture
def wind(tmp_path: Path) -> Path:
    """A copy of the game, which a test may change."""
    return Path(shutil.copytree(WIND, tmp_path / "wind"))


def ask(folder: Path, verb: str, text: str, *words: object) -> Ran:
    return run(verb, "wind", "-", "--game-dir", folder, *words, given=text)


def test_the_words_of_a_text_are_those_of_the_rules(wind: Path) -> None:
    ran = ask(wind, "check", "noth: 0,1\nwest-by-south: bot 0,3\nsouth: 0,1\n")

    assert ran.status == 2
    assert (
        "-:1:1: there is no wind 'noth': choose north, south or west-by-south; did you" in ran.err
    )
    assert "-:2:16: there is no tool 'bot': choose boat or raft; did you mean boat?" in ran.err


def test_a_wrong_line_is_left_out_and_all_others_are_read(wind: Path) -> None:
    ran = ask(wind, "check", "north: 0,1\nnorth 0,2\nnorth: 0;2\nnoth: 0,3\n")

    assert [line.partition(": ")[0] for line in ran.err.splitlines() if line[:2] == "-:"] == [
        "-:2:7",
        "-:3:8",
        "-:4:1",
    ]


def test_comments_name_players_and_the_rules_fill_a_table(wind: Path) -> None:
    ran = ask(wind, "check", GAME)

    assert ran.status == 0
    rows = [line.split() for line in ran.out.splitlines()]
    assert rows[rows.index(["wind", "Anna"]) + 2 :] == [
        ["north", "2"],
        ["south", "0"],
        ["west_by_south", "0"],
        rows[-2],
        ["total", "2"],
    ]


@pytest.mark.parametrize(
    ("after", "moves"),
    [("", ["0,6", "boat 0,8", "raft 0,7"]), ("boat 0,8", ["0,9"]), ("boat 0,8; 0,9", [])],
)
def test_actions_of_several_words_are_listed(wind: Path, after: str, moves: list[str]) -> None:
    ran = ask(wind, "legal", GAME, "--after", after, "--format", "json")

    assert ran.json[0]["moves"] == moves
    assert ("the end is near" in ran.err) == bool(after)
    assert ("the turn may end here" in ran.err) == bool(after)


@pytest.mark.parametrize(
    ("move", "code"),
    [("boat 0,8", None), ("boat 0,8; raft 0,9", "too-far"), ("0,7", "too-far"), ("", "too-few")],
)
def test_actions_of_several_words_are_judged(wind: Path, move: str, code: str | None) -> None:
    assert ask(wind, "legal", GAME, "--move", move, "--format", "json").json[0]["code"] == code


def test_what_chance_decides_stands_in_the_line_of_the_turn(wind: Path) -> None:
    for seed in range(5):
        played = run("playouts", "wind", "--game-dir", wind, "--seed", seed)

        assert played.out.splitlines()[-1].endswith("0,9")
        assert all(": " in line for line in played.out.splitlines())
        assert ask(wind, "check", played.out).status == 0


def test_a_refused_answer_leaves_the_wind_as_it_was(
    wind: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KB_SCORE_GAMES", str(wind))
    match = list_games()["wind"].type.new_match(GameRules("wind"), MatchSetup(), Random(1))
    assert isinstance(match, RulesMatch)
    before = match.state(), match.picture()
    for answer in ("0,2", "0,1; 0,1", ""):
        with pytest.raises(Fault, match="illegal"):
            match.answer(answer)
        assert (match.state(), match.picture()) == before
    random = Random(2)
    chosen = match.choose(random)

    assert (match.state(), match.picture()) == before
    assert match.answer(chosen).record.endswith(f": {chosen}\n")
