"""The facts of the game's files, for ``kb-score facts``."""

from __future__ import annotations

import re

from kb_score.games.rabbits.station import read_station, station_facts
from kb_score.terms import Facts

_ROW = re.compile(r"[ \t]*#[# sec]*[ \t]*")


FACTS_OF = "a map"


def recognises(text: str) -> bool:
    """Say whether a text looks like a map of a station: rows of walls, a start or an exit."""
    rows = [line for line in text.splitlines() if line.strip() and line.strip()[0] != ";"]
    drawing = "".join(rows)
    return (
        bool(rows)
        and all(map(_ROW.fullmatch, rows))
        and ("s" in drawing or "e" in drawing or "c" in drawing)
    )


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a map.

    Raises:
        FormatError: It is no map.
        BoardError: There is no start or no exit.
    """
    return station_facts(read_station(text, name))
