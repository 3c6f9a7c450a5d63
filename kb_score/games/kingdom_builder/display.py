"""Draw boards and explanations for notebooks; this module is loaded only when one is shown."""

from __future__ import annotations

from zlib import crc32

from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.board import Board
from kb_score.games.kingdom_builder.rules import GAME, Rules, load_rules
from kb_score.games.kingdom_builder.scoring import Explanation, draw_board
from kb_score.shell.svg import draw_svg
from kb_score.shell.verdict import name_text


def draw_plain(board: Board) -> str:
    """Return a board without marks as SVG."""
    rules = load_rules(GameRules(GAME))
    return _draw(board, rules, None, board.name)


def draw_explanation(explanation: Explanation) -> str | None:
    """Return the board of an explanation, with the hexes that pay marked, as SVG.

    It is None if the explanation does not know its board.
    """
    if explanation.source is None:
        return None
    board, rules = explanation.source
    card = explanation.card.name
    player = explanation.player
    title = f"{board.name}: {card}, player {player}: {explanation.gold} gold"
    return _draw(board, rules, (card, player), title)


def _draw(board: Board, rules: Rules, marked: tuple[str, int] | None, title: str) -> str:
    """Return a board as SVG."""
    drawing = draw_board(board, rules, marked)
    content = repr((title, drawing))
    # The identifiers depend on the content, so that a page can have several pictures.
    digest = crc32(content.encode(errors="replace"))
    name = f"b{digest:08x}"
    svg = draw_svg(drawing, title=title, hexes=True, name=name)
    return name_text(svg)
