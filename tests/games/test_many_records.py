"""``kb-score check`` of many records: in order, none lost for another one's sake."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import ROOT, run, run_process

SLIME = ROOT / "boards" / "slime"
GAMES = ROOT / "boards" / "kingdom_builder" / "games"
PARTY = ROOT / "boards" / "search_party"
MEADOW = PARTY / "maps" / "meadow.txt"
RABBITS = ROOT / "boards" / "rabbits"


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_verdicts_come_in_order_and_one_that_is_wrong_counts(jobs: int) -> None:
    records = [SLIME / "session.txt", SLIME / "wrong.txt", SLIME / "session.txt"]
    ran = run_process("check", "slime", *records, "--format", "json", "--jobs", jobs)

    assert [verdict["record"] for verdict in ran.json] == list(map(str, records))
    assert [verdict["consistent"] for verdict in ran.json] == [True, False, True]
    assert (ran.status, ran.err) == (1, "")


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_record_that_cannot_be_used_loses_no_other(jobs: int, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("what\n")
    records = "nowhere.txt", SLIME / "wrong.txt", bad, SLIME / "session.txt"
    ran = run_process("check", "slime", *records, "--format", "json", "--jobs", jobs)

    assert [verdict["consistent"] for verdict in ran.json] == [False, True]
    assert ran.err.startswith("nowhere.txt: no such file or directory\n")
    assert f"{bad}:1:1: " in ran.err
    assert ran.status == 1


@pytest.mark.slow
def test_games_may_come_from_a_folder_and_from_standard_input() -> None:
    given = (GAMES / "base.txt").read_bytes()
    ran = run("check", "kingdom-builder", GAMES, "-", "--format", "json", given=given)

    assert len(ran.json) == 6
    assert (ran.json[-1]["record"], ran.json[-1]["consistent"]) == ("-", True)
