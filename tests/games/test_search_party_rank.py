"""Entries to the challenge, ranked from the command line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kb_score.cli import main

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


def rank(contest: Path, *arguments: str) -> Result:
    command = ["rank", "search-party", *arguments, "--maps", str(contest / "maps")]
    return CliRunner().invoke(main, command)


def test_fewest_turns_win_then_costars_then_extras(contest: Path) -> None:
    entries = [
        enter(contest, "slow", meadow=FIVE, lane=ALL_LIVE),
        enter(contest, "extra-dies", meadow=FOUR, lane=EXTRA_DIES),
        enter(contest, "all-live", meadow=FOUR, lane=ALL_LIVE),
        enter(contest, "one-dies", meadow=FOUR, lane=ONE_DIES),
    ]

    result = rank(contest, *entries, "--format", "json")

    assert result.exit_code == 0, result.output
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        {"entry": "all-live", "turns": 8, "costars": 2, "extras": 1, "maps": 2},
        {"entry": "extra-dies", "turns": 8, "costars": 2, "extras": 0, "maps": 2},
        {"entry": "one-dies", "turns": 8, "costars": 1, "extras": 1, "maps": 2},
        {"entry": "slow", "turns": 9, "costars": 2, "extras": 1, "maps": 2},
    ]


def test_best_legal_run_of_a_map_counts(contest: Path) -> None:
    cheat = "@6.\n4 0 0\n"
    entry = enter(contest, "runs", meadow__run1=FIVE, meadow__run2=FOUR, meadow__run3=cheat)

    result = rank(contest, entry, "--details", "--format", "json")

    (line,) = map(json.loads, result.stdout.splitlines())
    assert (line["turns"], line["maps"]) == (4, 1)
    assert [Path(run["record"]).name for run in line["runs"]] == ["run2.txt"]
    assert "run3.txt does not count: turn 1: not-finished" in result.stderr
    assert "runs has no legal record of map lane" in result.stderr


def test_entry_with_fewer_maps_comes_after_all_others(contest: Path) -> None:
    entries = [
        enter(contest, "half", meadow=FOUR),
        enter(contest, "whole", meadow=FIVE, lane=ONE_DIES),
    ]

    result = rank(contest, *entries, "--format", "csv")

    names = [line.split(",")[1] for line in result.stdout.splitlines()]
    assert names == ["entry", "whole", "half"]


def test_equal_entries_share_a_rank(contest: Path) -> None:
    entries = [enter(contest, name, meadow=FOUR) for name in ("b", "a")]

    result = rank(contest, *entries, "--format", "csv")

    assert [line[:3] for line in result.stdout.splitlines()[1:]] == ["1,a", "1,b"]


def test_details_have_a_row_a_map(contest: Path) -> None:
    entry = enter(contest, "both", meadow=FOUR, lane=ALL_LIVE)

    result = rank(contest, entry, "--details", "--format", "markdown")

    assert f"| meadow | both | {entry}/meadow.txt | 4 | 0 | 0 |" in result.stdout
    assert f"| lane | both | {entry}/lane.txt | 4 | 2 | 1 |" in result.stdout


def test_folder_that_is_not_there_is_named(contest: Path) -> None:
    result = rank(contest, str(contest / "nobody"))

    assert result.exit_code == 2
    assert "nobody" in result.stderr
