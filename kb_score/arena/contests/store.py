"""The files of a contest: its results, the records of its games, and the logs of its bots.

The folder of results contains ``contest.json``, which names the contest; ``results.jsonl`` with a
line of JSON for each game, appended when the game is over; ``games/`` with a record for each game;
and ``logs/`` with the error stream of each bot. A tournament only has a file of results. An
interruption loses no finished game: an incomplete last line is removed before the next game is
written. Results are not kept in memory.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

from msgspec import Meta, Struct, field, to_builtins
from msgspec.json import Decoder, decode
from msgspec.structs import replace

from kb_score.errors import FileKind, InputError, explain_failure
from kb_score.resources import is_there
from kb_score.shell.files import append, is_plain_file, is_scratch, make_folder, write_atomically
from kb_score.shell.output import complain
from kb_score.version import __version__

if TYPE_CHECKING:
    from kb_score.arena.contests.plan import Plan

_RESULTS_FILE = FileKind("a results file", 512 << 20)  # a million games of two bots
# The beginning of a line with a result, even of an incomplete one.
_BEGINNING = b'{"key": "'
_MAX_LINE = 1 << 20  # bytes of a line with a result
RECORD_FILE = FileKind("a record", 256 << 20)
RESULTS = "results.jsonl"
MANIFEST = "contest.json"
_NAMED = re.compile(rb'"record": "games/([0-9]{1,18})\.txt"')
_RECORD = re.compile(r"games/([0-9]+(-[0-9a-f]+)?\.txt)")
_MAX_NAME = 60  # letters of a bot's name in the name of a folder
# A whole number in results.
_Int = Annotated[int, Meta(ge=-(10**15), le=10**15)]


class PlayerResult(Struct, frozen=True):
    """The result of a game for one player."""

    score: tuple[_Int, ...]  # the figures, in the order of `Scoring.figures`
    merit: tuple[_Int, ...]  # the player with the larger one did better
    # The number of turns in which the bot was late, crashed, or gave no legal answer.
    faults: Mapping[str, Annotated[int, Meta(ge=0, le=10**15)]] = field(default_factory=dict)
    detail: str = ""  # a description of the first fault; empty if there is none
    seconds: tuple[float, float] = (0.0, 0.0)  # the median time of its answers, and the longest

    def __post_init__(self) -> None:
        """Check the times."""
        median, longest = self.seconds
        if not 0 <= median <= longest < inf:
            raise ValueError(self.seconds)


class GameResult(Struct, frozen=True):
    """The result of a game."""

    key: str  # identifies the game: see `Plan.identify`
    number: _Int  # its number in the contest when it was played, from 1
    bots: tuple[str, ...]  # the names of the bots of players 1 and so on
    map: str  # the name of its map
    round: _Int  # the round, from 0
    players: tuple[PlayerResult, ...]
    turns: _Int  # the number of its turns
    record: str  # the file of its record, in the folder of the results; empty if there is none
    ended: str  # the time of its end, in ISO 8601, UTC
    parts: tuple[str, ...]  # the parts of the key, see `GameKey`
    digest: str  # the digest of its record

    def __post_init__(self) -> None:
        """Check the time."""
        datetime.fromisoformat(self.ended)

    def write(self) -> str:
        """Return the result as a line of JSON."""
        return json.dumps(to_builtins(self), ensure_ascii=False) + "\n"


_LINE = Decoder(GameResult)


def utc_now() -> str:
    """Return the time, in ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Results:
    """A file of results, open for appending."""

    path: Path
    stream: IO[bytes]
    # The numbers of the records that results name. No record is replaced, even if its result does
    # not count: when a contest changes, its games get other numbers, or are played again.
    taken: set[int]

    def add(self, result: GameResult) -> None:
        """Append a result; it is on the disk when this returns."""
        with explain_failure(self.path):
            append(self.stream, result.write().encode())
            os.fsync(self.stream.fileno())

    def add_all(self, result: GameResult, record: str, words: Sequence[bytes]) -> list[Path]:
        """Add a game with its record and the logs of its bots, which are returned.

        The result is written last.
        """
        folder = self.path.parent
        number = result.number
        name = f"{number}.txt"
        if number in self.taken:
            name = f"{number}-{result.key}.txt"
        game = folder / "games" / name
        with explain_failure(game):
            make_folder(game.parent)
            game.write_bytes(record.encode(errors="replace"))
        logs = [find_logs(folder, bot) / name for bot in result.bots]
        for log, data in zip(logs, words, strict=True):
            with explain_failure(log):
                if data:
                    make_folder(log.parent)
                    log.write_bytes(data)
                else:
                    log.unlink(missing_ok=True)  # it may be that of an interrupted game
        self.add(replace(result, record=f"games/{name}"))
        self.taken.add(number)
        return logs


@contextmanager
def open_results(path: Path) -> Iterator[Results]:
    """Open or create a file of results, and lock it, so that no second process plays its games."""
    with explain_failure(path):
        stream = path.open("a+b")
    with stream:
        _check_plain(stream, path)
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(str(path), "another contest is writing to this file") from error
        with explain_failure(path):
            _cut_tail(stream, path)
        yield Results(path, stream, set())


def _check_plain(stream: IO[bytes], path: Path) -> None:
    """Check that results are in a regular file: a device may never end."""
    if not is_plain_file(stream):
        raise InputError(str(path), "this is not a regular file: name another file for the results")


