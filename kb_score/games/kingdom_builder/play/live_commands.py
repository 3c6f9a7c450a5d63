"""The command ``play kingdom-builder``: bots play a whole game, and the rules judge it."""

from __future__ import annotations

import shlex
from collections import Counter
from contextlib import ExitStack, contextmanager
from functools import partial
from random import Random
from typing import TYPE_CHECKING

import click

from kb_score.errors import visible
from kb_score.games.command import game_options, make_verb
from kb_score.games.kingdom_builder.cards import GAME
from kb_score.games.kingdom_builder.hexes import MAX_PLAYERS
from kb_score.games.kingdom_builder.play.bots import BotPlayer, draw_position
from kb_score.games.kingdom_builder.play.check import check_game
from kb_score.games.kingdom_builder.play.deal import Deck, choose_cards, deal_game, open_box
from kb_score.games.kingdom_builder.play.names import load_names
from kb_score.games.kingdom_builder.play.pictures import follow_game
from kb_score.games.kingdom_builder.play.playouts import cards_option
from kb_score.games.kingdom_builder.play.referee import play_game
from kb_score.games.kingdom_builder.play.text import write_headings, write_line
from kb_score.games.referee import tell_progress
from kb_score.games.stage import Stage, stage_options
from kb_score.shell.files import make_folder
from kb_score.shell.options import bot_log_option, timeout_option
from kb_score.shell.output import Block, Exit, Table, Text, complain
from kb_score.shell.verdict import show_played
from kb_score.shell.watch import Board

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kb_score.engine.run import GameRules
    from kb_score.games.kingdom_builder.play.reader import Names
    from kb_score.games.kingdom_builder.play.referee import NoTurn, Played
    from kb_score.games.stage import Write
    from kb_score.shell.watch import Show

_LEAST = 2  # players
_BOARD = "oracle farm tavern paddock"


@make_verb(
    "play",
    GAME,
    """Two to five bots, one game.

    A bot is a program that runs all the time. When it has the turn it is sent a line, JSON, with
    all that a player may know. It answers with a line, the actions of its turn as a game has them.
    If it answers nothing legal in time, its settlements go to the first legal hexes.
    """,
    'kingdom-builder --bot "python a.py" --bot ./b --board "oracle farm/180 tavern paddock"',
)
@click.option(
    "--bot",
    "bots",
    multiple=True,
    required=True,
    metavar="COMMAND",
    help="A bot's program with its arguments; 2 to 5 times, for players 1 and so on.",
)
@click.option(
    "--board",
    default=_BOARD,
    show_default=True,
    metavar="QUADRANTS",
    help="The four quadrants, each with /180 if it is turned.",
)
@cards_option
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="N",
    help="What the shuffling depends on.",
)
@timeout_option(10.0, "Time that a bot has for an answer.")
@stage_options()
@bot_log_option
@game_options(GAME)
def play(
    bots: tuple[str, ...],
    board: str,
    cards: str | None,
    seed: int,
    timeout: float,
    stage: Stage,
    bot_log: Path | None,
    format_: str,
    rules: GameRules,
) -> Exit:
    """Referee a game."""
    if not _LEAST <= len(bots) <= MAX_PLAYERS:
        message = f"{_LEAST} to {MAX_PLAYERS} bots play: give --bot for each, not {len(bots)} times"
        raise click.UsageError(message)
    commands, quadrants = [_split(command) for command in bots], board.split()
    box, random = open_box(rules), Random(seed)
    names = load_names(rules)
    game = deal_game(box, quadrants, len(bots), random, choose_cards(cards, box, names))
    deck, heading = Deck(box.terrains, random), write_headings(game, quadrants, rules.changes)
    inputs = [*(word for command in commands for word in command), *rules.changes.paths]
    follow = partial(follow_game, rules)
    with (
        stage.open_session(follow, inputs) as write,
        stage.open_watch(follow, ("", heading)) if stage.watch else tell_progress() as tell,
        _start(commands, names, timeout, bot_log) as players,
    ):
        desk = _Desk(write, tell, heading)
        play_game(game, deck, players, rules, desk.take)
        result = check_game("".join(desk.record), rules, name="live game").result
        write("gold {}\n".format(" ".join(map(str, read_gold(result)))))
    _show(bots, result, desk.faults, format_)
    return Exit.FINE


class _Desk:
    """Takes in the turns of a game: writes them down, tells of faults and counts them."""

    def __init__(self, write: Write, show: Show, heading: str) -> None:
        self.record, self.faults = [heading], Counter[tuple[int, str]]()
        self._write, self._show = write, show
        write(heading)

    def take(self, played: Played) -> None:
        self.record.append(write_line(played.player, played.line))
        self._write(self.record[-1])
        self._show(f"turn {played.position.turns}, player {played.player}", partial(_draw, played))
        if played.fault is not None:
            self._warn(played, played.fault)

    def _warn(self, played: Played, fault: NoTurn) -> None:
        """Tell of the first fault of a sort by a player, and count all."""
        self.faults[played.player, fault.kind] += 1
        if self.faults[played.player, fault.kind] == 1:
            now = f"turn {played.position.turns}: the referee plays for player {played.player}"
            complain(f"{now}, who {fault}", kind="warning")


def _draw(played: Played) -> Board:
    """Draw the board after a turn: of a hex with a settlement or a wall, that alone."""
    rows = draw_position(played.position.board, played.position.state).rows
    return Board(["".join(hex_[-1] for hex_ in row) for row in rows], hexes=True)


@contextmanager
def _start(
    commands: Sequence[Sequence[str]], names: Names, timeout: float, logs: Path | None
) -> Iterator[list[BotPlayer]]:
    """Start the bots, and end them at the end."""
    with ExitStack() as stack:
        players = []
        for seat, command in enumerate(commands, 1):
            log = logs and make_folder(logs / f"player-{seat}")
            players.append(stack.enter_context(BotPlayer(command, names, timeout, log)))
        yield players


def read_gold(result: Mapping[str, object]) -> Sequence[int]:
    """Read the gold of all players from a result."""
    gold = result["gold"]
    assert isinstance(gold, list)
    return gold


def _split(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise click.UsageError(f"--bot: {visible(command)!r}: {error}") from error
    if not words:
        raise click.UsageError("--bot: the command is empty")
    return words


def _show(
    bots: Sequence[str],
    result: Mapping[str, object],
    faults: Counter[tuple[int, str]],
    format_: str,
) -> None:
    for (seat, kind), number in sorted(faults.items()):
        turns = f"{number} turn{'s' * (number > 1)}"
        complain(f"player {seat}: {kind} in {turns}, played by the referee", kind="warning")
    rows = tuple(
        (seat, command, gold)
        for seat, (command, gold) in enumerate(zip(bots, read_gold(result), strict=True), 1)
    )
    blocks: list[Block] = [
        Text(f"finished after {result['turns']} turns"),
        Table("", ("player", "bot", "gold"), rows),
    ]
    show_played("kingdom-builder", result, blocks, format_)
