"""The bots of a contest, as its file describes them, and digests of their files."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import stat
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from unicodedata import normalize

from msgspec import Struct, defstruct
from msgspec.structs import asdict, replace

from kb_score.arena.players import BotCommand
from kb_score.errors import InputError, Mistakes, explain_failure, shorten
from kb_score.games.match import Clock
from kb_score.resources import is_folder
from kb_score.shell.process import (
    NO_BOUNDS,
    Bounds,
    check_sandbox,
    explain_missing,
    explain_no_script,
    explain_open_end,
    explain_unreachable,
    list_known,
    list_words,
    read_program,
)
from kb_score.shell.toml import Flag, Line, Lines, Name, Table, TomlFile, make_number, quote

if TYPE_CHECKING:
    from kb_score.engine.changes import Changes
    from kb_score.games.game import Game
    from kb_score.games.options import Option

# A word of a command that may name a file; a redirection before it shows that the bot writes to it.
_FILE = re.compile(r"(>[>&|]?\s*)?([\w./+@%-]+)")
# The name of a file and its digest.
FileDigest: TypeAlias = tuple[str, str]
_LONGEST = 10_000  # characters of a command
_CACHE = "__pycache__"  # Python may write into this folder whenever it runs a bot
_MAX_MIB = 256  # the largest size of a bot's folder
_DEEPEST = 100  # the most levels of folders in it


class Entrant(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bot of a contest: a table ``[[bot]]`` of its file."""

    name: Name
    version: Line = ""  # as its author calls it; empty if there is none
    command: Lines
    # The folder of its files: in each game the bot runs in a fresh copy. Empty if it runs in the
    # folder of the contest's file.
    folder: Name = ""
    # Its times, in seconds; the table in the file has those that differ from ``[limits]``.
    limits: Table = {}
    # Whether it runs for a whole game where others are started for each turn.
    persistent: Flag = False

    def make_command(
        self, game: Game, folder: Path, log: Path | None = None, bounds: Bounds = NO_BOUNDS
    ) -> BotCommand:
        """Return the command of the bot for a game, in the folder in which it runs."""
        return BotCommand(
            name=self.name,
            command=self.command,
            clock=game.make_clock(self.limits),
            persistent=self.persistent,
            folder=folder,
            log=log,
            bounds=bounds,
        )

    def find_base(self, home: Path) -> Path:
        """Return the folder of its files: its own, or ``home``, that of the contest's file."""
        return Path(self.folder or home)

    def digest(self, home: Path) -> str:
        """Return a digest of the bot's table and of all its files."""
        files = self.list_files(home)
        limits = sorted(self.limits.items())
        table = (self.name, self.version, self.command, limits, self.persistent)
        text = repr((table, files))
        return sha256(text.encode(errors="replace")).hexdigest()

    def list_files(self, home: Path) -> list[FileDigest]:
        """Return the files of the bot, each with a digest: nothing that belongs to the machine.

        Raises an InputError if a file cannot be read, or if the bot's folder is too large.
        """
        base = self.find_base(home)
        files = []
        for path in _find_programs(self, home):
            # The digest must not change when a contest moves to another folder.
            name = path.relative_to(base) if path.is_relative_to(base) else path
            files.append((normalize("NFC", str(name)), _digest(path)))
        if self.folder:
            try:
                files += _list_folder(base)
            except OSError as error:
                raise InputError(str(error.filename or self.folder), "cannot be read") from error
        return sorted(files)


def make_kind(options: Iterable[Option]) -> type[Struct]:
    """Return the kind of a TOML table whose keys are the names of options."""
    kinds = []
    for option in options:
        default = option.default
        kind: Any = Line
        if isinstance(default, int | float):
            kind = make_number(type(default), option.least, option.most)
        elif default is None:
            default = ""
        kinds.append((option.name, kind, default))
    return defstruct("Options", kinds, forbid_unknown_fields=True)


def check_entrants(file: TomlFile, game: Game, mistakes: Mistakes) -> None:
    """Check the tables of the bots and of their limits; add the mistakes to those so far."""
    times = make_kind(game.times)
    file.check(times, mistakes, "limits")
    for number in range(file.count_tables("bot")):
        file.check(Entrant, mistakes, "bot", number)
        file.check(times, mistakes, "bot", number, "limits")


