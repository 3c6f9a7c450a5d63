"""The commands that take boards or games: ``check``, ``draw`` and ``board``."""

from __future__ import annotations

from functools import partial
from itertools import chain

import click

from kb_score.engine.rules import GameRules
from kb_score.errors import KbScoreError, visible
from kb_score.games.kingdom_builder.board import (
    BOARD_FILE,
    Board,
    find_quadrants,
    is_game,
    join_quadrants,
    parse_board,
    tell_notes,
)
from kb_score.games.kingdom_builder.check import check_claims
from kb_score.games.kingdom_builder.commands import PLAYER, players_option
from kb_score.games.kingdom_builder.evidence import draw_board
from kb_score.games.kingdom_builder.play.check import check_game, follow_game
from kb_score.games.kingdom_builder.play.records import GAME_FILE
from kb_score.games.kingdom_builder.records import CLAIMS_FILE, recognises
from kb_score.games.kingdom_builder.rules import GAME, load_rules
from kb_score.games.verbs.check import Record, VerdictReporter, find_records, report_all
from kb_score.games.verbs.command import PoolOpener, game_options, make_verb, pool_options
from kb_score.games.verbs.draw import output_option, turn_option
from kb_score.games.verbs.why import why_options
from kb_score.resources import is_folder
from kb_score.shell.files import in_order, read_input
from kb_score.shell.output import Exit
from kb_score.shell.pages import check_ending, draw_turn, write_output, write_picture
from kb_score.shell.svg import draw_svg
from kb_score.shell.verdict import Verdict, show_verdict


@click.command(
    "kingdom-builder",
    short_help="A whole game, or the claimed scores of a board.",
    epilog="Example: kb-score check kingdom-builder game.txt",
)
@click.argument("files", metavar="GAME...|BOARD CLAIMS", nargs=-1, required=True)
@players_option
@pool_options
@game_options(GAME)
@why_options(("violation", "wrong", "result"), codes={"wrong-claim": "wrong"})
def check(
    files: tuple[str, ...], players: int | None, pool: PoolOpener, format_: str, rules: GameRules
) -> Exit:
    """Check each GAME turn by turn, or cross-check the scores that CLAIMS states for BOARD.

    A game has headings, such as "board oracle farm/180 tavern paddock" and "players 2", and a line
    for each turn, such as "1 grass: 4,11 4,12 5,11; farm 6,12". A folder is all its .txt files.

    CLAIMS has lines such as "1 3 7  52 46 43 62" (three cards, then a total for each player) or
    "miners: 4, 12, 11, 4". One of the files may be "-", standard input.
    """
    games = find_records(files, GAME_FILE)
    texts = iter(games)
    if len(files) == 2 and not is_folder(files[0]):
        # Two files may be a board and its claims: the first one tells.
        first = next(iter(find_records(files[:1], BOARD_FILE)))
        if not _are_games(first[1], files[1]):
            return _check_claims(first, files[1], players, format_, rules)
        texts = chain([first], find_records(files[1:], GAME_FILE))
    if players is not None:
        raise click.UsageError("--players is about a board and its claims: a game says it itself")
    judge = partial(_check_text, rules)
    return report_all(games, judge, VerdictReporter(rules, format_), pool, texts)


def _are_games(first: str | KbScoreError, path: str) -> bool:
    """Whether two files are games; where the first cannot be read, the other one tells."""
    if isinstance(first, str):
        return is_game(first)
    # Standard input can be read but once.
    others = () if path == "-" or is_folder(path) else find_records([path], GAME_FILE)
    return any(isinstance(text, str) and is_game(text) for _, text in others)


def _check_claims(
    board: Record, claims: str, players: int | None, format_: str, rules: GameRules
) -> Exit:
    """Check claims about a board, which has been read."""
    loaded, (name, text) = load_rules(rules), board
    if isinstance(text, KbScoreError):
        raise text
    claims_text = read_input(claims, CLAIMS_FILE)
    with in_order(swapped=recognises(claims_text)):
        read = tell_notes(parse_board(text, name=name))
    verdict = check_claims(read, claims_text, loaded, name=claims, players=players)
    return show_verdict(verdict, format_)


def _check_text(rules: GameRules, name: str, text: str) -> Verdict:
    return check_game(text, rules, name=name)


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
@click.option("--player", type=PLAYER, metavar="N", help="Mark what pays this player.")
@turn_option
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
            advice = "a game has its own marks"
            raise click.UsageError(f"--card and --player are about a board: {advice}")
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
    chosen = wanted and (loaded.find_card(wanted[0]), wanted[1])
    marked = f": {chosen[0]}, player {chosen[1]}" if chosen else ""
    drawing = draw_board(board, loaded, chosen)
    return draw_svg(drawing, title=f"{visible(name)}{marked}", hexes=True)


@click.command(epilog="Example: kb-score board oracle farm/180 tavern paddock -o board.txt")
@click.argument("quadrants", nargs=4, metavar="NW NE SW SE")
@output_option(".txt")
def board(quadrants: tuple[str, ...], output: str | None) -> Exit:
    """Put together a board of four quadrants of the published game.

    A quadrant is named after its locations, as farm is, and farm/180 is the same, turned by half.
    """
    check_ending(output, ".txt")
    rows = join_quadrants(*find_quadrants(quadrants))
    write_output(str(Board("board", rows)).encode(), output, [])
    return Exit.FINE


COMMANDS = {"check": check, "draw": draw, "board": board}
