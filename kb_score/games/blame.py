"""Blames a user's rules for atoms that kb-score cannot read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

from kb_score.engine.program import Statement
from kb_score.engine.rules import GameRules
from kb_score.errors import RuleError, visible
from kb_score.games.schema import DrawingError
from kb_score.resources import COMMON


@contextmanager
def blame_rules(rules: GameRules) -> Iterator[None]:
    """Raise a RuleError in place of a Python error, if a user has added rules.

    Such rules may draw an impossible picture, derive an atom that cannot be read, or not derive an
    atom that is needed.
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
    """Return the error with the place of a rule that probably causes it, if one is found."""
    ours, users = rules.read_parts()
    of_users = [rule for rule in users.statements if rule.head is not None]
    rules_with_heads = [*of_users, *(rule for rule in ours.statements if rule.head is not None)]

    def names(rule: Statement) -> bool:
        assert rule.head is not None
        return any(f'"{symbol}"' in ",".join(rule.head.arguments) for symbol in error.symbols)

    def draws(rule: Statement) -> bool:
        assert rule.head is not None
        return rule.head.name in (*_DRAWS, "look", "piece")

    likeliest = chain(
        (rule for rule in rules_with_heads if names(rule) and draws(rule)),
        filter(names, of_users),
        (rule for rule in rules_with_heads if _may_draw(rule, error)),
        filter(names, rules_with_heads),
    )
    for rule in likeliest:
        assert rule.head is not None
        return rule.error(str(error), offset=rule.head.begin)
    return error


# What draws a symbol, with the arguments that are the row, the column and the turn.
_DRAWS = {"cell": (0, 1), "paints": (1, 2, 0), "told_cell": (0, 1, 3)}


def _may_draw(rule: Statement, error: DrawingError) -> bool:
    """Return whether a rule of one game may draw a symbol at the place and the turn of an error."""
    head = rule.head
    terms = _DRAWS.get(head.name) if head is not None else None
    is_shared = rule.path.parent.name == COMMON
    if head is None or error.place is None or terms is None or is_shared:
        return False
    for index, value in zip(terms, (*error.place, error.turn), strict=False):
        term = head.arguments[index]
        if term.isdecimal() and value is not None and int(term) != value:
            return False
    return True
