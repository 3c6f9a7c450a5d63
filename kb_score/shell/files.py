"""Files from the wild: inputs to text with plain line ends, outputs that overwrite nothing."""

from __future__ import annotations

import fcntl
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import EEXIST, EISDIR
from pathlib import Path
from typing import IO, Any, TypeAlias

from kb_score.errors import FileKind, FormatError, InputError, KbScoreError, Place, explain_failure
from kb_score.resources import is_folder
from kb_score.shell.remove import remove_folder
from kb_score.shell.shutdown import SCRATCH

_BOM = b"\xef\xbb\xbf"
# How much is read at a time of a stream that does not tell its size.
_PIECE = 1 << 20
# How the names begin of files that are about to stand in for others.
_BESIDE = ".kb-score-file-"


def decode(data: bytes, name: str) -> str:
    """Decode a whole file; a FormatError if it is no text, an InputError if it is empty."""
    data = data.removeprefix(_BOM)
    if not data.strip():
        raise InputError(name, "the file is empty")
    # What PowerShell writes by ">" begins with such a mark.
    is_wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = data.decode("utf-16" if is_wide else "utf-8")
    except UnicodeDecodeError as error:
        if is_wide:
            raise InputError(
                name, "this is UTF-16 that cannot be read: save it as UTF-8"
            ) from error
        raise _not_text(data, error.start, name) from error
    if (nul := text.find("\0")) >= 0:
        raise _not_text(data, len(text[:nul].encode()), name)
    return normalise(text)


def normalise(text: str) -> str:
    """Give a text plain line ends, and drop a byte order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _not_text(data: bytes, position: int, name: str) -> FormatError:
    line = data.count(b"\n", 0, position) + 1
    column = position - (data.rfind(b"\n", 0, position) + 1) + 1
    message = f"byte {data[position]:#04x} is not text: a plain text file is expected"
    return FormatError(Place(name, line, column), message)


@contextmanager
def open_output(path: str | None, inputs: Iterable[str] = ()) -> Iterator[Callable[[str], object]]:
    """Open a file that the user named, if any, and yield a function that writes text to it.

    An InputError says that it is one of the inputs, or cannot be written.
    """
    if path is None:
        yield lambda _: None
        return
    if path == "-":
        raise InputError(path, "standard output is for the result: name a file")
    check_apart(path, inputs)
    with explain_failure(path):
        # The file keeps its contents until there is something to write.
        file = Path(path)
        stream = file.open("ab", buffering=0)
    with stream:
        holds_more = is_plain_file(stream)

        def write(text: str) -> None:
            nonlocal holds_more
            with explain_failure(path):
                if holds_more:
                    stream.truncate(0)
                holds_more = False
                append(stream, text.encode(errors="replace"))

        yield write


def write_whole(path: str, data: bytes, inputs: Iterable[str] = ()) -> None:
    """Write a named file whole, or leave it as it was; an InputError says why it cannot be."""
    check_apart(path, inputs)
    target = Path(os.path.realpath(path))
    with explain_failure(path):
        if target.exists() and not target.is_file():  # a pipe or a device takes what it is given
            target.write_bytes(data)
            return
        _clear_beside(target.parent)
        with _open_beside(target.parent) as (beside, stream):
            stream.write(data)
            stream.flush()
            beside.chmod(target.stat().st_mode if target.exists() else 0o666 & ~_mask())
            beside.replace(target)


def write_new(path: Path, data: bytes) -> None:
    """Write a file that is not there yet, whole or not at all; an OSError if that cannot be."""
    _clear_beside(path.parent)
    with _open_beside(path.parent) as (beside, stream):
        stream.write(data)
        stream.flush()
        beside.chmod(0o666 & ~_mask())
        try:
            path.hardlink_to(beside)
        except PermissionError:
            # Not every file system has links: here another command may come between.
            if os.path.lexists(path):
                raise FileExistsError(EEXIST, os.strerror(EEXIST)) from None
            beside.rename(path)


@contextmanager
def _open_beside(folder: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """Make a file for a moment; at the end it is gone, if it does not stand in for another.

    It is locked, and nobody else may read it: its mode comes with the file that it stands in for.
    """
    path = folder / f"{_BESIDE}{os.getpid()}-{time.time_ns()}"
    SCRATCH.add(str(path))
    made = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        is_ours = False
        while not is_ours:
            with open(os.open(path, made, 0o600), "wb") as stream:  # noqa: PTH123
                fcntl.flock(stream, fcntl.LOCK_EX)
                # Another writer may have taken it for what was left, and have removed it.
                if is_ours := os.fstat(stream.fileno()).st_nlink > 0:
                    yield path, stream
    finally:
        path.unlink(missing_ok=True)
        SCRATCH.discard(str(path))


def _clear_beside(folder: Path) -> None:
    """Remove what writers that were killed have left."""
    for path in folder.glob(f"{_BESIDE}*"):
        with suppress(OSError), path.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


@contextmanager
def open_scratch_folder(parent: Path | None = None, prefix: str = "kb-score-") -> Iterator[Path]:
    """Make a folder for a moment, and remove it at the end with all that is in it by then.

    Args:
        parent: The folder to make it in; that of the system for temporary files where None.
        prefix: How its name begins.

    Raises:
        OSError: There can be no folder there.
    """
    import tempfile  # most commands need none

    path = tempfile.mkdtemp(prefix=prefix, dir=parent)
    SCRATCH.add(path)
    try:
        yield Path(path)
    finally:
        if not remove_folder(path):
            from kb_score.shell.output import complain

            complain(f"{path} cannot be removed", kind="warning")
        SCRATCH.discard(path)


def is_scratch(path: Path) -> bool:
    """Whether a file was to stand in for another one, by its name."""
    return path.name.startswith(_BESIDE)


def make_folder(folder: Path) -> Path:
    """Make a folder that the user named, unless it is there; an InputError if that fails."""
    with explain_failure(folder, "no folder can be made here: "):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def check_whole(path: str, inputs: Iterable[str] = ()) -> None:
    """Check that `write_whole` can write a file later; an InputError says why it cannot be."""
    check_apart(path, inputs)
    target = Path(os.path.realpath(path))
    with explain_failure(path):
        if target.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        with _open_beside(target.parent):
            pass


def check_apart(path: str, inputs: Iterable[str]) -> None:
    """Check that a file to write is none of the inputs; an InputError says that it is."""
    if any(_is_one_file(path, name) for name in inputs):
        raise InputError(path, "this command already uses this file: name another one to write to")


def _mask() -> int:
    """Find which permissions new files do not get; the system tells only who sets another mask."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def append(stream: IO[bytes], data: bytes) -> None:
    """Append all of some data to a file at once, or nothing of it if that fails with an OSError."""
    number, left = stream.fileno(), memoryview(data)
    size = os.fstat(number).st_size
    try:
        while left:
            # A disk that is nearly full, or a signal, lets a part of it be written.
            left = left[os.write(number, left) :]
    finally:
        if left and is_plain_file(stream):
            with suppress(OSError):
                os.ftruncate(number, size)


