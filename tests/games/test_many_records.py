"""``kb-score check`` of many records: in order, none lost for another one's sake."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.helpers import EXAMPLE, ROOT, run, run_process

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


def test_a_folder_is_all_its_text_files(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.log"):
        shutil.copy(SLIME / "session.txt", tmp_path / name)
    ran = run("check", "slime", tmp_path, "--format", "json")

    assert [verdict["record"] for verdict in ran.json] == [
        str(tmp_path / "a.txt"),
        str(tmp_path / "b.txt"),
    ]
    assert ran.status == 0


def test_an_empty_folder_is_told_and_the_others_are_checked(tmp_path: Path) -> None:
    ran = run("check", "slime", tmp_path, SLIME / "session.txt", "--format", "json")

    assert (ran.status, ran.err) == (2, f"{tmp_path}: the folder has no .txt file\n")
    assert len(ran.json) == 1


def test_for_people_each_verdict_is_headed_by_its_record() -> None:
    one, two = (
        PARTY / "records/meadow/safe-plan.txt",
        PARTY / "records/meadow/wrong-result-plan.txt",
    )
    ran = run("check", "search-party", MEADOW, one, two)
    alone = run("check", "search-party", MEADOW, one), run("check", "search-party", MEADOW, two)

    assert ran.out == "\n".join(part.out for part in alone)
    assert ran.out.startswith(f"{one}: consistent with the rules\n")
    assert f"\n{two}: not consistent with the rules\n" in ran.out


def test_each_line_of_csv_says_which_of_several_records_it_is_about() -> None:
    wrong = PARTY / "records/meadow/wrong-result-plan.txt"
    detail = "the record claims the result 5 0 0 where the rules give 4 0 0"
    ran = run("check", "search-party", MEADOW, wrong, wrong, "--format", "csv")
    alone = run("check", "search-party", MEADOW, wrong, "--format", "csv")

    line = f"4,wrong-result,,{detail}\n"
    assert alone.out == f"turn,code,who,detail\n{line}"
    assert ran.out == f"record,turn,code,who,detail\n{wrong},{line}{wrong},{line}"


def test_a_note_says_which_of_several_records_it_is_about() -> None:
    frames = SLIME / "frames.txt"
    alone, ran = run("check", "slime", frames), run("check", "slime", frames, frames)

    assert alone.err.startswith("note: ")
    assert ran.err == f"{frames}: {alone.err}" * 2


def test_a_mistake_in_the_map_is_told_once() -> None:
    record = PARTY / "records/meadow/safe-plan.txt"
    ran = run("check", "search-party", EXAMPLE, record, record, record)

    assert ran.status == 2
    assert ran.err.count(f"{EXAMPLE}:1:") == 1


@pytest.mark.slow
def test_records_of_rabbits_share_a_map() -> None:
    records = RABBITS / "small.log", RABBITS / "small.session", RABBITS / "small.table"
    ran = run("check", "rabbits", RABBITS / "small.map", *records, "--format", "json")

    assert [verdict["record"] for verdict in ran.json] == list(map(str, records))
    assert ran.status == 0


def test_only_one_run_log_is_explained(tmp_path: Path) -> None:
    log, out = RABBITS / "small.log", tmp_path / "session.txt"
    ran = run("check", "rabbits", RABBITS / "small.map", log, log, "--explain", out)

    assert ran.status == 2
    assert "--explain works on one record" in ran.err
    assert not out.exists()


def test_two_games_are_no_board_with_claims() -> None:
    ran = run(
        "check", "kingdom-builder", GAMES / "base.txt", GAMES / "broken.txt", "--format", "csv"
    )

    assert ran.status == 1
    assert ran.out.splitlines()[1].startswith(f"{GAMES / 'broken.txt'},")


def test_a_game_is_checked_although_the_other_one_is_missing() -> None:
    ran = run("check", "kingdom-builder", "nowhere.txt", GAMES / "base.txt", "--format", "json")

    assert (ran.status, ran.err) == (2, "nowhere.txt: no such file or directory\n")
    assert [verdict["consistent"] for verdict in ran.json] == [True]


@pytest.mark.slow
def test_games_may_come_from_a_folder_and_from_standard_input() -> None:
    given = (GAMES / "base.txt").read_bytes()
    ran = run("check", "kingdom-builder", GAMES, "-", "--format", "json", given=given)

    assert len(ran.json) == 6
    assert (ran.json[-1]["record"], ran.json[-1]["consistent"]) == ("-", True)


def test_games_have_no_number_of_players_to_choose() -> None:
    ran = run("check", "kingdom-builder", GAMES / "base.txt", GAMES / "base.txt", "--players", 2)

    assert ran.status == 2
    assert "--players goes with a board" in ran.err


def test_standard_input_can_be_read_but_once() -> None:
    ran = run("check", "search-party", MEADOW, "-", "-", given="0\n")

    assert (ran.status, ran.err) == (2, "-: only one of the files can be standard input\n")


def test_jobs_are_about_this_machine() -> None:
    ran = run("check", "slime", SLIME / "session.txt", "--jobs", 2, "--scheduler", "here:1")

    assert ran.status == 2
    assert "--jobs applies to this machine: leave it out with --scheduler" in ran.err
