"""The faults of answers in live play."""

from __future__ import annotations

from collections.abc import Iterable

from kb_score.engine.live import Live
from kb_score.engine.program import Program
from kb_score.engine.rules import Answer, GameRules
from kb_score.engine.terms import predicate_of
from kb_score.errors import Fault, FormatError
from kb_score.games.schema import IllegalRow, read_violations


def calls_illegal(program: Program) -> bool:
    """Return whether a user's rules call actions illegal."""
    illegal = predicate_of(IllegalRow)
    return any(rule.origin == "user" and illegal in rule.heads for rule in program.statements)


def explain_unreadable(error: FormatError) -> Fault:
    """Return the fault of an answer that cannot be read, from the error about it."""
    column = error.place.column
    return Fault("garbage", f"gave an unreadable answer: column {column}: {error.message}")


def explain_illegal(rows: Iterable[IllegalRow], answer: str) -> Fault:
    """Return the fault of an illegal answer, as a record has it, with at least one reason."""
    reasons = []
    for violation in read_violations(rows):
        _, _, reason = str(violation).partition(": ")
        reasons.append(reason)
    listed = "; ".join(reasons)
    return Fault("illegal", f"made an illegal move: {listed}", answer=answer)


def refuse_misuse(rules: GameRules, live: Live) -> None:
    """Raise a RuleError if the last turns have led to an impossible state.

    The error names the rule that may be the cause.
    """
    rules.accept(Answer({("misuse", 2): live.news("misuse")}))
