"""Blames a user's rules for atoms that kb-score cannot read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

from clingo import SymbolType
from clingo.ast import AST, ASTType

from kb_score.engine.program import error_at, plain_head
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
    of_users = list(filter(None, map(plain_head, users.statements)))
    heads = of_users + list(filter(None, map(plain_head, ours.statements)))

    def names(head: AST) -> bool:
        return any(f'"{symbol}"' in str(head) for symbol in error.symbols)

    likeliest = chain(
        (head for head in heads if names(head) and head.name in (*_DRAWS, "look", "piece")),
        filter(names, of_users),
        (head for head in heads if _may_draw(head, error)),
        filter(names, heads),
    )
    for head in likeliest:
        return error_at(head.location, str(error))
    return error


# What draws a symbol, with the arguments that are the row, the column and the turn.
_DRAWS = {"cell": (0, 1), "paints": (1, 2, 0), "told_cell": (0, 1, 3)}


def _may_draw(head: AST, error: DrawingError) -> bool:
    """Return whether a rule of one game may draw a symbol at the place and the turn of an error."""
    terms = _DRAWS.get(head.name)
    if error.place is None or terms is None or f"/{COMMON}/" in head.location.begin.filename:
        return False
    for index, value in zip(terms, (*error.place, error.turn), strict=False):
        term = head.arguments[index]
        is_number = term.ast_type == ASTType.SymbolicTerm and term.symbol.type == SymbolType.Number
        if is_number and value is not None and term.symbol.number != value:
            return False
    return True
