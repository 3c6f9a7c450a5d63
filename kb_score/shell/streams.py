"""The standard streams of a command, which handle a closed pipe and a full disk."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_READER_GONE = 141  # the exit status that shells report for a program killed by SIGPIPE


class ReaderGone(SystemExit):
    """The reader of standard output has closed the pipe."""

    def __init__(self) -> None:
        super().__init__(_READER_GONE)


class _Results(io.FileIO):
    """Standard output; a closed pipe ends the command quietly, and a full disk is an error."""

    failed = False

    def write(self, data: ReadableBuffer, /) -> int:
        if self.failed:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except BrokenPipeError:
            self.failed = True
            raise ReaderGone from None
        except OSError as error:
            from kb_score.errors import InputError, describe_failure

            self.failed = True
            raise InputError("standard output", describe_failure(error)) from error


class _Messages(io.FileIO):
    """Standard error; a message that cannot be written is dropped without an error."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def open_streams() -> None:
    """Replace the standard streams, including closed ones, with our own."""
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            # A file that is opened later must not become a standard stream.
            os.open(os.devnull, mode)
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    results = _Results(1, "wb", closefd=False)
    # A file or a program gets UTF-8, as the file that -o names; a terminal what it can show.
    encoding = getattr(sys.stdout, "encoding", None) if results.isatty() else "utf-8"
    sys.stdout = _wrap(results, encoding)
    sys.stderr = _wrap(_Messages(2, "wb", closefd=False), getattr(sys.stderr, "encoding", None))


def _wrap(raw: io.FileIO, encoding: str | None) -> io.TextIOWrapper:
    is_live = raw.isatty() or raw.fileno() == 2
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding or "utf-8", "backslashreplace", line_buffering=is_live
    )
