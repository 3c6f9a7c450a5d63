"""The output that ``-o`` names, and what it may replace.

Commands write new files, devices and pipes. An existing picture or page is replaced, and a file of
results that begins as the new one begins; any other file only with ``--force``.
"""

from __future__ import annotations

import sys
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from kb_score.errors import InputError, explain_failure
from kb_score.shell.files import check_apart, check_writable, make_folder, write_atomically

# How pictures and pages begin, by the extensions of their files.
_STARTS = {".gif": b"GIF8", ".html": b"<!doctype html", ".png": b"\x89PNG", ".svg": b"<svg"}
# The number of bytes of an existing file that are compared.
_HEAD = 1 << 16


@dataclass(frozen=True, slots=True)
class Target:
    """A file to write, or standard output.

    Attributes:
        path: The file; None for standard output.
        inputs: The files that the command reads, which are never replaced.
        force: Whether to replace an existing file whatever it contains.
        is_edited: Whether people go on editing such a file, as a board or a record: then it is
            replaced only if that changes nothing.
    """

    path: str | None = None
    inputs: Sequence[str] = ()
    force: bool = False
    is_edited: bool = False

    @property
    def ending(self) -> str:
        """The file name's extension in lower case, such as ``.svg``; empty if it has none."""
        return PurePath(self.path or "").suffix.lower()

    def check(self, endings: Sequence[str] = ()) -> None:
        """Check that the file can be written, before the command does its work.

        Raises:
            InputError: Its name has none of the endings, it is a folder or an input of the command,
                it cannot be written, or a picture or page would replace a file that is none.
        """
        if self.path is None:
            return
        check_apart(self.path, self.inputs)
        if endings and self.ending not in endings:
            expected = " or ".join(endings)
            raise InputError(self.path, f"the name of the output must end in {expected}")
        check_writable(self.path, self.inputs)
        if self.ending in _STARTS:
            self.check_replacing(_STARTS[self.ending])

    def check_replacing(self, data: bytes) -> None:
        """Check that the file may be replaced by new contents, or by their beginning."""
        if self.path is None:
            return
        check_apart(self.path, self.inputs)
        with explain_failure(self.path):
            is_same_kind = self.force or self._has_same_kind(data)
        if not is_same_kind:
            message = (
                "this file exists and contains something else: name another file, or add --force"
            )
            raise InputError(self.path, message)

    def _has_same_kind(self, data: bytes) -> bool:
        """Return whether nothing is lost if new contents replace those of the file."""
        file = Path(self.path or "")
        if not file.is_file():
            return True  # a new file; or a pipe or a device, which has no contents to lose
        size = file.stat().st_size
        with file.open("rb") as stream:
            head = stream.read(_HEAD).removeprefix(BOM_UTF8)
        if not head.strip():
            return size <= _HEAD
        if self.is_edited:
            return size == len(data) and file.read_bytes() == data
        return _find_beginning(head) == _find_beginning(data[:_HEAD])

    def write(self, data: bytes, more_inputs: Sequence[str] = ()) -> None:
        """Write the file completely, or leave it unchanged; without a path, print the data as text.

        Raises:
            InputError: The file cannot be written or must not be replaced, or the data are a
                picture or a page and standard output is a terminal.
        """
        if self.path is not None:
            self.check_replacing(data)
            write_atomically(self.path, data, [*self.inputs, *more_inputs])
            return
        if data.startswith(b"<") and sys.stdout.isatty():
            raise InputError(
                "-o", "pictures and pages cannot be printed to a terminal: name a file"
            )
        text = data.decode()
        sys.stdout.write(text)


STANDARD_OUTPUT = Target()


def write_folder(folder: Path, files: Mapping[Path, bytes], *, force: bool) -> None:
    """Write files that people will edit; nothing is written if one must not be replaced.

    The folder is made or added to; the paths of the files are relative to it.
    """
    targets = {}
    for name, data in files.items():
        target = Target(str(folder / name), force=force, is_edited=True)
        target.check_replacing(data)
        targets[target] = data
    for target, data in targets.items():
        make_folder(Path(str(target.path)).parent)
        target.write(data)


def _find_beginning(data: bytes) -> bytes:
    """Return how contents begin: as a picture or page, with a key of JSON, or with a line."""
    for start in _STARTS.values():
        if data[: len(start)].lower() == start.lower():
            return start
    line = data.lstrip().partition(b"\n")[0].rstrip()
    return line.partition(b":")[0] if line.startswith(b'{"') else line
