"""How values show themselves in a notebook: `kb_score.api` gives them the methods that it asks for.

Values themselves know of no page and no picture, so that the command loads neither.
"""

from __future__ import annotations

from collections.abc import Callable

from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.board import Board
from kb_score.games.kingdom_builder.evidence import Explanation, write_picture
from kb_score.games.kingdom_builder.rules import GAME, load_rules
from kb_score.games.kingdom_builder.scoring import Scores, report_scores
from kb_score.shell.output import Text
from kb_score.shell.verdict import Verdict, list_blocks, write_html


def _draw_board(board: Board) -> str:
    """Draw a board as our rules do."""
    return write_picture(board, load_rules(GameRules(GAME)))


def _draw_explanation(explanation: Explanation) -> str | None:
    """Draw the board with the hexes that pay; None if the board is not known."""
    if explanation.source is None:
        return None
    card, player = explanation.card.name, explanation.player
    return write_picture(*explanation.source, (card, player), f": {explanation.gold} gold")


def _show_scores(scores: Scores) -> str:
    """Show the tables, with what the board does not satisfy."""
    findings = (Text(f"{v.code}: {v.detail}") for v in scores.violations)
    return write_html([*report_scores(scores).blocks, *findings])


def _show_verdict(verdict: Verdict) -> str:
    """Show a verdict with its notes."""
    return write_html([*list_blocks(verdict), *map(Text, verdict.notes)])


_METHODS: tuple[tuple[type, str, Callable[..., str | None]], ...] = (
    (Board, "_repr_svg_", _draw_board),
    (Explanation, "_repr_svg_", _draw_explanation),
    (Scores, "_repr_html_", _show_scores),
    (Verdict, "_repr_html_", _show_verdict),
)


def add_methods() -> None:
    """Give the values the methods by which Jupyter and its kin show them."""
    for kind, name, method in _METHODS:
        setattr(kind, name, method)
