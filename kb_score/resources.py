"""Where the rules and grammars are: beside the package in a checkout, inside it once installed."""

from __future__ import annotations

import os
from pathlib import Path

# The folder of asp/ with the rule files that games share.
COMMON = "common"

_PACKAGE = Path(__file__).resolve().parent


def find_folder(name: str) -> Path:
    """Find ``asp`` or ``parsers``: in the package where a wheel has put it, or in the checkout."""
    packed = _PACKAGE / name
    return packed if packed.is_dir() else _PACKAGE.parent / name


def is_folder(path: Path | str) -> bool:
    """Whether a path that a user has named is a folder; no path is too strange to ask."""
    # pathlib raises where a name is too long.
    return os.path.isdir(path)  # noqa: PTH112


def is_there(path: str) -> bool:
    """Whether there is something of the name that a user has given."""
    return os.path.exists(path)  # noqa: PTH110
