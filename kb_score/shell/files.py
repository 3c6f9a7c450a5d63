"""User files: read inputs as text with normalised line endings, and write outputs safely."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import EISDIR
from pathlib import Path
from typing import IO, Any, TypeAlias

from kb_score.errors import FileKind, FormatError, InputError, KbScoreError, Place, explain_failure
from kb_score.resources import is_folder, list_folder

_BOM = b"\xef\xbb\xbf"
# Bytes to read at a time from a stream whose size is unknown.
_CHUNK_SIZE = 1 << 20
# The prefix of temporary files; each replaces a file in the same folder once it is complete.
_TEMPORARY_PREFIX = ".kb-score-file-"


def decode(data: bytes, name: str, *, may_be_empty: bool = False) -> str:
    """Decode the contents of a file, which may be UTF-8 or, with a byte order mark, UTF-16.

    Line endings become line feeds, and the byte order mark goes. The name is for messages.

    Raises:
        FormatError: The file is not text.
        InputError: The file is empty, or is broken UTF-16.
    """
    data = data.removeprefix(_BOM)
    if not data.strip() and not may_be_empty:
        raise InputError(name, "the file is empty")
    # PowerShell redirects output to files that begin with such a mark.
    is_wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = data.decode("utf-16" if is_wide else "utf-8")
    except UnicodeDecodeError as error:
        if is_wide:
            message = "this is UTF-16 that cannot be decoded: save it as UTF-8"
            raise InputError(name, message) from error
        raise _not_text(data, error.start, name) from error
    nul = text.find("\0")
    if nul >= 0:
        # Positions are those in the text as UTF-8, whatever the encoding of the file.
        before = text[:nul].removeprefix("\ufeff").encode()
        raise _not_text(before + b"\0", len(before), name)
    return normalise(text)


def normalise(text: str) -> str:
    """Return a text with line feeds as line endings, and without a byte order mark."""
    text = text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _not_text(data: bytes, position: int, name: str) -> FormatError:
    """Return the error for a byte that is not text; its position counts from 0."""
    line = data.count(b"\n", 0, position) + 1
    line_start = data.rfind(b"\n", 0, position) + 1
    column = position - line_start + 1
    place = Place(name, line, column)
    message = f"byte {data[position]:#04x} is not text: a plain text file is expected"
    return FormatError(place, message)


@contextmanager
def open_output(
    path: str | None, inputs: Iterable[str] = (), *, force: bool
) -> Iterator[Callable[[str], object]]:
    """Open an output file, and yield a function that writes text to it; None discards the text.

    Raises:
        InputError: The file is one of the inputs or standard output, cannot be written, or exists
            and is not empty, unless there is ``force``.
    """
    if path is None:
        yield lambda _: None
        return
    check_apart(path, inputs)
    with explain_failure(path):
        # The file keeps its contents until the first write.
        file = Path(path)
        stream = file.open("ab", buffering=0)
    with stream:
        holds_more = is_plain_file(stream) and stream.tell() > 0
        if holds_more and not force:
            raise InputError(path, "this file exists: name another file, or add --force")

        def write(text: str) -> None:
            nonlocal holds_more
            with explain_failure(path):
                if holds_more:
                    stream.truncate(0)
                holds_more = False
                append(stream, text.encode(errors="replace"))

        yield write


def write_atomically(path: str, data: bytes, inputs: Iterable[str] = ()) -> None:
    """Write a file completely, or leave it unchanged.

    Raises an InputError if the file is one of the command's inputs, or cannot be written.
    """
    check_apart(path, inputs)
    target = Path(os.path.realpath(path))
    with explain_failure(path):
        if target.exists() and not target.is_file():  # a pipe or a device cannot be replaced
            target.write_bytes(data)
            return
        with _open_temporary(target.parent) as (beside, stream):
            stream.write(data)
            stream.flush()
            mode = target.stat().st_mode if target.exists() else 0o666 & ~_mask()
            beside.chmod(mode)
            beside.replace(target)


@contextmanager
def _open_temporary(folder: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """Create a temporary file, yield its path and stream, and remove it if it was not renamed.

    Only its owner can read it until the block sets its mode.
    """
    path = folder / f"{_TEMPORARY_PREFIX}{os.getpid()}-{time.time_ns()}"
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(number, "wb") as stream:  # noqa: PTH123
            yield path, stream
    finally:
        path.unlink(missing_ok=True)


@contextmanager
def open_scratch_folder() -> Iterator[Path]:
    """Create a temporary folder, yield its path, and remove it with its contents at the end."""
    import tempfile  # loaded late: most commands do not need it

    path = tempfile.mkdtemp(prefix="kb-score-")
    try:
        yield Path(path)
    finally:
        _remove_folder(path)


def _remove_folder(path: str) -> None:
    """Remove a folder with what bots have put into it."""
    import shutil
    import subprocess

    with suppress(RecursionError):
        shutil.rmtree(path, ignore_errors=True)
    if not os.path.lexists(path):
        return
    # These programs also remove folders without permissions, and nested ones of any depth.
    for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        subprocess.run([*command, path], stderr=subprocess.DEVNULL, check=False)
    if os.path.lexists(path):
        from kb_score.shell.output import complain

        complain(f"{path} cannot be removed", kind="warning")


def is_scratch(path: Path) -> bool:
    """Return whether a file's name is that of one of our temporary files."""
    return path.name.startswith(_TEMPORARY_PREFIX)


