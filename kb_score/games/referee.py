"""One bot refereed in one game: each turn it is sent a text and answers with a line."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from kb_score.engine.incremental import Live
from kb_score.errors import FormatError
from kb_score.games.command import game_options, make_verb
from kb_score.games.dialect import IllegalRow, TerminalRow, read_violations
from kb_score.games.stage import Stage, stage_options
from kb_score.shell.bots import Bot, BotFailure
from kb_score.shell.files import read_input
from kb_score.shell.options import bot_log_option, number_option, timeout_option
from kb_score.shell.output import Exit, Table, complain, say
from kb_score.shell.verdict import show_played
from kb_score.shell.watch import Board

if TYPE_CHECKING:
    from kb_score.engine.program import Program
    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Facts
    from kb_score.errors import FileKind
    from kb_score.games.pictures import Follow
    from kb_score.games.stage import Write
    from kb_score.shell.watch import Show


class LiveGame(ABC):
    """A game as it is played: every turn a bot is sent a text, and answers with a line."""

    def __init__(self, program: Program, facts: Facts, *, renewal: int = 20) -> None:
        """Begin a game; see `kb_score.engine.incremental.Live`."""
        self.live = Live(program, facts, renewal=renewal)
        self.turn, self.finished = 0, False
        self._go_on()

    def answer(self, line: str) -> list[str]:
        """Play a turn by a line; return the violations, if any: then the turn does not count."""
        facts = self.read(line)
        self.live.next_turn()
        self.step(facts)
        if illegal := read_violations(self.live.news(IllegalRow)):
            return list(map(str, illegal))
        self.turn += 1
        self._go_on()
        return []

    def _go_on(self) -> None:
        self.look()
        self.finished = bool(self.live.news(TerminalRow))

    def step(self, facts: Facts) -> None:
        """Work out a turn, with what an answer asks for."""
        self.live.play(["step"], facts)

    @abstractmethod
    def look(self) -> None:
        """Take in what has changed."""

    @abstractmethod
    def tell(self) -> str:
        """Write the text for the bot before a turn, or at the end."""

    @abstractmethod
    def read(self, line: str) -> Facts:
        """Read what an answer asks for, as facts without the turn."""

    @abstractmethod
    def result(self) -> dict[str, Any]:
        """Make the result, with the keys that ``check`` uses."""

    def repeat(self, line: str) -> str:
        """Write an answer that has been read as a record has it."""
        return line

    def progress(self) -> str:
        """Describe the state of the game in a few words."""
        return f"finished after {self.turn} turns" if self.finished else f"turn {self.turn + 1}"

    def board(self) -> Board:
        """Make the board as ``--watch`` draws it: what the bot is told, if nothing else."""
        return Board(self.tell().splitlines())


class Asked(Protocol):
    """A player that is sent texts and answers with lines, such as `kb_score.shell.bots.Bot`."""

    def ask(self, text: str, timeout: float) -> str:
        """Send a text and get a line within the timeout, in seconds."""


def referee(
    game: LiveGame, bot: Asked, timeout: float, most: int, record: Write, show: Show
) -> list[str]:
    """Let a bot play a game to its end, but at most ``most`` turns and only while it plays legally.

    It has ``timeout`` seconds for a turn; ``record`` writes each piece of the session, ``show``
    shows each state. Returns the reasons why the game stopped before its end, a sentence each; none
    if it reached its end.
    """
    try:
        while not game.finished and game.turn < most:
            show(game.progress(), game.board)
            told = game.tell()
            record(told)
            line = bot.ask(told, timeout)
            illegal = game.answer(line)
            record(f"{game.repeat(line)}\n")
            if illegal:
                return illegal
    except BotFailure as error:
        return [f"turn {game.turn + 1}: the bot {error}"]
    except FormatError as error:
        problem = f"gave no answer that can be read: {error.message}"
        return [f"turn {game.turn + 1}: the bot {problem}"]
    if not game.finished:
        return [f"the game is not over after {most} turns"]
    show(game.progress(), game.board)
    record(game.tell())
    return []


@contextmanager
def tell_progress() -> Iterator[Show]:
    """Yield a function that shows a line about the game on a terminal, and clear it at the end."""
    try:
        yield lambda title, _: show_progress(title)
    finally:
        show_progress("")


def show_progress(line: str) -> None:
    """Write a line over the one before, on a terminal; an empty one clears it."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()


def make_play(
    game: str,
    begin: Callable[[GameRules, str, str], LiveGame],
    kind: FileKind,
    follow: Follow | None = None,
    *,
    timeout: float,
    help_: str,
    example: str,
) -> click.Command:
    """Make the command ``play``: ``begin`` takes rules and a map, ``follow`` draws it."""

    @make_verb("play", game, help_, example)
    @click.argument("map_path", metavar="MAP")
    @click.argument("command", nargs=-1, required=True, metavar="-- COMMAND...")
    @timeout_option(timeout, "Time that the bot has for a turn.")
    @number_option("--most-turns", 1, None, 10_000, "The game stops after this many turns.")
    @stage_options(pictured=follow is not None)
    @bot_log_option
    @game_options(game)
    def play(
        map_path: str,
        command: tuple[str, ...],
        timeout: float,
        most_turns: int,
        stage: Stage,
        bot_log: Path | None,
        format_: str,
        rules: GameRules,
    ) -> Exit:
        text = read_input(map_path, kind)
        live = begin(rules, text, map_path)
        shown = follow and partial(follow, rules, (map_path, text))
        session = stage.open_session(shown, [map_path, *command, *rules.changes.paths])
        watch = stage.open_watch(shown) if stage.watch else tell_progress()
        with session as write, watch as show, Bot(command, logs=bot_log) as bot:
            problems = referee(live, bot, timeout, most_turns, write, show)
        return _show_played(game, live, problems, map_path, format_)

    return play


def _show_played(
    game: str, live: LiveGame, problems: Iterable[str], map_path: str, format_: str
) -> Exit:
    for problem in problems:
        complain(problem)
    result = live.result()
    table = Table("", ("map", *result), ((map_path, *map(say, result.values())),))
    show_played(game.replace("_", "-"), result, [table], format_)
    return Exit.FINE if live.finished else Exit.DIFFERS
