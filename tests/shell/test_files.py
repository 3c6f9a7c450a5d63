"""Files that are written: all of a piece, or an error."""

from __future__ import annotations

import errno
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kb_score.engine.changes import find_rule_files
from kb_score.errors import FileKind, InputError
from kb_score.shell.files import open_output, open_scratch_folder, read_input
from tests.helpers import nest, remove, run

_SMALL = FileKind("a note", 1500)


def test_a_piece_that_is_written_in_parts_is_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, write_some = tmp_path / "record.txt", os.write

    with open_output(str(path), force=False) as write:
        monkeypatch.setattr(os, "write", lambda stream, data: write_some(stream, data[:3]))
        write("Turn 1\nżółw\n")
        write("Turn 2\n")

    assert path.read_text(encoding="utf-8") == "Turn 1\nżółw\nTurn 2\n"


def test_a_disk_that_is_full_in_the_middle_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, write_some, room = tmp_path / "record.txt", os.write, [12]

    def write_until_full(stream: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write_some(stream, data[: room[0]])
        room[0] -= written
        return written

    with open_output(str(path), force=False) as write:
        monkeypatch.setattr(os, "write", write_until_full)
        write("Turn 1\n")
        with pytest.raises(InputError, match="no space left on device") as raised:
            write("Turn 2\n")

    assert "Errno" not in str(raised.value)
    assert path.read_text() == "Turn 1\n"


def nest_deep(folder: Path) -> None:
    nest(folder, 1200, "d")


def forbid(folder: Path) -> None:
    for name, mode in (("none", 0o000), ("read", 0o400), ("search", 0o100)):
        inner = folder / name / "inner"
        inner.mkdir(parents=True)
        (inner / "file").touch()
        inner.chmod(mode)
        inner.parent.chmod(mode)


def link(folder: Path) -> None:
    (folder / "loop").symlink_to(".")
    (folder / "gone").symlink_to("nowhere")
    (folder / "outside").symlink_to(folder.parent / "other")
    os.mkfifo(folder / "pipe")


@pytest.mark.parametrize("fill", [nest_deep, forbid, link])
def test_a_temporary_folder_is_removed_with_what_bots_put_into_it(
    fill: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    other = tmp_path / "other"
    other.mkdir()
    (other / "kept").touch()

    with open_scratch_folder() as folder:
        fill(folder)

    assert [path.name for path in tmp_path.iterdir()] == ["other"]
    assert (other / "kept").exists()


def test_a_file_may_have_as_many_bytes_as_its_kind(tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_text("x" * 1500)

    assert read_input(str(path), _SMALL) == "x" * 1500

    path.write_text("x" * 1501)
    with pytest.raises(InputError) as raised:
        read_input(str(path), _SMALL)
    assert str(raised.value) == f"{path}: the file has 1,501 bytes: a note may have at most 1,500"


def test_a_file_too_large_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "note.txt"
    path.write_text("x")
    os.truncate(path, 1 << 40)
    monkeypatch.setattr("kb_score.shell.files.decode", pytest.fail)

    with pytest.raises(InputError, match="1,099,511,627,776 bytes"):
        read_input(str(path), _SMALL)


def test_standard_input_is_read_no_further_than_its_kind_may_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.BytesIO(b"x" * 5000)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))

    with pytest.raises(InputError) as raised:
        read_input("-", _SMALL)

    assert str(raised.value) == "-: the file is too large: a note may have at most 1,500 bytes"
    assert stream.tell() == 1501


def test_a_device_without_an_end_is_refused() -> None:
    with pytest.raises(InputError, match="a note may have at most 1,500 bytes"):
        read_input("/dev/zero", _SMALL)


@pytest.fixture
def nested(tmp_path: Path) -> Iterator[Path]:
    """A folder with folders that are nested deeper than a function of Python may call itself."""
    folder = tmp_path / "nested"
    folder.mkdir()
    (folder / "card.lp").write_text("a.")
    nest(folder, 1100, "d")
    yield folder
    remove(folder)


def test_files_are_found_beside_folders_that_are_nested_deep(nested: Path) -> None:
    covered = run("rules", "coverage", nested)

    assert find_rule_files(nested) == [nested / "card.lp"]
    assert covered.status == 0
    assert "card.lp" in covered.out
