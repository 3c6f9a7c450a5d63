"""The command ``tabletop``; tests/browser has the page that it writes."""

from __future__ import annotations

from pathlib import Path

from tests.helpers import run

_MOST = 2_000_000  # bytes


def test_the_page_is_one_file_of_less_than_2_mb(tmp_path: Path) -> None:
    page = tmp_path / "game.html"

    ran = run("tabletop", "--board", "garden farm/180 quarry tavern", "--seed", 2**40, "-o", page)

    assert (ran.status, ran.err) == (0, "")
    assert page.stat().st_size <= _MOST
