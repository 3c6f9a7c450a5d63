"""The bots of a tournament, read from a TOML file, and what tells one from another."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from kb_score.errors import FileKind, FormatError, InputError, Place, say_failure
from kb_score.games.slime.bots import BotSpec
from kb_score.resources import is_folder

MIN_BOTS = 4
BOTS_FILE = FileKind("a list of bots", 1 << 20)
_PLACE = re.compile(r"line ([0-9]+), column ([0-9]+)")
_KEYS = {"name", "command", "folder", "persistent"}
# What in a command may be the name of a file; what a bot writes to is no part of it.
_FILE = re.compile(r"(>[>&|]?\s*)?([\w./+@%-]+)")
# Python writes there whenever somebody tries a bot out.
_CACHE = "__pycache__"


def read_entrants(text: str, path: Path) -> tuple[BotSpec, ...]:
    """Read the bots of a tournament, in the order of the file.

    The text is TOML, with a table ``[[bot]]`` for each bot: ``name``, ``command`` and, if it has
    files of its own, ``folder``, which is relative to the folder of the file. A bot that runs for a
    whole game has ``persistent = true``.

    Raises:
        FormatError: The text is no TOML.
        InputError: A bot lacks something, two have one name, or there are too few.
    """
    try:
        read = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        place = _PLACE.search(str(error))
        line, column = map(int, place.groups()) if place else (1, 1)
        message = f"this is no TOML file: {str(error)[:100]}"
        raise FormatError(Place(str(path), line, column), message) from error
    tables = read.get("bot", [])
    if set(read) - {"bot"} or not isinstance(tables, list):
        raise InputError(str(path), "a tournament has tables [[bot]] and nothing else")
    bots = tuple(_read_bot(table, i, path) for i, table in enumerate(tables, 1))
    names = [bot.name for bot in bots]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(str(path), f"two bots have the name {twice[0]!r}")
    if len(bots) < MIN_BOTS:
        message = f"a tournament needs {MIN_BOTS} bots, this file has {len(bots)}"
        raise InputError(str(path), message)
    return bots


def _read_bot(table: Any, number: int, path: Path) -> BotSpec:
    def error(message: str) -> InputError:
        return InputError(str(path), f"[[bot]] number {number} {message}")

    if not isinstance(table, dict):
        raise error("is not a table")
    if unknown := sorted(set(table) - _KEYS):
        raise error(f"has the key {unknown[0]!r}, but only {', '.join(sorted(_KEYS))} are known")
    for key in ("name", "command"):
        if not isinstance(table.get(key), str) or not table[key].strip():
            raise error(f"needs a {key}, a text")
    if "\0" in table["command"] or not table["name"].isprintable():
        raise error("holds characters that cannot be used")
    persistent = table.get("persistent", False)
    if not isinstance(persistent, bool):
        raise error(f"has persistent = {persistent!r}, but it is true or false")
    bot = BotSpec(table["name"], table["command"], persistent=persistent)
    folder, home = table.get("folder"), path.resolve().parent
    if folder is None:
        return bot
    if not isinstance(folder, str) or not is_folder(home / folder):
        raise error(f"has the folder {folder!r}, which is not there")
    return replace(bot, folder=home / folder)


def digest_bot(bot: BotSpec, home: Path) -> str:
    """Find what tells a bot from others: its name, its command, its files and what is in them.

    Its files are its program, the files that its command names, but for those after ``>``, and all
    of its folder.

    Args:
        bot: The bot.
        home: The folder that it runs in if it has none of its own.

    Raises:
        InputError: Its folder cannot be read, or a disk fails.
    """
    found = [(str(path), _digest(path)) for path in _find_programs(bot, home)]
    if bot.folder is not None:
        try:
            found += _list_folder(bot.folder)
        except OSError as error:
            raise InputError(str(error.filename or bot.folder), "cannot be read") from error
    # What is left out for the other bots keeps results that are older than persistent ones.
    told = (bot.name, bot.command, found, *(["persistent"] * bot.persistent))
    return sha256(repr(told).encode(errors="replace")).hexdigest()


def _find_programs(bot: BotSpec, home: Path) -> Iterator[Path]:
    try:
        words = shlex.split(bot.command, comments=True)
    except ValueError:
        words = []
    program = shutil.which(words[0]) if words else None
    names = {name for written, name in _FILE.findall(bot.command) if not written}
    written = {name for mark, name in _FILE.findall(bot.command) if mark}
    for name in sorted(names.union(words, [program] if program else []) - written):
        path = (bot.folder or home) / name
        if _is_file(path):
            yield path


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False  # such as a name that no file can have


def _list_folder(folder: Path) -> Iterator[tuple[str, str]]:
    """List the files in a folder and in those below it, as they are copied for a game."""

    def fail(error: OSError) -> None:
        raise error

    for place, folders, names in os.walk(folder, onerror=fail):
        folders[:] = sorted(set(folders) - {_CACHE})
        for name in sorted([*names, *folders]):
            path = Path(place) / name
            mode = path.lstat().st_mode
            yield f"{path.relative_to(folder)} {mode:o}", _digest(path)


def _digest(path: Path) -> str:
    """Digest what is in a file; the name of what cannot be read says all that is known of it."""
    try:
        if not path.is_file():
            return str(path.readlink()) if path.is_symlink() else ""
        known = path.stat()
        return _digest_content(path, known.st_ino, known.st_size, known.st_mtime_ns)
    except (PermissionError, FileNotFoundError):
        return ""
    except OSError as error:
        # With a digest that is wrong this once, its games would be played again.
        raise InputError(str(path), say_failure(error)) from error


@lru_cache(maxsize=256)  # many bots are run by one interpreter
def _digest_content(path: Path, *_known: int) -> str:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
