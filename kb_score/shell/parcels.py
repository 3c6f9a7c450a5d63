"""Files that travel to other processes and machines by content, and are unpacked there once."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Literal

from kb_score.errors import InputError, say_failure
from kb_score.shell.guard import keep_folder

# More than this is no folder of a bot: somebody has named the wrong one.
MAX_PARCEL = 256 << 20
_CACHE = "__pycache__"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, a folder or a link of a parcel.

    Attributes:
        name: Its path in the parcel, with slashes.
        kind: What it is.
        mode: Its permissions.
        data: What is in a file, or where a link leads.
    """

    name: str
    kind: Literal["file", "folder", "link"]
    mode: int = 0o644
    data: bytes = field(default=b"", repr=False)


@dataclass(frozen=True)
class Parcel:
    """Files by content, in order of their names."""

    entries: tuple[Entry, ...]

    @cached_property
    def digest(self) -> str:
        """A name that no parcel with other files has."""
        hashed = sha256()
        for entry in self.entries:
            head = (os.fsencode(entry.name), entry.kind.encode(), b"%o" % entry.mode, entry.data)
            for part in head:
                hashed.update(b"%d:" % len(part) + part)
        return hashed.hexdigest()

    def unpack(self) -> Path:
        """Find a folder of this process with these files, which goes when the process does.

        The same parcel is unpacked once. An OSError says that this cannot be.
        """
        return _unpacked.find(self)


def pack_folder(folder: Path) -> Parcel:
    """Pack all that is in a folder, but no ``__pycache__``.

    Raises:
        InputError: It is no folder, it is too large, something in it cannot be read or is neither a
            file nor a folder, or a link leads out of it.
    """
    if not folder.is_dir():
        raise InputError(str(folder), "it is not a folder")
    root = Path(os.path.realpath(folder))
    return Parcel(tuple(_bounded(folder, (_pack(path, folder, root) for path in _walk(folder)))))


def pack_files(folder: Path, files: Iterable[Path]) -> Parcel:
    """Pack some files of a folder, by their contents also where they are links.

    Raises:
        InputError: They are too large, or one of them cannot be read.
    """
    read = (_read(path, path.relative_to(folder).as_posix()) for path in sorted(files))
    return Parcel(tuple(_bounded(folder, read)))


def _walk(folder: Path) -> Iterator[Path]:
    """List what is in a folder and in those below it, in order of the names."""
    try:
        found = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise InputError(str(folder), say_failure(error)) from error
    for entry in found:
        if entry.name != _CACHE:
            path = folder / entry.name
            yield path
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(path)


def _pack(path: Path, folder: Path, root: Path) -> Entry:
    name = path.relative_to(folder).as_posix()
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        leads = str(path.readlink())
        inside = Path(os.path.realpath(path)).is_relative_to(root)
        if PurePosixPath(leads).is_absolute() or not inside:
            message = f"the link leads to {leads}: what travels has no links out of its folder"
            raise InputError(str(path), message)
        return Entry(name, "link", 0o777, os.fsencode(leads))
    if stat.S_ISDIR(mode):
        return Entry(name, "folder", stat.S_IMODE(mode))
    return _read(path, name)


def _read(path: Path, name: str) -> Entry:
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise InputError(str(path), "it is neither a file nor a folder, and cannot travel")
        if found.st_size > MAX_PARCEL:
            raise _too_large(path)
        return Entry(name, "file", stat.S_IMODE(found.st_mode), path.read_bytes())
    except OSError as error:
        raise InputError(str(path), say_failure(error)) from error


def _bounded(folder: Path, entries: Iterable[Entry]) -> Iterator[Entry]:
    size = 0
    for entry in entries:
        size += len(entry.data)
        if size > MAX_PARCEL:
            raise _too_large(folder)
        yield entry


def _too_large(path: Path) -> InputError:
    return InputError(str(path), f"more than the {MAX_PARCEL:,} bytes that travel to workers")


class _Unpacked:
    """The parcels that this process has unpacked, by digest."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._folders = dict[str, Path]()

    def find(self, parcel: Parcel) -> Path:
        with self._lock:
            folder = self._folders.get(parcel.digest)
            if folder is None or not folder.is_dir():
                folder = keep_folder()
                _write(parcel, folder)
                self._folders[parcel.digest] = folder
            return folder


def _write(parcel: Parcel, folder: Path) -> None:
    for entry in parcel.entries:
        path = folder / entry.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if entry.kind == "folder":
            path.mkdir(exist_ok=True)
        elif entry.kind == "link":
            path.symlink_to(os.fsdecode(entry.data))
        else:
            path.write_bytes(entry.data)
            path.chmod(entry.mode)
    # A folder that may not be written to may still have files.
    for entry in reversed(parcel.entries):
        if entry.kind == "folder":
            (folder / entry.name).chmod(entry.mode)


_unpacked = _Unpacked()


def _begin_anew() -> None:
    """Begin without folders in a process that was forked off: they go with the other one."""
    global _unpacked
    _unpacked = _Unpacked()


os.register_at_fork(after_in_child=_begin_anew)
