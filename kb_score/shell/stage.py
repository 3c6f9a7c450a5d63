"""Folders that are written whole or not at all: they are filled elsewhere, and then moved."""

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
        parent: The folder, which is there.
        files: What to write, by paths relative to the folder. Nothing of the first name of a path
            is there yet.

    Raises:
        OSError: Something is there, or cannot be written.
    """
    with _make_stage(parent) as stage:
        for name, data in files.items():
            path = stage / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        _move_out(stage)


def clear_stages(parent: Path) -> None:
    """Remove what commands that were killed have left in a folder."""
    with suppress(OSError), _lock(parent):
        for path in parent.glob(f"{_STAGE}*"):
            with suppress(OSError), _lock(path, fcntl.LOCK_NB):
                remove_folder(str(path))


def _move_out(stage: Path) -> None:
    """Move all that is in a folder to beside it; if something is in the way, nothing."""
    moves = {path: stage.parent / path.name for path in sorted(stage.iterdir())}
    try:
        # Of two commands at once the first folder, which is never empty, lets only one go on.
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
    """Make a folder that is locked as long as we are at work."""
    # Before it is locked another command would take it for a killed one's.
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
