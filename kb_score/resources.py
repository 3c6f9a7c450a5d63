"""Where rules, grammars and texts are: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

import os
from pathlib import Path

# The folder of asp/ with the rule files that games share.
COMMON = "common"

_PACKAGE = Path(__file__).resolve().parent


def find_folder(name: str) -> Path:
    """Find a folder such as ``asp``: in the package where a wheel has put it, or in a checkout."""
    packed = _PACKAGE / name
    return packed if packed.is_dir() else _PACKAGE.parent / name


def is_folder(path: Path | str) -> bool:
    """Whether a path that a user has named is a folder; no path is too strange to ask."""
    # pathlib raises where a name is too long.
    return os.path.isdir(path)  # noqa: PTH112
