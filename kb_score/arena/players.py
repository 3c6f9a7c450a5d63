"""Players: a program over a pipe, a command that is run once per turn, or a person."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

from kb_score.arena.referee import MatchLeft, Player
from kb_score.errors import Fault, InputError, KbScoreError, RuleError, shorten, visible
from kb_score.shell.bots import (
    Bot,
    BotError,
    Setting,
    clean_line,
    clip_answer,
    describe_late,
    find_fault,
    run_command,
    start_command,
)
from kb_score.shell.process import (
    explain_missing,
    explain_no_script,
    explain_open_end,
    explain_script,
    explain_unreachable,
    list_known,
    list_words,
    read_program,
)
from kb_score.shell.shutdown import Ended

if TYPE_CHECKING:
    from kb_score.games.game import Game
    from kb_score.games.match import Clock, Match
    from kb_score.shell.picture import Look, Replay

# The command that stands for a person at the terminal.
HUMAN = "human"


@dataclass(frozen=True, slots=True)
class BotCommand(Setting):
    """A bot, and how it is run.

    Attributes:
        command: A program with its arguments, or a shell command if the game runs bots in a shell.
        persistent: Whether it runs for a whole game even if bots are run once per turn.
    """

    name: str
    command: str
    clock: Clock
    persistent: bool = False

    @property
    def who(self) -> str:
        """The bot in messages."""
        if self.name in (Player.who, "--bot"):
            return Player.who
        return f"bot {self.name!r}"

    def words(self) -> list[str]:
        """Return the program and its arguments."""
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            command = shorten(repr(visible(self.command)))
            reason = f"its command {command}: {error}"
            raise InputError(self.name, reason) from error
        if not words:
            raise InputError(self.name, "its command is empty")
        return words

    def check(self, game: Game) -> None:  # noqa: C901, one `if` for each reason
        """Check, before a game, that the bot can be run.

        A shell or a sandbox starts even if the program is missing, and the bot would then pass
        every turn. Without either, the first start reports the problem, except for a script whose
        interpreter is missing.
        """
        folder = self.folder or Path.cwd()
        sandbox = self.bounds.folder
        in_shell = game.play.shell
        words: Sequence[str]
        if in_shell:
            words = list_words(self.command)
            program = read_program(self.command)
            known = list_known([program])
        else:
            words = self.words()
            program = words[0]
            known = set()
            if shutil.which(program):
                known.add(program)
        if program and (in_shell or sandbox is not None):
            missing = explain_missing(program, folder, known)
            if missing:
                raise BotError(f"cannot run {self.who}: {missing}")
        elif program:
            wrong = explain_script(program, folder)
            if wrong:
                raise BotError(f"cannot start {program!r}: {wrong}")
        wrong = explain_no_script(words, folder)
        if not wrong and in_shell and not self.persistent:
            wrong = explain_open_end(self.command.rstrip())
        if wrong:
            raise BotError(f"cannot run {self.who}: {wrong}")
        if sandbox is not None:
            unreachable = explain_unreachable(words, folder, sandbox)
            if unreachable:
                raise BotError(f"cannot run {self.who} in a sandbox: {unreachable}")

    def open(self, game: Game, arguments: Sequence[str] = ()) -> Player:
        """Return a player for the bot; entering its context starts the bot.

        A shell ignores the arguments.
        """
        in_shell = game.play.shell
        if in_shell and not self.persistent:
            return ShellPlayer(self, game.describe_malformed)
        start = partial(self.start, game, arguments)
        return PipePlayer(start, self.clock, game.describe_malformed, strict=in_shell)

    def start(self, game: Game, arguments: Sequence[str] = ()) -> Bot:
        """Start a program or a shell command that runs for the whole game.

        A shell ignores the arguments.
        """
        if not game.play.shell:
            return Bot([*self.words(), *arguments], self)
        try:
            return start_command(self.command, self)
        except BotError as error:
            raise BotError(f"cannot run {self.who}: {error}") from error


class PipePlayer(Player):
    """A program that runs for a whole match, and is restarted after a failure.

    A strict player never mistakes a line for the answer to another text: it also ends its program
    if the program prints a line that is not an answer, or a line before it is asked.
    """

    def __init__(
        self,
        start: Callable[[], Bot],
        clock: Clock,
        reads: Callable[[str], str] = lambda _: "",
        *,
        strict: bool = False,
    ) -> None:
        """Make a player.

        ``reads`` describes a valid answer if a line is not one, and returns an empty string if it
        is. A strict player must print nothing but answers.
        """
        self._start = start
        self._clock = clock
        self._reads = reads
        self._strict = strict
        self._bot: Bot | None = None
        self._ready = clock.start
        self._answers = 0  # the number of its answers

    def __enter__(self) -> PipePlayer:
        """Start the program; raise a BotError if that fails."""
        self._bot = self._start()
        return self

    def __exit__(self, *_: object) -> None:
        """End the program."""
        self._count_ahead()
        bot = self._bot
        self._bot = None
        if bot is not None:
            bot.end()

    def _count_ahead(self) -> None:
        """Count the lines printed beyond the first answer, before the program gets more text."""
        if self._answers == 1 and self._bot is not None:
            self.ahead = self._bot.count_unread()

    def ask(self, text: str) -> str:
        """Send a text to the program, and return the line that answers it.

        A late or missing answer is a Fault. For a strict player so are an answer that cannot be
        read, and a line printed before the text was sent.
        """
        self._count_ahead()
        if self._strict and self._bot is not None and self._bot.is_over():
            self.__exit__()
        if self._bot is None:
            self._bot = self._start()
        bot = self._bot
        if self._strict and bot.has_unread():
            # The line would be mistaken for the answer to this text.
            words = bot.describe_errors()
            self.__exit__()
            raise Fault("garbage", "printed a line before it was asked", words)
        clock = self._clock
        late = self._ready + clock.late
        self._ready = 0.0
        start = time.monotonic()
        try:
            line = bot.ask(text, max(late, clock.kill))
        except Fault as fault:
            self.__exit__()
            took = time.monotonic() - start
            is_late = fault.kind == "late" or (fault.kind == "crashed" and took > late)
            if clock.kill and is_late:
                raise Fault(
                    "late", describe_late(None, took, late, clock.grace), fault.words
                ) from fault
            raise
        took = time.monotonic() - start
        self._answers += 1
        if not self._strict:
            return line
        line = clean_line(line)
        problem = find_fault(line, self._reads)
        if took <= late and not problem:
            return line
        words = bot.describe_errors()
        if problem:
            # After a line that cannot be read, the answer itself may still come.
            self.__exit__()
        if took > late:
            raise Fault("late", describe_late(line, took, late, clock.grace), words)
        raise Fault("garbage", problem, words, clip_answer(line))


class ShellPlayer(Player):
    """A shell command that is run once per turn, with the text as its last argument."""

    def __init__(self, bot: BotCommand, reads: Callable[[str], str] = lambda _: "") -> None:
        """Make a player.

        ``reads`` describes a valid answer if a line is not one, and returns an empty string if it
        is.
        """
        self._bot = bot
        self._reads = reads

    def ask(self, text: str) -> str:
        """Run the command for one turn, and return its answer.

        An answer that is late or missing, or cannot be read, is a Fault.
        """
        bot = self._bot
        clock = bot.clock
        late = clock.late
        end = max(late, clock.kill)
        try:
            return run_command(bot.command, text.rstrip(), late, end, self._reads, bot, clock.grace)
        except OSError as error:
            raise BotError(f"cannot run {bot.who}: {error.strerror or error}") from error


_COMMANDS = {"?": "lists what is legal now", "help": "prints this", "quit": "ends the game"}
# Further commands where a turn has parts.
_PART_COMMANDS = {
    "undo": "takes back the last part of the turn",
    "end": "ends a turn that could go on",
}


class Person(Player):
    """A person at the terminal, or a program that types through a pipe.

    The position is drawn to standard error. If the rules refuse an answer, the reason is printed,
    and the person is asked again. Where an answer has parts, they may be given one by one, and
    taken back. When the input ends, the person has given up the seat.
    """

    def __init__(
        self,
        match: Match,
        game: Game,
        seat: int,
        put: Callable[[str], str],
        follow: Callable[[], Replay],
    ) -> None:
        """Make a player.

        ``put`` replaces ``player N`` in a text with the player's name. ``follow`` makes a replay of
        the match, which describes its symbols.
        """
        self._match = match
        self._game = game
        self._put = put
        self._follow = follow
        self.who = put(f"player {seat}")
        self._gone = False
        self._refused = False
        self._parts: list[str] = []  # of the turn, so far

    def retry(self, fault: Fault) -> bool:
        """Print why an answer is refused, and return True, unless the input has ended."""
        self._refused = not self._gone
        if self._refused:
            self._print(f"no: {fault}")
        return self._refused

    def ask(self, _text: str) -> str:
        """Draw the position, and return the answer that the person types.

        An input that has ended is a Fault.
        """
        if not self._refused:
            self._parts = []
        self._refused = False
        if not self._gone:
            self._match.hold(self._parts)
            self._draw()
        while not self._gone:
            prompt = self.who
            if self._parts:
                prompt += ", or end"
            self._print(f"{prompt}> ", end="")
            try:
                line = sys.stdin.readline()
            except Ended:
                self._print("")
                raise
            if not line:
                self._gone = True
                self._print("")
                continue
            answer = self._run_line(line.rstrip("\r\n"))
            if answer is not None:
                self._match.hold(())
                return answer
        raise Fault("crashed", "has left the game")

    def _run_line(self, line: str) -> str | None:
        """Run a line as a command, or add it to the answer; return the answer if it is complete."""
        word = line.strip().lower()
        if word == "?":
            self._list_moves()
        elif word == "help":
            self._print_help()
        elif word == "quit":
            raise MatchLeft(f"{self.who} ended the game")
        elif word == "undo":
            self._undo()
        elif word == "end":
            return self._add_part("")
        else:
            return self._add_part(line)
        return None

    def _undo(self) -> None:
        """Take back the last part of the answer."""
        if not self._parts:
            self._print("there is nothing to take back in this turn")
            return
        self._parts.pop()
        self._match.hold(self._parts)
        self._draw()

    def _add_part(self, line: str) -> str | None:
        """Judge a part of an answer; return the answer if it is complete."""
        match = self._match
        parts = [*self._parts, line]
        try:
            held = match.hold(parts)
            # What is held has been judged.
            reasons = match.position().judge(line).reasons if held is None else ()
            refusal = "; ".join(map(str, reasons))
        except KbScoreError as error:
            refusal = getattr(error, "message", str(error)).removeprefix("held: ")
        if refusal:
            self._print(f"no: {refusal}")
            match.hold(self._parts)
            return None
        if held is None:
            return line
        if line.strip():
            self._parts = parts
            if any(one.moves for one in match.position().moves()):
                self._draw()
                return None
        return held

    def _list_moves(self) -> None:
        """Print the legal moves."""
        game = self._game
        for one in self._match.position().moves():
            if game.play.actors:
                who = f"{game.play.actors} {one.player}: "
                listed = game.play.between.join(one.moves)
            else:
                who = ""
                listed = _format_columns(one.moves)
            if not listed:
                listed = game.nothing_legal or "nothing is legal"
            self._print(who + listed)
            if one.note:
                self._print(one.note)

    def _print_help(self) -> None:
        """Print the commands, and the meaning of the symbols on the board."""
        match = self._match
        looks: Mapping[str, Look] = {}
        with suppress(RuleError):  # a game may have no pictures
            looks = self._follow().looks
        drawn = set("".join(match.picture().rows))
        listed: dict[str, str] = {}
        if match.hold(self._parts) is not None:
            listed.update(_PART_COMMANDS)
        listed.update(_COMMANDS)
        for symbol in sorted(filter(str.strip, drawn)):
            listed[symbol] = ""
            if symbol in looks:
                listed[symbol] = looks[symbol].describe(symbol)
        self._print(f"A turn is {self._game.answer.text}. You may also type a command:")
        for word, text in listed.items():
            self._print(f"{word:6}{text}")
        more = match.help()
        if more:
            self._print(self._put(more))

    def _draw(self) -> None:
        """Print the position."""
        match = self._match
        board = match.picture().write(get_terminal_size().columns)
        text = f"{match.state()}\n{board}\n{match.notes()}".rstrip()
        self._print(f"\n{self._put(text)}")

    def _print(self, text: str, end: str = "\n") -> None:
        """Print text to standard error, with control characters made visible."""
        click.echo(f"{visible(text, keep=chr(10))}{end}", err=True, nl=False)


def _format_columns(words: Sequence[str]) -> str:
    """Return words in columns, as many on a line as there is room for."""
    width = max(map(len, words), default=0) + 2
    number = max(1, get_terminal_size().columns // width)
    lines = []
    for first in range(0, len(words), number):
        cells = [f"{word:{width}}" for word in words[first : first + number]]
        line = "".join(cells)
        lines.append(line.rstrip())
    return "\n".join(lines)
