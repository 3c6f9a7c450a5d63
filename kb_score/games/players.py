"""Who answers for a player: a program over a pipe, a program run anew each turn, or a person."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from kb_score.errors import Fault, InputError, KbScoreError, visible
from kb_score.games.referee import Player
from kb_score.shell.bots import Bot, BotError, Setting, ShellCommand, clean_line, describe_late
from kb_score.shell.process import NO_BOUNDS, Bounds, explain_missing, list_known, read_program

if TYPE_CHECKING:
    from kb_score.games.game import Clock, GameType, Match

# The command that stands for a person at the terminal.
HUMAN = "human"
Wait: TypeAlias = Callable[[], object]


@dataclass(frozen=True, slots=True)
class BotCommand:
    """A bot, and how it is run."""

    name: str  # what people call it
    command: str  # a program with its arguments, or a command for the shell, as the game has it
    clock: Clock  # how long it may take
    folder: Path | None = None  # the folder that it runs in; the present one where None
    # The file that its error stream is added to; where None, its end is told on failure.
    log: Path | None = None
    # Whether it runs for a whole game where others are run anew for each turn.
    persistent: bool = False
    bounds: Bounds = NO_BOUNDS  # what it is kept to

    def words(self) -> list[str]:
        """Split the command into a program and its arguments."""
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            reason = f"its command {visible(self.command)!r}: {error}"
            raise InputError(self.name, reason) from error
        if not words:
            raise InputError(self.name, "its command is empty")
        return words

    def check(self, game: GameType) -> None:
        """Check, before a game of the shell's commands, that there is such a program.

        A bot that cannot be started at all would pass all its turns.
        """
        if not game.in_shell:
            self.words()
            return
        program = read_program(self.command)
        known = list_known([program])
        if program and (why := explain_missing(program, self.folder or Path(), known)):
            raise BotError(f"cannot run bot {self.name!r}: {why}")

    def open(
        self, game: GameType, arguments: Sequence[str] = (), wait: Wait = lambda: None
    ) -> Player:
        """Make the player; ``wait`` is called now and then while it is waited for."""
        if not game.in_shell:
            words = [*self.words(), *arguments]
            return PipePlayer(lambda: Bot(words, self.setting(wait)), self.clock)
        if not self.persistent:
            return ShellPlayer(self, game.reads, wait)
        return PipePlayer(lambda: self.start(wait), self.clock, game.reads, strict=True)

    def start(self, wait: Wait = lambda: None) -> Bot:
        """Start a command for the shell that runs for a whole game."""
        try:
            return ShellCommand(self.command, self.setting(wait)).start()
        except BotError as error:
            raise BotError(f"cannot run bot {self.name!r}: {error}") from error

    def run(self, text: str, reads: Callable[[str], str], wait: Wait) -> str:
        """Run a command for the shell for one turn; a Fault if it does not answer."""
        late, command = self.clock.late, ShellCommand(self.command, self.setting(wait))
        try:
            return command.run(text.rstrip(), late, max(late, self.clock.kill), reads)
        except OSError as error:
            raise BotError(f"cannot run bot {self.name!r}: {error.strerror or error}") from error

    def setting(self, wait: Wait = lambda: None) -> Setting:
        """Where it runs; ``wait`` is called now and then while it is waited for."""
        return Setting(self.folder, self.log, self.bounds, wait)


class PipePlayer(Player):
    """A program that runs for a whole match, and is started anew after it has failed.

    A strict one never reads or answers out of step: it is ended, too, if it prints what is no
    answer, or what it was not asked for.
    """

    def __init__(
        self,
        start: Callable[[], Bot],
        clock: Clock,
        reads: Callable[[str], str] = lambda _: "",
        *,
        strict: bool = False,
    ) -> None:
        """Take what starts the program, and what says of an answer what it is not."""
        self._start, self._clock, self._reads, self._strict = start, clock, reads, strict
        self._bot: Bot | None = None
        self._ready = clock.start

    def __enter__(self) -> PipePlayer:
        """Start the program; a BotError if that cannot be."""
        self._bot = self._start()
        return self

    def __exit__(self, *_: object) -> None:
        """End the program."""
        bot, self._bot = self._bot, None
        if bot is not None:
            bot.end()

    def ask(self, text: str) -> str:
        """Tell the program a text and get the line that answers it; a Fault if there is none."""
        if self._strict and self._bot is not None and self._bot.is_over():
            self.__exit__()
        self._bot = bot = self._bot or self._start()
        if self._strict and bot.has_unread():
            # Any further line would be taken for the answer to this one.
            words = bot.tell_words()
            self.__exit__()
            raise Fault("garbage", "printed what it was not asked for", words)
        clock, start = self._clock, time.monotonic()
        late, self._ready = self._ready + clock.late, 0.0
        try:
            line = bot.ask(text, max(late, clock.kill))
        except Fault as fault:
            self.__exit__()
            took = time.monotonic() - start
            if clock.kill and (fault.kind == "late" or (fault.kind == "crashed" and took > late)):
                raise Fault("late", describe_late(None, took, late), fault.words) from fault
            raise
        took = time.monotonic() - start
        if not self._strict:
            return line
        line = clean_line(line)
        wanted = self._reads(line)
        if took <= late and not wanted:
            return line
        words = bot.tell_words()
        if wanted:
            # After a line that is no answer the answer itself may still come.
            self.__exit__()
        if took > late:
            raise Fault("late", describe_late(line, took, late), words)
        raise Fault("garbage", f"answered {line[:40]!r}, not {wanted}", words, line)


class ShellPlayer(Player):
    """A command for the shell that is run anew each turn, with what it is told as an argument."""

    def __init__(
        self, bot: BotCommand, reads: Callable[[str], str], wait: Wait = lambda: None
    ) -> None:
        """Take the bot, what says of an answer what it is not, and what is called meanwhile."""
        self._bot, self._reads, self._wait = bot, reads, wait

    def ask(self, text: str) -> str:
        """Run the command for one turn."""
        return self._bot.run(text, self._reads, self._wait)


class Person(Player):
    """A person at the terminal, or whoever types through a pipe.

    The position is drawn on standard error; ``?`` lists what is legal, and an answer that the rules
    refuse gets its reason and another try. The end of the input gives up the seat.
    """

    def __init__(self, match: Match, game: GameType) -> None:
        """Take the match and its game."""
        self._match, self._game = match, game
        self._gone, self.who = False, f"player {match.mover}"

    def retry(self, fault: Fault) -> bool:
        """Tell why an answer is refused; whoever is still there is asked again."""
        if self._gone:
            return False
        self._say(f"no: {fault}")
        return True

    def ask(self, _text: str) -> str:
        """Draw the position and read an answer; a Fault if the input has ended."""
        match = self._match
        if not self._gone:
            self._say(_draw_match(match))
        while not self._gone:
            self._say(f"player {match.mover}> ", end="")
            line = sys.stdin.readline()
            if not line:
                self._gone = True
                self._say("")
                break
            line = line.rstrip("\r\n")
            if line.strip() == "?":
                self._list_moves()
            elif not (refusal := self._refuse(line)):
                return line
            else:
                self._say(f"no: {refusal}")
        raise Fault("crashed", "has given up the seat")

    def _refuse(self, line: str) -> str:
        try:
            judged = self._match.position().judge(line)
        except KbScoreError as error:
            return getattr(error, "message", str(error))
        return "; ".join(map(str, judged.reasons))

    def _list_moves(self) -> None:
        for one in self._match.position().moves():
            who = f"{self._game.actors} {one.player}: " if self._game.actors else ""
            listed = self._game.joint.join(one.moves) if who else "\n".join(one.moves)
            self._say(f"{who}{listed or self._game.nothing_legal or 'nothing is legal'}")
            if one.note:
                self._say(one.note)

    def _say(self, text: str, end: str = "\n") -> None:
        click.echo(f"{visible(text, keep=chr(10))}{end}", err=True, nl=False)


def _draw_match(match: Match) -> str:
    """Write the state of a match, and its board with blanks between the places."""
    board = match.picture()
    rows = [
        " " * (board.hexes and number % 2) + " ".join(row) for number, row in enumerate(board.rows)
    ]
    return "\n".join([f"\n{match.state()}", *rows])
