"""What shows boards and games of Kingdom Builder: ``draw``, ``replay`` and ``playground``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb_score.errors import visible
from kb_score.games.command import game_options, make_verb
from kb_score.games.kingdom_builder.board import BOARD_FILE, is_game, parse_board
from kb_score.games.kingdom_builder.cards import GAME, load_rules
from kb_score.games.kingdom_builder.evidence import draw_board
from kb_score.games.kingdom_builder.hexes import MAX_PLAYERS
from kb_score.games.kingdom_builder.play.pictures import follow_game, write_game
from kb_score.games.kingdom_builder.play.reader import GAME_FILE
from kb_score.games.kingdom_builder.playground import write_playground
from kb_score.games.kingdom_builder.report import tell_notes
from kb_score.games.pictures import (
    check_ending,
    draw_turn,
    make_pictures,
    output_option,
    turn_option,
    write_output,
    write_picture,
)
from kb_score.shell.files import read_input
from kb_score.shell.output import Exit
from kb_score.shell.svg import draw_svg

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules


@make_verb(
    "draw",
    GAME,
    """A board, or a turn of a game, as a picture.

    With --card and --player the hexes of a board that pay are marked, each with the gold that is
    paid for what it is a part of. A game is shown after the turn --turn; without it, at the first
    turn that breaks the rules, or at its end.
    """,
    "game.txt --turn 12 -o turn.svg",
)
@click.argument("file", metavar="BOARD|GAME")
@click.option("--card", metavar="CARD", help="Mark what pays for this card, by name or number.")
@click.option(
    "--player", type=click.IntRange(1, MAX_PLAYERS), metavar="N", help="Mark what pays this player."
)
@turn_option()
@output_option(".svg or .png")
@game_options(GAME, with_format=False)
def draw(
    file: str,
    card: str | None,
    player: int | None,
    turn: int | None,
    output: str | None,
    rules: GameRules,
) -> Exit:
    """Draw a board or a turn; "-" is standard input."""
    if (card is None) != (player is None):
        raise click.UsageError("--card and --player mark hexes together: give both or neither")
    check_ending(output, ".svg", ".png")
    text = read_input(file, BOARD_FILE)
    marked = None if card is None or player is None else (card, player)
    if is_game(text):
        if marked:
            raise click.UsageError(
                "--card and --player are about a board: a game has its own marks"
            )
        svg = draw_turn(follow_game(rules, (file, text)), turn)
    else:
        if turn is not None:
            raise click.UsageError("--turn is about a game: a board has no turns")
        svg = _draw_board(text, file, marked, rules)
    write_picture(svg, output, [file, *rules.changes.paths])
    return Exit.FINE


def _draw_board(text: str, name: str, wanted: tuple[str, int] | None, rules: GameRules) -> str:
    loaded = load_rules(rules)
    board = tell_notes(parse_board(text, name=name))
    chosen = None if wanted is None else (loaded.find_card(wanted[0]), wanted[1])
    marked = f": {chosen[0]}, player {chosen[1]}" if chosen else ""
    drawing = draw_board(board, loaded, chosen)
    return draw_svg(drawing, title=f"{visible(name)}{marked}", hexes=True)


@click.command(epilog="Example: kb-score playground game.txt -o playground.html")
@click.argument("file", metavar="[BOARD|GAME]", required=False)
@output_option(".html")
@game_options(GAME, with_format=False)
def playground(file: str | None, output: str | None, rules: GameRules) -> Exit:
    """Put the rules into a page of the browser, to be changed there, with a board or a game.

    The board and the turns of the game can be changed too. Without a file the board is empty. The
    page is one file that needs no network; clingo is in it.
    """
    check_ending(output, ".html")
    text = "" if file is None else read_input(file, BOARD_FILE)
    if file is not None and is_game(text):
        page = write_game(rules, file, text)
    else:
        board = None if file is None else tell_notes(parse_board(text, name=file))
        page = write_playground(load_rules(rules), board)
    inputs = [*([] if file is None else [file]), *rules.changes.paths]
    write_output(page.encode(), output, inputs)
    return Exit.FINE


_PICTURES = make_pictures(GAME, follow_game, GAME_FILE, example="game.txt", who="player {}")
VIEWS = {"draw": draw, "replay": _PICTURES["replay"], "playground": playground}
