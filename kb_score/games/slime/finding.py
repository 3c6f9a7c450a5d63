"""What the rules find out about a record, out of clingo's rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kb_score.findings import as_int
from kb_score.solve import Answer
from kb_score.terms import Row, Value
from kb_score.verdict import Violation

PLAYERS = (1, 2, 3, 4)
KINDS = ("spread", "jump", "merge", "pass")


@dataclass(frozen=True, slots=True)
class Explanation:
    """The moves that lead from one frame to the next.

    Attributes:
        turn: The frame that they lead from, counted from 1.
        player: Who moved.
        moves: For each its kind, such as ``spread``, and the answer, such as ``0 0 1 1``; a pass
            has no answer. The first is the one that counts.
    """

    turn: int
    player: int
    moves: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """What the rules find out about a record.

    Attributes:
        result: Turns, squares and whether the game is finished.
        counts: For each kind of turn, how many players 1 to 4 made.
        violations: Everything that breaks the rules, in the order in which it occurs.
        picture: Where the record first breaks the rules, drawn; empty where there is nothing.
        explanations: For frames, what was played.
        notes: Remarks that do not touch consistency.
    """

    result: Mapping[str, Any]
    counts: Mapping[str, Sequence[int]]
    violations: tuple[Violation, ...] = ()
    picture: str = ""
    explanations: tuple[Explanation, ...] = ()
    notes: tuple[str, ...] = ()


def read_result(answer: Answer) -> dict[str, Any]:
    """Read result/2: the keys and values of the JSON's ``result``, in their order."""
    rows = {str(key): value for key, value in answer["result", 2]}
    squares = rows["squares"]
    assert isinstance(squares, tuple)
    return {
        "turns": rows["turns"],
        "squares": list(squares),
        "finished": rows["finished"] == "yes",
    }


def read_counts(answer: Answer) -> dict[str, list[int]]:
    """Read made/3: turns by kind, then by player."""
    made = {(kind, player): number for player, kind, number in answer["made", 3]}
    return {kind: [as_int(made[kind, player]) for player in PLAYERS] for kind in KINDS}


def say_player(who: Value) -> str:
    """Say whom a violation concerns."""
    return f"player {who}" if isinstance(who, int) else str(who)


def read_board(rows: Sequence[Row], size: int) -> str:
    """Read squares and their owners to a board's text, its rows joined by commas."""
    owners = {square: str(owner or ".") for square, owner in rows}
    return ",".join("".join(owners[row, column] for column in range(size)) for row in range(size))
