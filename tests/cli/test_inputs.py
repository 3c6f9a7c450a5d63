"""The files that commands read together."""

from __future__ import annotations

import pytest

from tests.helpers import (
    CLAIMS,
    EXAMPLE,
    MEADOW,
    ROOT,
    SILENT,
    STATION,
    run,
)

BOARDS = ROOT / "boards"


@pytest.mark.parametrize("game", ["kingdom-builder", "search-party", "rabbits"])
def test_two_files_are_not_both_standard_input(game: str) -> None:
    ran = run("check", game, "-", "-", given="anything")

    assert (ran.status, ran.out) == (2, "")
    assert "only one of the files can be standard input" in ran.err


def test_a_program_that_needs_the_maps_path_is_not_given_standard_input() -> None:
    ran = run("play", "rabbits", "-", *SILENT, given=STATION.read_text())

    assert (ran.status, ran.out) == (2, "")
    assert "name a file" in ran.err


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
