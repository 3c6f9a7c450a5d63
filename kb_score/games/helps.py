"""The help of the command line for the verbs of a game: the file ``help.toml`` of its folder."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct

from kb_score.resources import find_rule_folder
from kb_score.shell.toml import Line, Lines, read_toml_file


@dataclass(frozen=True, slots=True)
class Help:
    """The command-line help for a verb of a game; lists show its first line.

    The example begins with the game's name.
    """

    text: str
    example: str


class _HelpTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table of a verb in ``help.toml``."""

    text: Lines
    example: Line


def read_helps(game: str) -> dict[str, Help]:
    """Return the help texts of a game by verb; empty if it has no file ``help.toml``."""
    return read_help_file(find_rule_folder(game) / "help.toml")


def read_help_file(path: Path) -> dict[str, Help]:
    """Return the help texts of a file by verb; empty if there is no file."""
    if not path.is_file():
        return {}
    return _read_help_file(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=64)
def _read_help_file(path: Path, _changed: int) -> dict[str, Help]:
    """Read a file of help texts; it is read again after it has changed."""
    toml = read_toml_file(path)
    helps: dict[str, Help] = {}
    for verb in toml.values:
        table = toml.read(_HelpTable, verb)
        helps[verb] = Help(table.text, table.example)
    return helps
