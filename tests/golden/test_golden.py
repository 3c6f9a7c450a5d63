"""The recorded sessions: each does what it did before, and they are all there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.golden.expected import find_expected, read_expected
from tests.golden.sessions import SESSIONS, run_session


@pytest.mark.slow
@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_does_what_it_did(name: str, tmp_path: Path) -> None:
    ran, expected = run_session(SESSIONS[name], tmp_path), read_expected(name)

    # Piece by piece, so that a difference is easy to read.
    for now, before in zip(ran["commands"], expected["commands"], strict=True):
        assert now == before
    assert list(ran["files"]) == list(expected["files"])
    for file, kept in expected["files"].items():
        assert ran["files"][file] == kept, file


def test_every_session_is_recorded_and_nothing_else() -> None:
    assert {path.stem for path in find_expected()} == set(SESSIONS)


@pytest.mark.parametrize("game", ["slime", "search-party", "rabbits", "kingdom-builder"])
def test_a_contest_that_was_stopped_comes_to_the_results_of_one_that_was_not(game: str) -> None:
    whole, resumed = read_expected(f"contest-{game}"), read_expected(f"contest-{game}-old")

    # The version that played the first games named no rulings in records of Slime.
    older = {"slime.results/games/1.txt", "slime.results/games/2.txt"} if game == "slime" else set()
    played, expected = _list_played(resumed["files"]), _list_played(whole["files"])
    assert played.keys() == expected.keys()
    for file in expected.keys() - older:
        assert played[file] == expected[file]
    for file in older:
        assert expected[file] == ["% const last_turn=12", *played[file]]
    assert resumed["commands"][-1] == whole["commands"][0]
    assert 0 < _count(resumed["commands"][1]) < _count(whole["commands"][1])


def _list_played(files: dict[str, Any]) -> dict[str, Any]:
    """Leave out the default of a ruling that a contest keeps, and what follows from it alone."""
    played = dict[str, Any]()
    for name, kept in files.items():
        if name == "kingdom-builder.results/contest.json":
            continue
        if name == "kingdom-builder.results/results.jsonl":
            played[name] = [{**line, "key": ""} for line in kept]
        elif name.startswith("kingdom-builder.results/games/"):
            played[name] = kept[1:]
        else:
            played[name] = kept
    return played


def _count(status: dict[str, Any]) -> int:
    played: int = status["output"][0]["played"]
    return played
