"""Where the rules and grammars are: beside the package in a checkout, inside it once installed."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def find_folder(name: str) -> Path:
    """Find a folder of project files.

    Args:
        name: ``asp`` or ``parsers``.

    Returns:
        The folder inside the package where a wheel has put it, else the one of the checkout.
    """
    packed = _PACKAGE / name
    return packed if packed.is_dir() else _PACKAGE.parent / name
