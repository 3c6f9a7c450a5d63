"""The commands of games of Kingdom Builder: ``check`` and ``legal``."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import click

from kb_score.errors import InputError, KbScoreError
from kb_score.games.checks import Record, Teller, find_records, tell_all
from kb_score.games.command import game_options, make_verb
from kb_score.games.crews import Opener, crew_options
from kb_score.games.kingdom_builder.board import BOARD_FILE, is_game, parse_board
from kb_score.games.kingdom_builder.cards import GAME, load_rules
from kb_score.games.kingdom_builder.check import check_claims
from kb_score.games.kingdom_builder.hexes import MAX_PLAYERS
from kb_score.games.kingdom_builder.play.check import check_game
from kb_score.games.kingdom_builder.play.legal import (
    Moment,
    find_reason,
    list_legal,
    moment_of_board,
    moment_of_game,
)
from kb_score.games.kingdom_builder.play.names import load_names
from kb_score.games.kingdom_builder.play.reader import (
    GAME_FILE,
    Names,
    read_actions,
    read_game,
)
from kb_score.games.kingdom_builder.play.text import write_part
from kb_score.games.kingdom_builder.records import CLAIMS_FILE, recognises
from kb_score.games.kingdom_builder.report import tell_notes
from kb_score.games.legal import Legal, show_legal, show_reasons
from kb_score.games.why import why_options
from kb_score.resources import is_folder
from kb_score.shell.files import in_order, read_input
from kb_score.shell.output import complain
from kb_score.shell.verdict import show_verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb_score.engine.run import GameRules
    from kb_score.shell.output import Exit
    from kb_score.shell.verdict import Verdict

_PLAYER = click.IntRange(1, MAX_PLAYERS)


@click.command(
    "kingdom-builder",
    short_help="A whole game, or the claimed scores of a board.",
    epilog="Example: kb-score check kingdom-builder game.txt",
)
@click.argument("files", metavar="GAME...|BOARD CLAIMS", nargs=-1, required=True)
@click.option(
    "--players",
    type=_PLAYER,
    metavar="N",
    help="Number of players of the board  [default: everybody with a settlement]",
)
@crew_options
@game_options(GAME)
@why_options(("violation", "wrong", "result"), codes={"wrong-claim": "wrong"})
def check(
    files: tuple[str, ...], players: int | None, crew: Opener, format_: str, rules: GameRules
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
    return tell_all(games, partial(_check_text, rules), Teller(rules, format_), crew, texts)


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
    loaded = load_rules(rules)
    name, text = board
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
    "legal",
    GAME,
    """All that a player may do in a game, or on a board.

    FILE is a game or a board; "-" is standard input. Each hex of the mandatory action stands alone,
    and what a tile may do stands behind its name, as in a game. With --move one move is judged.
    """,
    "game.txt --turn 12 --move 'farm 6,12'",
)
@click.argument("file")
@click.option("--turn", type=click.IntRange(1), metavar="N", help="The turn  [default: the next]")
@click.option("--player", type=_PLAYER, metavar="N", help="Whose turn it is on a board.")
@click.option(
    "--card",
    metavar="TERRAIN",
    help="The card that is played: grass, or grass/desert if it was drawn again.",
)
@click.option("--after", metavar="ACTIONS", help="What is done in the turn already.")
@click.option("--tile", "tiles", multiple=True, metavar="TILE", help="Lend this tile. Repeatable.")
@click.option("--move", metavar="ACTION", help="Tell whether this move is legal, or why not.")
@game_options(GAME)
@why_options(("illegal", "legal"))
def legal(
    file: str,
    turn: int | None,
    player: int | None,
    card: str | None,
    after: str | None,
    tiles: tuple[str, ...],
    move: str | None,
    format_: str,
    rules: GameRules,
) -> Exit:
    """List the legal moves of a player."""
    names = load_names(rules)
    cards = [_known(word, names.terrains, "--card") for word in card.split("/")] if card else []
    lent = [_known(tile, names.tiles, "--tile") for tile in tiles]
    if move is not None and not move.strip():
        raise click.UsageError("--move is an action, such as '4,11 4,12' or 'farm 6,12'")
    moment = _find_moment(file, turn, player, cards, names, rules)
    if after:
        moment = moment.after(read_actions(after, names, name="--after"))
    if move is not None:
        reason = find_reason(moment, read_actions(move, names, name="--move"), rules, lent=lent)
        return show_reasons(move, [reason] if reason else [], format_)
    found = list_legal(moment, rules, lent=lent)
    if found.needs_card:
        complain(
            "no hex is free by this card: say the next one, too, as in --card grass/desert",
            kind="note",
        )
    moves = tuple(map(write_part, (*found.moves, *found.further)))
    shown = [Legal(found.player, moves)]
    return show_legal("kingdom-builder", moment.turn, shown, format_)


def _find_moment(
    path: str,
    turn: int | None,
    player: int | None,
    cards: Sequence[str],
    names: Names,
    rules: GameRules,
) -> Moment:
    text = read_input(path, GAME_FILE)
    if is_game(text):
        if player is not None:
            raise click.UsageError("--player is about a board: a game says whose turn it is")
        game = read_game(text, names, name=path)
        if not cards and turn in (None, len(game.lines) + 1):
            _refuse_end(text, len(game.lines), rules, path)
        return moment_of_game(game, turn, cards)
    if player is None or not cards or turn is not None:
        raise click.UsageError("on a board, say --player and --card, but no --turn")
    return moment_of_board(tell_notes(parse_board(text, name=path)), player, cards)


def _refuse_end(text: str, turns: int, rules: GameRules, path: str) -> None:
    """Refuse a game that is over: a card for its next turn would be asked for in vain."""
    verdict = check_game(text, rules, name=path)
    if verdict.result["turns"] < turns:
        raise InputError(path, f"nothing is legal any more: {verdict.violations[0]}")
    if verdict.result["finished"]:
        raise InputError(path, f"nothing is legal any more: it is over after turn {turns}")


def _known(word: str, known: frozenset[str], option: str) -> str:
    if (name := word.replace("-", "_")) in known:
        return name
    names = ", ".join(sorted(name.replace("_", "-") for name in known))
    raise click.UsageError(f"{option}: there is no {word!r}, but {names}")
