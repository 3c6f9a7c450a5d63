"""The table: a page of the browser to play the published game at, by the rules of live play.

The page deals and keeps the record. All else it asks the programs that are written into it here:
what is legal and what is not, what comes of a turn, and what boards are worth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from random import Random
from shlex import join
from typing import Any

import click

from kb_score.cli.command import make_options
from kb_score.cli.run import Run, RunCommand
from kb_score.engine.program import Statement
from kb_score.engine.rules import GameRules, Use
from kb_score.engine.terms import predicate_of
from kb_score.errors import visible
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import MAX_PLAYERS, Board, load_notation
from kb_score.games.kingdom_builder.game import GAME
from kb_score.games.kingdom_builder.match import choose_cards, choose_queenies, deal_game
from kb_score.games.kingdom_builder.position import begin_game
from kb_score.games.kingdom_builder.records import Names, load_names
from kb_score.games.kingdom_builder.scoring import draw_board
from kb_score.shell.options import make_parameters
from kb_score.shell.output import Exit
from kb_score.shell.pages import fill_page, list_board
from kb_score.web.playground import LIMIT_RECORD

_LEAST = 2  # players
_SEEDS = 2**31  # that the page can tell apart
_PLAYERS = ("human", "greedy", "settler")
# What the page asks; a board of `worth` is that after one more move.
_USES = {
    "moves": asp.MOVES.plus("now"),
    "why": asp.LEGAL,
    "live": asp.LIVE.plus("explain"),
    "places": asp.PLACES,
    "worth": Use(
        (
            *(
                "board",
                "notation",
                "turn",
                "held",
                "twin_exact",
                "score",
                "total",
                "worth",
                "tried",
            ),
            *("cards/*", "tiles/*", "queenies/*"),
        ),
        varying=predicate_of(asp.TrialRow),
    ),
}


def write_table(rules: GameRules, setup: Mapping[str, Any]) -> str:
    """Write the page of a table.

    Args:
        rules: The rules that judge there.
        setup: The ``seed``, from 0; the ``board``, the words for its four quadrants; the ``cards``,
            none to have them drawn; the ``queenies``; the ``players``, who plays on each seat.

    Raises:
        InputError: There is no such board.
        RuleError: The rules of a user give no game.
    """
    names, notation, loaded = load_names(rules), load_notation(rules), asp.load_rules(rules)
    words, players = setup["board"], len(setup["players"])
    begin_game(deal_game(names, words, players, Random(setup["seed"]), setup["cards"]), rules)
    symbols = [*notation.kinds, *notation.pairs]
    box = _list_box(rules, names)
    # A town for each tile that may lie on one.
    towns = [notation.symbols["town"]] * len(box["tiles"])
    drawing = draw_board(Board("symbols", ((*symbols, *towns),)), loaded)
    drawing = replace(drawing, titles={(0, i): n for i, n in enumerate(box["tiles"], len(symbols))})
    data = {
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
        "uses": {name: _write_use(rules, use) for name, use in _USES.items()},
        "queenies": names.headings,
        "constants": {},  # they are decided in the programs
        "limit": LIMIT_RECORD,
    }
    return fill_page("tabletop", "Kingdom Builder", data)


def _list_box(rules: GameRules, names: Names) -> dict[str, Any]:
    """List what a game is dealt from, and what each tile does."""
    tiles = rules.ask(asp.BOX, {"players": [(_LEAST,)]}).read(asp.TileRow)
    return {
        "quadrants": [
            {"name": q.name, "rows": q.rows, "turned": q.turn().rows} for q in names.quadrants
        ],
        "tiles": {row.name: [row.manner, visible(str(row.text))] for row in tiles},
        "deck": names.deck,
        "nomads": names.nomads,
        "dealt": names.dealt,
        "cards": names.chosen,
        "in_game": sorted(names.in_game - names.always),
        "always": sorted(names.always),
    }


def _write_use(rules: GameRules, use: Use) -> dict[str, Any]:
    """Write a program file by file, so that tiles and cards that do not matter can be left out."""
    program = rules.program(asp.narrow(use, rules, {}))

    def write(path: Path, found: Iterable[Statement]) -> dict[str, str]:
        text = str(replace(program, statements=tuple(found), defined=frozenset()))
        return {"folder": path.parent.name, "name": path.stem, "text": text}

    files = groupby(program.statements, lambda one: Path(one.node.location.begin.filename))
    defined = str(replace(program.with_open_inputs, statements=()))
    return {"defined": defined, "files": [write(path, found) for path, found in files]}


def _write_page(run: Run, players: tuple[str, ...], **setup: Any) -> Exit:
    """Write the page of a table."""
    rules = run.rules
    seats = players or ("human", "settler")
    if not _LEAST <= len(seats) <= MAX_PLAYERS:
        raise click.UsageError(f"{_LEAST} to {MAX_PLAYERS} play, not {len(seats)}")
    setup |= {
        "seed": setup["seed"] % _SEEDS,
        "board": setup["board"].split(),
        "cards": choose_cards(setup["cards"], load_names(rules)),
        "queenies": choose_queenies(setup["queenies"], load_names(rules)),
        "players": seats,
    }
    run.target.write(write_table(rules, setup).encode())
    return Exit.FINE


_HELP = """A page of the browser to play the game at, for people and bots.

The page is one file that needs no network: the same rules judge in it. People play at one
machine, or hand over the link. A bot is greedy, or a settler, who looks after tiles.
"""


def _make_command() -> click.Command:
    settings = [*GAME.arena.settings, *filter(None, [GAME.arena.seed])]
    players = click.option(
        "--player",
        "players",
        multiple=True,
        type=click.Choice(_PLAYERS),
        help="Who plays: once for each player, 2 to 5  [default: human, settler].",
    )
    return RunCommand(
        GAME.title,
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
