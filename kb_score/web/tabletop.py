"""The table: a web page for playing the published game, under the rules of live play.

The page deals and keeps the record. For everything else it asks the programs that it contains: what
is legal, why a move is not, what a turn leads to, and how bots rate boards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from random import Random
from shlex import join
from typing import Literal, TypeAlias, TypedDict

import click

from kb_score.cli.command import make_options
from kb_score.cli.run import Run, RunCommand
from kb_score.engine.program import Statement
from kb_score.engine.rules import GameRules, Use
from kb_score.engine.scan import Signature
from kb_score.engine.state import list_states
from kb_score.errors import visible
from kb_score.games import GameFolder
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import MAX_PLAYERS, Board, load_notation
from kb_score.games.kingdom_builder.deal import choose_cards, choose_queenies, deal_game
from kb_score.games.kingdom_builder.records import Names, load_names, read_record
from kb_score.games.kingdom_builder.scoring import draw_board
from kb_score.shell.options import make_parameters
from kb_score.shell.output import Exit
from kb_score.shell.pages import DrawnBoard, fill_page, list_board
from kb_score.web.playground import RECORD_LIMIT, TableQuadrant

# The minimum number of players.
_LEAST = 2
# The number of seeds that the page distinguishes.
_SEEDS = 2**31
_PLAYERS = ("human", "greedy", "settler")
# What the page asks; `worth` rates the board after each possible move.
TableUse: TypeAlias = Literal["moves", "why", "live", "places", "worth"]
_WORTH = asp.STEPS.plus("score", "total", "worth", "tried", "cards/*")
_TRIAL = ("trial", 3)


def _list_uses(rules: GameRules) -> dict[TableUse, Use]:
    """Return the rules for each question of the page."""
    exact = (*_list_states(rules), ("deed", 2), ("score", 3))
    return {
        "moves": asp.MOVES.plus("now"),
        "why": asp.USES.legal,
        "live": replace(asp.SEEN.plus("explain"), exact=exact),
        "places": asp.PLACES,
        "worth": replace(_WORTH, varying=_TRIAL),
    }


def _list_states(rules: GameRules) -> tuple[Signature, ...]:
    """Return the predicates for the state after the last step, such as ``carried_stands/3``."""
    program = rules.program(replace(asp.SEEN, state="given"))
    return tuple((one.carried, one.arity) for one in list_states(program))


class TableSetup(TypedDict):
    """The setup of a game."""

    board: Sequence[str]  # the names of four quadrants; those that are turned end with /180
    cards: Sequence[str]  # the cards; empty to draw them
    queenies: Sequence[str]  # the small sets
    seed: int  # from 0
    players: Sequence[str]  # the kind of player in each seat


class TableBox(TypedDict):
    """What a game is dealt from, and what each tile does."""

    quadrants: Sequence[TableQuadrant]
    tiles: Mapping[str, tuple[str, str]]  # the manner of each tile, such as "move", and its text
    deck: Sequence[str]  # the terrain of each terrain card
    nomads: Sequence[str]  # the nomad tiles
    dealt: int  # with how many cards a game is played
    cards: Sequence[str]  # the cards that may be chosen, and pay at the end
    in_game: Sequence[str]  # the cards that pay in the game
    always: Sequence[str]  # what pays in every game


class ProgramFile(TypedDict):
    """The rules of a file."""

    folder: str
    name: str
    text: str


class ProgramData(TypedDict):
    """A program, file by file."""

    defined: str  # the #defined lines of predicates that no file may derive
    files: Sequence[ProgramFile]


class TableData(DrawnBoard, TableBox):
    """The data of a table.

    Its board is a row with each symbol, and a town for each tile, for the looks and the signs.
    """

    symbols: Sequence[str]  # the symbol of each of the first cells
    setup: TableSetup
    # The players to choose from for a seat: "human", or the kind of a bot.
    seats: Sequence[str]
    least: int  # the fewest players
    most: int  # the most players
    terrain: Sequence[tuple[str, str]]  # symbols and their kinds
    land: Sequence[tuple[str, str]]  # symbols and their kinds
    changes: str  # the options by which the rules were changed, as on the command line
    # Whether questions need all files, since rules of the user may use any of them.
    whole: bool
    uses: Mapping[TableUse, ProgramData]
    # The predicates for the state after the last step, such as carried_stands/3.
    states: Sequence[str]
    varying: Sequence[str]  # the names of the predicates that differ on the boards of `worth`
    # The terrain that each small set lies on, and what its pieces are.
    queenies: Mapping[str, tuple[str, str]]
    constants: Mapping[str, str]
    limit: int  # after how many milliseconds the rules are taken to have no end


def write_table(rules: GameRules, setup: TableSetup) -> str:
    """Return the page of a table."""
    names = load_names(rules)
    notation = load_notation(rules)
    loaded = asp.load_rules(rules)
    # The game of the setup is begun once here to report mistakes.
    random = Random(setup["seed"])
    deal = deal_game(names, setup["board"], len(setup["players"]), random, setup["cards"])
    rules.ask(asp.SEEN, read_record(deal, rules).facts)
    symbols = [*notation.kinds, *notation.pairs]
    box = _list_box(rules, names)
    # A town for each tile that may lie on one.
    towns = [notation.symbols["town"]] * len(box["tiles"])
    titles = {(0, column): name for column, name in enumerate(box["tiles"], len(symbols))}
    drawing = draw_board(Board("symbols", ((*symbols, *towns),)), loaded)
    drawing = replace(drawing, titles=titles)
    data: TableData = {
        **list_board(drawing, hexes=True),
        "symbols": symbols,
        "setup": setup,
        "seats": _PLAYERS,
        "least": _LEAST,
        "most": MAX_PLAYERS,
        "terrain": list(notation.terrain.items()),
        "land": list(notation.land.items()),
        **box,
        "changes": visible(join(rules.changes.words())),
        "whole": rules.has_user_files(),
        "uses": {name: _write_use(rules, use) for name, use in _list_uses(rules).items()},
        "states": [f"{name}/{arity}" for name, arity in _list_states(rules)],
        "varying": sorted(
            name for name, _ in rules.program(_WORTH).find_dependents({_TRIAL}) if name != "trial"
        ),
        "queenies": names.headings,
        "constants": {},  # the values are already in the programs
        "limit": RECORD_LIMIT,
    }
    return fill_page("tabletop", "Kingdom Builder", data)


def _list_box(rules: GameRules, names: Names) -> TableBox:
    """Return what a game is dealt from, and what each tile does."""
    answer = rules.ask(asp.BOX, {})
    tiles = {row.name: (row.manner, visible(str(row.text))) for row in answer.read(asp.TileRow)}
    quadrants: list[TableQuadrant] = [
        {"name": quadrant.name, "rows": quadrant.rows, "turned": quadrant.turn().rows}
        for quadrant in names.quadrants
    ]
    return {
        "quadrants": quadrants,
        "tiles": tiles,
        "deck": names.deck,
        "nomads": names.nomads,
        "dealt": names.dealt,
        "cards": names.chosen,
        "in_game": sorted(names.in_game - names.always),
        "always": sorted(names.always),
    }


def _write_use(rules: GameRules, use: Use) -> ProgramData:
    """Return a program file by file, so that the page can leave out unneeded tiles and cards."""
    program = rules.program(asp.narrow(use, rules, {}))

    def find_path(statement: Statement) -> Path:
        return statement.path

    files: list[ProgramFile] = []
    for path, group in groupby(program.statements, find_path):
        only = replace(program, statements=tuple(group))
        files.append({"folder": path.parent.name, "name": path.stem, "text": str(only)})
    return {"defined": program.declarations, "files": files}


def _write_page(
    run: Run,
    players: tuple[str, ...],
    board: str,
    cards: str | None,
    queenies: str | None,
    seed: int,
) -> Exit:
    """Write the page of a table."""
    rules = run.rules
    seats = players or ("human", "settler")
    if not _LEAST <= len(seats) <= MAX_PLAYERS:
        raise click.UsageError(f"expected {_LEAST} to {MAX_PLAYERS} players, not {len(seats)}")
    names = load_names(rules)
    setup: TableSetup = {
        "board": board.split(),
        "cards": choose_cards(cards, names),
        "queenies": choose_queenies(queenies, names),
        "seed": seed % _SEEDS,
        "players": seats,
    }
    run.target.write(write_table(rules, setup).encode())
    return Exit.FINE


_HELP = """Write a web page on which people and bots play the game.

The page is one file that needs no network and contains the rules. People play on one machine, or
send each other the link. The greedy bot builds where it gains the most gold at once; the settler
bot also collects tiles and uses them.
"""


def _make_command() -> click.Command:
    game = GameFolder(asp.GAME).type
    settings = [*game.settings, *filter(None, [game.seed])]
    players = click.option(
        "--player",
        "players",
        multiple=True,
        type=click.Choice(_PLAYERS),
        help="A player; repeat the option for each of 2 to 5 players  [default: human, settler].",
    )
    return RunCommand(
        "kingdom-builder",
        game=asp.GAME,
        callback=_write_page,
        params=make_parameters(*make_options(settings), players),
        help=_HELP,
        short_help=_HELP.partition("\n")[0],
        epilog="Example: kb-score tabletop kingdom-builder --player human --player settler "
        "-o game.html",
        has_format=False,
        writes=(".html",),
    )


COMMANDS = {"tabletop": _make_command()}
