"""The uses of ``asp/search_party``, and the types of its rows."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from kb_score.engine.rules import Use
from kb_score.engine.terms import Value

GAME = "search_party"

STEP = ("step", "judge")
_CHECK = Use(("map", "rules", "check", "picture", "common/looks", "common/pictured"), lifted=STEP)
# A plan and a session list moves; those of a stream are inferred.
_LISTED = _CHECK.plus("orders", "chain", "impossible")
_INFERRED = replace(_CHECK.plus("stream", "chain"), models="best")
CHECK = {"plan": _LISTED, "session": _LISTED, "stream": _INFERRED}
POSITION = {kind: use.plus("moment") for kind, use in CHECK.items()}
# A move is legal if some legal choice of moves has it; a given line of moves is judged.
LEGAL = Use(
    ("map", "rules", "orders", "legal", "impossible"),
    lifted=STEP,
    models="last",
    options=("--enum-mode=brave", "--models=0"),
)
JUDGE = Use(("map", "rules", "orders", "legal", "impossible"), lifted=STEP)
PLAY = Use(("map", "rules", "orders", "play", "impossible"))
POSITIONS = Use(("map", "rules", "check", "orders", "chain", "positions"), lifted=STEP)
SCOUT = Use(("map", "rules", "views", "groups", "scout"))
SOLVE = Use(("map", "rules", "orders", "chain", "views", "solve"), lifted=STEP)


class InvalidMapRow(NamedTuple):
    """Why a map is not valid for the game."""

    detail: Value


class SharingRow(NamedTuple):
    """A person and a place in the picture where several people stand."""

    row: int
    column: int
    person: str


class Standing(NamedTuple):
    """The cell of a person who is alive after a turn."""

    person: str
    cell: int
    turn: int


class SearchedRow(NamedTuple):
    """A cell that is searched for the first time at a turn."""

    cell: int
    turn: int


class LivingRow(NamedTuple):
    """How many costars and extras are alive after a turn."""

    costars: int
    extras: int
    turn: int


class WaitingRow(NamedTuple):
    """The cell of a person who is alive when the turn in question begins."""

    person: str
    cell: int


class OverRow(NamedTuple):
    """The turn after which the game was over, before the turn in question."""

    turn: int


class PermittedRow(NamedTuple):
    """A direction in which a person may move."""

    person: str
    direction: int


class MayGoRow(NamedTuple):
    """A legal direction of a person after a turn of a random game."""

    person: str
    direction: int
    turn: int


class SumsRow(NamedTuple):
    """The sums of an entry's best attempts, and the number of maps that have one."""

    entry: int
    turns: int
    costars: int
    extras: int
    maps: int


class BestRow(NamedTuple):
    """The attempt of an entry on a map that counts, and its figures."""

    entry: int
    map_: int
    number: int
    turns: int
    costars: int
    extras: int


class RejectedRow(NamedTuple):
    """The number of a record that does not count."""

    number: int


class LacksRow(NamedTuple):
    """An entry and a map on which it has no attempt that counts."""

    entry: int
    map_: int


class GroupRow(NamedTuple):
    """The group of a person; group 0 has the star."""

    person: str
    group: int


class LeadsRow(NamedTuple):
    """A move from one open cell to another."""

    cell: int
    direction: int
    to: int


class ViewsRow(NamedTuple):
    """A cell, and a cell that is seen from it."""

    cell: int
    seen: int


class StartingCellRow(NamedTuple):
    """The cell that is marked S."""

    cell: int


class MoveRow(NamedTuple):
    """A person's move at a turn."""

    person: str
    direction: int
    turn: int
