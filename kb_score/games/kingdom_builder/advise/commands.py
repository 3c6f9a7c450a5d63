"""The command ``advise``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click

from kb_score.engine.rules import GameRules
from kb_score.engine.supervisor import Deadline
from kb_score.games.kingdom_builder.advise.adviser import MOST_SETTLEMENTS, Adviser, Placement, Wish
from kb_score.games.kingdom_builder.board import BOARD_FILE, LAND, parse_board, tell_notes
from kb_score.games.kingdom_builder.commands import PLAYER, cards_option, load_cards, players_option
from kb_score.games.kingdom_builder.evidence import draw_board, draw_hexes
from kb_score.games.kingdom_builder.rules import GAME
from kb_score.games.verbs.command import game_options
from kb_score.shell.files import read_input
from kb_score.shell.options import number_option
from kb_score.shell.output import Block, Exit, Output, Table, Text, complain, show
from kb_score.shell.shutdown import Ended


@click.command(epilog="Example: kb-score advise game.txt --player 1 --cards 1,3,7")
@click.argument("board")
@click.option("--player", type=PLAYER, required=True, metavar="N", help="The player who builds.")
@cards_option
@click.option(
    "--card",
    metavar="TERRAIN",
    help="The terrain card that is played, as for legal: only legal placements.",
)
@click.option(
    "--settlements",
    type=click.IntRange(1, MOST_SETTLEMENTS),
    metavar="N",
    help=f"Build at most so many settlements  [default: {MOST_SETTLEMENTS}].",
)
@number_option("--placements", 1, 1000, 5, "How many placements are listed.")
@players_option
@game_options(GAME)
def advise(
    board: str,
    player: int,
    cards: str | None,
    card: str | None,
    settlements: int | None,
    placements: int,
    players: int | None,
    format_: str,
    rules: GameRules,
) -> Exit:
    """Find where up to three more settlements on BOARD gain a player most.

    Any vacant land will do. With --card, which needs a board with the letters of its terrain, the
    rules of the turn say where and how many. "-" is standard input.
    """
    terrains = () if card is None else tuple(card.split("/"))
    for word in terrains:
        if word not in LAND.values():
            raise click.UsageError(f"--card: there is no {word!r}, but {', '.join(LAND.values())}")
    if terrains and settlements is not None:
        raise click.UsageError("--card: the rules of the turn say how many settlements there are")
    loaded, chosen = load_cards(rules, cards)
    wish = Wish(player, chosen, players, settlements or MOST_SETTLEMENTS, placements, terrains)
    read = tell_notes(parse_board(read_input(board, BOARD_FILE), name=board))
    adviser = Adviser(read, loaded, wish, Deadline(rules.changes.limits.seconds))
    try:
        adviser.look()
    except Ended:
        show(_report(adviser, drawn=False), format_)
        raise
    for note in adviser.notes:
        complain(note, kind=f"{read.name}: note")
    show(_report(adviser, drawn=True), format_)
    return Exit.FINE


def _report(adviser: Adviser, *, drawn: bool) -> Output:
    """Lay advice out; a picture of the best placement takes time."""
    found, wish, board = adviser.placements, adviser.wish, adviser.board
    kind = f"of up to {wish.settlements} settlements" if wish.settlements > 1 else "of a settlement"
    if wish.terrains:
        kind = f"by the card {'/'.join(wish.terrains)}"
    title = f"{board.name}: player {wish.player}, the best placements {kind}"
    blocks: list[Block] = [_list_placements(title, found)] if found else []
    if found and drawn:
        drawing = draw_board(board, adviser.rules)
        blocks.append(draw_hexes(replace(drawing, highlights=frozenset(found[0].hexes))))
    if adviser.proved:
        what = "legal placement" if wish.terrains else "placement"
        more = f"more than {found[0].gain}" if found else "anything"
        blocks.append(Text(f"no {what} gains {more}: ", outcome="proved", colour="green"))
    else:
        blocks.append(Text("there may be better placements: ", outcome="not proved", colour="red"))
    line = {
        "board": board.name,
        "player": wish.player,
        "proved": adviser.proved,
        "placements": [
            {"hexes": list(map(list, p.hexes)), "gain": p.gain, "by_card": p.by_card} for p in found
        ],
    }
    columns = ("board", "player", "proved", "placement", "gain", "hexes", "card", "gold")
    rows = tuple(
        (board.name, wish.player, int(adviser.proved), i, p.gain, _write(p), card, gold)
        for i, p in enumerate(found, 1)
        for card, gold in (p.by_card or {"": 0}).items()
    )
    return Output(blocks, [line], Table("", columns, rows))


def _list_placements(title: str, found: Sequence[Placement]) -> Table:
    rows: list[tuple[str | int, ...]] = []
    for placement in found:
        by_card = ", ".join(f"{card} {gold}" for card, gold in placement.by_card.items())
        others = ", ".join(
            f"player {player} {card} {gold:+}"
            for player, card, gold in sorted((p, c, n) for (c, p), n in placement.others.items())
        )
        rows.append((placement.gain, _write(placement), by_card, others))
    columns: tuple[str, ...] = ("gain", "hexes", "by card", "other players")
    if not any(placement.others for placement in found):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return Table(title, columns, tuple(rows))


def _write(placement: Placement) -> str:
    return "  ".join(f"{row},{column}" for row, column in placement.hexes)


COMMANDS = {"advise": advise}
