"""What the rules find, out of clingo's rows; a user's rules may say what nobody expects."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kb_score.errors import RuleError
from kb_score.terms import Row, Value
from kb_score.verdict import Violation


def read_violations(
    rows: Iterable[Row], say_who: Callable[[Value], str] = str
) -> tuple[Violation, ...]:
    """Read violations out of the rows of ``violation(T,Code,Who,Detail)``.

    Args:
        rows: The rows.
        say_who: Says in words what Who means, such as a cell or a player's number.

    Returns:
        The violations by turn, code, who and detail.

    Raises:
        RuleError: A turn is no number.
    """
    found = [
        Violation(str(code), write_sentence(detail), as_int(turn), say_who(who))
        for turn, code, who, detail in rows
    ]
    return tuple(sorted(found, key=lambda v: (v.turn or 0, v.code, v.who, v.detail)))


def write_sentence(detail: Value) -> str:
    """Write the sentence that a tuple of words and numbers makes; a tuple in it is a place."""
    parts = detail if isinstance(detail, tuple) else (detail,)
    return " ".join(
        ",".join(map(str, part)) if isinstance(part, tuple) else str(part) for part in parts
    )


def as_int(value: Value) -> int:
    """Take a value for a number, which the rules say it is.

    Raises:
        RuleError: The user's rules say otherwise.
    """
    if not isinstance(value, int):
        raise RuleError(f"the rules give {value} where a number is expected")
    return value
