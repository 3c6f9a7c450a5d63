"""The uses of ``asp/lights``, and the rows that are read."""

from typing import NamedTuple

from kb_score.engine.run import Use

GAME = "lights"
CHECK = Use("rules check picture", lifted="step")
PLAY = Use("rules play")


class LitRow(NamedTuple):
    row: int
    column: int
    turn: int
