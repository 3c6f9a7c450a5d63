"""Boards as pages of the browser: their scores, and the rules, to be changed there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from kb_score.engine.rules import GameRules, list_wanted
from kb_score.errors import InputError, KbScoreError, visible
from kb_score.games.kingdom_builder.board import (
    BOARD_FILE,
    Board,
    is_game,
    list_pairs,
    list_symbols,
    parse_board,
    read_quadrants,
    tell_notes,
)
from kb_score.games.kingdom_builder.commands import (
    cards_option,
    load_cards,
    players_option,
    read_all,
    tell_findings,
)
from kb_score.games.kingdom_builder.evidence import draw_board, explain
from kb_score.games.kingdom_builder.play.check import write_game
from kb_score.games.kingdom_builder.rules import CHECK, GAME, PLAYGROUND, Rules, load_rules
from kb_score.games.kingdom_builder.scoring import Scorer, Scores, score_boards
from kb_score.games.playground import LIMIT_BOARD, list_files, list_reasons
from kb_score.games.verbs.command import game_options
from kb_score.games.verbs.draw import output_option
from kb_score.shell.files import read_input
from kb_score.shell.output import Exit, complain, with_progress
from kb_score.shell.pages import (
    check_ending,
    fill_page,
    list_styles,
    write_output,
    write_playground,
)
from kb_score.shell.svg import HEXES, draw_svg


def _list_board(
    board: Board, scores: Scores, rules: Rules, players: int | None, number: int
) -> dict[str, Any]:
    """List what the page shows of a board; the number sets its picture apart from the others."""
    name = visible(scores.board)
    evidence: dict[str, list[Any]] = {card: [] for card in scores.gold}
    for found in explain(board, rules, cards=scores.gold, players=players):
        pieces = [[visible(piece.why), piece.gold, piece.hexes] for piece in found.evidence]
        evidence[found.card.name].append(pieces)
    svg = draw_svg(draw_board(board, rules), title=name, hexes=True, name=f"b{number}-")
    return {
        "name": name,
        "svg": svg,
        "players": scores.players,
        "gold": scores.gold,
        "total": scores.total,
        "winners": scores.winners,
        "findings": [[visible(v.code), visible(v.detail)] for v in scores.violations],
        "evidence": evidence,
    }


def _write_report(boards: Sequence[Mapping[str, Any]], rules: Rules) -> str:
    """Write the page for the boards that `_list_board` has listed, at least one."""
    many = f"{len(boards)} Kingdom Builder boards" if boards[1:] else "a Kingdom Builder board"
    cards = [
        {"name": card.name, "number": card.number, "text": visible(card.text)}
        for card in rules.cards
        if card.name in boards[0]["gold"]
    ]
    data = {"boards": boards, "cards": cards, "outline": HEXES.outline}
    return fill_page("report", f"Scores of {many}", data)


@click.command(epilog="Example: kb-score report boards/ --cards 1,3,7 -o scores.html")
@click.argument("boards", nargs=-1, required=True)
@cards_option
@players_option
@output_option(".html")
@game_options(GAME, with_format=False)
def report(
    boards: tuple[str, ...],
    cards: str | None,
    players: int | None,
    output: str | None,
    rules: GameRules,
) -> Exit:
    """Show the scores of BOARDS as a page that marks the hexes which pay for each figure.

    BOARDS are as for score. The page is one file that needs no network.
    """
    check_ending(output, ".html")
    loaded, chosen = load_cards(rules, cards)
    errors: list[KbScoreError] = []

    def tell(error: KbScoreError) -> None:
        errors.append(error)
        complain(error)

    read = list(read_all(boards, tell))
    scored = score_boards(read, Scorer(loaded, chosen, players=players))
    listed: list[dict[str, Any]] = []
    for board, scores in zip(read, with_progress(scored, "boards"), strict=True):
        try:
            if isinstance(scores, KbScoreError):
                raise scores
            tell_findings(scores)
            listed.append(_list_board(board, scores, loaded, players, len(listed)))
        except KbScoreError as error:
            tell(error)
    if listed:
        page = _write_report(listed, loaded)
        write_output(page.encode(), output, [*boards, *rules.changes.paths])
    return Exit.UNUSABLE if errors else Exit.FINE


# A page draws hexes one by one, and clingo in it is slower than at home.
MAX_SIDE = 100
_SIDE = 20

_NEW_CARD = """\
% A card states itself, and what it pays for which reason:
% card(name, number, "what it pays").
% gold(name, P, hex(R,C), points) :- settlement(P,R,C), ...
"""


def write_rules(rules: Rules, board: Board | None) -> str:
    """Write a page where the rules and a board, or an empty one, can be changed."""
    game = rules.game
    if board is not None and max(board.height, board.width) > MAX_SIDE:
        size = f"{board.height} rows of {board.width} hexes"
        raise InputError(board.name, f"{size} are too many for a page: {MAX_SIDE} is the limit")
    shown = board or Board("empty board", ("." * _SIDE,) * _SIDE)
    uses = {"scores": PLAYGROUND.files, "claims": f"{CHECK.files} uses/bounds"}
    data = {
        "kind": "board",
        "board": str(shown),
        "symbols": list(list_symbols().items()),
        "pairs": list_pairs(),
        "quadrants": [
            {"name": q.name, "expansion": q.expansion, "rows": q.rows, "turned": q.turn().rows}
            for q in read_quadrants()
        ],
        "limit": LIMIT_BOARD,
        "most": MAX_SIDE,
        "files": list_files(game),
        "open": "miners.lp",
        "uses": {use: sorted(list_wanted(game.game, files)) for use, files in uses.items()},
        "constants": dict(game.changes.constants),
        "why": list_reasons(game, {"scores": PLAYGROUND}),
        "template": _NEW_CARD,
        "styles": list_styles(hexes=True),
    }
    return write_playground(f"Kingdom Builder: {visible(shown.name)}", data)


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
    if file is None:
        page = write_rules(load_rules(rules), None)
    elif is_game(text := read_input(file, BOARD_FILE)):
        page = write_game(rules, file, text)
    else:
        page = write_rules(load_rules(rules), tell_notes(parse_board(text, name=file)))
    write_output(page.encode(), output, [*filter(None, [file]), *rules.changes.paths])
    return Exit.FINE


COMMANDS = {"report": report, "playground": playground}
