"""Files that ``-o`` names: pipes, and the list of what was written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kb_score.shell import target
from kb_score.shell.target import Target
from tests.helpers import SMALL, run

REFUSED = "this file exists, and kb-score did not write it, or it has changed since then"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a board, where the files that were written are listed, too."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "board.txt").write_text(SMALL)
    return tmp_path


def test_devices_and_pipes_are_written(folder: Path) -> None:
    pipe = folder / "pipe.csv"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    assert run("score", folder / "board.txt", "-f", "csv", "-o", pipe).status == 0

    assert os.read(reader, 1 << 16).startswith(b"board,card,player,gold")
    os.close(reader)


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
