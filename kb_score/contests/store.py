"""What a contest has on disk: its results, the records of its games, and what the bots said.

The folder of results has ``contest.json``, which says of which contest it is; ``results.jsonl``, a
line of JSON a game, appended when the game is over; ``games/`` with a record for each; and
``logs/`` with what each bot wrote to its error stream. A tournament has a
file of results alone. All of it survives interruption: a last line that was cut off in the middle
of writing is no game, and is cut away before the next one is written. No results are kept in
memory: who wants them reads the file.
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
from kb_score.shell.files import append, is_plain_file, is_scratch, make_folder, write_whole
from kb_score.shell.output import complain
from kb_score.version import __version__

if TYPE_CHECKING:
    from kb_score.contests.plan import Plan

_RESULTS_FILE = FileKind("a file of results", 512 << 20)  # a million games of two bots
# The beginning of a result, even of one that was not written to its end.
_BEGINNING = b'{"key": "'
_MOST = 1 << 20  # bytes of a line; one that is longer is no result
RECORD_FILE = FileKind("a record", 256 << 20)
RESULTS, MANIFEST = "results.jsonl", "contest.json"
_NAMED = re.compile(rb'"record": "games/([0-9]{1,18})\.txt"')
_RECORD = re.compile(r"games/([0-9]+(-[0-9a-f]+)?\.txt)")
_LONGEST = 60  # letters of a bot's name in the name of a folder
# A number that clingo can hold, or that of a game.
_Int = Annotated[int, Meta(ge=-(10**15), le=10**15)]


class PlayerResult(Struct, frozen=True):
    """What came of a game for one player."""

    score: tuple[_Int, ...]  # the figures of `Game.figures`
    # What is compared within a game; the larger tuple did better.
    score_key: tuple[_Int, ...] = field(name="merit")
    # In how many turns the bot was late, crashed, or said nothing usable.
    faults: Mapping[str, Annotated[int, Meta(ge=0, le=10**15)]] = field(default_factory=dict)
    detail: str = ""  # what went wrong first, in words; empty if nothing did
    # The median of the times that it took for its answers, and the longest.
    seconds: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        """Check the times."""
        if not 0 <= self.seconds[0] <= self.seconds[1] < inf:
            raise ValueError(self.seconds)


class GameResult(Struct, frozen=True):
    """A game that was played."""

    key: str  # what tells the game apart from others: see `Plan.identify`
    number: _Int  # its number in the contest when it was played, from 1
    bots: tuple[str, ...]  # the names of the bots of players 1 and so on
    map: str = field(name="field")  # the name of what it was played on
    round: _Int  # the round, from 0
    added: bool  # whether an earlier version added it to the contest's own games
    players: tuple[PlayerResult, ...] = field(name="stays")  # what came of it for each of them
    turns: _Int  # how many turns it had
    record: str  # the file of its record, in the folder of the results; empty if none was kept
    ended: str  # when it ended, in ISO 8601, UTC
    parts: tuple[str, ...] = ()  # what the key is made of: see `GameKey`; older ones have none

    def __post_init__(self) -> None:
        """Check the time."""
        datetime.fromisoformat(self.ended)

    def write(self) -> str:
        """Write it as a line of JSON."""
        return json.dumps(to_builtins(self), ensure_ascii=False) + "\n"


_LINE = Decoder(GameResult)


def utc_now() -> str:
    """Tell the time, in ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Results:
    """A file of results that is open to be added to."""

    path: Path
    stream: IO[bytes]
    # The numbers of records that some result names, whether it counts now or not: they stay. When a
    # contest changes, its games get other numbers, or are played again.
    taken: set[int]

    def add(self, result: GameResult) -> None:
        """Append a game; it is on the disk when this returns, or there is an InputError."""
        with explain_failure(self.path):
            append(self.stream, result.write().encode())
            os.fsync(self.stream.fileno())

    def add_all(self, result: GameResult, record: str, said: Sequence[bytes]) -> list[Path]:
        """Add a game, its result when all else is on the disk; return the files of bots' words."""
        folder, number = self.path.parent, result.number
        name = f"{number}-{result.key}.txt" if number in self.taken else f"{number}.txt"
        logs = [find_logs(folder, bot) / name for bot in result.bots]
        game = folder / "games" / name
        files = [(game, record.encode(errors="replace")), *zip(logs, said, strict=True)]
        for path, data in files:
            with explain_failure(path):
                if data or path == game:
                    make_folder(path.parent)
                    path.write_bytes(data)
                else:
                    path.unlink(missing_ok=True)  # of an earlier try
        self.add(replace(result, record=f"games/{name}"))
        self.taken.add(number)
        return logs


@contextmanager
def open_results(path: Path) -> Iterator[Results]:
    """Open or make a file of results, locked: two contests at once would play games twice."""
    with explain_failure(path):
        stream = path.open("a+b")
    with stream:
        _check_plain(stream, path)
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(str(path), "another contest writes to this file") from error
        with explain_failure(path):
            _cut_tail(stream, path)
        yield Results(path, stream, set())


def _check_plain(stream: IO[bytes], path: Path) -> None:
    if not is_plain_file(stream):  # a device may have no end
        raise InputError(str(path), "results are kept in a file, and this is none")


def is_open(path: Path) -> bool:
    """Whether somebody has the results open to add to them."""
    try:
        with path.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except OSError as error:
        return not isinstance(error, FileNotFoundError)


