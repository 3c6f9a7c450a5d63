"""The bots of a tournament, read from a TOML file."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from kb_score.errors import FormatError, InputError, Place
from kb_score.games.slime.bots import BotSpec
from kb_score.resources import is_folder

MIN_BOTS = 4
_PLACE = re.compile(r"line ([0-9]+), column ([0-9]+)")
_KEYS = {"name", "command", "folder"}


def read_entrants(text: str, path: Path) -> tuple[BotSpec, ...]:
    """Read the bots of a tournament, in the order of the file.

    The text is TOML, with a table ``[[bot]]`` for each bot: ``name``, ``command`` and, if it has
    files of its own, ``folder``, which is relative to the folder of the file.

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
    folder, home = table.get("folder"), path.resolve().parent
    if folder is None:
        return BotSpec(table["name"], table["command"])
    if not isinstance(folder, str) or not is_folder(home / folder):
        raise error(f"has the folder {folder!r}, which is not there")
    return BotSpec(table["name"], table["command"], home / folder)
