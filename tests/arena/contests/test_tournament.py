"""The command ``tournament slime``."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kb_score.arena.contests.runner import Progress
from kb_score.arena.contests.store import (
    GameResult,
    PlayerResult,
    open_results,
    read_results,
    utc_now,
)
from tests.helpers import ROOT, run, run_on_terminal, run_process

PYTHON = sys.executable
BOTS = ROOT / "boards" / "slime" / "bots"
# On a busy machine Python alone may need half a second to start.
PATIENT = ("--timeout", "20", "--grace", "1")


def write_bots(folder: Path, bots: dict[str, str]) -> Path:
    path = folder / "bots.toml"
    tables = [
        f"[[bot]]\nname = {name!r}\ncommand = '''{command}'''\n" for name, command in bots.items()
    ]
    path.write_text("\n".join(tables))
    return path


REFERENCE = {name: f"{PYTHON} {BOTS / name}.py" for name in ("brain", "greedy")}
BAD = {"Crash": "exit 1 #", "Garbage": "echo hello #", "Sleeper": "sleep 60 #"}
QUICK = ("--size", "4", "--const", "last_turn=4")


@pytest.mark.slow
def test_a_tournament_ranks_all_bots_whatever_they_do(tmp_path: Path) -> None:
    bots = write_bots(tmp_path, REFERENCE | BAD)
    options = ("--timeout", "1", "--grace", "1", "--kill", "1", "--jobs", "4", *QUICK)

    ran = run("tournament", "slime", bots, *options, "--format", "json")

    assert ran.status == 0
    ranked = ran.json
    assert {(line["name"], line["games"]) for line in ranked} == {
        (name, 4) for name in (*REFERENCE, *BAD)
    }
    averages = [line["average"] for line in ranked]
    assert averages == sorted(averages, key=lambda a: -float(str(a)))
    assert "warning: Crash" in ran.err
    # All is played: the leaderboard comes from the file.
    again = run("tournament", "slime", bots, *options)
    assert again.out.splitlines()[1] == (
        "| Name                     | Avg Score | Last Updated (UTC) |"
    )
    assert "5 of 5 games were played before" in again.err


@pytest.mark.slow
def test_a_bot_with_files_has_a_folder_of_its_own_in_each_game(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "seed").write_text("0 0 0 0\n")
    (tmp_path / "bots.toml").write_text(
        "".join(
            f'[[bot]]\nname = "{name}"\nfolder = "notes"\n'
            "command = '''sh -c 'cat seed; echo $1 >> log; test $(wc -l < log) -le 2' bot'''\n"
            for name in "abcde"
        )
    )

    ran = run(
        "tournament", "slime", str(tmp_path / "bots.toml"), "--size", "3", "--const",
        "last_turn=8", *PATIENT,
    )  # fmt: skip

    assert ran.status == 0
    # Nobody has more than the two lines of its own two turns, so nobody crashed.
    assert "warning" not in ran.err
    assert [p.name for p in (tmp_path / "notes").iterdir()] == ["seed"]


def test_two_tournaments_cannot_share_a_file(tmp_path: Path) -> None:
    bots = write_bots(tmp_path, dict.fromkeys("abcd", "true"))
    with open_results(tmp_path / "bots.results.jsonl"):
        ran = run("tournament", "slime", bots)

    assert ran.status == 2
    assert "another contest" in ran.err


@pytest.mark.slow
def test_a_results_file_cut_at_any_byte_loses_no_line_but_the_last(tmp_path: Path) -> None:
    path = tmp_path / "bots.results.jsonl"
    players = (PlayerResult((1,), (1,)),) * 4
    result = GameResult("k", 1, ("ä", "b", "c", "d"), "", 0, players, 8, "", utc_now(), (), "")
    with open_results(path) as results:
        results.add(result)
        results.add(result)
    written = path.read_bytes()

    for length in range(len(written)):
        path.write_bytes(written[:length])
        whole = written[:length].count(b"\n")
        assert list(read_results(path)) == [result] * whole
        with open_results(path) as results:
            results.add(result)
        assert list(read_results(path)) == [result] * (whole + 1)


def test_what_a_power_cut_leaves_behind_the_last_line_is_cut_away(tmp_path: Path) -> None:
    path = tmp_path / "bots.results.jsonl"
    players = (PlayerResult((1,), (1,)),) * 4
    result = GameResult("k", 1, ("a", "b", "c", "d"), "", 0, players, 8, "", utc_now(), (), "")
    with open_results(path) as results:
        results.add(result)

    for left in (bytes(300), b'{"key": "k"' + bytes(300)):
        path.write_bytes(path.read_bytes() + left)
        with open_results(path) as results:
            results.add(result)

    assert list(read_results(path)) == [result] * 3


ONE_GAME = ("--size", "3", "--const", "last_turn=4", "--format", "csv", *PATIENT)
BEFORE = "1 of 1 games were played before"


@pytest.mark.parametrize("operation", ["write", "fsync"])
def test_a_full_disk_is_told_with_the_name_of_the_results(
    operation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = write_bots(tmp_path, dict.fromkeys("abcd", "true"))
    results, real = tmp_path / "bots.results.jsonl", getattr(os, operation)

    def fail(number: int, *data: bytes) -> int:
        if Path(f"/proc/self/fd/{number}").resolve() == results:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done: int = real(number, *data)
        return done

    with monkeypatch.context() as patch:
        patch.setattr(os, operation, fail)
        ran = run("tournament", "slime", bots, *ONE_GAME)

    assert ran.status == 2
    assert ran.err.endswith(f"{results}: no space left on device\n")
    assert run("tournament", "slime", bots, *ONE_GAME).status == 0
    assert results.read_text().count("\n") == 1


def test_a_bot_whose_file_cannot_be_read_for_once_is_not_taken_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").touch()
    bots = write_bots(tmp_path, dict.fromkeys("abcd", "true a.py"))
    real = Path.open

    def fail(path: Path, *words: Any, **options: Any) -> Any:
        if path.name == "a.py":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(path, *words, **options)

    monkeypatch.setattr(Path, "open", fail)
    ran = run("tournament", "slime", bots, *ONE_GAME)

    assert ran.status == 2
    assert ran.err == f"{tmp_path}/a.py: input/output error\n"


@pytest.mark.parametrize("path", ["/dev/full", "/dev/zero", "/dev/null"])
def test_results_are_kept_in_a_file_alone(path: str, tmp_path: Path) -> None:
    bots = write_bots(tmp_path, dict.fromkeys("abcd", "true"))

    ran = run_process("tournament", "slime", bots, "--results", path, *ONE_GAME, timeout=20)

    assert (ran.status, ran.out) == (2, "")
    assert f"{path}: this is not a regular file: name another file for the results" in ran.err


@contextmanager
def a_tournament_that_waits(folder: Path, *before: str) -> Iterator[subprocess.Popen[str]]:
    """Start a tournament whose first bot answers never; it has begun its turn."""
    (folder / "f").mkdir()
    (folder / "tmp").mkdir()
    bots = write_bots(folder, dict.fromkeys("bcd", "true"))
    table = (
        f"[[bot]]\nname = 'a'\nfolder = 'f'\ncommand = 'echo $$ > {folder}/number; sleep 60 #'\n"
    )
    bots.write_text(table + bots.read_text())
    command = [
        *before, PYTHON, "-m", "kb_score", "tournament", "slime", str(bots),
        "--timeout", "60", "--kill", "60",
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp")}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 30
        number = folder / "number"
        while time.monotonic() < deadline and not (number.exists() and number.read_text()):
            time.sleep(0.02)
        yield process


def test_a_signal_ends_a_tournament_at_once_and_leaves_nothing(tmp_path: Path) -> None:
    for attempt in range(4):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        with a_tournament_that_waits(folder) as process:
            process.terminate()
            _, said = process.communicate(timeout=30)
        assert process.returncode == 143
        if said:
            break
        # The machine is so busy that it was ended for certain, without a word.

    assert said == "interrupted: 0 of 1 games are kept; run the command again to continue\n"
    assert list((folder / "tmp").iterdir()) == []
    group = (folder / "number").read_text().strip()
    found = subprocess.run(
        ["ps", "-eo", "pgid=,stat="], stdout=subprocess.PIPE, text=True, check=True
    )
    states = [line.split() for line in found.stdout.splitlines()]
    assert [state for number, state in states if number == group and state[0] != "Z"] == []


def test_a_tournament_without_a_terminal_does_not_end_with_it(tmp_path: Path) -> None:
    with a_tournament_that_waits(tmp_path, "nohup") as process:
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        assert process.poll() is None
        process.terminate()
        process.communicate(timeout=30)

    assert process.returncode == 143


def test_a_log_has_few_lines_of_many_games(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("a", "b", "c", "d")
    players = [
        PlayerResult((n,), (n,), {"late": 2} if n == 4 else {}, "turn 3: it fell")
        for n in (4, 3, 2, 1)
    ]
    result = GameResult("k", 1, names, "", 0, tuple(players), 8, "", utc_now(), (), "")
    with Progress(1000) as progress:
        for _ in range(1000):
            progress.report_game(result, (b"",) * 4)

    said = capsys.readouterr().err.splitlines()
    assert said[1].startswith("100/1000: a 4, b 3, c 2, d 1 after 8 turns; ")
    assert said[1].endswith(" s left")
    assert [line for line in said if "warning" in line] == [
        "warning: a was late, crashed or gave no legal answer in 2 turns; first at turn 3: it fell",
        "warning: a was late, crashed or gave no legal answer in 2000 turns of 1000 games",
    ]
    assert len(said) == 12


@pytest.mark.slow
def test_a_terminal_has_one_live_line(tmp_path: Path) -> None:
    bots = write_bots(tmp_path, dict.fromkeys("abcde", "echo 0 0 0 0 #"))

    shown = run_on_terminal(
        "tournament", "slime", bots, "--jobs", "1", *ONE_GAME, width=30, soon=True
    )

    lines = shown.replace("\r\n", "\n").split("\n")
    assert "\r1/5: a 1, b 1, c 1, d 1 after\r2/5: " in lines[0]
    assert "\rName,Avg Score,Last Updated (UTC)" in lines[0]
    assert len(lines) == 7