def read_results(path: Path) -> Iterator[GameResult]:
    """Yield the results in a file, as the games ended, but for a last line that is not whole."""
    with explain_failure(path):
        if not path.exists():
            return
        with path.open("rb") as stream:
            _check_plain(stream, path)
            for number, line in enumerate(iter(lambda: stream.readline(_MOST), b""), 1):
                if not line.endswith(b"\n") and len(line) < _MOST:
                    return
                try:
                    yield _LINE.decode(line)
                except (ValueError, RecursionError) as error:
                    message = f"line {number} holds no result of a game; remove it or the file"
                    raise InputError(str(path), message) from error


def _cut_tail(stream: IO[bytes], path: Path) -> None:
    """Cut away a last line that was not written to its end."""
    if (size := stream.seek(0, os.SEEK_END)) > _RESULTS_FILE.most:
        raise _RESULTS_FILE.refuse(str(path), size)
    stream.seek(max(0, size - _MOST))
    data = stream.read()
    rest = data[data.rfind(b"\n") + 1 :]
    # Nothing of ours is lost but a game that was not written to its end; NUL bytes may stand there.
    if not _BEGINNING.startswith(rest.rstrip(b"\0")[: len(_BEGINNING)]):
        raise InputError(str(path), "this is no file of results")
    if rest:
        stream.truncate(size - len(rest))


def find_record(result: GameResult) -> str:
    """Find the name of a game's record in the folder ``games``; empty if it was not kept there."""
    found = _RECORD.fullmatch(result.record)
    return found[1] if found else ""


def find_logs(path: Path, bot: str) -> Path:
    """Find the folder of what a bot said, a file a game, each named as the game's record."""
    return path / "logs" / name_file(bot)


def name_file(name: str) -> str:
    """Make a name of a file of the name of a bot, which may be none, or too long."""
    plain = re.sub(r"[^\w.+-]", "_", name)[:_LONGEST]
    mark = sha256(name.encode()).hexdigest()[:8]
    return plain if plain == name and name.strip(".") else f"{plain}-{mark}"


class Manifest(Struct, frozen=True):
    """Which contest a folder of results is of, and by which rules it was last played."""

    contest: str
    game: str
    rules: str = ""
    # Of rulings whose default has changed since they exist, the default when the contest was begun,
    # if it was not the first one; see `Game.earlier_defaults`.
    defaults: Mapping[str, str] = {}


@contextmanager
def open_folder(
    path: Path, plan: Plan, rules: str, defaults: Mapping[str, str]
) -> Iterator[Results]:
    """Open or make the folder of a contest's results; only one can have it open.

    The manifest gets what tells the rules from others, and the defaults of rulings that have had
    other ones.
    """
    manifest = read_own_manifest(path, plan)
    if manifest is None:
        _check_empty(path)
    now: dict[str, object] = {"contest": plan.name, "game": plan.game, "rules": rules}
    now["kb-score"] = __version__
    if defaults:
        now["defaults"] = dict(defaults)
    written = (json.dumps(now) + "\n").encode()
    if manifest is None:
        # What is there without one would be refused from now on.
        write_whole(str(make_folder(path) / MANIFEST), written)
    make_folder(path / "games")
    with open_results(path / RESULTS) as results:
        if manifest is not None and manifest.rules != rules:
            said = "by other rules: only games that were played by those of now count"
            complain(f"{path}: it was last played {said}", kind="warning")
            write_whole(str(path / MANIFEST), written)
        with explain_failure(results.path), results.path.open("rb") as stream:
            results.taken.update(int(found[1]) for line in stream if (found := _NAMED.search(line)))
        yield results


def check_results_folder(path: Path, plan: Plan, *, must_exist: bool) -> None:
    """Check that a folder can be asked for the results of a contest.

    Args:
        path: The folder.
        plan: The contest.
        must_exist: Whether the folder has to be there. If not, no game has been played.

    Raises:
        InputError: It is not there, it holds something else, or the results of another contest.
    """
    if read_own_manifest(path, plan) is not None:
        return
    if must_exist and not is_there(str(path)):
        with explain_failure(path):
            path.stat()
    _check_empty(path)


def _check_empty(path: Path) -> None:
    """Check that a folder without a manifest has nothing in it, if it is there."""
    with explain_failure(path):
        # What a writer that was killed has left is in nobody's way.
        if path.exists() and not all(map(is_scratch, path.iterdir())):
            raise InputError(str(path), "this is no folder of results, and it is not empty")


def read_manifest(path: Path) -> Manifest | None:
    """Read of which contest a folder is: None if of none, an InputError if it cannot be read."""
    place, manifest = path / MANIFEST, None
    with explain_failure(path):
        if path.exists() and not path.is_dir():
            raise InputError(str(path), "results are kept in a folder, and this is none")
        if place.exists():
            try:
                manifest = decode(place.read_bytes(), type=Manifest)
            except (ValueError, RecursionError) as error:
                raise InputError(str(place), "it does not say which contest it is of") from error
        elif (path / RESULTS).exists():
            missing = f"it has no {MANIFEST}, which says of which contest the results are"
            raise InputError(str(path), missing)
    return manifest


def read_own_manifest(path: Path, plan: Plan) -> Manifest | None:
    """Read the manifest of the folder of a contest: an InputError if it is that of another one."""
    manifest = read_manifest(path)
    if manifest and (manifest.contest, manifest.game) != (plan.name, plan.game):
        whose = f"{manifest.contest!r} of {manifest.game.replace('_', '-')}"
        message = f"it has the results of another contest, {whose}: name another folder"
        raise InputError(str(path), message)
    return manifest
