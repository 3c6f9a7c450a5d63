"""The output file that ``-o`` names.

Commands write new files, devices and pipes, and overwrite files that kb-score wrote before. They
overwrite other files only with ``--force``. The user's state folder has the digests of all files
that kb-score wrote. A file that has changed since then has another digest, so no change is lost.
"""

from __future__ import annotations

import os
import sys
from codecs import BOM_UTF8
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePath

from kb_score.errors import InputError, explain_failure
from kb_score.shell.files import check_apart, check_writable, write_atomically

# The maximum size of the list, in bytes; when it becomes longer, its older half is dropped.
_MOST = 1 << 20
_LINE = 65  # bytes of a line of the list: a digest in hexadecimal digits and a newline
# The maximum size in bytes of a file that kb-score may have written.
_MAX_RESULTS = 256 << 20


@dataclass(frozen=True, slots=True)
class Target:
    """A file to write, or standard output.

    Attributes:
        path: The file; None for standard output.
        inputs: The files that the command reads, which are never overwritten.
        force: Whether to overwrite a file that kb-score did not write.
    """

    path: str | None = None
    inputs: Sequence[str] = ()
    force: bool = False

    @property
    def ending(self) -> str:
        """The file name's extension in lower case, such as ``.svg``; empty if it has none."""
        return PurePath(self.path or "").suffix.lower()

    def check(self, endings: Sequence[str] = ()) -> None:
        """Check that the file can be written, before the command does its work.

        Args:
            endings: The endings that its name may have; none for any.

        Raises:
            InputError: Its name has another ending, it is a folder or an input of the command, it
                cannot be written, or it exists and kb-score did not write it.
        """
        if self.path is None:
            return
        if endings and self.ending not in endings:
            expected = " or ".join(endings)
            raise InputError(self.path, f"the name of the output must end in {expected}")
        check_writable(self.path, self.inputs)
        self.check_overwriting()

    def check_overwriting(self) -> None:
        """Check that writing would not overwrite a file that kb-score did not write.

        Raises:
            InputError: It would, and there is no ``--force``; or the command reads the file.
        """
        if self.path is None:
            return
        check_apart(self.path, self.inputs)
        if not self.force and _has_foreign_contents(self.path):
            message = (
                "this file exists, and kb-score did not write it, or it has changed since then: "
                "name another file, or add --force"
            )
            raise InputError(self.path, message)

    def write(self, data: bytes, more_inputs: Sequence[str] = ()) -> None:
        """Write the file completely, or leave it unchanged; without a path, print the data as text.

        Args:
            data: The contents.
            more_inputs: More files that are never overwritten.

        Raises:
            InputError: The file cannot be written or must not be overwritten, or the data are a
                picture or a page and standard output is a terminal.
        """
        if self.path is not None:
            self.check_overwriting()
            write_atomically(self.path, data, [*self.inputs, *more_inputs])
            _remember(data)
            return
        if data.startswith(b"<") and sys.stdout.isatty():
            raise InputError(
                "-o", "pictures and pages cannot be printed to a terminal: name a file"
            )
        text = data.decode()
        sys.stdout.write(text)


STANDARD_OUTPUT = Target()


def _has_foreign_contents(path: str) -> bool:
    """Return whether a file has contents that kb-score did not write."""
    file = Path(path)
    with explain_failure(path):
        if not file.is_file():
            return False  # a pipe or a device has no contents to lose
        if file.stat().st_size > _MAX_RESULTS:
            return True
        data = file.read_bytes()
    if not data.removeprefix(BOM_UTF8).strip():
        return False
    with suppress(OSError, RuntimeError):
        return _digest(data) not in _find_list().read_bytes().splitlines(keepends=True)
    return True


def _find_list() -> Path:
    """Return the path of the list of digests, which need not exist."""
    folder = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(folder).expanduser() / "kb-score" / "written"


def _remember(data: bytes) -> None:
    """Add a file's contents to the list; where it cannot be written, the file stays unknown."""
    with suppress(OSError, RuntimeError):
        path = _find_list()
        path.parent.mkdir(parents=True, exist_ok=True)
        # Each line is a single write, so that lines of several commands do not mix.
        with path.open("ab", buffering=0) as stream:
            stream.write(_digest(data))
            size = stream.tell()
        if size > _MOST:
            _shorten(path)


def _digest(data: bytes) -> bytes:
    return f"{sha256(data).hexdigest()}\n".encode()


def _shorten(path: Path) -> None:
    lines = path.read_bytes()
    first = len(lines) // 2 // _LINE * _LINE
    beside = path.with_name(f"{path.name}-{os.getpid()}")
    beside.write_bytes(lines[first:])
    beside.replace(path)
