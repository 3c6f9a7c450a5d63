"""What a cross-check says: whether a record follows from the rules, and where it does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kb_score.report import Table


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing in a record that breaks the rules.

    Attributes:
        code: One of the codes of docs/file-formats.md, such as ``onto-obstacle``.
        detail: A sentence for people.
        turn: The turn, from 1; None where the record has no turns.
        who: The person, player or robot concerned; empty where there is none.
    """

    code: str
    detail: str
    turn: int | None = None
    who: str = ""

    def to_json(self) -> dict[str, Any]:
        """Make the object that stands in the JSON of a check."""
        return {"turn": self.turn, "code": self.code, "who": self.who, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a cross-check.

    Attributes:
        game: The game's name on the command line.
        record: What the record is called, usually its path.
        result: What the rules derive; the keys are the game's.
        claimed: What the record claims of it, with the same keys, or None.
        violations: Everything that breaks the rules, in the order in which it occurs.
        picture: Where the record first breaks the rules, drawn; empty where there is nothing.
        notes: Warnings and remarks that do not touch consistency.
        tables: More tables for people, such as counts of moves.
        more: More keys and values for the JSON object, such as those counts.
        in_turns: Whether the game has turns, which violations then name.
    """

    game: str
    record: str
    result: Mapping[str, Any]
    claimed: Mapping[str, Any] | None
    violations: tuple[Violation, ...] = ()
    picture: str = ""
    notes: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
    in_turns: bool = True

    @property
    def consistent(self) -> bool:
        """Whether the rules can have led to this record."""
        return not self.violations

    def to_json(self) -> dict[str, Any]:
        """Make the object that ``--format json`` prints on one line."""
        return {
            "game": self.game,
            "record": self.record,
            "consistent": self.consistent,
            "result": dict(self.result),
            "claimed": None if self.claimed is None else dict(self.claimed),
            "violations": [violation.to_json() for violation in self.violations],
            **self.more,
        }
