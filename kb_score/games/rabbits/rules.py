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


class Left(NamedTuple):
    """A rabbit, or a crusher that may have this heading, on a cell after the last turn."""

    what: str
    cell: int
    heading: int
    turn: int


class LastHeadingRow(NamedTuple):
    """The heading of a crusher after a window.

    A user's rules may let crushers choose other headings than numbers: reading one is an error.
    """

    cell: int
    heading: int


class ActionRow(NamedTuple):
    """A crusher's action; actions are in the order of their numbers."""

    number: int
    cell: int
    verb: str
    to: int
    turn: int


class OptionRow(NamedTuple):
    """A heading that a crusher may choose in a turn.

    Users' rules may derive this, with other headings than numbers: reading one is an error.
    """

    cell: int
    heading: int
    turn: int


class Skipped(NamedTuple):
    """A move of the bot that is skipped, by its number, and the reason."""

    number: int
    cell: int
    code: str
    detail: Value
