"""The turns in the text of a game of Kingdom Builder."""

from __future__ import annotations


def split_game(text: str) -> tuple[str, list[str]]:
    """Return the headings of a game, and the lines of its turns."""
    lines = text.splitlines(keepends=True)
    headings = [line for line in lines if ":" not in line and not line.startswith("gold")]
    return "".join(headings), [line for line in lines if ":" in line]
