"""Names of players and titles in pages and in other processes.

tests/transcripts/kingdom_builder/names.md has the rest.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.games.kingdom_builder.test_report import read_page
from tests.helpers import EXAMPLE, ROOT, run

BASE = ROOT / "boards" / "kingdom_builder" / "games" / "base.txt"
TIE = "1 2\n . .\n"
NAMED = "% Player 1: Anna\n%player 3 : Cleo & Co\n% title: Friday \u00e0 trois\n"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game whose comments name its players."""
    path = tmp_path / "game.txt"
    path.write_text(NAMED + BASE.read_text())
    return path


def test_names_go_along_to_other_processes(tmp_path: Path) -> None:
    for name in ("Anna", "Ben"):
        (tmp_path / f"{name}.txt").write_text(f"% player 1: {name}\n{TIE}")

    one, two = (run("score", tmp_path, "--cards", "1", "--jobs", n) for n in ("1", "2"))

    assert one == two
    assert "Ben and player 2 tie" in one.out


@pytest.mark.slow
def test_names_stand_in_the_page_of_a_game(game: Path, tmp_path: Path) -> None:
    page = tmp_path / "game.html"

    assert run("replay", "kingdom-builder", game, "--title", "A & B", "-o", page).status == 0

    data = read_page(page.read_text())
    assert "<title>A &amp; B</title>" in page.read_text()
    assert {entry["name"] for entry in data["legend"]} >= {"Anna", "player 2", "Cleo & Co"}
    said = [word for _, _, tally, _ in data["steps"] for pair in tally for word in pair]
    assert "Anna gold so far" in said
    assert "player 2 plays canyon" in said
    assert "player 1" not in " ".join(said)


def test_names_and_a_title_stand_in_a_report(tmp_path: Path) -> None:
    board, page = tmp_path / "board.txt", tmp_path / "report.html"
    board.write_text(f"% player 1: Anna\n{TIE}")

    ran = run("report", board, "--cards", "hermits", "--title", "Friday", "-o", page)

    assert ran.status == 0
    assert "<title>Friday</title>" in page.read_text()
    data = read_page(page.read_text())
    assert data["players"] == [[1, "Anna"], [2, "player 2"]]
    (shown,) = data["boards"]
    assert shown["names"] == ["Anna", "player 2"]
    assert shown["saying"] == "Anna and player 2 tie with 1 gold."
    assert "Anna" in [entry["name"] for entry in shown["legend"]]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("a\x1b[31m", r"'\x1b' cannot be shown", id="escape"),
        pytest.param("a\u202eb", r"'\u202e' cannot be shown", id="direction"),
    ],
)
def test_a_name_that_steers_a_terminal_is_refused(name: str, message: str) -> None:
    ran = run("score", EXAMPLE, "--names", name)

    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err
