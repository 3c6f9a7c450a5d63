"""The command ``advise``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from kb_score.engine.aside import Deadline
from kb_score.games.command import game_options
from kb_score.games.kingdom_builder.advise.adviser import MOST_SETTLEMENTS, Adviser, Wish
from kb_score.games.kingdom_builder.board import BOARD_FILE, parse_board
from kb_score.games.kingdom_builder.cards import GAME, load_rules
from kb_score.games.kingdom_builder.evidence import draw_board
from kb_score.games.kingdom_builder.hexes import LAND, MAX_PLAYERS
from kb_score.games.kingdom_builder.report import draw_hexes, tell_notes
from kb_score.shell.ends import Ended
from kb_score.shell.files import read_input
from kb_score.shell.options import number_option
from kb_score.shell.output import Block, Exit, Output, Table, Text, complain, show

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.games.kingdom_builder.advise.adviser import Advice, Placement
    from kb_score.games.kingdom_builder.board import Board
    from kb_score.games.kingdom_builder.cards import Rules

_PLAYER = click.IntRange(1, MAX_PLAYERS)


def _read_terrains(
    _context: click.Context, _parameter: click.Parameter, card: str | None
) -> tuple[str, ...]:
    if card is None:
        return ()
    known = tuple(LAND.values())
    for word in (words := tuple(card.split("/"))):
        if word not in known:
            raise click.UsageError(f"--card: there is no {word!r}, but {', '.join(known)}")
    return words


@click.command(epilog="Example: kb-score advise game.txt --player 1 --cards 1,3,7")
@click.argument("board")
@click.option("--player", type=_PLAYER, required=True, metavar="N", help="The player who builds.")
@click.option("--cards", metavar="CARDS", help="The cards of the game, such as 1,3,miners.")
@click.option(
    "--card",
    "terrains",
    metavar="TERRAIN",
    callback=_read_terrains,
    help="The terrain card that is played, as for legal: only legal placements.",
)
@click.option(
    "--settlements",
    type=click.IntRange(1, MOST_SETTLEMENTS),
    metavar="N",
    help=f"Build at most so many settlements  [default: {MOST_SETTLEMENTS}].",
)
@number_option("--placements", 1, 1000, 5, "How many placements are listed.")
@click.option(
    "--players",
    type=_PLAYER,
    metavar="N",
    help="Number of players  [default: everybody with a settlement]",
)
@game_options(GAME)
def advise(
    board: str,
    player: int,
    cards: str | None,
    terrains: tuple[str, ...],
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
    if terrains and settlements is not None:
        raise click.UsageError("--card: the rules of the turn say how many settlements there are")
    loaded = load_rules(rules)
    chosen = None
    if cards is not None:
        chosen = loaded.find_cards([word.strip() for word in cards.split(",")])
    most = settlements or MOST_SETTLEMENTS
    wish = Wish(player, chosen, players, most, placements, terrains)
    read = tell_notes(parse_board(read_input(board, BOARD_FILE), name=board))
    adviser = Adviser(read, loaded, wish, Deadline(rules.changes.limits.seconds))
    try:
        advice = adviser.look()
    except Ended:
        show(_report(adviser.tell(), wish, read, None), format_)
        raise
    for note in adviser.notes:
        complain(note, kind=f"{read.name}: note")
    show(_report(advice, wish, read, loaded), format_)
    return Exit.FINE


def _report(advice: Advice, wish: Wish, board: Board, rules: Rules | None) -> Output:
    """Lay advice out, with a picture of the best placement if there are rules to draw it by."""
    found = advice.placements
    number = wish.settlements
    kind = f"of up to {number} settlements" if number > 1 else "of a settlement"
    if wish.terrains:
        kind = f"by the card {'/'.join(wish.terrains)}"
    title = f"{advice.board}: player {advice.player}, the best placements {kind}"
    blocks: list[Block] = [_list_placements(title, found)] if found else []
    if found and rules:
        drawing = replace(draw_board(board, rules), highlights=frozenset(found[0].hexes))
        blocks.append(draw_hexes(drawing))
    if advice.proved:
        blocks.append(Text(_say_end(found, wish), outcome="proved", colour="green"))
    else:
        blocks.append(Text("there may be better placements: ", outcome="not proved", colour="red"))
    columns = ("board", "player", "proved", "placement", "gain", "hexes", "card", "gold")
    rows = tuple(
        (advice.board, advice.player, int(advice.proved), i, p.gain, _write(p), card, gold)
        for i, p in enumerate(found, 1)
        for card, gold in (p.by_card or {"": 0}).items()
    )
    return Output(blocks, [advice.to_json()], Table("", columns, rows))


def _say_end(found: tuple[Placement, ...], wish: Wish) -> str:
    placement = "legal placement" if wish.terrains else "placement"
    return f"no {placement} gains {f'more than {found[0].gain}' if found else 'anything'}: "


def _list_placements(title: str, found: tuple[Placement, ...]) -> Table:
    others = any(placement.others for placement in found)
    columns = ("gain", "hexes", "by card", *(["other players"] if others else []))
    rows: list[tuple[str | int, ...]] = []
    for placement in found:
        row = (placement.gain, _write(placement), _write_cards(placement))
        rows.append((*row, _write_others(placement)) if others else row)
    return Table(title, columns, tuple(rows))


def _write(placement: Placement) -> str:
    return "  ".join(f"{row},{column}" for row, column in placement.hexes)


def _write_cards(placement: Placement) -> str:
    return ", ".join(f"{card} {gold}" for card, gold in placement.by_card.items())


def _write_others(placement: Placement) -> str:
    return ", ".join(
        f"player {player} {card} {gold:+}"
        for (card, player), gold in sorted(placement.others.items(), key=lambda item: item[0][::-1])
    )
