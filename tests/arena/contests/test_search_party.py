"""Entries to the challenge, ranked from the command line."""

from pathlib import Path

import pytest

from tests.helpers import Ran, run

MEADOW = "6 5 0 0\n......\n......\n..S...\n......\n......\n"
LANE = "7 1 2 1\nS......\n"
FOUR = "@4.\n@6.\n@6.\n@6.\n4 0 0\n"
FIVE = "@5.\n" + FOUR.replace("4 0 0", "5 0 0")
ALL_LIVE = "@6 A6 B6 a6.\n" * 4 + "4 2 1\n"
ONE_DIES = "@6 A6 a6.\n" * 4 + "4 1 1\n"
EXTRA_DIES = "@6 A6 B6.\n" * 4 + "4 2 0\n"


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    maps = tmp_path / "maps"
    maps.mkdir()
    (maps / "meadow.txt").write_text(MEADOW)
    (maps / "lane.txt").write_text(LANE)
    return tmp_path


def enter(contest: Path, name: str, **records: str) -> str:
    folder = contest / name
    for record, text in records.items():
        path = folder / f"{record.replace('__', '/')}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(folder)


def rank(contest: Path, *arguments: object) -> Ran:
    return run("rank", "search-party", *arguments, "--maps", contest / "maps")


def test_fewest_turns_win_then_costars_then_extras(contest: Path) -> None:
    entries = [
        enter(contest, "slow", meadow=FIVE, lane=ALL_LIVE),
        enter(contest, "extra-dies", meadow=FOUR, lane=EXTRA_DIES),
        enter(contest, "all-live", meadow=FOUR, lane=ALL_LIVE),
        enter(contest, "one-dies", meadow=FOUR, lane=ONE_DIES),
    ]

    ran = rank(contest, *entries, "--format", "json")

    assert ran.status == 0, ran.err
    assert ran.json == [
        {"entry": "all-live", "turns": 8, "costars": 2, "extras": 1, "maps": 2},
        {"entry": "extra-dies", "turns": 8, "costars": 2, "extras": 0, "maps": 2},
        {"entry": "one-dies", "turns": 8, "costars": 1, "extras": 1, "maps": 2},
        {"entry": "slow", "turns": 9, "costars": 2, "extras": 1, "maps": 2},
    ]


def test_best_legal_run_of_a_map_counts(contest: Path) -> None:
    cheat = "@6.\n4 0 0\n"
    entry = enter(contest, "runs", meadow__run1=FIVE, meadow__run2=FOUR, meadow__run3=cheat)

    ran = rank(contest, entry, "--details", "--format", "json")

    (line,) = ran.json
    assert (line["turns"], line["maps"]) == (4, 1)
    assert [Path(run["record"]).name for run in line["runs"]] == ["run2.txt"]
    assert "run3.txt does not count: turn 1: not-finished" in ran.err
    assert "runs has no legal record of map lane" in ran.err


def test_entry_with_fewer_maps_comes_after_all_others(contest: Path) -> None:
    entries = [
        enter(contest, "half", meadow=FOUR),
        enter(contest, "whole", meadow=FIVE, lane=ONE_DIES),
    ]

    ran = rank(contest, *entries, "--format", "csv")

    names = [line.split(",")[1] for line in ran.out.splitlines()]
    assert names == ["entry", "whole", "half"]


def test_equal_entries_share_a_rank(contest: Path) -> None:
    entries = [enter(contest, name, meadow=FOUR) for name in ("b", "a")]

    ran = rank(contest, *entries, "--format", "csv")

    assert [line[:3] for line in ran.out.splitlines()[1:]] == ["1,a", "1,b"]


def test_details_have_a_row_a_map(contest: Path) -> None:
    entry = enter(contest, "both", meadow=FOUR, lane=ALL_LIVE)

    ran = rank(contest, entry, "--details", "--format", "markdown")

    assert f"| meadow | both | {entry}/meadow.txt | 4 | 0 | 0 |" in ran.out
    assert f"| lane | both | {entry}/lane.txt | 4 | 2 | 1 |" in ran.out


def test_folder_that_is_not_there_is_named(contest: Path) -> None:
    ran = rank(contest, str(contest / "nobody"))

    assert ran.status == 2
    assert "nobody" in ran.err
