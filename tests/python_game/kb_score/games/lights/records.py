"""Maps and records of Lights to facts, by the grammar alone: a map is a record without turns."""

from kb_score.engine.terms import Facts, Row
from kb_score.errors import FileKind
from kb_score.games.texts import TextFormat

MAP_FILE, FACTS_OF = FileKind("a map", 1 << 20), FileKind("a map or a record", 1 << 20)
_FORMAT = TextFormat("lights", grids=frozenset(["start", "shown"]), series=frozenset(["shown"]))


def recognises(text: str) -> bool:
    """Whether a text looks like a map or a record."""
    words = text.split()
    return bool(words) and "*" in text and not set(words[0]) - {".", "*"}


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a map or a record; the turn is the last value."""
    return _FORMAT.read(text, name).facts


def read_press(line: str) -> Row:
    """Read the row and the column that a bot answers."""
    ((row, column, _),) = _FORMAT.read(f"{line}\n", "the answer", start="answer").facts["press"]
    return row, column
