"""``kb-score explain``: each score with its evidence."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence

import click

from kb_score.board import Board, parse_board
from kb_score.cards import load_rules
from kb_score.command import format_option, players_option, read_input, rules_options
from kb_score.evidence import Evidence, Explanation, draw
from kb_score.evidence import explain as explain_board
from kb_score.report import Table, print_tables, write_csv, write_json
from kb_score.rules import Changes

_MARKED = re.compile(r"\[.\]")


@click.command(epilog="Example: kb-score explain game.txt --card miners --player 3")
@click.argument("board")
@click.option("--card", metavar="CARD", help="Of this card alone, by name or number; else of all.")
@click.option(
    "--player", type=click.IntRange(1, 4), metavar="N", help="Of this player alone; else of all."
)
@players_option
@format_option
@rules_options
def explain(
    board: str,
    card: str | None,
    player: int | None,
    players: int | None,
    format_: str,
    changes: Changes,
) -> None:
    """Show for each score of BOARD the hexes, rows, quadrants or groups that paid.

    The hexes that count stand in brackets. Rows and columns count from 0, as in the rules. "-" is
    standard input.
    """
    rules = load_rules(changes)
    words = [] if card is None else card.split(",")
    cards = tuple(dict.fromkeys(rules.find_card(word.strip()) for word in words))
    read = parse_board(read_input(board), name=board)
    found = explain_board(read, rules, cards=cards or None, player=player, players=players)
    if format_ == "json":
        sys.stdout.writelines(write_json(explanation.to_json()) for explanation in found)
    elif format_ == "csv":
        sys.stdout.write(write_csv(_rows(found)))
    else:
        for number, explanation in enumerate(found):
            sys.stdout.write("\n" if number else "")
            _print(read, explanation, format_)


def _print(board: Board, explanation: Explanation, format_: str) -> None:
    card = explanation.card
    heading = f"{card.name}, player {explanation.player}: {explanation.gold} gold ({card.text})"
    evidence = _table(explanation.evidence)
    if format_ == "markdown":
        sys.stdout.write(f"### {heading}\n\n")
    else:
        click.secho(heading, bold=True)
    if evidence.rows:
        sys.stdout.write("\n")
        print_tables([evidence], format_, sys.stdout)
    if explanation.hexes:
        picture = draw(board, explanation.hexes, width=_find_width(board))
        if format_ == "markdown":
            sys.stdout.write(f"\n```\n{picture}```\n")
        else:
            click.echo(
                "\n" + _MARKED.sub(lambda found: click.style(found[0], bold=True), picture),
                nl=False,
            )


def _find_width(board: Board) -> int:
    """How wide a hex is drawn: 4 characters, or 3 where a terminal is too narrow for that."""
    needed = 4 * board.width + len(str(board.height)) + 2
    narrow = sys.stdout.isatty() and shutil.get_terminal_size().columns < needed
    return 3 if narrow else 4


def _table(evidence: Sequence[Evidence]) -> Table:
    """Lay out evidence; reasons of one kind that pay the same share a line."""
    groups: dict[tuple[str, int], list[str]] = {}
    for piece in evidence:
        kind, _, which = piece.why.partition(" ")
        groups.setdefault((kind, piece.gold), []).append(which)
    rows = tuple(
        (
            gold * len(which),
            f"{len(which)} x {gold}" if len(which) > 1 else "",
            kind,
            "  ".join(which),
        )
        for (kind, gold), which in groups.items()
    )
    return Table("", ("gold", "", "for", "which"), rows)


def _rows(found: Sequence[Explanation]) -> Table:
    return Table(
        "",
        ("board", "card", "player", "gold", "why"),
        tuple(
            (e.board, e.card.name, e.player, piece.gold, piece.why)
            for e in found
            for piece in e.evidence
        ),
    )
