"""What a person at a terminal sees, and what a pipe gets while more is still to come."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from shutil import copy, copytree
from threading import Thread

import pytest

from tests.helpers import CARDS, EXAMPLE, ROOT, SMALL, run, run_on_terminal
from tests.shell.processes import ENVIRONMENT, command

pytestmark = pytest.mark.skipif(os.name == "nt", reason="terminals and pipes of POSIX")

TERMINAL = {**ENVIRONMENT, "TERM": "xterm-256color", "COLUMNS": "80"}


@pytest.mark.slow
def test_a_terminal_gets_well_set_tables_of_a_board_and_the_16_games() -> None:
    shown = run_on_terminal("score", EXAMPLE, "--combinations")

    rows = [line.split() for line in shown.splitlines() if line.split()]
    assert ["castles", "18", "0", "15", "12"] in rows
    assert sum(len(row) == 7 and all(map(str.isdigit, row)) for row in rows) == 16
    assert {row[0] for row in rows} >= set(CARDS)
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
        env={**TERMINAL, **setting},
        check=True,
    )
    os.close(theirs)
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        shown = terminal.read(4096)

    assert ran.returncode == 0
    assert b"warning" in shown
    assert (b"\x1b[" in shown) == ("" in setting.values())


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["json", "csv"])
def test_results_come_before_all_boards_are_read(tmp_path: Path, format_: str) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text(f"{SMALL}\n" * 40)
    os.mkfifo(second)
    process = subprocess.Popen(
        command("score", first, second, "--format", format_),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=TERMINAL,
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


@pytest.mark.slow
def test_a_closed_pipe_ends_without_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text(f"{SMALL}\n" * 200)
    process = subprocess.Popen(
        command("score", path, "--format", "json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=TERMINAL,
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


@pytest.mark.slow
def test_a_drawn_board_fits_a_terminal() -> None:
    shown = run_on_terminal("explain", EXAMPLE, "--card", "miners", "--player", "3").splitlines()

    rows = [line for line in shown if re.match(r" ?\d+ .*\[3\]", line)]
    assert len(rows) > 3
    assert all(len(line) <= 80 for line in shown[1:])


@pytest.mark.slow
def test_how_far_a_command_is_comes_after_two_seconds(tmp_path: Path) -> None:
    words = "check", "kingdom-builder", EXAMPLE, EXAMPLE, "--program"
    with (tmp_path / "out").open("wb") as out:
        quick = run_on_terminal(*words, "echo miners: 4, 12, 11, 4", out=out)
        slow = run_on_terminal(*words, "sleep 1.3; echo miners: 4, 12, 11, 4", out=out)

    assert quick == ""
    assert slow.startswith("\r1 records\r")


COMMANDS = {
    "score": ("score boards", "[1-4] boards"),
    "check": ("check slime slime.txt slime.txt", "1 of 2 records"),
    "pairs": ("check kingdom-builder boards claims", "[1-4] records"),
    "report": ("report boards -o report.html", "[1-4] of 4 boards"),
    "restore": ("restore smudged.txt scores.txt", "12 boards found, part 1 of 1"),
    "playouts": ("playouts slime --size 3 --games 2 -o games", "1 of 2 games"),
    "rank": ("rank search-party walkers --maps maps", "1 of 2 maps of entries"),
    "solve": ("solve search-party maps/meadow.txt", "at least 1 turn; no plan yet"),
    "contest": ("contest check contest.toml --jobs 1", "1 of 2 results"),
}
CONTEST = """
game = "slime"
rounds = 2
[settings]
size = 3
[rules]
const = { last_turn = 4 }
""" + "\n".join(f'[[bot]]\nname = "{name}"\ncommand = "echo 0 0 0 0 #"' for name in "abcd")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with something for each command."""
    folder, boards = tmp_path_factory.mktemp("files"), ROOT / "boards"
    for number in range(4):
        for name, text in (("boards", SMALL), ("claims", "castles: 0, 0")):
            (folder / name).mkdir(exist_ok=True)
            (folder / name / f"{number}.txt").write_text(text)
    (folder / "slime.txt").write_text((boards / "slime" / "session.txt").read_text())
    for name in ("smudged", "scores"):
        copy(boards / "kingdom_builder" / "restore" / f"{name}.txt", folder)
    copytree(boards / "search_party" / "entries" / "walkers", folder / "walkers")
    (folder / "maps").mkdir()
    for name in ("hollow", "meadow"):
        copy(boards / "search_party" / "maps" / f"{name}.txt", folder / "maps")
    (folder / "contest.toml").write_text(CONTEST)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_tells_how_far_it_is_and_clears_that_before_anything_else(
    files: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    words, told = COMMANDS[name]
    if name == "contest":
        assert run("contest", "contest.toml").status == 0

    shown = run_on_terminal(*words.split(), soon=True)

    assert re.search(rf"\r{told}", shown)
    # What was in a line before its last return of the carriage has been written over.
    left = [line.rpartition("\r")[2] for line in shown.replace("\r\n", "\n").split("\n")]
    assert not re.search(told, "\n".join(left))
    if name in ("score", "solve"):
        assert not re.search(told, run_on_terminal(*words.split(), "-q", soon=True))
    assert all(re.match(r"([\w/.]+\.txt: )?warning: ", line) for line in left if "warning" in line)


def test_a_table_that_is_too_wide_breaks_no_word() -> None:
    shown = run_on_terminal("score", EXAMPLE, "--cards", "1,3,7", width=30)

    assert "card      discoverers\nplayer 1  14\nplayer 2  20\n" in shown.replace("\r", "")


@pytest.mark.slow
def test_a_terminal_gets_no_markup() -> None:
    shown = run_on_terminal("draw", EXAMPLE, status=2)

    assert shown.strip() == "-o: pictures and pages cannot be printed to a terminal: name a file"


def test_a_warning_has_a_line_of_its_own() -> None:
    bots = ["--bot", "echo"] * 4

    shown = run_on_terminal(
        "play", "slime", "--size", "3", *bots, "--const", "last_turn=3", soon=True
    )

    assert "\rwarning: turn 1: player 1 " in shown
