"""The results of a tournament's games in a file that survives interruption.

A line of JSON a game, appended when the game is over. A last line that was cut off in the middle of
writing is no game, and is cut away before the next one is written.
"""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kb_score.errors import BoardError


@dataclass(frozen=True, slots=True)
class GameResult:
    """A game that was played.

    Attributes:
        key: What tells the game apart from others: see `kb_score.games.slime.tournament`.
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


def say_now() -> str:
    """Say what time it is, in ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


# So a result begins, also one that was not written to its end.
_BEGINNING = b'{"key": "'


class ResultsFile:
    """The file, open and locked: two tournaments at once would play games twice."""

    def __init__(self, path: Path) -> None:
        """Open or make the file and read the games in it.

        Raises:
            BoardError: It cannot be used, is no results file, or is in use.
        """
        self._path = path
        try:
            self._file = path.open("a+b")
        except OSError as error:
            raise BoardError(str(path), (error.strerror or str(error)).lower()) from error
        try:
            self._lock()
            self.results = self._read()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, result: GameResult) -> None:
        """Append a game; it is on the disk when this returns."""
        line = json.dumps(asdict(result), ensure_ascii=False) + "\n"
        self._file.write(line.encode())
        self._file.flush()
        os.fsync(self._file.fileno())
        self.results.append(result)

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BoardError(str(self._path), "another tournament writes to this file") from error

    def _read(self) -> list[GameResult]:
        self._file.seek(0)
        data = self._file.read()
        whole = data.rfind(b"\n") + 1
        results = [self._parse(line, i) for i, line in enumerate(data[:whole].splitlines(), 1)]
        if whole < len(data):
            # Nothing of ours is lost but a game that was not written to its end.
            if not data[whole:].startswith(_BEGINNING):
                raise BoardError(str(self._path), "this is no file of results")
            self._file.truncate(whole)
        return results

    def _parse(self, line: bytes, number: int) -> GameResult:
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
            raise BoardError(
                str(self._path), f"line {number} is no result of a game; remove it or the file"
            ) from error
