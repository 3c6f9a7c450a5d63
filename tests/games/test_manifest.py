"""What the manifest of a game says, seen in the commands and in contests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kb_score.engine.rules import GameRules
from kb_score.games import list_games
from kb_score.games.game import Game
from kb_score.games.match import MatchSetup
from tests.helpers import ROOT, run


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A copy of the game of `new game`."""
    return Path(shutil.copytree(ROOT / "templates" / "game", tmp_path / "three"))


def change(folder: Path, old: str, new: str) -> None:
    manifest = folder / "game.toml"
    text = manifest.read_text()
    assert old in text
    manifest.write_text(text.replace(old, new, 1))


def load(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.setenv("KB_SCORE_GAMES", str(folder))
    return list_games()[folder.name].type


def test_the_referee_plays_for_a_bot_that_gives_no_valid_answer(three: Path) -> None:
    change(three, "[play]\n", '[play]\nfault = "play for"\n')
    silly = "python3 -c 'while True: input(); print(9)'"
    game = ("--game-dir", three, "--bot", silly, "--bot", silly, "--record", three / "played.txt")

    played = run("play", "three", *game)

    assert "yes" in played.out
    assert "played by the referee" in played.err
    assert run("check", "three", three / "played.txt", "--game-dir", three).status == 0


def test_wins_count_the_best_players_of_a_match(
    three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(three, 'figures = ["points"]\nmetrics = ["points"]', 'figures = ["points", "wins"]')
    game = load(three, monkeypatch)
    rules = GameRules("three")

    assert game.score(rules, {"points": [2, 1]}, 2) == [((2, 1), (2,)), ((1, 0), (1,))]
    assert game.score(rules, {"points": [1, 1]}, 2) == [((1, 1), (1,)), ((1, 1), (1,))]


def test_a_bot_may_get_the_seed_as_an_argument_and_time_to_start(
    three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(three, "[play]\n", '[play]\nstart = 3.0\narguments = ["--seed={seed}"]\nruns = 2\n')
    game = load(three, monkeypatch)

    assert game.list_arguments(MatchSetup(seed=7)) == ["--seed=7"]
    assert [option.name for option in game.times] == ["start_time", "answer_time"]
    assert game.make_clock({"start_time": 3.0, "answer_time": 1.0}).start == 3
    assert game.find_seed(7) == 7
    assert game.find_seed(0) > 0


def test_an_option_may_be_a_text_that_rules_read(three: Path) -> None:
    option = '[option.colour]\nof = ["check"]\nhelp = "The colour."\ndefault = "red"\nunit = "NAME"'
    manifest = three / "game.toml"
    manifest.write_text(f"{manifest.read_text()}\n{option}\n")
    rules = three / "rules.lp"
    noted = 'note(("the colour is",Name)) :- option(colour,Name).\n#program open(t).'
    rules.write_text(rules.read_text().replace("#program open(t).", noted, 1))
    record = three / "game.txt"
    record.write_text("place 0 0\n")
    words = ("check", "three", record, "--game-dir", three)

    assert "the colour is red" in run(*words).err
    assert "the colour is blue" in run(*words, "--colour", "blue").err


def test_only_our_games_have_functions_in_python(three: Path) -> None:
    manifest = three / "game.toml"
    manifest.write_text(f'{manifest.read_text()}\n[functions]\ncheck = "os:system"\n')

    told = run("playouts", "three", "--game-dir", three)

    assert told.status == 2
    assert "only games that come with kb-score have functions in Python" in told.err
