"""The uses of ``asp/slime``, and the rows that are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from kb_score.engine.rules import Use
from kb_score.engine.terms import Value

SESSION = Use(
    ("rules", "record", "check", "impossible", "picture", "common/looks", "common/pictured"),
    lifted=("step", "order", "end"),
)
# A session of which all boards are whole, for rules that look at more squares than a move does.
WHOLE = replace(SESSION, lifted=(*SESSION.lifted, "board"))
# Frames are drawn only where they break the rules.
FRAMES = Use(("rules", "record", "frames", "impossible"), lifted=("step",))
DRAWN_FRAMES = FRAMES.plus("picture", "common/looks", "common/pictured")
PLAY = Use(("rules", "play", "impossible"))
SIGHT = Use(("rules", "sight"))
LEGAL = Use(("rules", "legal", "impossible"), lifted=("step",))
POSITIONS = Use(("rules", "positions"), lifted=("step", "order", "carry", "end"))

PLAYERS = (1, 2, 3, 4)
KINDS = ("spread", "jump", "merge", "pass")


def list_kinds(found: Iterable[str]) -> tuple[str, ...]:
    """List the kinds of turns that always count, and others that are found."""
    return *KINDS, *sorted({*found} - {*KINDS})


# Row and column, from 0.
Square: TypeAlias = tuple[int, ...]

HoldsRow = NamedTuple("HoldsRow", [("square", Square), ("owner", int), ("turn", int)])
BecomesRow = NamedTuple("BecomesRow", [("square", Square), ("owner", int), ("turn", int)])
MoverRow = NamedTuple("MoverRow", [("player", int), ("turn", int)])
DidRow = NamedTuple("DidRow", [("player", int), ("kind", str), ("turn", int)])
SquaresRow = NamedTuple("SquaresRow", [("player", int), ("number", int), ("turn", int)])
AmountRow = NamedTuple("AmountRow", [("owner", int), ("number", int), ("turn", int)])
MadeRow = NamedTuple("MadeRow", [("player", int), ("kind", str), ("number", int)])
SuspectRow = NamedTuple("SuspectRow", [("turn", int)])
ExplanationRow = NamedTuple(
    "ExplanationRow",
    [("turn", int), ("number", int), ("player", int), ("kind", str), ("answer", Value)],
)
Permitted = NamedTuple("Permitted", [("kind", str), ("start", Square), ("to", Square)])
CountsRow = NamedTuple("CountsRow", [("kind", str)])
PassesRow = NamedTuple("PassesRow", [("code", str), ("detail", Value)])
