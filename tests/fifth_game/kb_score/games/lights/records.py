"""Maps and records of Lights to facts: a map is a record without turns."""

from typing import Any

from kb_score.engine.terms import Facts, Row
from kb_score.errors import FileKind, FormatError
from kb_score.grammar import parse, place_at, read_number

MAP_FILE, FACTS_OF = FileKind("a map", 1 << 20), FileKind("a map or a record", 1 << 20)


def recognises(text: str) -> bool:
    """Whether a text looks like a map or a record."""
    words = text.split()
    return bool(words) and "*" in text and not set(words[0]) - {".", "*"}


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a map or a record; the turn is the last value."""
    first, *turns = list[Any](parse("lights", text, name=name).children)
    size, starts = _read_grid(first, text, name)
    facts: dict[str, list[Row]] = {"size": [size], "starts_lit": starts, "turns": [(len(turns),)]}
    for turn, tree in enumerate(turns, 1):
        press, *grids = tree.children
        facts.setdefault("press", []).append((*read_press(press, text, name), turn))
        for grid in grids:
            _, lights = _read_grid(grid, text, name, size)
            facts.setdefault("shown", []).append((turn,))
            facts.setdefault("claimed_lit", []).extend((*cell, turn) for cell in lights)
    return facts


def read_press(token: Any, text: str, name: str) -> Row:
    """Read the row and the column that are pressed."""
    return tuple(read_number(word, token, text, name) for word in token.split()[1:])


def _read_grid(token: Any, text: str, name: str, like: Row = ()) -> tuple[Row, list[Row]]:
    """Read the size of a grid, and the cells whose light is on."""
    rows = token.split()
    size = like or (len(rows), len(rows[0]))
    if len(rows) != size[0] or any(len(row) != size[1] for row in rows):
        message = f"a grid of {size[0]} rows of {size[1]} cells is expected"
        raise FormatError(place_at(text, token.line or 1, 1, name), message)
    return size, [(r, c) for r, row in enumerate(rows) for c, on in enumerate(row) if on == "*"]
