"""The uses of ``asp/rabbits``, and the types of its rows.

A cell is a number, and so is a heading.
"""

from __future__ import annotations

from typing import NamedTuple

from kb_score.engine.rules import Use
from kb_score.engine.terms import Value

MAP = Use(("rules", "map"))
# A session is followed from the state that it prints, or from the one that the rules derive.
_DRAWN = ("picture", "common/looks", "common/pictured")
_CHECK = ("turn", "crush", "answer", "check", "derived")
PRINTED = Use(("rules", "chain", "check", "impossible", *_DRAWN), lifted=(*_CHECK, "printed"))
DERIVED = Use(("rules", "chain", "check", "impossible", *_DRAWN), lifted=(*_CHECK, "settled"))

POSITIONS = Use(("rules", "chain", "check", "positions"), lifted=DERIVED.lifted)

_LOG = ("turn", "crush", "answer", "log")
EXPLORE = Use(
    ("rules", "chain", "run_log", "explore"), lifted=(*_LOG, "strict", "explore"), models="brave"
)
HEADINGS = Use(("rules", "chain", "run_log", "headings"), lifted=(*_LOG, "strict"))
EXPLAIN = Use(("rules", "chain", "run_log", "explain"), lifted=(*_LOG, "strict", "explain"))
BLAME = Use(("rules", "chain", "run_log", "blame", *_DRAWN), lifted=_LOG, models="best")
FRAMES = Use(("rules", "frames", *_DRAWN))

TOTALS = Use(("totals",))
TABLE = Use(("table",))
PLAY = Use(("rules", "chain", "order", "play", "impossible"))
LEGAL = Use(
    ("rules", "chain", "legal", "impossible"),
    lifted=("turn", "crush", "answer", "derived", "settled"),
)


class CutOff(NamedTuple):
    """A start; rabbits that appear on it can never be saved."""

    cell: int


class CountRow(NamedTuple):
    """The number of rabbits in a record that are crushed, squished or spawned, or that collide."""

    key: str
    number: int


class SoFar(NamedTuple):
    """A total of a record up to the end of a window, such as that of runs or saved rabbits."""

    key: str
    number: int


class Left(NamedTuple):
    """A rabbit, or a crusher that may have this heading, on a cell after the last turn."""

    what: str
    cell: int
    heading: int
    turn: int


class BrokenOff(NamedTuple):
    """A sign that a turn of the window is discarded."""


class Saves(NamedTuple):
    """The number of rabbits that are saved in a turn."""

    number: int
    turn: int


class LastHeadingRow(NamedTuple):
    """The heading of a crusher after a window."""

    cell: int
    heading: int


class Bound(NamedTuple):
    """Two crushers whose headings after a window may depend on each other."""

    cell: int
    other: int


class Fails(NamedTuple):
    """The first turn whose frame cannot follow from the turns before it."""

    turn: int


class Blamed(NamedTuple):
    """A rabbit, crusher or cell that makes a frame impossible after the turns before it."""

    what: str
    x: int
    y: int


class Began(NamedTuple):
    """The heading of a crusher at the beginning of a window."""

    cell: int
    heading: int


class ReportedRow(NamedTuple):
    """The cell of a rabbit that is reported to the bot."""

    cell: int
    turn: int


class Leaves(NamedTuple):
    """A rabbit's move."""

    cell: int
    to: int
    turn: int


class ActionRow(NamedTuple):
    """A crusher's action; actions are in the order of their numbers."""

    number: int
    cell: int
    verb: str
    to: int
    turn: int


class Mistake(NamedTuple):
    """A mistake in a table; ``run`` is "" if it concerns all runs."""

    code: str
    run: Value
    detail: Value


class FirstHeadingRow(NamedTuple):
    """A heading that a crusher may have if the run begins with this turn."""

    cell: int
    heading: int
    turn: int


class OptionRow(NamedTuple):
    """A heading that a crusher may choose in a turn."""

    cell: int
    heading: int
    turn: int


class Rabbit(NamedTuple):
    """A rabbit at the time when the crushers look around."""

    cell: int
    turn: int


class Crusher(NamedTuple):
    """A crusher at the beginning of a turn."""

    cell: int
    turn: int


class Stands(NamedTuple):
    """A rabbit at the time when the bot's moves are carried out."""

    cell: int
    turn: int


class Saved(NamedTuple):
    """A rabbit that goes to an exit."""

    cell: int
    turn: int


class MayStep(NamedTuple):
    """A move that a rabbit may make in a turn of a random game."""

    cell: int
    to: int
    turn: int


class MayRoll(NamedTuple):
    """An action that a crusher may take."""

    cell: int
    verb: str
    to: int


class MayHop(NamedTuple):
    """A move that a rabbit may make."""

    cell: int
    to: int


class Skipped(NamedTuple):
    """A move of the bot that is skipped, by its number, and the reason."""

    number: int
    cell: int
    code: str
    detail: Value


class Decided(NamedTuple):
    """A sign that the crushers have acted, so that rabbits may move."""


class Over(NamedTuple):
    """The turn after which the game was over, before the turn in question."""

    turn: int