def read_entrants(
    file: TomlFile, game: Game, home: Path, *, will_play: bool = True
) -> tuple[Entrant, ...]:
    """Read the bots of a contest, in the order of its file.

    ``will_play`` says to check that this machine can run them. A FormatError names all bots that
    cannot be used, with the reasons.
    """
    times = make_kind(game.times)
    common_limits = asdict(file.read(times, "limits"))
    bots: dict[str, Entrant] = {}
    mistakes = Mistakes()
    for number in range(file.count_tables("bot")):
        bot = file.read(Entrant, "bot", number)
        own_limits = asdict(file.read(times, "bot", number, "limits"))
        limits = dict(common_limits)
        for key in bot.limits:
            limits[key] = own_limits[key]
        folder = bot.folder
        if folder:
            folder = str(home / folder)
        for key, message in _find_mistakes(bot, game, folder, bots):
            mistakes.add(file.error(message, "bot", number, key))
        bots[bot.name] = replace(bot, folder=folder, limits=limits)
    mistakes.raise_any()
    if not will_play:
        return tuple(bots.values())
    names = list(bots)
    for name, reason in _find_missing(bots.values(), home, in_shell=game.play.shell):
        message = f"cannot run bot {quote(name)}: {reason}"
        mistakes.add(file.error(message, "bot", names.index(name), "command"))
    mistakes.raise_any()
    return tuple(bots.values())


def _find_mistakes(
    bot: Entrant, game: Game, folder: str, others: Container[str]
) -> Iterator[tuple[str, str]]:
    """Yield the keys of a bot that have unusable values, each with the reason."""
    length = len(bot.command)
    is_too_long = length > _LONGEST
    if is_too_long:
        most = f"at most {_LONGEST:,} are allowed"
        yield "command", f"this command has {length:,} characters, but {most}"
    if bot.name in others:
        yield "name", f"two bots have the name {quote(bot.name)}"
    if folder and not is_folder(folder):
        yield "folder", f"there is no folder {quote(bot.folder)}"
    if game.play.shell:
        return
    if bot.persistent:
        yield "persistent", f"a bot of {game.title} always runs for a whole game"
    if is_too_long:
        # The time to split it into words grows with the square of its length.
        return
    try:
        BotCommand(bot.name, bot.command, Clock(0)).words()
    except InputError as error:
        yield "command", str(error)


def check_apart(bots: Iterable[Entrant], results: Path) -> None:
    """Check that results are not stored in the folder of a bot, which they would change."""
    place = Path(os.path.realpath(results))
    folders = {bot.folder for bot in bots if bot.folder}
    for folder in folders:
        if place.is_relative_to(os.path.realpath(folder)):
            message = "results cannot be kept in the folder of a bot: name another with --results"
            raise InputError(str(results), message)


def check_in_sandbox(bots: Iterable[Entrant], home: Path, *, in_shell: bool) -> None:
    """Check that each bot can reach the files of its command in a sandbox."""
    for bot in bots:
        words = list_words(bot.command) if in_shell else shlex.split(bot.command)
        reason = explain_unreachable(words, bot.find_base(home), copied=bool(bot.folder))
        if reason:
            message = f"cannot run bot {quote(bot.name)} in a sandbox: {reason}"
            raise InputError(shorten(bot.name), message)


def make_check(
    game: Game, bots: Sequence[Entrant], home: Path, changes: Changes, *, sandbox: bool
) -> Callable[[], None]:
    """Return a function that checks on another machine that it has the same bots and rules."""
    files = [bot.list_files(home) for bot in bots]
    # The digest of the rules is that of this machine.
    check_rules = changes.check
    in_shell = game.play.shell
    return partial(_check_there, in_shell, bots, home, files, check_rules, sandbox)


def _check_there(
    in_shell: bool,
    bots: Sequence[Entrant],
    home: Path,
    files: Sequence[list[FileDigest]],
    check_rules: Callable[[], None],
    sandbox: bool,
) -> None:
    """Check the bots and rules of this machine; an InputError names what is different."""
    check_rules()
    if sandbox:
        check_sandbox()
        check_in_sandbox(bots, home, in_shell=in_shell)
    for name, reason in _find_missing(bots, home, in_shell=in_shell):
        raise InputError(shorten(name), f"cannot run bot {quote(name)}: {reason}")
    for bot, files_here in zip(bots, files, strict=True):
        if bot.list_files(home) != files_here:
            bot_files = f"the files of bot {quote(bot.name)}"
            message = f"{bot_files} differ from those on the machine that runs the command"
            raise InputError(str(bot.folder or home), message)


