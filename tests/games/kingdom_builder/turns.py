"""The turns in the text of a game of Kingdom Builder."""

from __future__ import annotations

from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.records import Line, read_actions

RULES = GameRules("kingdom_builder")


def split_game(text: str) -> tuple[str, list[str]]:
    """Return the headings of a game, and the lines of its turns."""
    lines = text.splitlines(keepends=True)
    headings = [line for line in lines if ":" not in line and not line.startswith("gold")]
    return "".join(headings), [line for line in lines if ":" in line]


def read_line(turn: str, rules: GameRules = RULES) -> Line:
    """Return a turn from its line in a record."""
    said, _, actions = turn.partition(":")
    *_, cards = said.split()
    return Line(tuple(cards.split("/")), read_actions(actions, rules, "turn"))
