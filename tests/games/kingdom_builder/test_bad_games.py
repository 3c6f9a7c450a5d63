"""Games as files: how they may be written, and what they are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.games.kingdom_builder.example import BOARD, HEADS, NO_GAME, TURN
from tests.helpers import CLAIMS, EXAMPLE, run
from tests.oracles.kingdom_builder_game_examples import EXAMPLE as GAME


def check(text: str | bytes, folder: Path, *options: object) -> tuple[int, str, str]:
    path = folder / "game.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    ran = run("check", "kingdom-builder", path, *options)
    return ran.status, ran.out, ran.err.removeprefix(str(path))


def test_a_message_shows_the_line_with_a_caret(tmp_path: Path) -> None:
    _, _, err = check(f"{HEADS}1 grass: 4,11; inn 6,12\n", tmp_path)

    assert err.splitlines()[1:] == ["    1 grass: 4,11; inn 6,12", " " * 19 + "^"]


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
def test_harmless_variants_of_a_game_are_read(tmp_path: Path, text: str) -> None:
    status, out, err = check(text, tmp_path, "--format", "json")

    assert (status, err) == (0, "")
    assert '"turns": 1, "players": 2' in out


@pytest.mark.parametrize(
    ("text", "violation"),
    [
        pytest.param(f"{HEADS}1 grass: 2147483647,2147483647\n", "not-free", id="hex"),
        pytest.param(f"{HEADS}2147483647 grass: 1,1\n", "wrong-player", id="player"),
        pytest.param(f"{HEADS}gold 2147483647 2147483647\n", "not-finished", id="gold"),
    ],
)
def test_the_largest_numbers_are_judged(tmp_path: Path, text: str, violation: str) -> None:
    status, out, err = check(text, tmp_path, "--format", "csv")

    assert (status, err) == (1, "")
    assert violation in out


def test_a_game_has_no_claims_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(HEADS)

    # Two files of which the first is a game are two games.
    ran = run("check", "kingdom-builder", path, CLAIMS)

    assert ran.status == 2
    assert ran.out.startswith(f"{path}: consistent with the rules\n")
    assert ran.err.startswith(f"{CLAIMS}:1:1: {NO_GAME}; a board is scored by kb-score score, or ")


def test_a_board_alone_is_no_game() -> None:
    ran = run("check", "kingdom-builder", EXAMPLE)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"{EXAMPLE}:1:1: {NO_GAME}; a board is scored by kb-score score")


def test_the_number_of_players_is_said_by_the_game(tmp_path: Path) -> None:
    status, out, err = check(HEADS, tmp_path, "--players", "2")

    assert (status, out) == (2, "")
    assert "--players goes with a board: a game states its players itself" in err


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
