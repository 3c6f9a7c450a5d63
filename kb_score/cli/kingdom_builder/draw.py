"""The command ``draw kingdom-builder``, which draws a board or a turn of a game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

import click

from kb_score.cli.command import turn_option
from kb_score.cli.kingdom_builder.score import PLAYER
from kb_score.cli.run import Run, run_command
from kb_score.engine.rules import GameRules
from kb_score.errors import visible
from kb_score.games.kingdom_builder.board import (
    BOARD_FILE,
    MAX_PLAYERS,
    is_game,
    parse_board,
    print_notes,
)
from kb_score.games.kingdom_builder.check import follow_game
from kb_score.games.kingdom_builder.rules import GAME, load_rules
from kb_score.games.kingdom_builder.scoring import draw_board
from kb_score.games.labels import Labels, names_option, title_option
from kb_score.shell.files import read_input
from kb_score.shell.output import Exit
from kb_score.shell.pages import draw_turn, write_picture
from kb_score.shell.svg import draw_svg


@run_command(
    GAME,
    "kingdom-builder",
    short_help="Draw a board, or a turn of a game, as a picture.",
    epilog="Example: kb-score draw game.txt --turn 12 -o turn.svg",
    has_format=False,
    writes=(".svg", ".png"),
)
@click.argument("file", metavar="BOARD|GAME")
@click.option("--card", "--cards", "card", metavar="CARD", help="Mark the hexes that pay for CARD.")
@click.option(
    "--player",
    type=PLAYER,
    metavar="PLAYER",
    help="With --card: mark the hexes of this player only.",
)
@turn_option
@title_option
@names_option
def draw(
    run: Run,
    file: str,
    card: str | None,
    player: int | str | None,
    turn: int | None,
    labels: Labels,
) -> Exit:
    """Draw a board, or a turn of a game, as a picture.

    With --card, the picture of a board marks the hexes that pay, with the gold for each group of
    hexes; --player restricts this to one player. A game is drawn after the turn --turn. Without
    --turn, it is the first turn that breaks the rules, or the last turn if there is none.
    """
    if card is None and player is not None:
        raise click.UsageError("--player requires --card: name a card")
    text = read_input(file, BOARD_FILE)
    marked = None if card is None else (card, player)
    if is_game(text):
        if marked:
            raise click.UsageError("--card applies only to boards: a game has its own marks")
        svg = draw_turn(follow_game(run.rules, (file, text), labels=labels), turn)
    else:
        if turn is not None:
            raise click.UsageError("--turn applies only to games: a board has no turns")
        svg = _draw_board(text, file, marked, run.rules, labels)
    write_picture(svg, run.target)
    return Exit.FINE


def _draw_board(
    text: str,
    name: str,
    wanted: tuple[str, int | str | None] | None,
    rules: GameRules,
    labels: Labels,
) -> str:
    """Return the SVG of a board; ``wanted`` is the card to mark and the player, None for all."""
    loaded = load_rules(rules)
    board = print_notes(parse_board(text, rules, name=name, allows="" if wanted else "odd"))
    labels.check_players(MAX_PLAYERS)
    labels = labels.over(board.labels)
    title = visible(labels.title or PurePath(name).name)
    chosen = None
    if wanted is not None:
        card, named = wanted
        player = labels.find_player(named, name)
        chosen = (loaded.find_card(card), player)
        title += f": {chosen[0]}"
        if player:
            title += f", {labels.name(player)}"
    drawing = draw_board(replace(board, labels=labels), loaded, chosen)
    return draw_svg(drawing, title=title, hexes=True)


COMMANDS = {"draw": draw}
