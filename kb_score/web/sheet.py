"""The sheet: a page of the browser to score a finished game, on a phone at the table.

The page asks the rules that are written into it here. What it needs of a board to draw it, and to
refuse a settlement where none can stand, comes from the same rules.
"""

from __future__ import annotations

from dataclasses import replace

import click

from kb_score.cli.run import Run, run_command
from kb_score.errors import visible
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import (
    MAX_PLAYERS,
    PLAYERS,
    Board,
    Quadrant,
    load_notation,
    read_quadrants,
)
from kb_score.games.kingdom_builder.records import load_names
from kb_score.games.kingdom_builder.rules import GAME, Rules, load_rules
from kb_score.games.kingdom_builder.scoring import draw_board
from kb_score.shell.output import Exit
from kb_score.shell.pages import fill_page, list_board
from kb_score.web.playground import LIMIT_BOARD

_LEAST = 2  # players
_LIMIT = "most_settlements"  # the ruling that says how many settlements a player has
# All that the page shows of a board, in one answer: gold, totals, evidence and findings.
SHEET = asp.SCORE.plus("total", "valid", "deck", "explain")


def write_sheet(rules: Rules, quadrants: tuple[Quadrant, ...]) -> str:
    """Write the page.

    Args:
        rules: The rules that score there, with the cards to choose from.
        quadrants: Those to choose from, as printed; there are at least four.
    """
    game, notation = rules.game, load_notation(rules.game)
    symbols = [*notation.kinds, *PLAYERS, *notation.pairs]
    names = [quadrant.name for quadrant in quadrants]
    # A town for each quadrant, whose location tile is drawn on it.
    row = (*symbols, *[notation.symbols["town"]] * len(names))
    drawing = draw_board(Board("symbols", (row,)), rules)
    drawing = replace(drawing, titles={(0, at): n for at, n in enumerate(names, len(symbols))})
    drawn = list_board(drawing, hexes=True)
    program = game.program(SHEET)
    data = {
        **{key: drawn[key] for key in ("shape", "looks", "signs")},
        "numbers": dict(zip(symbols, drawn["cells"], strict=False)),
        "symbols": [
            (".", None),
            *((s, (name, *map(str, first))) for s, (name, first) in notation.meanings.items()),
        ],
        "pairs": [*notation.pairs],
        "town": notation.symbols["town"],
        "land": list(notation.land),
        "quadrants": [
            {"name": q.name, "expansion": q.expansion, "rows": q.rows, "turned": q.turn().rows}
            for q in quadrants
        ],
        "cards": [
            {"name": card.name, "number": card.number, "text": visible(card.text)}
            for card in rules.cards
        ],
        "dealt": load_names(game).dealt,
        "players": [_LEAST, MAX_PLAYERS],
        "most": int(str(program.find_constants()[_LIMIT].value)),
        "program": str(program.with_open_inputs),
        "constants": {},  # they are decided in the program
        "limit": LIMIT_BOARD,
    }
    return fill_page("sheet", "Score a game of Kingdom Builder", data)


@run_command(
    GAME,
    short_help="Score a finished game on a phone, in a page of the browser.",
    epilog="Example: kb-score sheet -o sheet.html",
    has_format=False,
    writes=(".html",),
)
@click.option(
    "--quadrants",
    "table",
    metavar="FILE",
    help="A file of more quadrants to choose from, as docs/kingdom_builder.md says.",
)
def sheet(run: Run, table: str | None) -> Exit:
    """Write a page to score a finished game of Kingdom Builder, on a phone at the table.

    Who played, which four quadrants, a tap for each settlement: the page tells who has won, marks
    what pays, and makes a picture to send. It is one file that needs no network; clingo is in it.
    """
    loaded = load_rules(run.rules)
    more = [table] if table else []
    page = write_sheet(loaded, read_quadrants(run.rules, more=more))
    run.target.write(page.encode(), more)
    return Exit.FINE


COMMANDS = {"sheet": sheet}
