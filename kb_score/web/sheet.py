"""The sheet: a web page for scoring a finished game, on a phone at the table.

The page contains the rules and asks them. What it needs to draw a board, and to refuse a settlement
where none can be built, comes from the same rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypedDict

import click

from kb_score.cli.run import Run, run_command
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
from kb_score.shell.pages import LookData, Shape, fill_page, list_board
from kb_score.web.kingdom_builder import CardData, list_cards, list_quadrants, list_symbols
from kb_score.web.playground import BOARD_LIMIT, Meaning, QuadrantData

# The minimum number of players.
_LEAST = 2
# The ruling that says how many settlements a player has.
_LIMIT = "most_settlements"
# Everything that the page shows of a board, in one answer: gold, totals, evidence and findings.
SHEET = asp.SCORE.plus("total", "valid", "missing", "deck", "explain")


class SheetData(TypedDict):
    """The data of a sheet."""

    shape: Shape
    looks: Sequence[LookData]
    signs: Mapping[str, str]  # a piece of SVG for each name of a town
    numbers: Mapping[str, int]  # the number of each symbol's look, from 1
    symbols: Sequence[Meaning]
    pairs: Sequence[str]  # the hexes of two symbols that there are, such as "G2"
    town: str  # the symbol of a town
    land: Sequence[str]  # the symbols of the land that terrain cards let one build on
    quadrants: Sequence[QuadrantData]
    cards: Sequence[CardData]
    dealt: int  # with how many cards a game is played
    players: tuple[int, int]  # the fewest and the most players
    most: int  # the number of settlements of a player
    program: str  # the rules, as one text
    constants: Mapping[str, str]
    limit: int  # after how many milliseconds the rules are taken to have no end


def write_sheet(rules: Rules, quadrants: tuple[Quadrant, ...]) -> str:
    """Return the page, with at least four quadrants to choose from, which are as printed."""
    game = rules.game
    notation = load_notation(game)
    town = notation.symbols["town"]
    symbols = [*notation.kinds, *PLAYERS, *notation.pairs]
    names = [quadrant.name for quadrant in quadrants]
    # A town for each quadrant, whose location tile is drawn on it.
    row = (*symbols, *[town] * len(names))
    titles = {(0, column): name for column, name in enumerate(names, len(symbols))}
    drawing = draw_board(Board("symbols", (row,)), rules)
    drawing = replace(drawing, titles=titles)
    drawn = list_board(drawing, hexes=True)
    program = game.program(SHEET)
    most_settlements = program.definitions[_LIMIT]
    data: SheetData = {
        "shape": drawn["shape"],
        "looks": drawn["looks"],
        "signs": drawn["signs"],
        "numbers": dict(zip(symbols, drawn["cells"], strict=False)),
        "symbols": list_symbols(notation),
        "pairs": [*notation.pairs],
        "town": town,
        "land": list(notation.land),
        "quadrants": list_quadrants(quadrants),
        "cards": list_cards(rules),
        "dealt": load_names(game).dealt,
        "players": (_LEAST, MAX_PLAYERS),
        "most": int(str(most_settlements.value)),
        "program": f"{program.declarations}{program}",
        "constants": {},  # the values are already in the program
        "limit": BOARD_LIMIT,
    }
    return fill_page("sheet", "Score a game of Kingdom Builder", data)


@run_command(
    GAME,
    short_help="Write a web page to score a finished game on a phone.",
    epilog="Example: kb-score sheet -o sheet.html",
    has_format=False,
    writes=(".html",),
)
@click.option(
    "--quadrants",
    "table",
    metavar="FILE",
    help="A file of more quadrants to choose from, as docs/kingdom_builder.md describes.",
)
def sheet(run: Run, table: str | None) -> Exit:
    """Write a page to score a finished game of Kingdom Builder, on a phone at the table.

    After the players, four quadrants and a tap for each settlement, the page shows who has won,
    marks what pays, and makes a picture to send. It is one file that needs no network; clingo is
    in it.
    """
    loaded = load_rules(run.rules)
    more = [table] if table else []
    quadrants = read_quadrants(run.rules, more=more)
    run.target.write(write_sheet(loaded, quadrants).encode(), more)
    return Exit.FINE


COMMANDS = {"sheet": sheet}
