"""The uses of ``asp/slime``, and the rows that are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kb_score.engine.run import Use

if TYPE_CHECKING:
    from kb_score.engine.terms import Value

SESSION = Use("rules record check picture", lifted="step order end")
FRAMES = Use("rules record frames picture", lifted="step")
# Frames without a picture: they are drawn only where they break the rules.
WINDOW = Use("rules record frames", lifted="step")
PLAY = Use("rules play")
SIGHT = Use("rules sight")
LEGAL = Use("rules legal", lifted="step")
RANK = Use("rank")

PLAYERS = (1, 2, 3, 4)
KINDS = ("spread", "jump", "merge", "pass")


class HoldsRow(NamedTuple):
    square: Value
    owner: int
    turn: int


class BecomesRow(NamedTuple):
    square: Value
    owner: int
    turn: int


class MoverRow(NamedTuple):
    player: int
    turn: int


class DidRow(NamedTuple):
    player: int
    kind: str
    turn: int


class SquaresRow(NamedTuple):
    player: int
    number: int
    turn: int


class AmountRow(NamedTuple):
    owner: int
    number: int
    turn: int


class MadeRow(NamedTuple):
    player: int
    kind: str
    number: int


class SuspectRow(NamedTuple):
    turn: int


class ExplanationRow(NamedTuple):
    turn: int
    number: int
    player: int
    kind: str
    answer: Value


class PermittedRow(NamedTuple):
    kind: str
    start: Value
    to: Value


class CountsRow(NamedTuple):
    kind: str


class PassesRow(NamedTuple):
    code: str
    detail: Value


class TotalRow(NamedTuple):
    bot: int
    sum_: int
    games: int
