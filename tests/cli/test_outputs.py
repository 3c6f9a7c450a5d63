"""The files that commands write: none is lost by a slip of the pen."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.helpers import ASP, run, run_process


def listed(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize(
    ("call", "is_there"), [("mkdir", False), ("write_bytes", True), ("rename", False)]
)
def test_an_export_that_fails_leaves_nothing_behind(
    call: str, is_there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("new" if is_there else "new/below/it")
    if is_there:
        folder.mkdir()
    before, works = listed(tmp_path), getattr(Path, call)
    for number in (*range(1, 8), *range(8, 200, 9)):
        left = [number]

        def fail(
            path: Path, *arguments: object, left: list[int] = left, **options: object
        ) -> object:
            left[0] -= 1
            if not left[0]:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
            return works(path, *arguments, **options)

        with monkeypatch.context() as patch:
            patch.setattr(Path, call, fail)
            ran = run("rules", "export", folder)
        if ran.status == 0:
            break
        said = f"cannot write {folder}: no space left on device\n"
        assert (ran.status, ran.out, ran.err) == (2, "", said)
        assert listed(tmp_path) == before

    assert 1 < number < 199
    assert {str(path.relative_to(ASP)) for path in ASP.rglob("*.lp")} <= listed(folder)
    assert not list(tmp_path.rglob(".kb-score*"))


@pytest.mark.parametrize(
    ("name", "is_there"),
    [("kingdom_builder/mine.lp", True), ("rabbits", False), ("README.md", False)],
)
def test_an_export_leaves_alone_what_appears_while_it_copies(
    name: str, is_there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, write = tmp_path / "mine", Path.write_bytes
    precious = folder / name
    if is_there:
        folder.mkdir()

    def write_too(path: Path, data: bytes) -> int:
        precious.parent.mkdir(parents=True, exist_ok=True)
        precious.write_text("precious")
        return write(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", write_too)
        ran = run("rules", "export", folder)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"cannot write {folder}: ")
    assert precious.read_text() == "precious"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [precious]


@pytest.mark.slow
@pytest.mark.parametrize("is_there", [True, False], ids=["empty", "new"])
def test_two_exports_at_once_leave_one_whole(is_there: bool, tmp_path: Path) -> None:
    code = "from kb_score.cli import main; print(); input(); main(['rules', 'export', 'mine'])"
    command = [sys.executable, "-uc", code]
    ours = {str(path.relative_to(ASP)) for path in ASP.rglob("*")}
    for number in range(2):
        place = tmp_path / str(number)
        (place / "mine" if is_there else place).mkdir(parents=True)
        pair = [
            subprocess.Popen(command, cwd=place, stdin=PIPE, stdout=PIPE, stderr=PIPE, bufsize=0)
            for _ in range(2)
        ]
        for process in pair:
            assert process.stdout is not None
            process.stdout.readline()  # it is ready
        for process in pair:
            assert process.stdin is not None
            process.stdin.write(b"\n")
        for process in pair:
            process.communicate()

        assert sorted(process.returncode for process in pair) == [0, 2]
        assert listed(place) == {"mine", *(f"mine/{name}" for name in ours)}


def test_an_export_removes_what_a_killed_one_has_left(tmp_path: Path) -> None:
    killed, at_work = (tmp_path / f".kb-score-export-{name}" for name in ("killed", "at-work"))
    for stage in (killed, at_work):
        stage.mkdir()
        (stage / "rules.lp").touch()
    handle = os.open(at_work, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)

    try:
        assert run_process("rules", "export", "copy", folder=tmp_path).status == 0
    finally:
        os.close(handle)

    assert {path.name for path in tmp_path.iterdir()} == {"copy", at_work.name}


def test_a_file_name_that_is_no_text_is_valid_text_in_json(tmp_path: Path) -> None:
    board = os.fsencode(tmp_path / "b") + b"\xff.txt"
    with open(board, "wb") as stream:  # noqa: PTH123
        stream.write(b"1 2\n . .\n")

    ran = run_process("score", os.fsdecode(board), "--format", "json")

    assert ran.status == 0
    found = json.loads(ran.out)["board"]
    assert found == f"{tmp_path / 'b'}\\xff.txt"
    assert found.encode()  # a lone surrogate has no bytes
