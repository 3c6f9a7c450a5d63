"""What a person at a terminal sees, and what a pipe gets while more is still to come."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from tests.helpers import CARDS, EXAMPLE, ROOT, SMALL, run_on_terminal

pytestmark = pytest.mark.skipif(os.name == "nt", reason="terminals and pipes of POSIX")

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLUMNS": "80"}


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "kb_score", *map(str, arguments)]


def test_a_terminal_gets_one_well_set_table_a_board() -> None:
    shown = run_on_terminal("score", EXAMPLE, "--cards", "1,3,7")

    rows = [line.split() for line in shown.splitlines() if line.split()]
    assert ["castles", "18", "0", "15", "12"] in rows
    assert ["total", "52", "46", "43", "62"] in rows
    assert "─" in shown
    assert all(len(line) <= 80 for line in shown.splitlines())


@pytest.mark.parametrize("setting", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": ""}])
def test_a_terminal_gets_no_colours_where_none_are_wanted(
    setting: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "board.txt").write_text(SMALL)
    ours, theirs = os.openpty()
    ran = subprocess.run(
        command("score", tmp_path / "board.txt"),
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**ENVIRONMENT, **setting},
        check=True,
    )
    os.close(theirs)
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        shown = terminal.read(4096)

    assert ran.returncode == 0
    assert b"warning" in shown
    assert (b"\x1b[" in shown) == ("" in setting.values())


def test_a_terminal_gets_the_16_games_too() -> None:
    shown = run_on_terminal("score", EXAMPLE, "--combinations")

    rows = [line.split() for line in shown.splitlines()]
    assert sum(len(row) == 7 and all(map(str.isdigit, row)) for row in rows) == 16
    assert {row[0] for row in rows if row} >= set(CARDS)


@pytest.mark.parametrize("format_", ["json", "csv"])
def test_results_come_before_all_boards_are_read(tmp_path: Path, format_: str) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text(f"{SMALL}\n" * 40)
    os.mkfifo(second)
    process = subprocess.Popen(
        command("score", first, second, "--format", format_),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
        text=True,
    )
    assert process.stdout is not None

    # Nothing has been written to the second file yet: it would block whoever waited for it.
    line = process.stdout.readline()
    assert line, "it has ended before its input did"
    # Written beside the reading: a pipe may be too small for all that comes before.
    writer = Thread(target=second.write_text, args=(SMALL,), daemon=True)
    writer.start()
    # Not communicate(): it does not know of what readline() has read ahead.
    rest = process.stdout.read()
    process.stdout.close()
    process.wait(60)
    writer.join(60)

    if format_ == "json":
        assert json.loads(line)["board"] == f"{first}#1"
        assert len(rest.splitlines()) == 40
    else:
        assert line == "board,card,player,gold\n"
    assert process.returncode == 0


def test_a_closed_pipe_ends_without_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text(f"{SMALL}\n" * 200)
    process = subprocess.Popen(
        command("score", path, "--format", "json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None

    process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    process.wait()

    assert "Traceback" not in said
    assert "BrokenPipe" not in said


def test_a_drawn_board_fits_a_terminal() -> None:
    shown = run_on_terminal("explain", EXAMPLE, "--card", "miners", "--player", "3").splitlines()

    rows = [line for line in shown if re.match(r" ?\d+ .*\[3\]", line)]
    assert len(rows) > 3
    assert all(len(line) <= 80 for line in shown[1:])


def test_a_table_that_is_too_wide_breaks_no_word() -> None:
    shown = run_on_terminal("score", EXAMPLE, "--cards", "1,3,7", width=30)

    assert "card      discoverers\nplayer 1  14\nplayer 2  20\n" in shown.replace("\r", "")


def test_a_terminal_gets_no_markup() -> None:
    shown = run_on_terminal("draw", EXAMPLE, status=2)

    assert shown.strip() == "-o: a picture or a page is no text for a terminal: name its file"


def test_a_warning_has_a_line_of_its_own() -> None:
    bots = ["--bot", "echo"] * 4

    shown = run_on_terminal("play", "slime", "--size", "3", *bots, "--const", "last_turn=3")

    assert "\rwarning: turn 1: player 1 " in shown


def test_results_go_to_the_file_and_progress_to_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text(f"{EXAMPLE.read_text()}\n" * 40)
    results = tmp_path / "results.csv"
    with results.open("wb") as stream:
        shown = run_on_terminal("score", path, "--format", "csv", out=stream)
    assert "boards" in shown
    assert len(results.read_text().splitlines()) == 1 + 40 * len(CARDS) * 4
