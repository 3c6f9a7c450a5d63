"""How values show themselves in a notebook: `kb_score.api` gives them the methods that it asks for.

Values themselves know of no page and no picture, so that the command loads neither.
"""

from __future__ import annotations

from collections.abc import Callable
from zlib import crc32

from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.board import Board
from kb_score.games.kingdom_builder.rules import GAME, Rules, load_rules
from kb_score.games.kingdom_builder.scoring import Explanation, Scores, draw_board, report_scores
from kb_score.shell.output import Text
from kb_score.shell.svg import draw_svg
from kb_score.shell.verdict import Verdict, list_blocks, write_html


def _draw_board(board: Board) -> str:
    return _write_picture(board, load_rules(GameRules(GAME)), None, board.name)


def _draw_explanation(explanation: Explanation) -> str | None:
    """Draw the board with the hexes that pay; None if the board is not known."""
    if explanation.source is None:
        return None
    (board, rules), card, player = explanation.source, explanation.card.name, explanation.player
    title = f"{board.name}: {card}, player {player}: {explanation.gold} gold"
    return _write_picture(board, rules, (card, player), title)


def _write_picture(board: Board, rules: Rules, marked: tuple[str, int] | None, title: str) -> str:
    """Write a picture; its identifiers come from what it shows, so a page can have several."""
    drawing = draw_board(board, rules, marked)
    name = f"b{crc32(repr((title, drawing)).encode(errors='replace')):08x}"
    return draw_svg(drawing, title=title, hexes=True, name=name)


def _show_scores(scores: Scores) -> str:
    """Show the tables, with what the board does not satisfy."""
    findings = (Text(f"{v.code}: {v.detail}") for v in scores.violations)
    return write_html([*report_scores(scores).blocks, *findings])


def _show_verdict(verdict: Verdict) -> str:
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
        setattr(kind, name, lambda value, method=method: _name_text(method(value)))


def _name_text(shown: str | None) -> str | None:
    """Call what was read from no file the text."""
    return shown and shown.replace("&lt;text&gt;", "the text")
