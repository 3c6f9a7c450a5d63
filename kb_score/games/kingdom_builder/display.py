"""Boards and explanations as pictures in a notebook, which loads this module when it shows one."""

from __future__ import annotations

from zlib import crc32

from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.board import Board
from kb_score.games.kingdom_builder.rules import GAME, Rules, load_rules
from kb_score.games.kingdom_builder.scoring import Explanation, draw_board
from kb_score.shell.svg import draw_svg
from kb_score.shell.verdict import name_text


def draw_plain(board: Board) -> str:
    """Draw a board without marks, as SVG."""
    return _draw(board, load_rules(GameRules(GAME)), None, board.name)


def draw_explanation(explanation: Explanation) -> str | None:
    """Draw the board with the hexes that pay, as SVG; None if the board is not known."""
    if explanation.source is None:
        return None
    board, rules = explanation.source
    card = explanation.card.name
    player = explanation.player
    title = f"{board.name}: {card}, player {player}: {explanation.gold} gold"
    return _draw(board, rules, (card, player), title)


def _draw(board: Board, rules: Rules, marked: tuple[str, int] | None, title: str) -> str:
    """Draw a board; the identifiers come from what it shows, so a page can have several."""
    drawing = draw_board(board, rules, marked)
    digest = crc32(repr((title, drawing)).encode(errors="replace"))
    return name_text(draw_svg(drawing, title=title, hexes=True, name=f"b{digest:08x}"))
