"""The games of boards/kingdom_builder/games, each with its expected result."""

import json
from typing import Any

import pytest

from tests.helpers import ROOT, run
from tests.oracles.kingdom_builder_game import check_game
from tests.oracles.kingdom_builder_game_examples import EXAMPLE

GAMES = ROOT / "boards" / "kingdom_builder" / "games"
EXPECTED = [json.loads(line) for line in (GAMES / "expected.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("expected", EXPECTED, ids=[line["record"] for line in EXPECTED])
def test_a_game_to_try_has_its_expected_result(
    expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)

    found = run("check", "kingdom-builder", expected["record"], "--format", "json").json

    assert found == [expected]


@pytest.mark.parametrize("expected", EXPECTED, ids=[line["record"] for line in EXPECTED])
def test_an_expected_result_is_that_of_the_plain_rules(expected: dict[str, Any]) -> None:
    plain = check_game((ROOT / expected["record"]).read_text())

    result = expected["result"]
    assert (result["turns"], tuple(result["gold"])) == (plain.turns, plain.gold)
    assert result["finished"] is plain.finished
    short = [(v["turn"], v["code"], v["who"]) for v in expected["violations"]]
    assert short == [*plain.violations]


def test_every_game_to_try_has_an_expected_result() -> None:
    records = {str(path.relative_to(ROOT)) for path in GAMES.glob("*.txt")}

    assert {line["record"] for line in EXPECTED} == records


def test_the_example_to_try_is_that_of_the_notation() -> None:
    assert (GAMES / "example.txt").read_text() == EXAMPLE


def test_a_turn_without_an_action_is_read() -> None:
    text = EXAMPLE.partition("1 grass:")[0] + "1 grass:\n"

    (found,) = run("check", "kingdom-builder", "-", "--format", "json", given=text).json

    assert [(v["turn"], v["code"], v["who"]) for v in found["violations"]] == [(1, "too-few", 1)]


def test_a_ruling_of_several_words_can_be_set() -> None:
    options = ("--const", "tile_loss=end_of_turn", "--format", "json")

    (found,) = run("check", "kingdom-builder", GAMES / "example.txt", *options).json

    assert found["consistent"]
