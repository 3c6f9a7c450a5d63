"""The verb ``draw``: a board or a turn of a game as a picture."""

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
    tell_notes,
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
    short_help="A board, or a turn of a game, as a picture.",
    epilog="Example: kb-score draw game.txt --turn 12 -o turn.svg",
    has_format=False,
    writes=(".svg", ".png"),
)
@click.argument("file", metavar="BOARD|GAME")
@click.option("--card", "--cards", "card", metavar="CARD", help="Mark what pays for this card.")
@click.option("--player", type=PLAYER, metavar="N", help="Mark what pays this player only.")
@turn_option
@title_option
@names_option
def draw(
    run: Run, file: str, card: str | None, player: int | None, turn: int | None, labels: Labels
) -> Exit:
    """A board, or a turn of a game, as a picture.

    With --card the hexes of a board that pay are marked, each with the gold that is paid for what
    it is a part of; with --player, those that pay this player. A game is shown after the turn
    --turn; without it, at the first turn that breaks the rules, or at its end.
    """
    if card is None and player is not None:
        raise click.UsageError("--player is about what --card marks: name a card")
    text = read_input(file, BOARD_FILE)
    marked = None if card is None else (card, player)
    if is_game(text):
        if marked:
            advice = "a game has its own marks"
            raise click.UsageError(f"--card is about a board: {advice}")
        svg = draw_turn(follow_game(run.rules, (file, text), labels=labels), turn)
    else:
        if turn is not None:
            raise click.UsageError("--turn is about a game: a board has no turns")
        svg = _draw_board(text, file, marked, run.rules, labels)
    write_picture(svg, run.target)
    return Exit.FINE


def _draw_board(
    text: str, name: str, wanted: tuple[str, int | None] | None, rules: GameRules, labels: Labels
) -> str:
    loaded = load_rules(rules)
    board = tell_notes(parse_board(text, rules, name=name, allows="" if wanted else "odd"))
    labels.check_players(MAX_PLAYERS)
    labels = labels.over(board.labels)
    chosen = wanted and (loaded.find_card(wanted[0]), wanted[1])
    marked = "" if not chosen else f": {chosen[0]}"
    marked += f", {labels.name(chosen[1])}" if chosen and chosen[1] else ""
    drawing = draw_board(replace(board, labels=labels), loaded, chosen)
    return draw_svg(
        drawing, title=f"{visible(labels.title or PurePath(name).name)}{marked}", hexes=True
    )


COMMANDS = {"draw": draw}
