"""Folders that bots have filled are removed, whatever is in them."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kb_score.shell.remove import remove_folder
from tests.helpers import nest


def nest_deep(folder: Path) -> None:
    nest(folder, 1200, "d")


def nest_beyond_the_longest_path(folder: Path) -> None:
    nest(folder, 100, "d" * 250)


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


def fill(folder: Path) -> None:
    for number in range(50):
        inner = folder / f"{number}" / "inner"
        inner.mkdir(parents=True)
        (inner / "file").write_text("x")


@pytest.mark.parametrize("make", [nest_deep, nest_beyond_the_longest_path, forbid, link, fill])
def test_a_folder_is_removed(make: Callable[[Path], None], tmp_path: Path) -> None:
    other, folder = tmp_path / "other", tmp_path / "folder"
    other.mkdir()
    (other / "kept").touch()
    folder.mkdir()
    make(folder)

    assert remove_folder(str(folder))
    assert [path.name for path in tmp_path.iterdir()] == ["other"]
    assert (other / "kept").exists()


def test_a_link_to_a_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "kept").touch()
    (tmp_path / "link").symlink_to("folder")

    assert not remove_folder(str(tmp_path / "link"))
    assert (tmp_path / "folder" / "kept").exists()


def test_a_folder_that_is_not_there_is_gone(tmp_path: Path) -> None:
    assert remove_folder(str(tmp_path / "folder"))


def test_two_threads_that_remove_a_folder_leave_nothing(tmp_path: Path) -> None:
    for number in range(20):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        nest(folder, 20, "d")

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(remove_folder, [str(folder)] * 2))

        assert not folder.exists()


def test_a_folder_that_cannot_be_removed_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "held").touch()
    (tmp_path / "folder" / "other").touch()
    unlink = os.unlink

    def refuse(name: str, *, dir_fd: int) -> None:
        if name == "held":
            raise PermissionError
        unlink(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", refuse)

    assert not remove_folder(str(tmp_path / "folder"))
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["held"]