def make_folder(folder: Path) -> Path:
    """Create a folder that the user named, and return it; it may exist already."""
    with explain_failure(folder, "the folder cannot be created: "):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def check_writable(path: str, inputs: Iterable[str] = ()) -> None:
    """Check that `write_atomically` will be able to write a file."""
    check_apart(path, inputs)
    target = Path(os.path.realpath(path))
    with explain_failure(path):
        if target.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        with _open_temporary(target.parent):
            pass


def check_apart(path: str, inputs: Iterable[str]) -> None:
    """Check that a file to write is neither standard output nor one of the inputs."""
    if path == "-":
        raise InputError(path, "an output cannot have this name: name a file, or leave it out")
    if any(_is_same_file(path, name) for name in inputs):
        raise InputError(path, "this command already uses this file: name another one to write to")


def _mask() -> int:
    """Return the permissions that new files do not get.

    The system returns the mask only when another one is set.
    """
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def append(stream: IO[bytes], data: bytes) -> None:
    """Append data to a file that has no buffer: all of it or, if there is an error, none of it."""
    number = stream.fileno()
    left = memoryview(data)
    size = os.fstat(number).st_size
    try:
        while left:
            # If the disk is nearly full, or a signal arrives, only a part is written.
            written = os.write(number, left)
            left = left[written:]
    finally:
        if left and is_plain_file(stream):
            with suppress(OSError):
                os.ftruncate(number, size)


