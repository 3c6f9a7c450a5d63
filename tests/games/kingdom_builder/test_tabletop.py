"""The command ``tabletop``; tests/browser has the page that it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import run

_MOST = 2_000_000  # bytes


def test_the_page_is_one_file_of_less_than_2_mb(tmp_path: Path) -> None:
    page = tmp_path / "game.html"

    ran = run("tabletop", "--board", "garden farm/180 quarry tavern", "--seed", 2**40, "-o", page)

    assert (ran.status, ran.err) == (0, "")
    assert page.stat().st_size <= _MOST


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--player", "human"], "2 to 5 play, not 1"),
        (["--player", "planner"], "'planner' is not one of 'human', 'greedy', 'settler'"),
        (["--board", "farm farm farm farm"], "farm is named twice"),
        (["--board", "farm oracle"], "it has four quadrants"),
        (["--cards", "miner"], "did you mean miners?"),
        (["--queenies", "cabins"], "there is no 'cabins': capitol or caves"),
        (["-o", "game.svg"], "must end in .html"),
    ],
)
def test_what_cannot_be_played_is_told(words: list[str], says: str) -> None:
    ran = run("tabletop", "kingdom-builder", "-o", "game.html", *words)

    assert ran.status == 2
    assert says in ran.err