def is_open(path: Path) -> bool:
    """Return whether a process has a file of results open for appending."""
    try:
        with path.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except OSError as error:
        return not isinstance(error, FileNotFoundError)


def read_results(path: Path) -> Iterator[GameResult]:
    """Yield the results in a file, in the order in which the games ended.

    An incomplete last line is skipped. A file that does not exist has no results. A line that is no
    result is an InputError.
    """
    with explain_failure(path):
        if not path.exists():
            return
        with path.open("rb") as stream:
            _check_plain(stream, path)
            number = 0
            while line := stream.readline(_MAX_LINE):
                number += 1
                if not line.endswith(b"\n") and len(line) < _MAX_LINE:
                    return
                try:
                    yield _LINE.decode(line)
                except (ValueError, RecursionError) as error:
                    message = f"line {number} is not the result of a game; remove it or the file"
                    raise InputError(str(path), message) from error


def _cut_tail(stream: IO[bytes], path: Path) -> None:
    """Remove an incomplete last line."""
    size = stream.seek(0, os.SEEK_END)
    if size > _RESULTS_FILE.most:
        raise _RESULTS_FILE.refuse(str(path), size)
    stream.seek(max(0, size - _MAX_LINE))
    data = stream.read()
    rest = data[data.rfind(b"\n") + 1 :]
    # Only an incomplete result may be removed; its end may be NUL bytes.
    written = rest.rstrip(b"\0")
    beginning = written[: len(_BEGINNING)]
    if not _BEGINNING.startswith(beginning):
        raise InputError(str(path), "this is not a results file")
    if rest:
        stream.truncate(size - len(rest))


def find_record(result: GameResult) -> str:
    """Return the name of a game's record in the folder ``games``; empty if it has none there."""
    found = _RECORD.fullmatch(result.record)
    if found is None:
        return ""
    return found[1]


def find_logs(path: Path, bot: str) -> Path:
    """Return the folder of a bot's logs: a file for each game, with the name of its record."""
    return path / "logs" / name_file(bot)


def name_file(name: str) -> str:
    """Turn a bot's name into a valid file name."""
    plain = re.sub(r"[^\w.+-]", "_", name)[:_MAX_NAME]
    if plain == name and name.strip("."):
        return plain
    mark = sha256(name.encode()).hexdigest()[:8]
    return f"{plain}-{mark}"


class Manifest(Struct, frozen=True):
    """The contest of a folder of results, and the rules by which it was last played."""

    contest: str
    game: str
    rules: str


@contextmanager
def open_folder(path: Path, plan: Plan, rules: str) -> Iterator[Results]:
    """Open or create the folder of a contest's results; only one process can have it open.

    The manifest names the digest of the rules.
    """
    manifest = read_own_manifest(path, plan)
    data = {"contest": plan.name, "game": plan.game, "rules": rules, "kb-score": __version__}
    text = (json.dumps(data) + "\n").encode()
    if manifest is None:
        _check_empty(path)
        # The manifest comes first: without one, other files in the folder would be refused.
        write_atomically(str(make_folder(path) / MANIFEST), text)
    make_folder(path / "games")
    with open_results(path / RESULTS) as results:
        if manifest is not None and manifest.rules != rules:
            message = "it was last played with other rules: only games with the current rules count"
            complain(f"{path}: {message}", kind="warning")
            write_atomically(str(path / MANIFEST), text)
        with explain_failure(results.path), results.path.open("rb") as stream:
            for line in stream:
                found = _NAMED.search(line)
                if found:
                    results.taken.add(int(found[1]))
        yield results


def check_results_folder(path: Path, plan: Plan, *, must_exist: bool) -> None:
    """Check that a folder has the results of a contest, or is empty; it may have to exist."""
    if read_own_manifest(path, plan) is not None:
        return
    if must_exist and not is_there(str(path)):
        with explain_failure(path):
            path.stat()
    _check_empty(path)


def _check_empty(path: Path) -> None:
    """Check that a folder without a manifest is empty, if it exists."""
    with explain_failure(path):
        # Scratch files of a process that was killed are ignored.
        if path.exists() and not all(map(is_scratch, path.iterdir())):
            raise InputError(str(path), "this is not a results folder, and it is not empty")


def _read_manifest(path: Path) -> Manifest | None:
    """Return the manifest of a folder; None if it has neither a manifest nor results."""
    place = path / MANIFEST
    with explain_failure(path):
        if path.exists() and not path.is_dir():
            raise InputError(str(path), "this is not a folder: name another folder for the results")
        if place.exists():
            try:
                return decode(place.read_bytes(), type=Manifest)
            except (ValueError, RecursionError) as error:
                raise InputError(str(place), "it does not name a contest") from error
        results = path / RESULTS
        if results.exists():
            missing = f"it has results, but no {MANIFEST} that names their contest"
            raise InputError(str(path), missing)
    return None


def read_own_manifest(path: Path, plan: Plan) -> Manifest | None:
    """Return the manifest of a contest's folder; None if it has neither a manifest nor results.

    The results of another contest are an InputError.
    """
    manifest = _read_manifest(path)
    if manifest and (manifest.contest, manifest.game) != (plan.name, plan.game):
        game = manifest.game.replace("_", "-")
        other = f"{manifest.contest!r} of {game}"
        message = f"it has the results of another contest, {other}: name another folder"
        raise InputError(str(path), message)
    return manifest