def _find_missing(
    bots: Iterable[Entrant], home: Path, *, in_shell: bool
) -> Iterator[tuple[str, str]]:
    """Yield the names of the bots whose program does not exist, each with the reason."""
    programs = []
    for bot in bots:
        command = bot.command
        words = list_words(command) if in_shell else shlex.split(command)
        program = read_program(command) if in_shell else words[0]
        reason = explain_no_script(words, bot.find_base(home)) if program else ""
        if in_shell and not bot.persistent:
            reason = reason or explain_open_end(command.rstrip())
        programs.append((bot, program, reason))
    names = {program for _, program, _ in programs if program and "/" not in program}
    known = list_known(names) if in_shell else set(filter(shutil.which, names))
    for bot, program, reason in programs:
        missing = explain_missing(program, bot.find_base(home), known) if program else ""
        if missing or reason:
            yield bot.name, missing or reason


def _find_programs(bot: Entrant, home: Path) -> Iterator[Path]:
    """Yield the files that a bot's command names, but does not write to, in order.

    Programs of the machine, such as interpreters, are left out.
    """
    try:
        names = set(shlex.split(bot.command, comments=True))
    except ValueError:
        names = set()
    written: set[str] = set()
    for mark, name in _FILE.findall(bot.command):
        if mark:
            written.add(name)
        else:
            names.add(name)
    for name in sorted(names - written):
        path = bot.find_base(home) / name
        is_of_machine = Path(name).is_absolute() and str(path.parent) in os.get_exec_path()
        if is_of_machine or _is_hidden(Path(name)):
            continue
        with suppress(OSError, ValueError):  # such as a name that no file can have
            if path.is_file():
                yield path


def _is_hidden(path: Path) -> bool:
    """Return whether a path leads through a hidden file or folder, or a cache."""
    return any(part == _CACHE or (part.startswith(".") and part.strip(".")) for part in path.parts)


def _list_folder(folder: Path) -> Iterator[FileDigest]:
    """Yield the name and a digest of each file of a bot's folder, except hidden ones and caches."""

    def fail(error: OSError) -> None:
        raise error

    seen: set[str] = set()
    left = _MAX_MIB << 20
    found = []
    for place, folders, names in os.walk(folder, onerror=fail, followlinks=True):
        # A link may lead to a folder that contains it.
        real = os.path.realpath(place)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        if len(Path(place).relative_to(folder).parts) > _DEEPEST:
            deep = f"folders are nested more than {_DEEPEST} deep in a bot's folder"
            raise InputError(str(folder), f"{deep}: each game gets a copy of it")
        folders[:] = sorted(set(folders) - {_CACHE})
        for name in sorted(names):
            path = Path(place) / name
            if path.is_file():
                left -= path.stat().st_size
            if left < 0:
                most = f"more than {_MAX_MIB} MiB in a bot's folder: each game gets a copy of it"
                raise InputError(str(folder), most)
            found.append(path)
    # Files are read only after their total size is known: a system file may never end.
    for path in found:
        relative = path.relative_to(folder)
        if not _is_hidden(relative):
            yield normalize("NFC", str(relative)), _digest(path)


def _digest(path: Path) -> str:
    """Return the digest of a file, with a mark if it is executable, or the target of a broken link.

    The digest is empty if the file is missing, or access to it is denied. Another failure is an
    InputError: games would be replayed after a wrong digest.
    """
    with explain_failure(path), suppress(PermissionError, FileNotFoundError):
        if path.is_file():
            known = path.stat()
            digest = _digest_content(path, known.st_ino, known.st_size, known.st_mtime_ns)
            return f"{digest} x" if known.st_mode & stat.S_IXUSR else digest
        if path.is_symlink():
            return str(path.readlink())
    return ""


@lru_cache(maxsize=256)  # many bots may share their files
def _digest_content(path: Path, *_known: int) -> str:
    """Return the digest of a file, cached by its path, inode, size and modification time."""
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
