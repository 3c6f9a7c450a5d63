"""Removal of folders that other people's programs have filled."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from threading import RLock

# A killed process may still write to a folder for a moment, so removal is tried several times.
_TRIES = 10
_PAUSE = 0.02  # seconds between two tries
# Two threads that remove one folder at the same time would move its contents away from each other.
_LOCK = RLock()
_WAIT = 10.0  # seconds to wait for the other thread: this one may be about to end the process


def remove_folder(path: str) -> bool:
    """Remove a folder with its contents.

    Folders may be nested to any depth, have names of any length, and lack permissions. No error is
    raised for contents that cannot be removed, such as those that a process is still adding.

    There is no recursion, and no path grows: each inner folder is moved up into the outermost one
    before it is emptied. (`shutil.rmtree` of Python 3.11 recurses, and fails at 1,000 levels.)

    Args:
        path: The folder.

    Returns:
        Whether it is gone.
    """
    is_locked = _LOCK.acquire(timeout=_WAIT)
    try:
        for attempt in range(_TRIES):
            if attempt > 0:
                time.sleep(_PAUSE)
            if _remove_once(path):
                return True
        return False
    finally:
        if is_locked:
            _LOCK.release()


def _remove_once(path: str) -> bool:
    """Try once to remove a folder, and return whether it is gone."""
    try:
        top = _open_folder(path, None)
    except OSError:
        return not os.path.lexists(path)
    try:
        _empty(top)
    finally:
        os.close(top)
    with suppress(OSError):
        os.rmdir(path)  # noqa: PTH106
    return not os.path.lexists(path)


def _empty(top: int) -> None:
    """Remove the contents of an open folder."""
    # A program that filled the folder could not predict these names.
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
    """Open a folder in another one, and give its owner all permissions."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    try:
        descriptor = os.open(name, flags, dir_fd=parent)
    except PermissionError:
        _make_writable(name, parent)
        descriptor = os.open(name, flags, dir_fd=parent)
    with suppress(OSError):
        os.fchmod(descriptor, 0o700)
    return descriptor


def _remove_files(folder: int) -> list[str]:
    """Remove the files in an open folder, and return the names of its folders."""
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
    with suppress(OSError):
        os.unlink(name, dir_fd=folder)


def _remove_empty(name: str, parent: int) -> None:
    with suppress(OSError):
        os.rmdir(name, dir_fd=parent)


def _make_writable(name: str, parent: int | None) -> None:
    with suppress(OSError):
        os.chmod(name, 0o700, dir_fd=parent)


def _move_up(name: str, folder: int, target: str, top: int) -> bool:
    """Move a folder from one open folder to another, and return whether that worked."""
    # The system refuses to move a folder that its owner may not change.
    _make_writable(name, folder)
    try:
        os.rename(name, target, src_dir_fd=folder, dst_dir_fd=top)
    except OSError:
        return False
    return True
