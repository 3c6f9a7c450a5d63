"""The uses of ``asp/search_party``, and the rows that are read."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from kb_score.engine.rules import Use
from kb_score.engine.terms import Value

GAME = "search_party"

STEP = ("step", "judge")
# A plan and a session list moves, from a stream they are inferred.
_CHECK = Use(("map", "rules", "check", "picture", "common/looks", "common/pictured"), lifted=STEP)
_LISTED, _INFERRED = (
    _CHECK.plus("orders", "impossible"),
    replace(_CHECK.plus("stream"), models="best"),
)
CHECK = {"plan": _LISTED, "session": _LISTED, "stream": _INFERRED}
POSITION = {kind: use.plus("moment") for kind, use in CHECK.items()}
# What some legal choice of moves has is legal; a line of moves that is given is judged.
LEGAL = Use(
    ("map", "rules", "orders", "legal", "impossible"),
    lifted=STEP,
    models="last",
    options=("--enum-mode=brave", "--models=0"),
)
JUDGE = Use(("map", "rules", "orders", "legal", "impossible"), lifted=STEP)
PLAY = Use(("map", "rules", "orders", "play", "impossible"))
POSITIONS = Use(("map", "rules", "check", "orders", "positions"), lifted=STEP)
SCOUT = Use(("map", "rules", "views", "groups", "scout"))
SOLVE = Use(("map", "rules", "orders", "views", "solve"), lifted=STEP)

InvalidMapRow = NamedTuple("InvalidMapRow", [("detail", Value)])
SharingRow = NamedTuple("SharingRow", [("row", int), ("column", int), ("person", str)])
Standing = NamedTuple("Standing", [("person", str), ("cell", int), ("turn", int)])
NewlyRow = NamedTuple("NewlyRow", [("cell", int), ("turn", int)])
LivingRow = NamedTuple("LivingRow", [("costars", int), ("extras", int), ("turn", int)])
WaitingRow = NamedTuple("WaitingRow", [("person", str), ("cell", int)])
OverRow = NamedTuple("OverRow", [("turn", int)])
PermittedRow = NamedTuple("PermittedRow", [("person", str), ("direction", int)])
MayGoRow = NamedTuple("MayGoRow", [("person", str), ("direction", int), ("turn", int)])
SumsRow = NamedTuple(
    "SumsRow", [("entry", int), ("turns", int), ("costars", int), ("extras", int), ("maps", int)]
)
BestRow = NamedTuple(
    "BestRow",
    [
        ("entry", int),
        ("map_", int),
        ("number", int),
        ("turns", int),
        ("costars", int),
        ("extras", int),
    ],
)
RejectedRow = NamedTuple("RejectedRow", [("number", int)])
LacksRow = NamedTuple("LacksRow", [("entry", int), ("map_", int)])
GroupRow = NamedTuple("GroupRow", [("person", str), ("group", int)])
LeadsRow = NamedTuple("LeadsRow", [("cell", int), ("direction", int), ("to", int)])
ViewsRow = NamedTuple("ViewsRow", [("cell", int), ("seen", int)])
StartingCellRow = NamedTuple("StartingCellRow", [("cell", int)])
MoveRow = NamedTuple("MoveRow", [("person", str), ("direction", int), ("turn", int)])
