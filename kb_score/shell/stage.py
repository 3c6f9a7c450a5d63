"""Folders that are written completely or not at all: they are filled elsewhere and then moved."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from errno import EEXIST
from pathlib import Path

from kb_score.shell.files import open_scratch_folder
from kb_score.shell.remove import remove_folder

_STAGE = ".kb-score-export-"


def write_below(parent: Path, files: Mapping[Path, bytes]) -> None:
    """Write files into new folders below a folder: all of them, or none.

    Args:
        parent: The folder, which must exist.
        files: The contents of each file, by its path relative to the folder. The first part of each
            path must not exist in the folder.

    Raises:
        OSError: A path exists, or a file cannot be written.
    """
    with _make_stage(parent) as stage:
        for name, data in files.items():
            path = stage / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        _move_out(stage)


def clear_stages(parent: Path) -> None:
    """Remove the unfinished folders that killed commands have left in a folder."""
    with suppress(OSError), _lock(parent):
        for path in parent.glob(f"{_STAGE}*"):
            with suppress(OSError), _lock(path, fcntl.LOCK_NB):
                remove_folder(str(path))


def _move_out(stage: Path) -> None:
    """Move the contents of a folder to its parent; move nothing if a name exists there already."""
    moves = {path: stage.parent / path.name for path in sorted(stage.iterdir())}
    try:
        # Folders come first: they are never empty, so only one of two commands can move its own.
        for source in sorted(moves, key=Path.is_file):
            if os.path.lexists(moves[source]):
                raise FileExistsError(EEXIST, os.strerror(EEXIST))
            source.rename(moves[source])
    except BaseException:
        for source, target in moves.items():
            if not source.exists():
                target.rename(source)
        raise


@contextmanager
def _make_stage(parent: Path) -> Iterator[Path]:
    """Create a temporary folder, and yield it locked."""
    # The parent is locked until then: `clear_stages` of another command removes unlocked folders.
    with _lock(parent) as place, open_scratch_folder(parent, _STAGE) as stage, _lock(stage):
        fcntl.flock(place, fcntl.LOCK_UN)
        yield stage


@contextmanager
def _lock(path: Path, more: int = 0) -> Iterator[int]:
    number = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | more)
        yield number
    finally:
        os.close(number)
