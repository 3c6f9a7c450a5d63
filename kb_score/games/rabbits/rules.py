"""The uses of ``asp/rabbits``, and the rows that are read."""

from __future__ import annotations

from typing import NamedTuple

from kb_score.engine.rules import Use
from kb_score.engine.terms import Value

MAP = Use(("rules", "map"))
# A session is followed from the state that it prints, or from the one that the rules derive.
_DRAWN = ("picture", "common/looks", "common/pictured")
_CHECK = ("turn", "crush", "answer", "check", "derived")
PRINTED = Use(("rules", "check", "impossible", *_DRAWN), lifted=(*_CHECK, "printed"))
DERIVED = Use(("rules", "check", "impossible", *_DRAWN), lifted=(*_CHECK, "settled"))

POSITIONS = Use(("rules", "check", "positions"), lifted=DERIVED.lifted)

_LOG = ("turn", "crush", "answer", "log")
EXPLORE = Use(
    ("rules", "run_log", "explore"),
    lifted=(*_LOG, "strict", "explore"),
    models="last",
    options=("--enum-mode=brave", "--models=0"),
)
HEADINGS = Use(
    ("rules", "run_log", "headings"),
    lifted=(*_LOG, "strict"),
    options=("--enum-mode=record", "--project=show", "--models=0"),
)
EXPLAIN = Use(
    ("rules", "run_log", "explain"),
    lifted=(*_LOG, "strict", "explain"),
    models="last",
    options=("--models=1",),
)
BLAME = Use(("rules", "run_log", "blame", *_DRAWN), lifted=_LOG, models="best")
FRAMES = Use(("rules", "frames", *_DRAWN))

TOTALS, TABLE = Use(("totals",)), Use(("table",))
PLAY = Use(("rules", "order", "play", "impossible"))
LEGAL = Use(
    ("rules", "legal", "impossible"), lifted=("turn", "crush", "answer", "derived", "settled")
)

CutOff = NamedTuple("CutOff", [("cell", int)])
CountRow = NamedTuple("CountRow", [("key", str), ("number", int)])
SoFar = NamedTuple("SoFar", [("key", str), ("number", int)])
Left = NamedTuple("Left", [("what", str), ("cell", int), ("heading", int), ("turn", int)])
BrokenOff = NamedTuple("BrokenOff", [])
Saves = NamedTuple("Saves", [("number", int), ("turn", int)])
Facing = NamedTuple("Facing", [("cell", int), ("heading", int)])
Bound = NamedTuple("Bound", [("cell", int), ("other", int)])
Fails = NamedTuple("Fails", [("turn", int)])
Blamed = NamedTuple("Blamed", [("what", str), ("x", int), ("y", int)])
Began = NamedTuple("Began", [("cell", int), ("heading", int)])
ToldRow = NamedTuple("ToldRow", [("cell", int), ("turn", int)])
Leaves = NamedTuple("Leaves", [("cell", int), ("to", int), ("turn", int)])
ActionRow = NamedTuple(
    "ActionRow", [("number", int), ("cell", int), ("verb", str), ("to", int), ("turn", int)]
)
Mistake = NamedTuple("Mistake", [("code", str), ("run", Value), ("detail", Value)])
Faces = NamedTuple("Faces", [("cell", int), ("heading", int), ("turn", int)])
OptionRow = NamedTuple("OptionRow", [("cell", int), ("heading", int), ("turn", int)])
Rabbit = NamedTuple("Rabbit", [("cell", int), ("turn", int)])
Crusher = NamedTuple("Crusher", [("cell", int), ("turn", int)])
Stands = NamedTuple("Stands", [("cell", int), ("turn", int)])
Saved = NamedTuple("Saved", [("cell", int), ("turn", int)])
MayStep = NamedTuple("MayStep", [("cell", int), ("to", int), ("turn", int)])
MayRoll = NamedTuple("MayRoll", [("cell", int), ("verb", str), ("to", int)])
MayHop = NamedTuple("MayHop", [("cell", int), ("to", int)])
Skipped = NamedTuple("Skipped", [("number", int), ("cell", int), ("code", str), ("detail", Value)])
Decided = NamedTuple("Decided", [])
Over = NamedTuple("Over", [("turn", int)])
