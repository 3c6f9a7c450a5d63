"""The bots of a contest, read from its file, and what tells one from another."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import asdict, replace

from kb_score.contests.toml import Flag, Line, Lines, Name, Table, TomlFile, make_kind, quote
from kb_score.errors import InputError, Mistakes, explain_failure, shorten
from kb_score.games.game import Clock
from kb_score.games.players import BotCommand
from kb_score.resources import is_folder
from kb_score.shell.process import (
    NO_BOUNDS,
    Bounds,
    check_sandbox,
    explain_missing,
    explain_unreachable,
    list_known,
    list_words,
    read_program,
)

if TYPE_CHECKING:
    from kb_score.engine.changes import Changes
    from kb_score.games.game import Game

# What in a command may be the name of a file; what a bot writes to is no part of it.
_FILE = re.compile(r"(>[>&|]?\s*)?([\w./+@%-]+)")
# Files by their names, each with what tells it from others, of each bot.
_Files: TypeAlias = Sequence[list[tuple[str, str]]]
_LONGEST = 10_000  # letters of a command
# Python writes there whenever somebody tries a bot out.
_CACHE = "__pycache__"
_MOST_MIB = 256  # what a bot's folder may hold
_DEEPEST = 100  # how deep folders may be nested there


class Entrant(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bot of a contest: a table ``[[bot]]`` of its file."""

    name: Name  # what people call it
    version: Line = ""  # which version it is, in its author's words; empty if nothing is said
    command: Lines  # its command
    # The folder of its files, of which each game gets a copy to run in; empty if it runs in the
    # folder of the contest's file.
    folder: Name = ""
    # The times that it has, in seconds; in the file those that are not the times of ``[limits]``.
    limits: Table = {}
    # Whether it runs for a whole game where others are started for each turn.
    persistent: Flag = False

    def make_command(
        self, game: Game, folder: Path, log: Path | None = None, bounds: Bounds = NO_BOUNDS
    ) -> BotCommand:
        """Make the bot as games have it: in a folder, with a file for its error stream."""
        who = self.name, self.command, game.arena.bots.make_clock(self.limits), self.persistent
        return BotCommand(*who, folder=folder, log=log, bounds=bounds)

    def digest(self, home: Path) -> str:
        """Find what tells it from others: what it is called, may and runs, with all its files."""
        found = self._list_all(home)
        said = self.name, self.version, self.command, sorted(self.limits.items()), self.persistent
        return sha256(repr((said, found)).encode(errors="replace")).hexdigest()

    def list_files(self, home: Path) -> list[tuple[str, str]]:
        """List its files, with what tells them from others, but for what lies elsewhere."""
        return [file for file in self._list_all(home) if not Path(file[0]).is_absolute()]

    def _list_all(self, home: Path) -> list[tuple[str, str]]:
        base = Path(self.folder or home)
        # A contest may move to another folder, and is still the same.
        named = [
            (str(path.relative_to(base) if path.is_relative_to(base) else path), _digest(path))
            for path in _find_programs(self, home)
        ]
        try:
            return [*named, *(_list_folder(base) if self.folder else ())]
        except OSError as error:
            raise InputError(str(error.filename or self.folder), "cannot be read") from error


def check_entrants(file: TomlFile, game: Game, mistakes: Mistakes) -> None:
    """Add all that is wrong with the tables of the bots, and of their limits, to mistakes."""
    times = make_kind(game.arena.bots.times)
    file.check(times, mistakes, "limits")
    for number in range(file.count_tables("bot")):
        file.check(Entrant, mistakes, "bot", number)
        file.check(times, mistakes, "bot", number, "limits")


def read_entrants(file: TomlFile, game: Game, home: Path) -> tuple[Entrant, ...]:
    """Read the bots of a contest, in the order of its file.

    Raises:
        FormatError: All bots that cannot be used, with the reasons.
    """
    times = make_kind(game.arena.bots.times)
    usual = asdict(file.read(times, "limits"))
    bots: dict[str, Entrant] = {}
    mistakes = Mistakes()
    for number in range(file.count_tables("bot")):
        bot = file.read(Entrant, "bot", number)
        own = asdict(file.read(times, "bot", number, "limits"))
        limits = usual | {key: own[key] for key in bot.limits}
        folder = str(home / bot.folder) if bot.folder else ""
        for key, message in _find_mistakes(bot, game, folder, bots):
            mistakes.add(file.error(message, "bot", number, key))
        bots[bot.name] = replace(bot, folder=folder, limits=limits)
    mistakes.raise_any()
    for name, reason in _find_missing(bots.values(), home, in_shell=game.arena.bots.in_shell):
        keys = "bot", list(bots).index(name), "command"
        mistakes.add(file.error(f"cannot run bot {quote(name)}: {reason}", *keys))
    mistakes.raise_any()
    return tuple(bots.values())


def _find_mistakes(
    bot: Entrant, game: Game, folder: str, others: Container[str]
) -> Iterator[tuple[str, str]]:
    """Find the keys of a bot that cannot be used, each with the reason."""
    is_too_long = len(bot.command) > _LONGEST
    if is_too_long:
        number = f"{len(bot.command):,}"
        yield "command", f"a command has at most {_LONGEST:,} letters, this one has {number}"
    if bot.name in others:
        yield "name", f"two bots have the name {quote(bot.name)}"
    if folder and not is_folder(folder):
        yield "folder", f"the folder {quote(bot.folder)} is not there"
    if game.arena.bots.in_shell:
        return
    if bot.persistent:
        yield "persistent", f"a bot of {game.title} always runs for a whole game"
    if is_too_long:
        # To split it into words would take a time that grows with the square of its length.
        return
    try:
        BotCommand(bot.name, bot.command, Clock(0)).words()
    except InputError as error:
        yield "command", str(error)


