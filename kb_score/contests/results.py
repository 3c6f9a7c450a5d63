"""The results of a tournament's games in a file that survives interruption.

A line of JSON a game, appended when the game is over. A last line that was cut off in the middle of
writing is no game, and is cut away before the next one is written.
"""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any

from kb_score.errors import FileKind, InputError, say_failure
from kb_score.shell.files import append, is_plain_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A million games.
RESULTS_FILE = FileKind("a file of results", 256 << 20)

# The beginning of a result, even of one that was not written to its end.
_BEGINNING = b'{"key": "'


@dataclass(frozen=True, slots=True)
class GameResult:
    """A game that was played.

    Attributes:
        key: What tells the game apart from others: see `kb_score.contests.slime.Games`.
        bots: The names of the bots of players 1 to 4.
        squares: Their squares at the end.
        turns: How many turns it had.
        problems: For each player in how many turns the bot was late, crashed or printed garbage.
        ended: When it ended, in ISO 8601, UTC.
    """

    key: str
    bots: tuple[str, ...]
    squares: tuple[int, ...]
    turns: int
    problems: tuple[int, ...]
    ended: str


def utc_now() -> str:
    """Tell the time, in ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class ResultsFile:
    """An open file of results.

    Attributes:
        path: What errors call it.
        stream: The file.
        results: The games in it.
    """

    path: str
    stream: IO[bytes]
    results: list[GameResult]

    def add(self, result: GameResult) -> None:
        """Append a game; it is on the disk when this returns.

        Raises:
            InputError: It cannot be written; nothing else is lost.
        """
        line = json.dumps(asdict(result), ensure_ascii=False) + "\n"
        try:
            append(self.stream, line.encode())
            os.fsync(self.stream.fileno())
        except OSError as error:
            raise InputError(self.path, say_failure(error)) from error
        self.results.append(result)


@contextmanager
def open_results(path: Path) -> Iterator[ResultsFile]:
    """Open or make a file of results, locked: two tournaments at once would play games twice.

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
            raise InputError(str(path), "another tournament writes to this file") from error
        try:
            results = _read(stream, str(path))
        except OSError as error:
            raise InputError(str(path), say_failure(error)) from error
        yield ResultsFile(str(path), stream, results)


def _read(stream: IO[bytes], path: str) -> list[GameResult]:
    if (size := stream.seek(0, os.SEEK_END)) > RESULTS_FILE.most:
        raise RESULTS_FILE.refuse(path, size)
    stream.seek(0)
    data = stream.read()
    whole = data.rfind(b"\n") + 1
    results = [_parse(line, i, path) for i, line in enumerate(data[:whole].splitlines(), 1)]
    if whole < len(data):
        # Nothing of ours is lost but a game that was not written to its end.
        rest = data[whole:]
        if rest[: len(_BEGINNING)] != _BEGINNING[: len(rest)]:
            raise InputError(path, "this is no file of results")
        stream.truncate(whole)
    return results


def _parse(line: bytes, number: int, path: str) -> GameResult:
    try:
        read: Any = json.loads(line)
        return GameResult(
            key=str(read["key"]),
            bots=tuple(map(str, read["bots"])),
            squares=tuple(map(int, read["squares"])),
            turns=int(read["turns"]),
            problems=tuple(map(int, read["problems"])),
            ended=datetime.fromisoformat(read["ended"]).isoformat(timespec="seconds"),
        )
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        message = f"line {number} holds no result of a game; remove it or the file"
        raise InputError(path, message) from error
