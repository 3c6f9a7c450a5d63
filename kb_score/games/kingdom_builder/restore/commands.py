"""The command ``restore``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from kb_score.engine.aside import Deadline
from kb_score.errors import InputError
from kb_score.games.command import game_options
from kb_score.games.kingdom_builder.board import BOARD_FILE, parse_board
from kb_score.games.kingdom_builder.cards import GAME, load_rules
from kb_score.games.kingdom_builder.hexes import HIDDEN, MAX_PLAYERS
from kb_score.games.kingdom_builder.records import CLAIMS_FILE, recognises
from kb_score.games.kingdom_builder.report import tell_notes
from kb_score.games.kingdom_builder.restore.puzzle import make_puzzle
from kb_score.games.kingdom_builder.restore.report import report_restored
from kb_score.games.kingdom_builder.restore.search import Restorer
from kb_score.shell.ends import Ended
from kb_score.shell.files import in_order, read_inputs
from kb_score.shell.options import number_option
from kb_score.shell.output import Exit, complain, show

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules

_MOST_CHANGES = 4
# So many boards can be shown at once when a signal ends the search.
_MOST_BOARDS = 5000


@click.command(epilog="Example: kb-score restore smudged.txt claims.txt --limit-seconds 60")
@click.argument("board")
@click.argument("claims")
@number_option("--changes", 0, _MOST_CHANGES, 0, "Hexes without ? that may be wrong as well.")
@number_option("--boards", 1, _MOST_BOARDS, 100, "How many boards are listed.")
@click.option(
    "--symbols",
    metavar="SYMBOLS",
    help="What may stand there, such as '. W 1 2'  [default: all that such a board has].",
)
@click.option(
    "--players",
    type=click.IntRange(1, MAX_PLAYERS),
    metavar="N",
    help="Number of players  [default: everybody with a settlement].",
)
@game_options(GAME)
def restore(
    board: str,
    claims: str,
    changes: int,
    boards: int,
    symbols: str | None,
    players: int | None,
    format_: str,
    rules: GameRules,
) -> Exit:
    """Find the boards that explain CLAIMS, where hexes of BOARD are hidden by ?, or wrong.

    CLAIMS are as for check. One of the files may be "-", standard input. With --limit-seconds,
    or when it is interrupted, the search shows what it has found by then.
    """
    loaded = load_rules(rules)
    board_text, claims_text = read_inputs((board, BOARD_FILE), (claims, CLAIMS_FILE))
    with in_order(swapped=recognises(claims_text.replace(HIDDEN, "."))):
        read = tell_notes(parse_board(board_text, name=board, hidden=True))
    chosen = None if symbols is None else re.split(r"[\s,]+", symbols.strip())
    puzzle = make_puzzle(read, claims_text, loaded, name=claims, players=players, symbols=chosen)
    if not puzzle.hidden and not changes:
        advice = "--changes N looks for boards that differ in N hexes, check judges the claims"
        raise InputError(board, f"no hex is hidden by ?: {advice}")
    found = Restorer(puzzle, loaded, boards, changes, Deadline(rules.changes.limits.seconds))
    try:
        found.run()
    except Ended:
        # What was found by now is worth something; the signal goes on to end the command.
        show(report_restored(found), format_)
        raise
    show(report_restored(found), format_)
    if found.deadline.is_over and not found.complete:
        complain(f"stopped after {found.deadline.seconds:g} seconds (--limit-seconds)", kind="note")
    if found.found:
        return Exit.FINE
    # A search that has not come to its end refutes nothing.
    return Exit.DIFFERS if found.complete else Exit.UNUSABLE
