"""The rules in a page of the browser, to be changed there: what ``web/src`` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kb_score.engine.run import list_wanted
from kb_score.errors import InputError, visible
from kb_score.games.kingdom_builder.board import Board
from kb_score.games.kingdom_builder.hexes import list_pairs, list_symbols
from kb_score.games.kingdom_builder.quadrants import Quadrant, read_quadrants
from kb_score.games.kingdom_builder.rules import CHECK, PLAYGROUND
from kb_score.games.playground import LIMIT_BOARD, list_files, list_reasons
from kb_score.shell.pages import list_styles
from kb_score.shell.pages import write_playground as write_page

if TYPE_CHECKING:
    from kb_score.games.kingdom_builder.cards import Rules

# A page draws hexes one by one, and clingo in it is slower than at home.
MAX_SIDE = 100
_SIDE = 20

_NEW_CARD = """\
% A card states itself, and what it pays for which reason:
% card(name, number, "what it pays").
% gold(name, P, hex(R,C), points) :- settlement(P,R,C), ...
"""


def write_playground(rules: Rules, board: Board | None) -> str:
    """Write the page, for a board or for an empty one of the official size.

    Raises:
        InputError: The board is too large for a page.
    """
    game = rules.game
    if board is not None and max(board.height, board.width) > MAX_SIDE:
        size = f"{board.height} rows of {board.width} hexes"
        raise InputError(board.name, f"{size} are too many for a page: {MAX_SIDE} is the limit")
    shown = board or Board("empty board", ("." * _SIDE,) * _SIDE)
    uses = {"scores": PLAYGROUND.files, "claims": f"{CHECK.files} uses/bounds"}
    data = {
        "kind": "board",
        "board": str(shown),
        "symbols": list(list_symbols().items()),
        "pairs": list_pairs(),
        "quadrants": [_list_quadrant(quadrant) for quadrant in read_quadrants()],
        "limit": LIMIT_BOARD,
        "most": MAX_SIDE,
        "files": list_files(game),
        "open": "miners.lp",
        "uses": {use: sorted(list_wanted(game.game, files)) for use, files in uses.items()},
        "constants": dict(game.changes.constants),
        "why": list_reasons(game, {"scores": PLAYGROUND}),
        "template": _NEW_CARD,
        "styles": list_styles(hexes=True),
    }
    return write_page(f"Kingdom Builder: {visible(shown.name)}", data)


def _list_quadrant(quadrant: Quadrant) -> dict[str, Any]:
    """List a quadrant, as printed and turned."""
    return {
        "name": quadrant.name,
        "expansion": quadrant.expansion,
        "rows": quadrant.rows,
        "turned": quadrant.turn().rows,
    }
