"""The commands of boards of Kingdom Builder: ``score``, ``explain`` and ``board``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import click

from kb_score.engine.rules import GameRules
from kb_score.errors import InputError, KbScoreError, unwrap
from kb_score.games.kingdom_builder.board import (
    BOARD_FILE,
    MAX_PLAYERS,
    Board,
    find_quadrants,
    is_game,
    join_quadrants,
    parse_board,
    read_boards,
    read_quadrants,
    tell_notes,
)
from kb_score.games.kingdom_builder.rules import GAME, Rules, load_rules
from kb_score.games.kingdom_builder.scoring import (
    Scorer,
    Scores,
    draw_board,
    report_evidence,
    report_scores,
    score_boards,
)
from kb_score.games.kingdom_builder.scoring import explain as explain_board
from kb_score.games.labels import Labels, label_options
from kb_score.games.verbs.command import (
    PoolOpener,
    game_options,
    output_option,
    pool_options,
    save_option,
)
from kb_score.games.verbs.why import why_options
from kb_score.shell.files import find_inputs, read_input, read_overwritten
from kb_score.shell.output import Exit, Messages, Text, complain, show, with_progress

cards_option = click.option(
    "--cards", "--card", "cards", metavar="CARDS", help="The cards of the game, such as 1,3,miners."
)
PLAYER = click.IntRange(1, MAX_PLAYERS)
player_option = click.option("--player", type=PLAYER, metavar="N", help="Show this player only.")
players_option = click.option(
    "--players",
    type=PLAYER,
    metavar="N",
    help="Number of players  [default: everybody with a settlement]",
)


def _name_payments(given: Mapping[str, Any]) -> Sequence[str]:
    player = given["player"] or "_"
    chosen = _split(given["card"]) if given["card"] else []
    # They have been found; those that pay in a game have no number.
    names = {str(card.number): card.name for card in load_rules(given["rules"]).cards}
    cards = [names.get(word, word.lower()) for word in chosen] or ["_"]
    return [f"gold({card},{player},_,_)" for card in cards]


@click.command(epilog="Example: kb-score score game.txt --cards 1,3,7")
@click.argument("boards", nargs=-1, required=True)
@cards_option
@click.option(
    "--combinations",
    is_flag=True,
    help="Add the challenge's 16 games of three cards, whatever --cards names.",
)
@players_option
@player_option
@click.option("--strict", is_flag=True, help="End with status 1 if a board has findings.")
@label_options
@pool_options
@game_options(GAME)
@save_option("boards")
def score(
    boards: tuple[str, ...],
    cards: str | None,
    combinations: bool,
    players: int | None,
    player: int | None,
    strict: bool,
    labels: Labels,
    pool: PoolOpener,
    format_: str,
    rules: GameRules,
) -> Exit:
    """Score Kingdom Builder BOARDS: files, folders of .txt files, or "-" for standard input."""
    labels.check_players(players or MAX_PLAYERS)
    # A mistake in the rules is reported once, before any board.
    scorer = Scorer(*load_cards(rules, cards), combinations, players)
    status = Exit.FINE
    with Messages() as messages, pool() as executor:
        scored = score_boards(read_all(boards, rules, messages, labels), scorer, executor)
        for found in with_progress(scored, "boards"):
            with messages.refusing():
                scores = unwrap(found).only(player)
                is_first = messages.go_on()
                tell_findings(scores, messages)
                status = Exit.DIFFERS if strict and scores.violations else status
                output = report_scores(scores)
                if is_first and labels.title:
                    output = replace(output, blocks=[Text(labels.title, "heading"), *output.blocks])
                show(output, format_, is_first=is_first)
    return status or messages.status


@click.command(epilog="Example: kb-score explain game.txt --card miners --player 3")
@click.argument("board", metavar="BOARD|GAME")
@click.option("--card", "--cards", "card", metavar="CARDS", help="Explain these  [default: all]")
@click.option(
    "--player", type=PLAYER, metavar="N", help="Explain this player only  [default: all players]"
)
@players_option
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
    """Show the hexes, rows, quadrants or groups that paid for each score of a board or a game.

    Brackets mark the hexes that count. Rows and columns count from 0, as in the rules. Of a game,
    the cards are its own, as they pay at its end. "-" is standard input.
    """
    words, text = None if card is None else _split(card), read_input(board, BOARD_FILE)
    # Who asks why wants to see that, and nothing before it.
    is_asked = rules.listener is not None
    if is_game(text):
        from kb_score.games.kingdom_builder.check import explain_game  # boards need no such rules

        if players is not None:
            raise click.UsageError("--players is about a board: a game says it itself")
        output = explain_game(text, rules, words, player, name=board)
    else:
        loaded = load_rules(rules)
        cards = None if words is None else loaded.find_different_cards(words)
        read = tell_notes(parse_board(text, rules, name=board))
        found = explain_board(read, loaded, cards=cards, player=player, players=players)
        if is_asked:
            return Exit.FINE
        if not found:
            reason = "the rules derive no score"
            if not read.facts["settlement"]:
                reason = "there is no settlement on the board"
            complain(f"nothing to explain: {reason}", kind=f"{board}: note")
        output = report_evidence(found, draw_board(read, loaded), read.labels)
    if not is_asked:
        show(output, format_)
    return Exit.FINE


@click.command(epilog="Example: kb-score board oracle farm/180 tavern paddock -o board.txt")
@click.argument("quadrants", nargs=4, metavar="NW NE SW SE")
@output_option(".txt")
@game_options(GAME, with_format=False)
def board(quadrants: tuple[str, ...], output: str | None, rules: GameRules) -> Exit:
    """Put together a board of four quadrants of the published game, or of your own.

    A quadrant is named after its locations, as farm is, and farm/180 is the same, turned by half.
    `kb-score board ? ? ? ?` lists the names.
    """
    from kb_score.shell.pages import check_ending, write_output  # a Tab for options is to be quick

    check_ending(output, ".txt")
    if output is not None:
        _check_overwritten(output, rules)
    rows = join_quadrants(*find_quadrants(quadrants, read_quadrants(rules)))
    write_output(str(Board("board", rows)).encode(), output, rules.changes.paths)
    return Exit.FINE


def _check_overwritten(path: str, rules: GameRules) -> None:
    """Check that nothing is lost by writing a board to a file but a board as it was written."""
    text = read_overwritten(path)
    if not text:
        return
    found: Board | None = None
    with suppress(KbScoreError):
        found = parse_board(text, rules, name=path)
    if found is not None and found.facts["settlement"]:
        raise InputError(path, "there are settlements on it: name another file, or remove it")
    if found is None or str(found) != text:
        message = "kb-score board has not written this file: name another one, or remove it"
        raise InputError(path, message)


def load_cards(rules: GameRules, cards: str | None) -> tuple[Rules, tuple[str, ...] | None]:
    """Load the rules, and find the cards that are chosen, if any are."""
    loaded = load_rules(rules)
    return loaded, None if cards is None else loaded.find_cards(_split(cards))


def tell_findings(scores: Scores, messages: Messages) -> None:
    """Tell what a board, one of many, does not satisfy."""
    for finding in scores.violations:
        messages.warn(scores.board, finding.code, f"{finding.code}: {finding.detail}")


def _split(cards: str) -> list[str]:
    return [word.strip() for word in cards.split(",")]


def read_all(
    paths: Sequence[str], rules: GameRules, messages: Messages, labels: Labels
) -> Iterator[Board]:
    """Read the boards of files and folders, and tell their notes; a bad one is refused."""
    named = replace(labels, title="")
    for path, text in find_inputs(paths, BOARD_FILE):
        with messages.refusing():
            for read in read_boards(unwrap(text), rules, name=path):
                with messages.refusing():
                    board = unwrap(read)
                    yield tell_notes(replace(board, labels=named.over(board.labels)), messages)


COMMANDS = {"score": score, "explain": explain, "board": board}
