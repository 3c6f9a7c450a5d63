"""The commands for Kingdom Builder boards: ``score``, ``explain`` and ``board``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import click

from kb_score.cli.run import Run, run_command
from kb_score.engine.rules import GameRules
from kb_score.errors import unwrap
from kb_score.games.kingdom_builder.board import (
    BOARD_FILE,
    MAX_PLAYERS,
    Board,
    Hex,
    find_quadrants,
    is_game,
    join_quadrants,
    parse_board,
    print_notes,
    read_boards,
    read_quadrants,
)
from kb_score.games.kingdom_builder.rules import GAME, Rules, load_rules
from kb_score.games.kingdom_builder.scoring import (
    Scorer,
    Scores,
    draw_board,
    explain_hex,
    report_evidence,
    report_scores,
    score_boards,
)
from kb_score.games.kingdom_builder.scoring import explain as explain_board
from kb_score.games.labels import Labels, PlayerName, names_option, read_labels, title_option
from kb_score.resources import is_there
from kb_score.shell.files import find_inputs, read_input
from kb_score.shell.options import WholeNumber
from kb_score.shell.output import Exit, Messages, Text, complain, with_progress

cards_option = click.option(
    "--cards", "--card", "cards", metavar="CARDS", help="Cards of the game, such as 1,3,miners."
)
PLAYER = PlayerName()
player_option = click.option(
    "--player", type=PLAYER, metavar="PLAYER", help="Show only this player, by number or name."
)
players_option = click.option(
    "--players",
    type=WholeNumber(1, MAX_PLAYERS),
    metavar="N",
    help="Number of players  [default: all players with a settlement]",
)


@run_command(
    GAME,
    epilog="Example: kb-score score game.txt --cards 1,3,7",
    has_workers=True,
    saves_results=True,
)
@click.argument("boards", nargs=-1, required=True)
@cards_option
@click.option(
    "--combinations",
    is_flag=True,
    help="Add the challenge's 16 games of three cards, even if --cards names other cards.",
)
@players_option
@player_option
@click.option("--strict", is_flag=True, help="Exit with status 1 if a board has findings.")
@title_option
@names_option
def score(
    run: Run,
    boards: tuple[str, ...],
    cards: str | None,
    combinations: bool,
    players: int | None,
    player: int | str | None,
    strict: bool,
    labels: Labels,
) -> Exit:
    """Score Kingdom Builder BOARDS: files, folders of .txt files, or "-" for standard input."""
    labels.check_players(players or MAX_PLAYERS)
    # Loading the rules first reports their mistakes once, before any board.
    scorer = Scorer(*load_cards(run.rules, cards), combinations, players)
    if cards is not None:
        _check_boards(boards, run.rules)
    status = Exit.FINE
    with Messages() as messages, run.open_workers() as pool:
        scored = score_boards(read_all(boards, run.rules, messages, labels), scorer, pool)
        for found in with_progress(scored, "boards"):
            with messages.refusing():
                scores = unwrap(found)
                scores = scores.only(scores.labels.find_player(player, scores.board))
                is_first = messages.accept()
                tell_findings(scores, messages)
                if strict and scores.violations:
                    status = Exit.DIFFERS
                output = report_scores(scores)
                if is_first and labels.title:
                    heading = Text(labels.title, "heading")
                    output = replace(output, blocks=[heading, *output.blocks])
                run.show(output, is_first=is_first)
    return status or messages.status


def _check_boards(boards: Sequence[str], rules: GameRules) -> None:
    """Refuse cards in place of boards: a blank stands where a comma has to."""
    known: set[str] = set()
    for card in load_rules(rules).cards:
        known |= {card.name, str(card.number)}
    for word in boards:
        if word in known and not is_there(word):
            message = "separate cards with commas, as in --cards miners,lords"
            raise click.UsageError(f"{word!r} is a card, not a board: {message}")


def _read_hex(context: click.Context, parameter: click.Parameter, given: str | None) -> Hex | None:
    if given is None:
        return None
    found = re.fullmatch(r"\s*\(?(\d{1,4})\s*,\s*(\d{1,4})\)?\s*", given)
    if found is None:
        message = (
            f"{given!r} is not a hex: write its row and its column, counted from 0, such as 3,4"
        )
        raise click.BadParameter(message, context, parameter)
    row, column = map(int, found.groups())
    return row, column


@run_command(
    GAME, epilog="Example: kb-score explain game.txt --card miners --player 3", has_reasons=True
)
@click.argument("board", metavar="BOARD|GAME")
@click.option(
    "--card", "--cards", "card", metavar="CARDS", help="Explain only these  [default: all]"
)
@click.option(
    "--player",
    type=PLAYER,
    metavar="PLAYER",
    help="Explain only this player, by number or name  [default: all players]",
)
@players_option
@click.option(
    "--hex",
    "place",
    callback=_read_hex,
    metavar="R,C",
    help="Show what this hex pays its owner, or would pay each player if it is free, and why the "
    "other cards pay nothing for it.",
)
def explain(
    run: Run,
    board: str,
    card: str | None,
    player: int | str | None,
    players: int | None,
    place: Hex | None,
) -> Exit:
    """Show the hexes, rows, quadrants or groups that pay for each score of a board or a game.

    Brackets mark the hexes that count. Rows and columns count from 0, as in the rules. For a game,
    the cards are those of the game, and pay as at its end. "-" is standard input.

    --hex 3,4 asks about one hex: what each card pays for it, and why the others pay nothing.
    """
    if place is not None and run.reasons is not None:
        raise click.UsageError("--hex gives its reasons in words: leave out --why and --why-not")
    words = None if card is None else _split(card)
    text = read_input(board, BOARD_FILE)
    number = None
    if player is not None:
        labels = read_labels(text.split("\n"), 1, board)
        number = labels.find_player(player, board)
    if is_game(text):
        from kb_score.games.kingdom_builder.check import explain_game  # boards need no such rules

        if players is not None:
            raise click.UsageError("--players applies only to boards: a game names its own players")
        output = explain_game(text, run.rules, words, number, name=board, place=place)
        if run.reasons is None:
            run.show(output)
    else:
        loaded = load_rules(run.rules)
        cards = None if words is None else loaded.find_different_cards(words)
        read = print_notes(parse_board(text, run.rules, name=board))
        if place is not None:
            run.show(explain_hex(read, loaded, place, cards=cards, player=number, players=players))
            return Exit.FINE
        found = explain_board(read, loaded, cards=cards, player=number, players=players)
        if run.reasons is None:
            if not found:
                reason = "the rules derive no score"
                if not read.facts["settlement"]:
                    reason = "there is no settlement on the board"
                complain(f"nothing to explain: {reason}", kind=f"{board}: note")
            run.show(report_evidence(found, draw_board(read, loaded), read.labels))
    # Reasons are printed instead of the evidence.
    run.explain(_name_payments(words, number, run.rules), is_first=True)
    return Exit.FINE


def _name_payments(
    cards: Sequence[str] | None, player: int | None, rules: GameRules
) -> Sequence[str]:
    """Return the atoms of payments for known cards to a player; None stands for all."""
    # Cards that pay only during a game have no number.
    names = {str(card.number): card.name for card in load_rules(rules).cards}
    chosen = [names.get(word, word.lower()) for word in cards or ()] or ["_"]
    return [f"gold({card},{player or '_'},_,_)" for card in chosen]


@run_command(
    GAME,
    epilog="Example: kb-score board oracle farm/180 tavern paddock -o board.txt",
    has_format=False,
    writes=(".txt",),
)
@click.argument("quadrants", nargs=4, metavar="NW NE SW SE")
def board(run: Run, quadrants: tuple[str, ...]) -> Exit:
    """Assemble a board from four quadrants of the published game, or from your own.

    Quadrants are named after their locations, such as farm; farm/180 is the same quadrant, turned
    by 180 degrees. `kb-score board ? ? ? ?` lists the names.
    """
    chosen = find_quadrants(quadrants, read_quadrants(run.rules))
    text = str(Board("board", join_quadrants(*chosen)))
    run.target.write(text.encode())
    return Exit.FINE


def load_cards(rules: GameRules, cards: str | None) -> tuple[Rules, tuple[str, ...] | None]:
    """Return the loaded rules and the names of the cards in ``--cards``; None for no option."""
    loaded = load_rules(rules)
    return loaded, None if cards is None else loaded.find_cards(_split(cards))


def tell_findings(scores: Scores, messages: Messages) -> None:
    """Print a warning for each violation of a board."""
    for finding in scores.violations:
        messages.warn(scores.board, finding.code, f"{finding.code}: {finding.detail}")


def _split(cards: str) -> list[str]:
    return [word.strip() for word in cards.split(",")]


def read_all(
    paths: Sequence[str], rules: GameRules, messages: Messages, labels: Labels
) -> Iterator[Board]:
    """Yield the boards of files and folders; print their notes, and report errors.

    The names of players in ``labels`` replace those of the boards.
    """
    named = replace(labels, title="")
    for path, text in find_inputs(paths, BOARD_FILE):
        with messages.refusing():
            for read in read_boards(unwrap(text), rules, name=path):
                with messages.refusing():
                    board = unwrap(read)
                    yield print_notes(replace(board, labels=named.over(board.labels)), messages)


COMMANDS = {"score": score, "explain": explain, "board": board}
