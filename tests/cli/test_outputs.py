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

from tests.helpers import ASP, LOG, MEADOW, ROOT, SILENT, STATION, add_rules, run, run_process

BOARDS = ROOT / "boards"


def test_the_two_records_of_a_game_are_not_written_into_one_file(tmp_path: Path) -> None:
    path = tmp_path / "both.txt"

    ran = run(
        "play", "rabbits", ROOT / "boards/rabbits/small.map", "--record", path, "--run-log", path,
        "--", sys.executable, "-c", "",
    )  # fmt: skip

    assert (ran.status, ran.out) == (2, "")
    assert "this command already uses this file" in ran.err


def test_a_record_is_not_written_over_a_rule(tmp_path: Path) -> None:
    folder = add_rules(
        tmp_path, "moves(T) :- move(_,_,T). violation(T,a,b,c) :- moves(T), turn(77)."
    )
    command = ("play", "search-party", MEADOW, "--rules", folder, "--record", folder / "mine.lp")

    assert run(*command, "--", "true").status == 2
    assert (folder / "mine.lp").read_text()


def test_a_map_is_known_by_whatever_name_it_has(tmp_path: Path) -> None:
    map_, other = tmp_path / "map.txt", tmp_path / "other.txt"
    map_.write_bytes(MEADOW.read_bytes())
    os.link(map_, other)

    assert run("play", "search-party", map_, "--record", other, "--", "true").status == 2
    assert map_.read_bytes() == MEADOW.read_bytes()


def test_a_run_log_is_not_written_over_the_map(tmp_path: Path) -> None:
    map_ = tmp_path / "map.txt"
    map_.write_bytes(STATION.read_bytes())

    ran = run("play", "rabbits", map_, "--run-log", tmp_path / "." / "map.txt", *SILENT)

    assert (ran.status, ran.out) == (2, "")
    assert "this command already uses this file: name another one to write to" in ran.err
    assert map_.read_bytes() == STATION.read_bytes()


def test_an_explanation_does_not_overwrite_what_it_explains(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(LOG.read_bytes())

    ran = run("check", "rabbits", STATION, log, "--explain", log)

    assert ran.status == 2
    assert log.read_bytes() == LOG.read_bytes()


def test_an_explanation_that_there_is_not_is_told(tmp_path: Path) -> None:
    path = tmp_path / "explained.txt"
    room = BOARDS / "rabbits" / "why" / "room.map"

    ran = run("check", "rabbits", room, room.with_name("no-explanation.log"), "--explain", path)

    assert ran.status == 1
    assert f"{path}: not written" in ran.err
    assert not path.exists()


def listed(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("loop", "loop already exists: name a new or an empty folder"),
        ("dangling", "dangling already exists: name a new or an empty folder"),
        ("file", "file already exists: name a new or an empty folder"),
        ("full", "full already exists: name a new or an empty folder"),
        ("file/below", "cannot write file/below: not a directory"),
    ],
)
def test_rules_are_exported_onto_nothing_else(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.lp").touch()
    before = listed(tmp_path)

    ran = run_process("rules", "export", name, folder=tmp_path)

    assert (ran.status, ran.out, ran.err) == (2, "", f"{said}\n")
    assert listed(tmp_path) == before


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


def test_rules_are_exported_into_the_present_folder(tmp_path: Path) -> None:
    ran = run_process("rules", "export", ".", folder=tmp_path)

    assert (ran.status, ran.err) == (0, "")
    assert (tmp_path / "kingdom_builder" / "score.lp").is_file()


def test_a_file_name_that_is_no_text_is_valid_text_in_json(tmp_path: Path) -> None:
    board = os.fsencode(tmp_path / "b") + b"\xff.txt"
    with open(board, "wb") as stream:  # noqa: PTH123
        stream.write(b"1 2\n . .\n")

    ran = run_process("score", os.fsdecode(board), "--format", "json")

    assert ran.status == 0
    found = json.loads(ran.out)["board"]
    assert found == f"{tmp_path / 'b'}\\xff.txt"
    assert found.encode()  # a lone surrogate has no bytes
