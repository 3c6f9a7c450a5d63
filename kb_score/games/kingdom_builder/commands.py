"""The commands of Kingdom Builder: those of boards, and the list of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from kb_score.errors import KbScoreError
from kb_score.games.command import game_options
from kb_score.games.crews import Opener, crew_options
from kb_score.games.kingdom_builder.advise.commands import advise
from kb_score.games.kingdom_builder.board import BOARD_FILE, Board, parse_board, read_boards
from kb_score.games.kingdom_builder.cards import GAME, load_rules
from kb_score.games.kingdom_builder.evidence import draw_board
from kb_score.games.kingdom_builder.evidence import explain as explain_board
from kb_score.games.kingdom_builder.hexes import MAX_PLAYERS
from kb_score.games.kingdom_builder.page import list_board, write_page
from kb_score.games.kingdom_builder.play.commands import check, legal
from kb_score.games.kingdom_builder.play.compliance import bot
from kb_score.games.kingdom_builder.play.live_commands import play
from kb_score.games.kingdom_builder.play.playouts import playouts
from kb_score.games.kingdom_builder.play.views import VIEWS
from kb_score.games.kingdom_builder.quadrants import find_quadrants, join_quadrants
from kb_score.games.kingdom_builder.report import report_evidence, report_scores, tell_notes
from kb_score.games.kingdom_builder.restore.commands import restore
from kb_score.games.kingdom_builder.scoring import Scorer, score_boards
from kb_score.games.pictures import check_ending, output_option, write_output
from kb_score.games.why import why_options
from kb_score.shell.files import list_inputs, read_input
from kb_score.shell.output import Exit, complain, show, with_progress

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.games.kingdom_builder.cards import Rules
    from kb_score.games.kingdom_builder.scoring import Scores

_cards_option = click.option(
    "--cards", metavar="CARDS", help="The cards of the game, such as 1,3,miners."
)
_PLAYER = click.IntRange(1, MAX_PLAYERS)
_players_option = click.option(
    "--players",
    type=_PLAYER,
    metavar="N",
    help="Number of players  [default: everybody with a settlement]",
)


def _name_payments(given: Mapping[str, Any]) -> Sequence[str]:
    """Name the payments that a command explains."""
    loaded, player = load_rules(given["rules"]), given["player"] or "_"
    chosen = _split(given["card"]) if given["card"] else []
    cards = list(map(loaded.find_card, chosen)) or ["_"]
    return [f"gold({card},{player},_,_)" for card in cards]


@click.command(epilog="Example: kb-score score game.txt --cards 1,3,7")
@click.argument("boards", nargs=-1, required=True)
@_cards_option
@click.option("--combinations", is_flag=True, help="Add the challenge's 16 games of three cards.")
@_players_option
@crew_options
@game_options(GAME)
def score(
    boards: tuple[str, ...],
    cards: str | None,
    combinations: bool,
    players: int | None,
    crew: Opener,
    format_: str,
    rules: GameRules,
) -> Exit:
    """Score Kingdom Builder BOARDS: files, folders of .txt files, or "-" for standard input."""
    # A mistake in the rules is reported once, before any board.
    scorer = Scorer(*_load_cards(rules, cards), combinations, players)
    status = Exit.FINE

    def report(error: KbScoreError) -> None:
        nonlocal status
        status = Exit.UNUSABLE
        complain(error)

    with crew() as executor:
        scored = score_boards(_read_all(boards, report), scorer, executor)
        for number, scores in enumerate(with_progress(scored, "boards")):
            if isinstance(scores, KbScoreError):
                report(scores)
                continue
            _tell_findings(scores)
            show(report_scores(scores), format_, is_first=number == 0)
    return status


@click.command(epilog="Example: kb-score report boards/ --cards 1,3,7 -o scores.html")
@click.argument("boards", nargs=-1, required=True)
@_cards_option
@_players_option
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
    loaded, chosen = _load_cards(rules, cards)
    errors: list[KbScoreError] = []

    def tell(error: KbScoreError) -> None:
        errors.append(error)
        complain(error)

    read = list(_read_all(boards, tell))
    scored = score_boards(read, Scorer(loaded, chosen, players=players))
    listed: list[dict[str, Any]] = []
    for board, scores in zip(read, with_progress(scored, "boards"), strict=True):
        try:
            if isinstance(scores, KbScoreError):
                raise scores
            _tell_findings(scores)
            listed.append(list_board(board, scores, loaded, players, len(listed)))
        except KbScoreError as error:
            tell(error)
    if listed:
        page = write_page(listed, loaded).encode()
        write_output(page, output, [*boards, *rules.changes.paths])
    return Exit.UNUSABLE if errors else Exit.FINE


@click.command(epilog="Example: kb-score explain game.txt --card miners --player 3")
@click.argument("board")
@click.option(
    "--card", metavar="CARD", help="Explain this card only, by name or number  [default: all cards]"
)
@click.option(
    "--player", type=_PLAYER, metavar="N", help="Explain this player only  [default: all players]"
)
@_players_option
@game_options(GAME)
@why_options(_name_payments, alone=True)
def explain(
    board: str,
    card: str | None,
    player: int | None,
    players: int | None,
    format_: str,
    rules: GameRules,
) -> Exit:
    """Show the hexes, rows, quadrants or groups that paid for each score of BOARD.

    Brackets mark the hexes that count. Rows and columns count from 0, as in the rules. "-" is
    standard input.
    """
    loaded = load_rules(rules)
    cards = None if card is None else tuple(map(loaded.find_card, _split(card)))
    read = tell_notes(parse_board(read_input(board, BOARD_FILE), name=board))
    found = explain_board(read, loaded, cards=cards, player=player, players=players)
    # Who asks why wants to see that, and nothing before it.
    if rules.listener is None:
        show(report_evidence(found, draw_board(read, loaded)), format_)
    return Exit.FINE


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


def _load_cards(rules: GameRules, cards: str | None) -> tuple[Rules, tuple[str, ...] | None]:
    """Load the rules, and find the cards that are chosen, if any are."""
    loaded = load_rules(rules)
    return loaded, None if cards is None else loaded.find_cards(_split(cards))


def _tell_findings(scores: Scores) -> None:
    for finding in scores.violations:
        complain(f"{finding.code}: {finding.detail}", kind=f"{scores.board}: warning")


def _split(cards: str) -> list[str]:
    return [word.strip() for word in cards.split(",")]


def _read_all(paths: Iterable[str], report: Callable[[KbScoreError], None]) -> Iterator[Board]:
    for path in paths:
        try:
            if (files := list(list_inputs([path]))) != [path]:
                yield from _read_all(files, report)
                continue
            for board in read_boards(read_input(path, BOARD_FILE), name=path):
                if isinstance(board, Board):
                    yield tell_notes(board)
                else:
                    report(board)
        except KbScoreError as error:
            report(error)


COMMANDS = {
    "score": score,
    "report": report,
    "explain": explain,
    "advise": advise,
    "check": check,
    "board": board,
    "legal": legal,
    "play": play,
    "bot": bot,
    "playouts": playouts,
    "restore": restore,
    **VIEWS,
}
