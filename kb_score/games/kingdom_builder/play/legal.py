"""What a player may do at a moment of a game, and why something else is illegal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kb_score.engine.run import Use
from kb_score.engine.terms import Name
from kb_score.games.kingdom_builder.play.game import Line, line_facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Facts, Value

LEGAL = Use("board turn held judge uses/legal tiles/*")


class LegalRow(NamedTuple):
    name: str
    start: Value
    place: Value


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of a game at which a player is to act.

    Attributes:
        facts: The board, the players, and the state that the lines begin with.
        lines: The turns before, and last what is said already of the turn itself.
    """

    facts: Facts
    lines: tuple[Line, ...]


def list_legal(moment: Moment, rules: GameRules, *, lent: Sequence[str] = ()) -> list[str]:
    """List all legal moves in the notation of a game, such as ``3,15`` or ``barn 3,15>4,2``.

    Args:
        moment: The moment.
        rules: The rules.
        lent: Tiles that the player may use whether or not he holds one.
    """
    facts, now = _look(moment.lines)
    asked = {"looks": [(now,)], "lent": [(Name(tile),) for tile in lent]}
    answer = rules.ask(LEGAL, {**moment.facts, **facts, **asked})
    rows = sorted(answer.read(LegalRow), key=lambda row: (row.name != "mandatory", row))
    return [_write(row) for row in rows]


def _look(lines: Sequence[Line]) -> tuple[Facts, int]:
    facts = {key: list(rows) for key, rows in line_facts(lines).items()}
    turn, closes = facts["closes"].pop()
    facts["closes"].append((turn, closes + 1))
    facts["unfinished"] = [(turn,)]
    return facts, closes


def _write(row: LegalRow) -> str:
    name = "" if row.name == "mandatory" else row.name.replace("_", "-") + " "
    start = "" if row.start == "none" else f"{_write_hex(row.start)}>"
    return f"{name}{start}{_write_hex(row.place)}".strip()


def _write_hex(place: Value) -> str:
    return ",".join(map(str, place)) if isinstance(place, tuple) else ""
