"""Who answers for a player: a program over a pipe, a program run anew each turn, or a person."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

from kb_score.errors import Fault, InputError, KbScoreError, shorten, visible
from kb_score.games.referee import MatchLeft, Player
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
    explain_script,
    explain_unreachable,
    list_known,
    list_words,
    read_program,
)

if TYPE_CHECKING:
    from kb_score.games.game import Clock, Game, Match
    from kb_score.shell.picture import Replay

# The command that stands for a person at the terminal.
HUMAN = "human"


@dataclass(frozen=True, slots=True)
class BotCommand(Setting):
    """A bot, and how it is run."""

    name: str  # what people call it
    command: str  # a program with its arguments, or a command for the shell, as the game has it
    clock: Clock  # how long it may take
    # Whether it runs for a whole game where others are run anew for each turn.
    persistent: bool = False

    def words(self) -> list[str]:
        """Split the command into a program and its arguments."""
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            command = shorten(repr(visible(self.command)))
            reason = f"its command {command}: {error}"
            raise InputError(self.name, reason) from error
        if not words:
            raise InputError(self.name, "its command is empty")
        return words

    def check(self, game: Game) -> None:
        """Check, before a game, that the bot can be run.

        A shell, or a sandbox, starts even if the program is not there: the bot would pass all its
        turns. Without either, the first start says what is wrong with it, but for a script whose
        interpreter is missing.
        """
        folder = self.folder or Path.cwd()
        words: Sequence[str]
        if game.arena.bots.in_shell:
            words = list_words(self.command)
            program = read_program(self.command)
            known = list_known([program])
        else:
            words = self.words()
            program = words[0]
            known = {program} if shutil.which(program) else set()
        if program and (game.arena.bots.in_shell or self.bounds.folder is not None):
            missing = explain_missing(program, folder, known)
            if missing:
                raise BotError(f"cannot run bot {self.name!r}: {missing}")
        elif program:
            wrong = explain_script(program, folder)
            if wrong:
                raise BotError(f"cannot start {program!r}: {wrong}")
        if self.bounds.folder is not None:
            unreachable = explain_unreachable(words, folder, self.bounds.folder)
            if unreachable:
                raise BotError(f"cannot run bot {self.name!r} in a sandbox: {unreachable}")

    def open(self, game: Game, arguments: Sequence[str] = ()) -> Player:
        """Make the player."""
        protocol = game.arena.bots
        if protocol.in_shell and not self.persistent:
            return ShellPlayer(self, protocol.describe_malformed)
        start = partial(self.start, game, arguments)
        return PipePlayer(start, self.clock, protocol.describe_malformed, strict=protocol.in_shell)

    def start(self, game: Game, arguments: Sequence[str] = ()) -> Bot:
        """Start a program, or a command for the shell, that runs for a whole game."""
        if not game.arena.bots.in_shell:
            return Bot([*self.words(), *arguments], self)
        try:
            return start_command(self.command, self)
        except BotError as error:
            raise BotError(f"cannot run bot {self.name!r}: {error}") from error


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
        self._answers = 0  # the number of lines that it has answered

    def __enter__(self) -> PipePlayer:
        """Start the program; a BotError if that cannot be."""
        self._bot = self._start()
        return self

    def __exit__(self, *_: object) -> None:
        """End the program."""
        self._note_ahead()
        bot, self._bot = self._bot, None
        if bot is not None:
            bot.end()

    def _note_ahead(self) -> None:
        """Note how many lines follow the first answer before the program is told anything more."""
        if self._answers == 1 and self._bot is not None:
            self.ahead = self._bot.count_unread()

    def ask(self, text: str) -> str:
        """Tell the program a text and get the line that answers it; a Fault if there is none."""
        self._note_ahead()
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
        self._answers += 1
        if not self._strict:
            return line
        line = clean_line(line)
        problem = find_fault(line, self._reads)
        if took <= late and not problem:
            return line
        words = bot.tell_words()
        if problem:
            # After a line that is no answer the answer itself may still come.
            self.__exit__()
        if took > late:
            raise Fault("late", describe_late(line, took, late), words)
        raise Fault("garbage", problem, words, clip_answer(line))


class ShellPlayer(Player):
    """A command for the shell that is run anew each turn, with what it is told as an argument."""

    def __init__(self, bot: BotCommand, reads: Callable[[str], str] = lambda _: "") -> None:
        """Take the bot, and what says of an answer what it is not."""
        self._bot, self._reads = bot, reads

    def ask(self, text: str) -> str:
        """Run the command for one turn; a Fault if it does not answer."""
        bot, late = self._bot, self._bot.clock.late
        end = max(late, bot.clock.kill)
        try:
            return run_command(bot.command, text.rstrip(), late, end, self._reads, bot)
        except OSError as error:
            raise BotError(f"cannot run bot {bot.name!r}: {error.strerror or error}") from error


_COMMANDS = {"?": "lists what is legal now", "help": "prints this", "quit": "ends the game"}
# Where a turn has parts.
_WORDS = {"undo": "takes back the last part of the turn", "end": "ends a turn that could go on"}


class Person(Player):
    """A person at the terminal, or whoever types through a pipe.

    The position is drawn on standard error; an answer that the rules refuse gets its reason and
    another try. Where an answer has parts, they may be given one by one, and taken back. The end
    of the input gives up the seat.
    """

    def __init__(
        self,
        match: Match,
        game: Game,
        seat: int,
        put: Callable[[str], str],
        follow: Callable[[], Replay],
    ) -> None:
        """Take the match, its game, the seat, what puts names in, and what makes the replay."""
        self._match, self._game, self._put, self._follow = match, game, put, follow
        self._gone, self._refused, self.who = False, False, put(f"player {seat}")
        self._parts: list[str] = []  # what is said of the turn

    def retry(self, fault: Fault) -> bool:
        """Tell why an answer is refused; whoever is still there is asked again."""
        self._refused = not self._gone
        if self._refused:
            self._say(f"no: {fault}")
        return self._refused

    def ask(self, _text: str) -> str:
        """Draw the position and read an answer; a Fault if the input has ended."""
        if not self._refused:
            self._parts = []
        self._refused = False
        if not self._gone:
            self._match.hold(self._parts)
            self._draw()
        while not self._gone:
            or_end = ", or end" * bool(self._parts)
            self._say(f"{self.who}{or_end}> ", end="")
            line = sys.stdin.readline()
            if not line:
                self._gone = True
                self._say("")
            elif (answer := self._obey(line.rstrip("\r\n"))) is not None:
                self._match.hold(())
                return answer
        raise Fault("crashed", "has given up the seat")

    def _obey(self, line: str) -> str | None:
        """Do what is typed; return an answer if that is one."""
        word = line.strip().lower()
        if word == "?":
            self._list_moves()
        elif word == "help":
            self._help()
        elif word == "quit":
            raise MatchLeft(f"{self.who} has ended it")
        elif word == "undo":
            self._undo()
        else:
            return self._take("" if word == "end" else line)
        return None

    def _undo(self) -> None:
        if not self._parts:
            self._say("there is nothing to take back in this turn")
            return
        self._parts.pop()
        self._match.hold(self._parts)
        self._draw()

    def _take(self, line: str) -> str | None:
        """Judge a part of an answer; return the answer if it is over."""
        match, parts = self._match, [*self._parts, line]
        try:
            held = match.hold(parts)
            reasons = match.position().judge(line if held is None else "").reasons
            refusal = "; ".join(map(str, reasons))
        except KbScoreError as error:
            refusal = getattr(error, "message", str(error))
        if refusal:
            self._say(f"no: {refusal}")
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
        wording = self._game.wording
        for one in self._match.position().moves():
            if wording.actors:
                who = f"{wording.actors} {one.player}: "
                listed = wording.separator.join(one.moves)
            else:
                who = ""
                listed = _set_columns(one.moves)
            self._say(f"{who}{listed or wording.nothing_legal or 'nothing is legal'}")
            if one.note:
                self._say(one.note)

    def _help(self) -> None:
        seen = {symbol for row in self._match.picture().rows for symbol in row if symbol.strip()}
        looks = {symbol: look.describe(symbol) for symbol, look in self._follow().looks.items()}
        words = {**(_WORDS if self._match.hold(self._parts) is not None else {}), **_COMMANDS}
        listed = {**words, **{symbol: looks.get(symbol, "") for symbol in sorted(seen)}}
        self._say(f"A turn is {self._game.wording.answer}. Instead of it you may type a word.")
        self._say("\n".join(f"{word:6}{text}" for word, text in listed.items()))
        if more := self._match.help():
            self._say(self._put(more))

    def _draw(self) -> None:
        match, columns = self._match, get_terminal_size().columns
        said = f"{match.state()}\n{match.picture().write(columns)}\n{match.notes()}".rstrip()
        self._say(f"\n{self._put(said)}")

    def _say(self, text: str, end: str = "\n") -> None:
        click.echo(f"{visible(text, keep=chr(10))}{end}", err=True, nl=False)


def _set_columns(words: Sequence[str]) -> str:
    """Write words below each other, as many on a line as there is room for."""
    width = max(map(len, words), default=0) + 2
    number = max(1, get_terminal_size().columns // width)
    lines = [words[i : i + number] for i in range(0, len(words), number)]
    return "\n".join("".join(f"{word:{width}}" for word in line).rstrip() for line in lines)
