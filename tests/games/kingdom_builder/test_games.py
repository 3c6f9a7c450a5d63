"""``kb-score check kingdom-builder GAME``: whole games, against the plain-Python version."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.check import check_game
from tests.games.kingdom_builder.example import EXAMPLE as GAME
from tests.games.kingdom_builder.test_live import play
from tests.helpers import ROOT
from tests.oracles import kingdom_builder_game as oracle
from tests.oracles.kingdom_builder_game import CODES, Rulings
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
        match, refused = play(text, ruling)
        assert (match.turn, refused) == (by_ruling[0], wrong[0] if wrong else None)


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda expected: expected["record"])
def test_an_expected_result_is_that_of_the_plain_rules(expected: dict[str, Any]) -> None:
    plain = oracle.check_game((ROOT / expected["record"]).read_text())

    result = expected["result"]
    assert (result["turns"], tuple(result["gold"])) == (plain.turns, plain.gold)
    assert result["finished"] is plain.finished
    short = [(v["turn"], v["code"], v["who"]) for v in expected["violations"]]
    assert short == [*plain.violations]
