"""``kb-score check kingdom-builder GAME``: whole games, against the plain-Python version."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.check import check_game
from tests.games.kingdom_builder.example import EXAMPLE as GAME
from tests.games.kingdom_builder.example import GAMES
from tests.games.kingdom_builder.test_live import play
from tests.helpers import ROOT, run
from tests.oracles import kingdom_builder_game as oracle
from tests.oracles.kingdom_builder_game import CODES, Rulings
from tests.oracles.kingdom_builder_game_examples import EXAMPLE
from tests.oracles.kingdom_builder_game_random import random_game
from tests.oracles.kingdom_builder_game_rulings import RECIPES, Recipe, find_record, ruled_by

Found = set[tuple[int | None, str, str | int]]
Verdict = tuple[object, object, object, Found]

EXPECTED = [expected for _, expected in GAME.expected]
# In the oracle the ruling has the name of its tile.
NAMES = {"sword": "sword_takes"}


def judge(text: str, *constants: tuple[str, str]) -> Verdict:
    verdict = check_game(text, GameRules("kingdom_builder", Changes((), constants)))
    found = {(violation.turn, violation.code, violation.who) for violation in verdict.violations}
    result = dict(verdict.result)
    gold = result["gold"]
    assert isinstance(gold, list)
    return result["turns"], tuple(gold), result["finished"], found


def judge_plainly(text: str, rulings: Rulings | None = None) -> Verdict:
    result = oracle.check_game(text, rulings)
    found: Found = set(result.violations)
    return result.turns, result.gold, result.finished, found


@pytest.mark.parametrize("seed", range(6))
def test_a_random_game_has_the_turns_and_the_gold_of_the_plain_version(seed: int) -> None:
    text = random_game(Random(seed), 2 + seed // 2 % 4, nomads=seed % 2 == 1)

    assert judge_plainly(text)[2:] == (True, set())
    assert judge(text) == judge_plainly(text)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.ruling)
def test_a_ruling_tells_two_verdicts_of_a_game_apart(recipe: Recipe) -> None:
    text = find_record(recipe)
    ruling = (NAMES.get(recipe.ruling, recipe.ruling), str(recipe.value))

    by_default, by_ruling = judge(text), judge(text, ruling)

    assert by_default != by_ruling
    assert by_default == judge_plainly(text)
    assert by_ruling == judge_plainly(text, ruled_by(recipe))
    # The last ones are about the scores at the end; the others hold from turn to turn, too.
    if recipe in RECIPES[:13]:
        wrong = sorted((t, code) for t, code, _ in by_ruling[3] if code in CODES[:13])
        position, refused = play(text, ruling, last=4)
        assert (position.turns, refused) == (by_ruling[0], wrong[0] if wrong else None)


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "game.txt"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("old", "new", "violation", "detail"),
    [
        pytest.param(
            *("farm 6,12", "farm 0,0", (3, "not-adjacent", 1)),
            "0,0 is not beside a settlement of player 1: choose a hex that is, such as 5,10",
            id="farm-far-off",
        ),
        pytest.param(
            *("farm@5,12", "farm@1,17", (1, "note-wrong", 1)),
            "no farm is got at 1,17",
            id="another-farm",
        ),
        pytest.param(
            *("4,18\n", "0,10\n", (4, "wrong-terrain", 2)),
            "0,10 is desert, the card is canyon",
            id="desert",
        ),
        pytest.param(
            *("2 forest", "1 forest", (2, "wrong-player", 1)),
            "the line is for player 1 but it is the turn of player 2",
            id="out-of-turn",
        ),
        pytest.param(
            *("3,16 4,16; ", "3,16; ", (3, "too-few", 1)),
            "the mandatory action is to build 1 more",
            id="two-settlements",
        ),
        pytest.param(
            *("farm 6,12", "barn 4,11>4,12", (3, "tile-not-held", 1)),
            "player 1 holds no barn and has had none",
            id="no-barn",
        ),
        pytest.param(
            *("4,18\n", "4,18\ngold 9 9\n", (4, "not-finished", "")),
            "it claims a result, but the game goes on after turn 4",
            id="claim-too-early",
        ),
    ],
)
def test_a_change_of_the_example_is_named_at_its_turn_with_the_reason(
    tmp_path: Path, old: str, new: str, violation: tuple[int, str, object], detail: str
) -> None:
    assert old in EXAMPLE
    path = write(tmp_path, EXAMPLE.replace(old, new))

    ran = run("check", "kingdom-builder", path, "--format", "json")

    turn, code, who = violation
    assert ran.status == 1
    assert ran.json[0]["violations"] == [{"turn": turn, "code": code, "who": who, "detail": detail}]


def test_a_finished_game_claims_its_gold(tmp_path: Path) -> None:
    text = random_game(Random(4), 2)
    gold = list(oracle.check_game(text).gold)
    wrong = text.replace(f"gold {gold[0]} ", f"gold {gold[0] + 1} ")

    right = run("check", "kingdom-builder", write(tmp_path, text), "--format", "json")
    other = run("check", "kingdom-builder", write(tmp_path, wrong), "--format", "json")

    assert (right.status, right.json[0]["claimed"]) == (0, {"gold": gold})
    assert right.json[0]["result"]["gold"] == gold
    assert right.json[0]["result"]["finished"] is True
    assert (other.status, other.json[0]["claimed"]) == (1, {"gold": [gold[0] + 1, gold[1]]})
    assert other.json[0]["result"] == right.json[0]["result"]
    assert [v["code"] for v in other.json[0]["violations"]] == ["wrong-result"]


def test_a_game_without_turns_is_consistent(tmp_path: Path) -> None:
    path = write(tmp_path, "board oracle farm tavern paddock\nplayers 3\n")

    ran = run("check", "kingdom-builder", path, "--format", "json")

    assert ran.status == 0
    assert ran.json[0]["result"] == {
        "turns": 0, "players": 3, "gold": [0, 0, 0], "finished": False, "winners": None
    }  # fmt: skip


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda expected: expected["record"])
def test_an_expected_result_is_that_of_the_plain_rules(expected: dict[str, Any]) -> None:
    plain = oracle.check_game((ROOT / expected["record"]).read_text())

    result = expected["result"]
    assert (result["turns"], tuple(result["gold"])) == (plain.turns, plain.gold)
    assert result["finished"] is plain.finished
    short = [(v["turn"], v["code"], v["who"]) for v in expected["violations"]]
    assert short == [*plain.violations]


def test_a_turn_without_an_action_is_read() -> None:
    text = EXAMPLE.partition("1 grass:")[0] + "1 grass:\n"

    (found,) = run("check", "kingdom-builder", "-", "--format", "json", given=text).json

    assert [(v["turn"], v["code"], v["who"]) for v in found["violations"]] == [(1, "too-few", 1)]


def test_a_ruling_of_several_words_can_be_set() -> None:
    options = ("--const", "tile_loss=end_of_turn", "--format", "json")

    (found,) = run("check", "kingdom-builder", GAMES / "example.txt", *options).json

    assert found["consistent"]
