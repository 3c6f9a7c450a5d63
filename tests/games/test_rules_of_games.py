"""What ``--rules`` does for the games in turns: copies stand in for ours, other files are added."""

from pathlib import Path

import pytest

from tests.helpers import ROOT, run

CHECKS = [
    pytest.param(
        "search_party",
        ["search-party", "maps/meadow.txt", "records/meadow/sample-plan.txt"],
        id="search-party",
    ),
    pytest.param("rabbits", ["rabbits", "small.map", "small.session"], id="rabbits"),
    pytest.param("slime", ["slime", "session.txt"], id="slime"),
]


def check(game: str, words: list[str], *options: object) -> str:
    name, *files = words
    paths = [ROOT / "boards" / game / file for file in files]
    ran = run("check", name, *paths, "--format", "json", *options)
    assert (ran.status, ran.err) == (0, "")
    return ran.out


@pytest.mark.parametrize(("game", "words"), CHECKS)
def test_exported_rules_change_nothing(game: str, words: list[str], tmp_path: Path) -> None:
    copy = tmp_path / "rules"
    assert run("rules", "export", copy).status == 0

    assert check(game, words, "--rules", copy / game) == check(game, words)


@pytest.mark.parametrize(("game", "words"), CHECKS)
def test_a_folder_without_rules_is_told(game: str, words: list[str], tmp_path: Path) -> None:
    name, *files = words
    paths = [ROOT / "boards" / game / file for file in files]

    ran = run("check", name, *paths, "--rules", tmp_path)

    assert ran.status == 2
    assert "has no .lp file" in ran.err
