"""Files that ``-o`` names: what is written over, and what never is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kb_score.shell import target
from kb_score.shell.target import Target
from tests.helpers import SMALL, run

REFUSED = "this file exists, and kb-score did not write it or it was changed since"
# A command for each way in which a file is written, and the ending of its name.
COMMANDS = [
    pytest.param(["score", "BOARD", "-o"], ".csv", id="results"),
    pytest.param(["draw", "BOARD", "-o"], ".svg", id="picture"),
    pytest.param(["board", "oracle", "farm", "tavern", "paddock", "-o"], ".txt", id="board"),
    pytest.param(["report", "BOARD", "-o"], ".html", id="page"),
    pytest.param(["rules", "coverage", "BOARD", "-o"], ".html", id="coverage"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a board, where the files that were written are listed, too."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "board.txt").write_text(SMALL)
    return tmp_path


@pytest.mark.parametrize(("words", "ending"), COMMANDS)
def test_a_file_of_somebody_else_is_written_over_with_force_alone(
    folder: Path, words: list[str], ending: str
) -> None:
    path = folder / f"mine{ending}"
    path.write_text("meeting at 3 pm\n")
    command = [str(folder / "board.txt") if word == "BOARD" else word for word in words]

    refused = run(*command, path)

    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith(f"{path}: {REFUSED}")
    assert path.read_text() == "meeting at 3 pm\n"

    # With force, and then again without it, as the file is ours now.
    assert run(*command, path, "--force").status == 0
    written = path.read_text()
    assert "meeting" not in written
    assert run(*command, path).status == 0
    assert path.read_text() == written

    path.write_text(f"{written}\n")
    assert run(*command, path).status == 2


@pytest.mark.parametrize("before", ["", "\n", "\ufeff \n"])
def test_a_blank_file_is_written_over(folder: Path, before: str) -> None:
    path = folder / "scores.txt"
    path.write_text(before)

    assert run("score", folder / "board.txt", "-o", path).status == 0
    assert "castles" in path.read_text()


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["usual", "force"])
def test_inputs_and_folders_are_never_written_over(folder: Path, force: list[str]) -> None:
    board = folder / "board.txt"
    (folder / "folder.txt").mkdir()

    same = run("score", board, "-o", folder / "." / "board.txt", *force)
    inside = run("score", folder, "-o", board, *force)
    other = run("score", board, "-o", folder / "folder.txt", *force)

    assert [ran.status for ran in (same, inside, other)] == [2, 2, 2]
    assert "this command already uses this file" in same.err
    assert "this command already uses this file" in inside.err
    assert "is a directory" in other.err
    assert board.read_text() == SMALL


def test_nothing_is_written_where_nothing_can_be_scored(folder: Path) -> None:
    path = folder / "scores.txt"

    assert run("score", "-", "-o", path, given="1 2 3\n").status == 2
    assert not path.exists()


def test_devices_and_pipes_are_written(folder: Path) -> None:
    pipe = folder / "pipe.csv"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    assert run("score", folder / "board.txt", "-f", "csv", "-o", pipe).status == 0

    assert os.read(reader, 1 << 16).startswith(b"board,card,player,gold")
    os.close(reader)


def test_playouts_replace_no_record_of_somebody_else(folder: Path) -> None:
    games = folder / "games"
    command = ("playouts", "slime", "--size", 3, "--games", 2, "-o", games)
    assert run(*command).status == 0
    assert run(*command).status == 0
    record = games / "slime-2.txt"
    record.write_text("mine\n")

    ran = run(*command)

    assert ran.status == 2
    assert ran.err.startswith(f"{record}: {REFUSED}")
    assert record.read_text() == "mine\n"
    assert run(*command, "--force").status == 0


def test_the_list_of_written_files_stays_short(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(target, "_MOST", 65 * 10)
    last = folder / "last.txt"
    for number in range(40):
        last = folder / f"{number}.txt"
        Target(str(last)).write(f"{number}\n".encode())

    assert (folder / "state" / "kb-score" / "written").stat().st_size <= 65 * 10
    Target(str(last)).check_overwriting()


def test_where_no_list_can_be_kept_files_stay_unknown(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "board.txt"))
    path = folder / "scores.txt"

    assert run("score", folder / "board.txt", "-o", path).status == 0
    refused = run("score", folder / "board.txt", "-o", path)

    assert refused.status == 2
    assert REFUSED in refused.err
