"""The facts of the game's files, for ``kb-score facts``."""

from __future__ import annotations

import re

from kb_score.games.search_party.maps import read_map
from kb_score.terms import Facts

_HEADER = re.compile(r"\s*[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t]*\n[.#S\s]")


FACTS_OF = "a map"


def recognises(text: str) -> bool:
    """Say whether a text looks like a map; a record says nothing without its map."""
    return _HEADER.match(text) is not None


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a map.

    Raises:
        FormatError: The text is no map.
    """
    return read_map(text, name).facts()