def check_apart(bots: Iterable[Entrant], results: Path) -> None:
    """Check that results are not kept in the folder of a bot: each game would make another bot."""
    place = Path(os.path.realpath(results))
    for folder in {bot.folder for bot in bots if bot.folder}:
        if place.is_relative_to(os.path.realpath(folder)):
            message = "results cannot be kept in the folder of a bot: name another one by --results"
            raise InputError(str(results), message)


def check_in_sandbox(bots: Iterable[Entrant], home: Path, *, in_shell: bool) -> None:
    """Check that each bot has in a sandbox what it needs; an InputError names what is missing."""
    for bot in bots:
        words = list_words(bot.command) if in_shell else shlex.split(bot.command)
        reason = explain_unreachable(words, Path(bot.folder or home), copied=bool(bot.folder))
        if reason:
            who = quote(bot.name)
            raise InputError(shorten(bot.name), f"cannot run bot {who} in a sandbox: {reason}")


def make_check(
    game: Game, bots: Sequence[Entrant], home: Path, changes: Changes, *, sandbox: bool
) -> Callable[[], None]:
    """Make what checks, on another machine, that the bots play there as they do here."""
    files = [bot.list_files(home) for bot in bots]
    return partial(_check_there, game.arena.bots.in_shell, bots, home, files, changes, sandbox)


def _check_there(
    in_shell: bool,
    bots: Sequence[Entrant],
    home: Path,
    files: _Files,
    changes: Changes,
    sandbox: bool,
) -> None:
    changes.check()
    if sandbox:
        check_sandbox()
        check_in_sandbox(bots, home, in_shell=in_shell)
    for name, reason in _find_missing(bots, home, in_shell=in_shell):
        raise InputError(shorten(name), f"cannot run bot {quote(name)}: {reason}")
    for bot, here in zip(bots, files, strict=True):
        if bot.list_files(home) != here:
            whose = f"the files of bot {quote(bot.name)}"
            message = f"{whose} are not those of the machine of the command"
            raise InputError(str(bot.folder or home), message)


def _find_missing(
    bots: Iterable[Entrant], home: Path, *, in_shell: bool
) -> Iterator[tuple[str, str]]:
    """Yield the bots whose program nobody finds, each with the reason."""
    words = {
        b.name: read_program(b.command) if in_shell else shlex.split(b.command)[0] for b in bots
    }
    names = {word for word in words.values() if "/" not in word} - {""}
    known = list_known(names) if in_shell else {name for name in names if shutil.which(name)}
    for bot in bots:
        word = words[bot.name]
        if word and (why := explain_missing(word, Path(bot.folder or home), known)):
            yield bot.name, why


def _find_programs(bot: Entrant, home: Path) -> Iterator[Path]:
    """Find the files that a bot's command names, among them its program."""
    try:
        words = shlex.split(bot.command, comments=True)
    except ValueError:
        words = []
    program = shutil.which(words[0]) if words else None
    names = {name for written, name in _FILE.findall(bot.command) if not written}
    written = {name for mark, name in _FILE.findall(bot.command) if mark}
    for name in sorted(names.union(words, [program] if program else []) - written):
        path = Path(bot.folder or home) / name
        with suppress(OSError, ValueError):  # such as a name that no file can have
            if path.is_file():
                yield path


def _list_folder(folder: Path) -> Iterator[tuple[str, str]]:
    """List the files in a folder and in those below it, as they are copied for a game."""

    def fail(error: OSError) -> None:
        raise error

    seen, left, found = set[str](), _MOST_MIB << 20, list[tuple[Path, int]]()
    for place, folders, names in os.walk(folder, onerror=fail, followlinks=True):
        # A link may lead to a folder that it is in itself.
        if (real := os.path.realpath(place)) in seen:
            folders.clear()
            continue
        seen.add(real)
        if len(Path(place).relative_to(folder).parts) > _DEEPEST:
            deep = f"folders are nested more than {_DEEPEST} deep in a bot's folder"
            raise InputError(str(folder), f"{deep}: each game gets a copy of it")
        folders[:] = sorted(set(folders) - {_CACHE})
        for name in sorted([*names, *folders]):
            path = Path(place) / name
            mode = path.lstat().st_mode
            left -= path.stat().st_size if path.is_file() else 0
            if left < 0:
                most = f"more than {_MOST_MIB} MiB in a bot's folder: each game gets a copy of it"
                raise InputError(str(folder), most)
            found.append((path, mode))
    # Nothing is read before all is known to be small: a file of a system may never end.
    for path, mode in found:
        yield f"{path.relative_to(folder)} {mode:o}", _digest(path)


def _digest(path: Path) -> str:
    """Digest what is in a file; the name of what cannot be read says all that is known of it."""
    # With a digest that is wrong this once, its games would be played again.
    with explain_failure(path), suppress(PermissionError, FileNotFoundError):
        if not path.is_file():
            return str(path.readlink()) if path.is_symlink() else ""
        known = path.stat()
        return _digest_content(path, known.st_ino, known.st_size, known.st_mtime_ns)
    return ""


@lru_cache(maxsize=256)  # many bots are run by one interpreter
def _digest_content(path: Path, *_known: int) -> str:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
