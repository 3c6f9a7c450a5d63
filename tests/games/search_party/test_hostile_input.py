"""Files from the wild, for the search party."""

from __future__ import annotations

from pathlib import Path

from tests.helpers import MEADOW, ROOT, SAFE, run

BOARDS = ROOT / "boards"


def test_a_line_of_blanks_freezes_nobody(tmp_path: Path) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text(f"@4{' ' * 1_000_000}x\n")

    ran = run("check", "search-party", MEADOW, plan)

    assert ran.status == 2
    assert f"{plan}:1:" in ran.err


def test_a_broken_row_of_a_board_is_told_with_its_place(tmp_path: Path) -> None:
    record = tmp_path / "record.txt"
    record.write_text(SAFE.read_text().replace("ooooo.\n", "ooo\no.\n", 1))

    ran = run("check", "search-party", MEADOW, record)

    assert ran.status == 2
    assert "the board is not 6 columns wide and 5 rows high" in ran.err
