"""The command ``check slime``: a record against the rules."""

from __future__ import annotations

import click

from kb_score.command import format_option, print_verdict, read_input, rules_options
from kb_score.games.slime.finding import KINDS, PLAYERS, Explanation, Finding
from kb_score.games.slime.frames import check_frames
from kb_score.games.slime.read import Session, read_record
from kb_score.games.slime.session import check_session
from kb_score.report import Table
from kb_score.rules import Changes
from kb_score.verdict import Verdict


@click.command(
    "slime", short_help="A session or frames.", epilog="Example: kb-score check slime game.txt"
)
@click.argument("record")
@click.option(
    "--all", "all_", is_flag=True, help="Of frames: list all moves that explain each turn."
)
@click.option(
    "--first",
    type=click.IntRange(1, 4),
    metavar="PLAYER",
    help="Of frames: who moves first; else player 1 at the start of a game, else inferred.",
)
@format_option
@rules_options
@click.pass_context
def check(
    context: click.Context,
    record: str,
    all_: bool,
    first: int | None,
    format_: str,
    changes: Changes,
) -> None:
    """Cross-check a record of Slime.

    RECORD is a session (what bots were given and answered) or frames (boards alone): which, its
    contents show. "-" is standard input.
    """
    read = read_record(read_input(record), record)
    claimed = None
    if isinstance(read, Session):
        finding = check_session(read, changes)
        claimed = None if read.claimed is None else {"squares": list(read.claimed)}
    else:
        finding = check_frames(read, first, changes)
    verdict = Verdict(
        game="slime",
        record=record,
        result=finding.result,
        claimed=claimed,
        violations=finding.violations,
        picture=finding.picture,
        notes=finding.notes,
        tables=tuple(_list_tables(finding, all_)),
        more=_write_more(finding, all_),
    )
    context.exit(print_verdict(verdict, format_))


def _list_tables(finding: Finding, all_: bool) -> list[Table]:
    rows: tuple[tuple[str | int, ...], ...]
    rows = tuple((kind, *finding.counts[kind]) for kind in KINDS)
    tables = [Table("", ("turns", *(f"player {player}" for player in PLAYERS)), rows)]
    if finding.explanations:
        moves = tuple(row for e in finding.explanations for row in _list_moves(e, all_))
        tables.append(Table("", ("turn", "player", "kind", "move"), moves))
    return tables


def _list_moves(explanation: Explanation, all_: bool) -> list[tuple[int, int, str, str]]:
    moves = explanation.moves if all_ else explanation.moves[:1]
    return [(explanation.turn, explanation.player, kind, answer) for kind, answer in moves]


def _write_more(finding: Finding, all_: bool) -> dict[str, object]:
    more: dict[str, object] = {"counts": {kind: list(finding.counts[kind]) for kind in KINDS}}
    if finding.explanations:
        more["explanations"] = [
            {"turn": turn, "player": player, "kind": kind, "move": move}
            for explanation in finding.explanations
            for turn, player, kind, move in _list_moves(explanation, all_)
        ]
    return more
