"""Removal of folders that programs of others have filled."""

from __future__ import annotations

import os
import time
from threading import RLock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# A process that was killed may write to a folder for a moment: how often we try, and how many
# seconds we wait in between.
_TRIES, _PAUSE = 10, 0.02
# Two threads that remove a folder at once would hide from each other what is left there. The second
# one waits, at most this many seconds: it may be about to end the process.
_LOCK, _WAIT = RLock(), 10.0


def remove_folder(path: str) -> bool:
    """Remove a folder with all that is in it; return whether it is gone.

    Folders may be nested to any depth, have names of any length, and forbid to be read. What cannot
    be removed stays, and no error is raised: so may a folder that another process still fills.

    Nothing here recurses, and no path grows: each folder below the first one is moved up into that
    one before it is emptied. (`shutil.rmtree` of Python 3.11 recurses, and fails at 1,000 levels.)
    """
    is_locked = _LOCK.acquire(timeout=_WAIT)
    try:
        for number in range(_TRIES):
            if number > 0:
                time.sleep(_PAUSE)
            if _remove_once(path):
                return True
        return False
    finally:
        if is_locked:
            _LOCK.release()


def _remove_once(path: str) -> bool:
    """Try to remove a folder once; return whether it is gone."""
    try:
        top = _open_folder(path, None)
    except OSError:
        return not os.path.lexists(path)
    try:
        _empty(top)
    finally:
        os.close(top)
    _succeeds(lambda: os.rmdir(path))  # noqa: PTH106
    return not os.path.lexists(path)


def _empty(top: int) -> None:
    """Remove all that is in an open folder."""
    # Whoever filled the folder could not foresee these names.
    prefix = os.urandom(16).hex()
    moved = 0
    waiting = _remove_files(top)
    while waiting:
        name = waiting.pop()
        try:
            folder = _open_folder(name, top)
        except OSError:
            continue
        try:
            for inner in _remove_files(folder):
                moved += 1
                target = f"{prefix}-{moved}"
                if _move_up(inner, folder, target, top):
                    waiting.append(target)
        finally:
            os.close(folder)
        _remove_empty(name, top)


def _open_folder(name: str, parent: int | None) -> int:
    """Open a folder in another one, and allow its owner to change it."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    try:
        number = os.open(name, flags, dir_fd=parent)
    except PermissionError:
        _make_writable(name, parent)
        number = os.open(name, flags, dir_fd=parent)
    _succeeds(lambda: os.fchmod(number, 0o700))
    return number


def _remove_files(folder: int) -> list[str]:
    """Remove all that is in an open folder but the folders there; return the names of these."""
    folders = []
    try:
        with os.scandir(folder) as entries:
            found = list(entries)
    except OSError:
        return []
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            folders.append(entry.name)
        else:
            _remove_file(entry.name, folder)
    return folders


def _remove_file(name: str, folder: int) -> None:
    _succeeds(lambda: os.unlink(name, dir_fd=folder))


def _remove_empty(name: str, parent: int) -> None:
    _succeeds(lambda: os.rmdir(name, dir_fd=parent))


def _make_writable(name: str, parent: int | None) -> None:
    _succeeds(lambda: os.chmod(name, 0o700, dir_fd=parent))


def _move_up(name: str, folder: int, target: str, top: int) -> bool:
    """Move a folder out of an open one to another; return whether that worked."""
    # The system refuses to move a folder that its owner may not change.
    _make_writable(name, folder)
    return _succeeds(lambda: os.rename(name, target, src_dir_fd=folder, dst_dir_fd=top))


def _succeeds(act: Callable[[], object]) -> bool:
    """Do something; return whether the system did it."""
    try:
        act()
    except OSError:
        return False
    return True
