"""Blames a user's rules for atoms that kb-score cannot read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kb_score.engine.program import error_at, plain_head
from kb_score.engine.rules import GameRules
from kb_score.errors import RuleError, visible
from kb_score.games.schema import DrawingError


@contextmanager
def blame_rules(rules: GameRules) -> Iterator[None]:
    """Raise a RuleError in place of a Python error, if a user has added rules.

    Args:
        rules: The rules that are asked inside the block.

    Raises:
        RuleError: A rule draws an impossible picture, or derives an atom that cannot be read, or
            the rules do not derive an atom that is needed.
    """
    try:
        yield
    except DrawingError as error:
        raise _place_drawing(error, rules) from error
    except (LookupError, TypeError, ValueError, AssertionError) as error:
        if not rules.has_user_files():
            raise
        # A user's rules can turn any part of an answer into something unexpected.
        names = ", ".join(map(visible, rules.changes.list_folders()))
        raise RuleError(
            f"the rules in {names} derive an atom that kb-score cannot read, or leave out "
            f"one that it needs: {type(error).__name__}: {error}"
        ) from error


def _place_drawing(error: DrawingError, rules: GameRules) -> RuleError:
    """Return the error with the place of a rule that draws one of its symbols, if one is found."""
    ours, users = rules.read_parts()
    for statement in (*users.statements, *ours.statements):
        head = plain_head(statement)
        if head is not None and any(f'"{symbol}"' in str(head) for symbol in error.symbols):
            return error_at(head.location, str(error))
    return error
