"""The bots of a tournament, read from a TOML file."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from kb_score.errors import BoardError, FormatError, Place
from kb_score.games.slime.bot import Player
from kb_score.resources import is_folder

FEWEST = 4
_PLACE = re.compile(r"line ([0-9]+), column ([0-9]+)")
_KEYS = {"name", "command", "folder"}


def read_entrants(text: str, path: Path) -> tuple[Player, ...]:
    """Read the bots of a tournament.

    Args:
        text: TOML, with a table ``[[bot]]`` a bot: ``name``, ``command`` and, if it has files of
            its own, ``folder``.
        path: The file. Folders are relative to the one that it is in, and bots without a folder
            run there.

    Returns:
        The bots in the order of the file.

    Raises:
        FormatError: The text is no TOML.
        BoardError: A bot lacks something, two have one name, or there are too few.
    """
    try:
        read = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        place = _PLACE.search(str(error))
        line, column = map(int, place.groups()) if place else (1, 1)
        raise FormatError(
            Place(str(path), line, column), f"this is no TOML file: {str(error)[:100]}"
        ) from error
    tables = read.get("bot", [])
    if set(read) - {"bot"} or not isinstance(tables, list):
        raise BoardError(str(path), "a tournament has tables [[bot]] and nothing else")
    bots = tuple(_read_bot(table, i, path) for i, table in enumerate(tables, 1))
    names = [bot.name for bot in bots]
    for name in names:
        if names.count(name) > 1:
            raise BoardError(str(path), f"two bots have the name {name!r}")
    if len(bots) < FEWEST:
        raise BoardError(str(path), f"a tournament needs {FEWEST} bots, here are {len(bots)}")
    return bots


def _read_bot(table: Any, number: int, path: Path) -> Player:
    where = f"[[bot]] number {number}"
    if not isinstance(table, dict):
        raise BoardError(str(path), f"{where} is no table")
    if unknown := sorted(set(table) - _KEYS):
        raise BoardError(str(path), f"{where} has {unknown[0]!r}: known are {sorted(_KEYS)}")
    for key in ("name", "command"):
        if not isinstance(table.get(key), str) or not table[key].strip():
            raise BoardError(str(path), f"{where} needs a {key}, a text")
    if "\0" in table["command"] or not table["name"].isprintable():
        raise BoardError(str(path), f"{where} holds characters that cannot be used")
    folder = table.get("folder")
    if folder is not None and not isinstance(folder, str):
        raise BoardError(str(path), f"{where} has a folder that is no text")
    home = path.resolve().parent
    if folder is not None and not is_folder(home / folder):
        raise BoardError(str(path), f"{where} has the folder {folder!r}, which is not there")
    return Player(table["name"], table["command"], None if folder is None else home / folder)
