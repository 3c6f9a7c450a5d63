"""The uses of ``asp/search_party``, and the rows that are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kb_score.engine.run import Use

if TYPE_CHECKING:
    from kb_score.engine.terms import Value

GAME = "search_party"

STEP = "step judge"
# A plan and a session list moves, from a stream they are inferred.
CHECK = {
    "plan": Use("map rules orders check picture", lifted=STEP),
    "session": Use("map rules orders check picture", lifted=STEP),
    "stream": Use("map rules stream check picture", lifted=STEP, models="best"),
}
MOMENT = {kind: use.plus("moment") for kind, use in CHECK.items()}
# What some legal choice of moves has is legal; a line of moves that is given is judged.
LEGAL = Use(
    "map rules orders legal",
    lifted=STEP,
    models="last",
    options="--enum-mode=brave --models=0",
)
JUDGE = Use("map rules orders legal", lifted=STEP)
PLAY = Use("map rules orders play")
RANK = Use("rank")
SCOUT = Use("map rules views crews scout")
SOLVE = Use("map rules orders views solve", lifted="step")


class InvalidMapRow(NamedTuple):
    detail: Value


class SharingRow(NamedTuple):
    row: int
    column: int
    person: str


class StandingRow(NamedTuple):
    person: str
    cell: int
    turn: int


class NewlyRow(NamedTuple):
    cell: int
    turn: int


class DoubtfulMove(NamedTuple):
    person: Value
    direction: Value
    turn: int


class Repeated(NamedTuple):
    person: Value
    turn: int


class LivingRow(NamedTuple):
    costars: int
    extras: int
    turn: int


class WaitingRow(NamedTuple):
    person: str
    cell: int


class OverRow(NamedTuple):
    turn: int


class PermittedRow(NamedTuple):
    person: str
    direction: int


class MayGoRow(NamedTuple):
    person: str
    direction: int
    turn: int


class SumsRow(NamedTuple):
    entry: int
    turns: int
    costars: int
    extras: int
    maps: int


class BestRow(NamedTuple):
    entry: int
    map_: int
    number: int
    turns: int
    costars: int
    extras: int


class RejectedRow(NamedTuple):
    number: int


class LacksRow(NamedTuple):
    entry: int
    map_: int


class CrewRow(NamedTuple):
    person: str
    crew: int


class FrontRow(NamedTuple):
    cell: int
    leg: int
    turn: int


class LeadsRow(NamedTuple):
    cell: int
    direction: int
    to: int


class ViewsRow(NamedTuple):
    cell: int
    seen: int


class StartingCellRow(NamedTuple):
    cell: int


class MoveRow(NamedTuple):
    person: str
    direction: int
    turn: int
