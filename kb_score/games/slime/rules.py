"""The uses of ``asp/slime``, and the types of its rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from kb_score.engine.rules import Use
from kb_score.engine.terms import Value

_PICTURE = ("picture", "common/looks", "common/pictured")
SESSION = Use(
    ("rules", "amounts", "record", "check", "impossible", *_PICTURE),
    lifted=("step", "order", "end"),
)
# Frames are drawn only where they break the rules.
FRAMES = Use(("rules", "record", "frames", "impossible"), lifted=("step",))
DRAWN_FRAMES = FRAMES.plus(*_PICTURE)
PLAY = Use(("rules", "amounts", "play", "impossible"))
LEGAL = Use(("rules", "legal", "impossible"), lifted=("step",))
POSITIONS = Use(("rules", "positions"), lifted=("step", "order", "end"))

PLAYERS = (1, 2, 3, 4)
KINDS = ("spread", "jump", "merge", "pass")


def list_kinds(found: Iterable[str]) -> tuple[str, ...]:
    """List the kinds of turns that always count, and others that are found."""
    others = set(found) - set(KINDS)
    return (*KINDS, *sorted(others))


# Row and column, from 0.
Square: TypeAlias = tuple[int, ...]


class HoldsRow(NamedTuple):
    """The owner of a square after a turn; turn 0 is the start."""

    square: Square
    owner: int
    turn: int


class DidRow(NamedTuple):
    """The kind of a player's turn."""

    player: int
    kind: str
    turn: int


class SquaresRow(NamedTuple):
    """How many squares a player has after a turn."""

    player: int
    number: int
    turn: int


class MadeRow(NamedTuple):
    """How many turns of a kind a player has made."""

    player: int
    kind: str
    number: int


class ClaimsRow(NamedTuple):
    """What a record claims of its outcome."""

    key: str
    value: Value


class ExplanationRow(NamedTuple):
    """A move that explains a turn; number 1 counts."""

    turn: int
    number: int
    player: int
    kind: str
    answer: Value


class Permitted(NamedTuple):
    """A move that a player may make."""

    kind: str
    start: Square
    to: Square


class CountsRow(NamedTuple):
    """The kind of move as which an answer counts."""

    kind: str


class PassesRow(NamedTuple):
    """Why an answer counts as a pass."""

    code: str
    detail: Value
