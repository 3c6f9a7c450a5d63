"""The results of a contest's games in a file that survives interruption.

A line of JSON a game, appended when the game is over. A last line that was cut off in the middle of
writing is no game, and is cut away before the next one is written. Nothing is kept in memory: who
wants results reads the file.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from math import inf
from typing import IO, TYPE_CHECKING, Any

from kb_score.errors import FileKind, InputError, say_failure
from kb_score.games.sitting import Stay
from kb_score.shell.files import append, is_plain_file

if TYPE_CHECKING:
    from pathlib import Path

# A million games of two bots.
RESULTS_FILE = FileKind("a file of results", 512 << 20)

# The beginning of a result, even of one that was not written to its end.
_BEGINNING = b'{"key": "'
_LARGEST = 10**15
_MOST = 1 << 20  # bytes of a line; one that is longer is no result


@dataclass(frozen=True, slots=True)
class GameResult:
    """A game that was played.

    Attributes:
        key: What tells the game apart from others: see `kb_score.contests.plan.Keys`.
        number: Its number in the contest when it was played, from 1.
        bots: The names of the bots of players 1 and so on.
        field: The name of what it was played on.
        round: The round, from 0.
        added: Whether it was added to the contest's own games.
        stays: What came of it for each of them.
        turns: How many turns it had.
        record: The file of its record, in the folder of the results; empty if none was kept.
        ended: When it ended, in ISO 8601, UTC.
    """

    key: str
    number: int
    bots: tuple[str, ...]
    field: str
    round: int
    added: bool
    stays: tuple[Stay, ...]
    turns: int
    record: str
    ended: str

    def write(self) -> str:
        """Write it as a line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False) + "\n"


def utc_now() -> str:
    """Tell the time, in ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class ResultsFile:
    """An open file of results.

    Attributes:
        path: What errors call it.
        stream: The file, open to be appended to.
    """

    path: Path
    stream: IO[bytes]

    def add(self, result: GameResult) -> None:
        """Append a game; it is on the disk when this returns.

        Raises:
            InputError: It cannot be written; nothing else is lost.
        """
        try:
            append(self.stream, result.write().encode())
            os.fsync(self.stream.fileno())
        except OSError as error:
            raise InputError(str(self.path), say_failure(error)) from error


@contextmanager
def open_results(path: Path) -> Iterator[ResultsFile]:
    """Open or make a file of results, locked: two contests at once would play games twice.

    Raises:
        InputError: It cannot be used, is no results file, or is in use.
    """
    try:
        stream = path.open("a+b")
    except OSError as error:
        raise InputError(str(path), say_failure(error)) from error
    with stream:
        if not is_plain_file(stream):
            # A device may have no end.
            raise InputError(str(path), "results are kept in a file, and this is none")
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(str(path), "another contest writes to this file") from error
        try:
            _cut_tail(stream, path)
        except OSError as error:
            raise InputError(str(path), say_failure(error)) from error
        yield ResultsFile(path, stream)


def read_results(path: Path) -> Iterator[GameResult]:
    """Yield the results in a file, in the order in which the games ended; none if there is none.

    A last line that is being written is left out.

    Raises:
        InputError: The file cannot be read, or holds something else.
    """
    try:
        if not path.exists():
            return
        with path.open("rb") as stream:
            if not is_plain_file(stream):
                raise InputError(str(path), "results are kept in a file, and this is none")
            for number, line in enumerate(iter(lambda: stream.readline(_MOST), b""), 1):
                if line.endswith(b"\n"):
                    yield _parse(line, number, path)
                elif len(line) == _MOST:
                    raise _no_result(number, path)
    except OSError as error:
        raise InputError(str(path), say_failure(error)) from error


def _cut_tail(stream: IO[bytes], path: Path) -> None:
    """Cut away a last line that was not written to its end."""
    if (size := stream.seek(0, os.SEEK_END)) > RESULTS_FILE.most:
        raise RESULTS_FILE.refuse(str(path), size)
    stream.seek(max(0, size - _MOST))
    data = stream.read()
    rest = data[data.rfind(b"\n") + 1 :]
    if not rest:
        return
    # Nothing of ours is lost but a game that was not written to its end.
    if rest[: len(_BEGINNING)] != _BEGINNING[: len(rest)]:
        raise InputError(str(path), "this is no file of results")
    stream.truncate(size - len(rest))


def _no_result(number: int, path: Path) -> InputError:
    message = f"line {number} holds no result of a game; remove it or the file"
    return InputError(str(path), message)


def _parse(line: bytes, number: int, path: Path) -> GameResult:
    try:
        read: Any = json.loads(line)
        return GameResult(
            key=str(read["key"]),
            number=_read_int(read["number"]),
            bots=tuple(map(str, read["bots"])),
            field=str(read["field"]),
            round=_read_int(read["round"]),
            added=bool(read["added"]),
            stays=tuple(map(_parse_stay, read["stays"])),
            turns=_read_int(read["turns"]),
            record=str(read["record"]),
            ended=datetime.fromisoformat(read["ended"]).isoformat(timespec="seconds"),
        )
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise _no_result(number, path) from error


def _parse_stay(read: Mapping[str, Any]) -> Stay:
    median, worst = map(float, read["seconds"])
    if not 0 <= median <= worst < inf:
        raise ValueError(read["seconds"])
    return Stay(
        score=tuple(map(_read_int, read["score"])),
        merit=tuple(map(_read_int, read["merit"])),
        faults={str(kind): abs(_read_int(number)) for kind, number in read["faults"].items()},
        detail=str(read["detail"]),
        seconds=(median, worst),
    )


def _read_int(value: Any) -> int:
    """Read a whole number that clingo can hold, or the number of a game."""
    number = int(value)
    if abs(number) > _LARGEST:
        raise ValueError(value)
    return number
