"""The hexes of Kingdom Builder boards: their symbols, alone and in pairs, and what they mean."""

from __future__ import annotations

import re

from kb_score.engine.terms import Name, Row

LAND = {"G": "grass", "N": "canyon", "D": "desert", "L": "flower", "F": "forest"}
TERRAIN = {"W": "water", "M": "mountain", "T": "town", "C": "castle", "O": "nomad"}
MAX_PLAYERS = 5
PLAYERS = "".join(map(str, range(1, MAX_PLAYERS + 1)))
# A hex that could not be read, on a board that is to be restored.
HIDDEN = "?"
SYMBOLS = "".join((".", *TERRAIN, *LAND, PLAYERS))
# Where a settlement may stand, and where a stone wall.
SETTLED, WALLED = "".join((".", *LAND, "WM")), "".join((".", *LAND))

HEX = re.compile(rf"[{SETTLED}][{PLAYERS}]|[{WALLED}]#|[{SYMBOLS}]")
WORDS = f"each hex is one of {' '.join(SYMBOLS)}, or a pair such as G2 or G#"
UNREADABLE = f"{WORDS}; kb-score restore finds out what an unreadable hex may hold"
BLANK = "a blank is missing between two hexes, as the other rows have them"

# The fact that a symbol stands for: its predicate, and what comes before row and column.
MEANINGS: dict[str, tuple[str, Row]] = {
    **{symbol: ("terrain", (Name(kind),)) for symbol, kind in TERRAIN.items()},
    **{symbol: ("land", (Name(kind),)) for symbol, kind in LAND.items()},
    **{symbol: ("settlement", (int(symbol),)) for symbol in PLAYERS},
    "#": ("wall", ()),
}


def list_symbols() -> dict[str, tuple[str, ...] | None]:
    """List the symbols of a board's file, each with its fact's predicate and first argument."""
    meanings = {symbol: (name, *map(str, first)) for symbol, (name, first) in MEANINGS.items()}
    return {".": None, **meanings}


def list_pairs() -> list[str]:
    """List the hexes of two symbols that there may be: the terrain, and what stands on it."""
    settled = [terrain + player for terrain in SETTLED for player in PLAYERS]
    return [*settled, *(f"{terrain}#" for terrain in WALLED)]


def shorten(hex_: str) -> str:
    """Leave out the point below a settlement: ``.2`` is the same hex as ``2``."""
    return hex_[1:] if hex_[0] == "." and hex_[1:] in tuple(PLAYERS) else hex_


def find_fault(word: str) -> tuple[int, str]:
    """Find what is wrong with a word that is no hex: at which of its symbols, and why."""
    first, second = (*word, "")[:2]
    if first == "#":
        return 0, "unexpected '#': a stone wall is a second symbol, after the terrain, as in G#"
    at = 1 if first in PLAYERS else 2
    whole, more = HEX.fullmatch(word[:at]), word[at : at + 1]
    if whole and (more == "#" or (first in LAND and more and more in PLAYERS)):
        return at, f"unexpected {more!r}: a hex holds one settlement or one stone wall"
    if second == "#":
        return 0, f"unexpected {word[:2]!r}: a stone wall stands on one of {' '.join(WALLED)}"
    if second in PLAYERS and first in TERRAIN and first not in SETTLED:
        return 0, f"unexpected {word[:2]!r}: a settlement stands on one of {' '.join(SETTLED)}"
    return (2 if first != "." and HEX.fullmatch(word[:2]) else 1), BLANK
