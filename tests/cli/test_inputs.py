"""The files that commands read together."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.helpers import CLAIMS, EXAMPLE, MEADOW, ROOT, SILENT, STATION, run

BOARDS = ROOT / "boards"


@pytest.mark.parametrize("game", ["kingdom-builder", "search-party", "rabbits"])
def test_two_files_are_not_both_standard_input(game: str) -> None:
    ran = run("check", game, "-", "-", given="anything")

    assert (ran.status, ran.out) == (2, "")
    assert "only one of the files can be standard input" in ran.err


def test_a_program_that_needs_the_maps_path_is_not_given_standard_input() -> None:
    ran = run("play", "rabbits", "-", *SILENT, given=STATION.read_text())

    assert (ran.status, ran.out) == (2, "")
    assert "the bot is given the path of the map: name a file" in ran.err


def test_facts_of_two_games_are_not_mixed() -> None:
    ran = run("facts", EXAMPLE, BOARDS / "slime" / "session.txt")

    assert (ran.status, ran.out) == (2, "")
    assert "this file belongs to slime, the one before it to kingdom-builder" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ("kingdom-builder", CLAIMS, EXAMPLE),
        ("search-party", BOARDS / "search_party/records/meadow/sample-plan.txt", MEADOW),
        ("rabbits", BOARDS / "rabbits/small.session", STATION),
    ],
    ids=lambda words: str(words[0]),
)
def test_files_in_the_wrong_order_are_told(words: tuple[object, ...]) -> None:
    ran = run("check", *words)

    assert (ran.status, ran.out) == (2, "")
    assert "are they in the wrong order?" in ran.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(["score", "FILE"], "67,108,864 that a board", id="score"),
        pytest.param(["explain", "FILE"], "67,108,864 that a board", id="explain"),
        pytest.param(
            ["check", "kingdom-builder", EXAMPLE, "FILE"], "4,194,304 that a file", id="claims"
        ),
        pytest.param(["check", "search-party", "FILE", EXAMPLE], "2,097,152 that a map", id="map"),
        pytest.param(["check", "search-party", MEADOW, "FILE"], "268,435,456 that a", id="party"),
        pytest.param(["check", "slime", "FILE"], "268,435,456 that a record", id="slime"),
        pytest.param(["check", "rabbits", "FILE", EXAMPLE], "1,048,576 that a map", id="station"),
        pytest.param(["check", "rabbits", STATION, "FILE"], "67,108,864 that a", id="rabbits"),
        pytest.param(["play", "rabbits", "FILE", "true"], "1,048,576 that a map", id="play"),
        pytest.param(["tournament", "slime", "FILE"], "4,194,304 that a contest", id="toml"),
        pytest.param(["facts", "FILE"], "268,435,456 that a file of any game", id="facts"),
    ],
)
def test_each_command_refuses_a_file_that_is_too_large(
    words: list[object], told: str, tmp_path: Path
) -> None:
    path = tmp_path / "big.txt"
    path.touch()
    os.truncate(path, 1 << 30)

    ran = run(*(path if word == "FILE" else word for word in words))

    assert (ran.status, ran.out) == (2, "")
    assert f"{path}: 1,073,741,824 bytes, more than the {told}" in ran.err


def test_rule_files_and_results_that_are_too_large_are_refused(tmp_path: Path) -> None:
    path, bots = tmp_path / "x.lp", tmp_path / "bots.toml"
    path.touch()
    os.truncate(path, 1 << 30)
    bots.write_text("".join(f'[[bot]]\nname = "{i}"\ncommand = "true"\n' for i in range(4)))

    scored = run("score", EXAMPLE, "--rules", tmp_path)
    played = run("tournament", "slime", bots, "--results", path)

    assert (scored.status, played.status) == (2, 2)
    assert f"{path}: 1,073,741,824 bytes, more than the 1,048,576 that a rule file" in scored.err
    assert "more than the 536,870,912 that a file of results may have" in played.err
