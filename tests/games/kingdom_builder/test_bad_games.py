"""Games as files: how they may be written; games.md of the transcripts has what they are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.games.kingdom_builder.example import BOARD, HEADS, TURN
from tests.helpers import run
from tests.oracles.kingdom_builder_game_examples import EXAMPLE as GAME


@pytest.mark.parametrize(
    "text",
    [
        pytest.param((HEADS + TURN).replace("\n", "\r"), id="cr"),
        pytest.param(f"% mine\n\n{HEADS}\n% a turn\n{TURN[:-1]} % his\n\n", id="comments"),
        pytest.param((HEADS + TURN).replace(" ", "\t"), id="tabs"),
        pytest.param(f"  players 2 \n {BOARD}start 1\n{TURN}", id="any-order-and-blanks"),
        pytest.param(HEADS + TURN.replace(": ", ":"), id="no-blank"),
    ],
)
def test_harmless_variants_of_a_game_are_read(text: str) -> None:
    ran = run("check", "kingdom-builder", "-", "--format", "json", given=text)

    assert (ran.status, ran.err) == (0, "")
    assert '"turns": 1, "players": 2' in ran.out


@pytest.mark.slow
def test_a_game_that_goes_on_long_after_an_illegal_turn_is_checked_as_if_it_ended(
    tmp_path: Path,
) -> None:
    headings, _, turns = GAME.partition("start 1\n")
    wrong = "1 grass: 5,10 5,10 5,10\n"
    short, long = tmp_path / "short.txt", tmp_path / "long.txt"
    short.write_text(f"{headings}start 1\n{turns}{wrong * 2}")
    long.write_text(f"{headings}start 1\n{turns}{wrong * 150}gold 1 1\n")

    expected, found = (
        run("check", "kingdom-builder", path, "--format", "json").json[0] for path in (short, long)
    )
    replayed = run("replay", "kingdom-builder", long, "-o", tmp_path / "page.html")

    assert found["violations"] == expected["violations"]
    assert found["result"] == expected["result"]
    asked = [run("facts", "--program", path).out for path in (short, long)]

    assert replayed.status == 0
    # What is asked to find the end of it is no part of the check.
    assert ["violation/4" in program for program in asked] == [True, True]
    assert run("facts", "--program", "--part", 2, long).status == 2
    assert run("playground", long, "-o", tmp_path / "game.html").status == 0
