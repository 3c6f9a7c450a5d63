"""Where rules, grammars and texts are: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

# The folder of asp/ with the rule files that games share.
COMMON = "common"

_PACKAGE = Path(__file__).resolve().parent


def find_folder(name: str) -> Path:
    """Find a folder such as ``asp``: in the package where a wheel has put it, or in a checkout."""
    packed = _PACKAGE / name
    return packed if packed.is_dir() else _PACKAGE.parent / name


def list_user_folders(name: str = "") -> list[Path]:
    """List the folders in which a user has games, or what is in each by this name."""
    listed = os.environ.get("KB_SCORE_GAMES", "").split(os.pathsep)
    return [Path(folder).resolve() / name for folder in listed if folder]


def list_folders(name: str) -> list[Path]:
    """List ours of a folder such as ``asp``, and those of a user's games."""
    return [find_folder(name), *filter(Path.is_dir, list_user_folders(name))]


def find_home(name: str, inside: str) -> Path:
    """Find which of such folders has a file or folder, or is ours where none has."""
    homes = (home for home in list_folders(name) if (home / inside).exists())
    return next(homes, find_folder(name))


def name_rule_file(path: Path | str) -> str:
    """Name a rule file in messages: ours from ``asp`` on, a user's as the user does."""
    for home in list_folders("asp"):
        if Path(path).is_relative_to(home):
            return str(Path(home.name) / Path(path).relative_to(home))
    return str(path)


def is_folder(path: Path | str) -> bool:
    """Whether a path that a user has named is a folder; no path is too strange to ask."""
    # pathlib raises where a name is too long.
    return os.path.isdir(path)  # noqa: PTH112


def list_below(folder: Path) -> Iterator[Path]:
    """Yield the files and folders in a folder and below it, in no order; links are not followed.

    What lies in a folder that cannot be read is left out. Folders may be nested to any depth, where
    `Path.rglob` of Python 3.11 recurses, and fails at 1,000 levels.
    """
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                found = list(entries)
        except OSError:
            continue
        for entry in found:
            path = Path(entry.path)
            yield path
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)


def is_there(path: str) -> bool:
    """Whether there is something of the name that a user has given."""
    return os.path.exists(path)  # noqa: PTH110
