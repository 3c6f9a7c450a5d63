"""The uses of ``asp/rabbits``, and the rows that are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kb_score.engine.run import Use

if TYPE_CHECKING:
    from kb_score.engine.terms import Value

MAP = Use("rules map")
# A session is followed from the state that it prints, or from the one that the rules derive.
PRINTED = Use("rules check picture", lifted="turn crush answer check printed")
DERIVED = Use("rules check picture", lifted="turn crush answer check derived settled")

_LOG = "turn crush answer log"
EXPLORE = Use(
    "rules run_log explore",
    lifted=f"{_LOG} strict explore",
    models="last",
    options="--enum-mode=brave --models=0",
)
HEADINGS = Use(
    "rules run_log headings",
    lifted=f"{_LOG} strict",
    options="--enum-mode=record --project=show --models=0",
)
EXPLAIN = Use(
    "rules run_log explain", lifted=f"{_LOG} strict explain", models="last", options="--models=1"
)
BLAME = Use("rules run_log blame picture", lifted=_LOG, models="best")
FRAMES = Use("rules frames picture")

TOTALS, TABLE = Use("totals"), Use("table")
PLAY = Use("rules play")
LEGAL = Use("rules legal", lifted="turn crush answer derived settled")


class CutOff(NamedTuple):
    cell: int


class CountRow(NamedTuple):
    key: str
    number: int


class SoFar(NamedTuple):
    key: str
    number: int


class Left(NamedTuple):
    what: str
    cell: int
    heading: int
    turn: int


class BrokenOff(NamedTuple):
    """``broken_off``."""


class Saves(NamedTuple):
    number: int
    turn: int


class Facing(NamedTuple):
    cell: int
    heading: int


class Bound(NamedTuple):
    cell: int
    other: int


class Fails(NamedTuple):
    turn: int


class Blamed(NamedTuple):
    what: str
    x: int
    y: int


class Began(NamedTuple):
    cell: int
    heading: int


class ToldRow(NamedTuple):
    cell: int
    turn: int


class Leaves(NamedTuple):
    cell: int
    to: int
    turn: int


class Action(NamedTuple):
    number: int
    cell: int
    verb: str
    to: int
    turn: int


class Mistake(NamedTuple):
    code: str
    run: Value
    detail: Value


class Faces(NamedTuple):
    cell: int
    heading: int
    turn: int


class Option(NamedTuple):
    cell: int
    heading: int
    turn: int


class Rabbit(NamedTuple):
    cell: int
    turn: int


class Crusher(NamedTuple):
    cell: int
    turn: int


class Stands(NamedTuple):
    cell: int
    turn: int


class Saved(NamedTuple):
    cell: int
    turn: int


class MayStep(NamedTuple):
    cell: int
    to: int
    turn: int


class MayRoll(NamedTuple):
    cell: int
    verb: str
    to: int


class MayHop(NamedTuple):
    cell: int
    to: int


class Skipped(NamedTuple):
    number: int
    cell: int
    code: str
    detail: Value


class Decided(NamedTuple):
    """``decided``."""


class Over(NamedTuple):
    turn: int