def is_plain_file(stream: IO[Any]) -> bool:
    """Whether a stream leads to a file, and not to a terminal, a pipe or a device."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False  # not a stream of the operating system


def _is_one_file(path: str, other: str) -> bool:
    try:
        return Path(path).samefile(other)
    except (OSError, ValueError):
        # One of them does not exist yet, or is not a file at all.
        return Path(path).absolute() == Path(other).absolute()


def read_inputs(*files: tuple[str, FileKind]) -> list[str]:
    """Read the files that a command needs together; only one can be standard input."""
    if [path for path, _ in files].count("-") > 1:
        raise InputError("-", "only one of the files can be standard input")
    return [read_input(path, kind) for path, kind in files]


@contextmanager
def in_order(*, swapped: bool) -> Iterator[None]:
    """Read the first of two files; if they look swapped, an error says so."""
    try:
        yield
    except FormatError as error:
        if swapped:
            hint = "the second file looks as the first should: are they in the wrong order?"
            raise FormatError(error.place, f"{error.message}; {hint}") from None
        raise


def read_input(path: str, kind: FileKind) -> str:
    """Read a file that the user named; "-" is standard input.

    A FormatError says that it is no text, an InputError that it is missing, empty or too large.
    """
    with explain_failure(path):
        if path == "-":
            return decode(_read_bounded(sys.stdin.buffer, path, kind), path)
        with Path(path).open("rb") as stream:
            return decode(_read_bounded(stream, path, kind), path)


def _read_bounded(stream: IO[bytes], name: str, kind: FileKind) -> bytes:
    size = os.fstat(stream.fileno()).st_size if is_plain_file(stream) else 0
    if size > kind.most:
        raise kind.refuse(name, size)
    pieces, left = [], kind.most + 1
    # A plain file comes in one piece, but it may grow while it is read.
    while left and (piece := stream.read(min(left, max(_PIECE, size + 1)))):
        pieces.append(piece)
        left -= len(piece)
    if not left:
        raise kind.refuse(name)
    return b"".join(pieces)


def list_inputs(paths: Iterable[str], ending: str = ".txt") -> Iterator[str]:
    """Yield the files that are meant: of a folder those of an ending, or all if there is none."""
    pattern = f"*{ending}" if ending else "[!.]*"
    for path in paths:
        if path != "-" and is_folder(path):
            found = sorted(str(p) for p in Path(path).glob(pattern) if p.is_file())
            if not found:
                raise InputError(path, f"the folder has no {ending} file".replace("  ", " "))
            yield from found
        else:
            yield path


# The name of a file and its text, or why there is none.
Input: TypeAlias = tuple[str, str | KbScoreError]


@dataclass(slots=True)
class Inputs:
    """The files that a user has named, read one by one.

    Attributes:
        paths: Their paths, or why there are none.
        kind: What they are.
        alone: Whether the user has named one file, and no folder.
    """

    paths: tuple[str | KbScoreError, ...]
    kind: FileKind
    alone: bool
    _first: Input | None = None

    def peek(self) -> Input:
        """Read the first file; iteration yields it then without reading it again."""
        if self._first is None:
            self._first = self._read(self.paths[0])
        return self._first

    def __iter__(self) -> Iterator[Input]:
        if self.paths:
            yield self.peek()
            self._first = None  # the text is not kept any longer
        for path in self.paths[1:]:
            yield self._read(path)

    def _read(self, path: str | KbScoreError) -> Input:
        if isinstance(path, KbScoreError):
            return "", path
        try:
            return path, read_input(path, self.kind)
        except KbScoreError as error:
            return path, error


def find_inputs(named: Sequence[str], kind: FileKind, *beside: str) -> Inputs:
    """Find the files that a user means: a folder stands for its .txt files, by name."""
    if [*named, *beside].count("-") > 1:
        raise InputError("-", "only one of the files can be standard input")
    paths: list[str | KbScoreError] = []
    for path in named:
        try:
            paths += list_inputs([path])
        except KbScoreError as error:
            paths.append(error)
    return Inputs(tuple(paths), kind, len(named) == 1 and not is_folder(named[0]))