def is_plain_file(stream: IO[Any]) -> bool:
    """Return whether a stream is a regular file, not a terminal, a pipe or a device."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False  # not a stream of the operating system


def _is_same_file(path: str, other: str) -> bool:
    try:
        return Path(path).samefile(other)
    except (OSError, ValueError):
        # One of them does not exist, or its name is not a valid file name.
        return Path(path).absolute() == Path(other).absolute()


def read_inputs(*files: tuple[str, FileKind], last_may_be_empty: bool = False) -> list[str]:
    """Read all the files that a command needs, given by path and kind.

    Raises:
        FormatError: A file is not text.
        InputError: More than one is standard input, "-"; or a file is missing, empty or too large.
    """
    if [path for path, _ in files].count("-") > 1:
        raise InputError("-", "only one of the files can be standard input")
    texts = []
    for number, (path, kind) in enumerate(files, 1):
        may_be_empty = last_may_be_empty and number == len(files)
        texts.append(read_input(path, kind, may_be_empty=may_be_empty))
    return texts


@contextmanager
def hint_if_swapped(*, swapped: bool) -> Iterator[None]:
    """Add a hint to a `FormatError` of the block, which reads the first of two files.

    ``swapped`` says that the second file looks like the first should.
    """
    try:
        yield
    except FormatError as error:
        if swapped:
            hint = "the second file looks like the first should: are they in the wrong order?"
            raise FormatError(error.place, f"{error.message}; {hint}") from None
        raise


def read_input(path: str, kind: FileKind, *, may_be_empty: bool = False) -> str:
    """Return the text of a file of the user's; all of them are read here, except rule files.

    The path "-" is standard input; the kind limits the size.

    Raises:
        FormatError: It is not text.
        InputError: It is missing, empty or too large, or cannot be read.
    """
    if not path:
        raise InputError("''", "the file name is empty")
    with explain_failure(path):
        if path == "-":
            data = _read_bounded(sys.stdin.buffer, path, kind)
        else:
            with Path(path).open("rb") as stream:
                data = _read_bounded(stream, path, kind)
        return decode(data, path, may_be_empty=may_be_empty)


def _read_bounded(stream: IO[bytes], name: str, kind: FileKind) -> bytes:
    """Read a stream to its end, but no more than one byte above the limit of the kind."""
    size = os.fstat(stream.fileno()).st_size if is_plain_file(stream) else 0
    if size > kind.most:
        raise kind.refuse(name, size)
    pieces = []
    left = kind.most + 1
    piece_size = max(_CHUNK_SIZE, size + 1)
    # A regular file comes in one piece, but it may grow while it is read.
    while left:
        piece = stream.read(min(left, piece_size))
        if not piece:
            break
        pieces.append(piece)
        left -= len(piece)
    if not left:
        raise kind.refuse(name)
    return b"".join(pieces)


def list_inputs(paths: Iterable[str], ending: str = ".txt") -> Iterator[str]:
    """Yield the given files, and for each folder the files in it with an ending, empty for all.

    Raises an InputError if a folder cannot be read, or has no such file.
    """
    for path in paths:
        if path != "-" and is_folder(path):
            with explain_failure(path):
                inside = list_folder(path)
            found = [str(p) for p in inside if p.name.endswith(ending) and p.is_file()]
            if not found:
                wanted = f"{ending} file".lstrip()
                raise InputError(path, f"the folder has no {wanted}")
            yield from found
        else:
            yield path


# The name of a file and its text, or the error that says why it cannot be read.
Input: TypeAlias = tuple[str, str | KbScoreError]


@dataclass(slots=True)
class Inputs:
    """The files that a user named, read one by one.

    Attributes:
        paths: Their paths; an error in place of a folder without files.
        alone: Whether the user named a single file rather than a folder or several paths.
    """

    paths: tuple[str | KbScoreError, ...]
    kind: FileKind
    alone: bool
    may_be_empty: bool = False
    _first: Input | None = None

    def peek(self) -> Input:
        """Return the first file; iteration will yield it without reading it again."""
        if self._first is None:
            self._first = self._read(self.paths[0])
        return self._first

    def __iter__(self) -> Iterator[Input]:
        if self.paths:
            yield self.peek()
            self._first = None  # frees the text
        for path in self.paths[1:]:
            yield self._read(path)

    def _read(self, path: str | KbScoreError) -> Input:
        if isinstance(path, KbScoreError):
            return "", path
        try:
            return path, read_input(path, self.kind, may_be_empty=self.may_be_empty)
        except KbScoreError as error:
            return path, error


def find_inputs(
    named: Sequence[str], kind: FileKind, *beside: str, may_be_empty: bool = False
) -> Inputs:
    """Find the files that a user named; a folder stands for its .txt files, sorted by name.

    ``beside`` are other files that the command reads: only one of all may be standard input.
    """
    if [*named, *beside].count("-") > 1:
        raise InputError("-", "only one of the files can be standard input")
    paths: list[str | KbScoreError] = []
    for path in named:
        try:
            paths += list_inputs([path])
        except KbScoreError as error:
            paths.append(error)
    is_alone = len(named) == 1 and not is_folder(named[0])
    return Inputs(tuple(paths), kind, is_alone, may_be_empty)
