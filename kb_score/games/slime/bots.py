"""A bot's turn: its command is run anew each time, with the board line as one more argument.

That is the challenge's way. A persistent bot runs for a whole game, and reads a line a turn.
"""

from __future__ import annotations

import os
import selectors
import shlex
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from kb_score.games.slime.answers import read_answer
from kb_score.shell.bots import Bot, BotError, BotFailure
from kb_score.shell.programs import (
    PROGRAM,
    Program,
    explain_missing,
    list_known,
    read_program,
)

# An answer is four numbers; a longer line is none, and would only fill the record.
MAX_LINE = 200
_MAX_OUTPUT = 1 << 16
# Programs that every shell has in itself.
_BUILT_IN = frozenset(["echo", "printf", "test", "[", "true", "false", "kill", "pwd"])
_GRACE = 0.5  # seconds that a bot whose output has ended has to end itself


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot.

    Attributes:
        name: What people call it.
        command: A command for the shell.
        folder: The folder that it runs in; the present one where None.
        log: The file that its error stream is added to; where None, its end is told on failure.
        patience: How long it may take, if that is not the same for all.
        persistent: Whether it runs for a whole game: each turn a line on its standard input tells
            it the board, and it answers with a line. Else its command is run anew each turn.
    """

    name: str
    command: str
    folder: Path | None = None
    log: Path | None = None
    patience: Patience | None = None
    persistent: bool = False


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a bot may take.

    Attributes:
        timeout: The seconds that a bot should need at the most.
        grace: An answer counts up to this many times the timeout: the machine may be busy.
        kill: The seconds after which a bot is ended; never before its answer is late.
    """

    timeout: float = 0.1
    grace: float = 5.0
    kill: float = 2.0

    @property
    def late(self) -> float:
        """The seconds after which an answer does not count."""
        return self.timeout * self.grace

    @property
    def end(self) -> float:
        """The seconds after which a bot is ended."""
        return max(self.late, self.kill)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a bot's turn.

    Attributes:
        answer: The line that counts as its answer; empty where there is none.
        problem: What kind of thing went wrong: ``late``, ``crashed``, ``garbage``; or empty.
        detail: What went wrong, in words.
        words: What the bot said of it on its error stream, in lines that begin on a new one.
        seconds: How long it took.
    """

    answer: str
    problem: str = ""
    detail: str = ""
    words: str = ""
    seconds: float = 0.0


def check_program(bot: BotSpec) -> None:
    """Check that the shell finds the program that a bot's command begins with.

    A bot that cannot be started at all would pass all its turns.

    Raises:
        BotError: It does not.
    """
    program = read_program(bot.command)
    if program and (why := explain_missing(program, bot.folder or Path(), list_known([program]))):
        raise BotError(f"cannot run bot {bot.name!r}: {why}")


def ask_bot(
    bot: BotSpec, line: str, patience: Patience, look: Callable[[], object] = lambda: None
) -> Reply:
    """Run a bot for one turn.

    Args:
        bot: The bot.
        line: The player's number and the board, as the challenge writes them.
        patience: How long it may take.
        look: Called now and then while it is waited for; what it raises ends the bot.

    Returns:
        Its answer, or that it passes and why.

    Raises:
        BotError: There is no shell, no such folder, or no process can be started.
    """
    start = time.monotonic()
    command = ["/bin/sh", "-c", f"{_say_exec(bot.command)}{bot.command} {shlex.quote(line)}"]
    try:
        program = Program(command, folder=bot.folder, log=bot.log)
    except OSError as error:
        raise BotError(f"cannot run bot {bot.name!r}: {error.strerror or error}") from error
    try:
        output = _read_output(program, start + patience.end, look)
        seconds = time.monotonic() - start
        if output is not None:
            # Its output has ended: it may be about to end, too.
            program.wait(None, 0, time.monotonic() + _GRACE, look)
        alive = not program.has_ended()
    finally:
        program.end()
    status = None if alive else program.process.returncode
    reply = replace(_judge(output, status, seconds, patience), seconds=seconds)
    return replace(reply, words=program.words.tell()) if reply.problem else reply


class Seat:
    """A bot at its place in a game; leaving the context ends a persistent one.

    A persistent bot that fails is ended, and so never reads or answers out of step: it is started
    anew at its next turn. The one exception is an answer that is late, but is there at last.
    """

    def __init__(
        self, spec: BotSpec, patience: Patience, look: Callable[[], object] = lambda: None
    ) -> None:
        """Start the bot if it is persistent, so that it can get ready; a BotError if it cannot be.

        Args:
            spec: The bot.
            patience: How long it may take for a turn.
            look: Called now and then while it is waited for; what it raises is passed on.
        """
        self._spec, self._patience, self._look = spec, patience, look
        self._bot = self._start() if spec.persistent else None

    def __enter__(self) -> Seat:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def ask(self, line: str) -> Reply:
        """Have a turn played; the arguments, the answer and the errors are those of `ask_bot`."""
        if not self._spec.persistent:
            return ask_bot(self._spec, line, self._patience, self._look)
        if self._bot is not None and self._bot.has_ended():
            self._end()
        start = time.monotonic()
        bot = self._bot = self._bot or self._start()
        reply, in_step = _talk(bot, line, start, self._patience)
        reply = replace(reply, seconds=time.monotonic() - start)
        if reply.problem:
            reply = replace(reply, words=bot.tell_words())
        if not in_step:
            self._end()
        return reply

    def _start(self) -> Bot:
        return start_bot(self._spec, self._look)

    def _end(self) -> None:
        bot, self._bot = self._bot, None
        if bot is not None:
            bot.end()


def start_bot(spec: BotSpec, look: Callable[[], object] = lambda: None) -> Bot:
    """Start a persistent bot; see `Seat`."""
    command = ["/bin/sh", "-c", f"{_say_exec(spec.command)}{spec.command}"]
    try:
        return Bot(command, folder=spec.folder, log=spec.log, look=look)
    except BotError as error:
        raise BotError(f"cannot run bot {spec.name!r}: {error}") from error


def _talk(bot: Bot, line: str, start: float, patience: Patience) -> tuple[Reply, bool]:
    """Tell a running bot a line and judge its answer; say whether it is in step afterwards."""
    if bot.has_unread():
        # Any further line would be taken for the answer to this one.
        return Reply("", "garbage", "printed what it was not asked for"), False
    try:
        answer = bot.ask(f"{line}\n", start + patience.end - time.monotonic())
    except BotFailure as failure:
        seconds = time.monotonic() - start
        if failure.kind == "too-long":
            return Reply("", "garbage", failure.detail), False
        if failure.kind == "ended" and seconds <= patience.late:
            return Reply("", "crashed", failure.detail), False
        return _judge(None, None, max(seconds, patience.end), patience), False
    reply = _judge(answer.encode(), 0, time.monotonic() - start, patience)
    # After a line that is no answer the answer itself may still come.
    return reply, read_answer(answer) is not None


@cache
def _say_exec(command: str) -> str:
    """Say "exec" where a command is one program: else the shell would hold its output, too."""
    words = shlex.shlex(command, posix=True, punctuation_chars=";&|()")
    words.whitespace_split, words.commenters = True, ""
    try:
        first, *others = words
    except ValueError:
        return ""  # the shell will say
    if "\n" in command or first in _BUILT_IN or not PROGRAM.fullmatch(first):
        return ""
    compound = any(set(word) <= set(";&|()") for word in others)
    return "" if compound or not ("/" in first or shutil.which(first)) else "exec "


def _read_output(program: Program, deadline: float, look: Callable[[], object]) -> bytes | None:
    """Read what a bot prints until it has ended; None if it goes on too long or prints too much."""
    output = bytearray()
    while program.wait(program.out, selectors.EVENT_READ, deadline, look):
        ended = program.has_ended()
        try:
            chunk = os.read(program.out, _MAX_OUTPUT)
        except BlockingIOError:
            if ended:  # but what it has started holds its output
                return bytes(output)
            continue
        if not chunk:
            return bytes(output)
        output += chunk
        if len(output) > _MAX_OUTPUT:
            return None
    return None


def _judge(output: bytes | None, status: int | None, seconds: float, patience: Patience) -> Reply:
    """Judge what a bot has printed, by its exit status: None if it goes on after all output."""
    if output is None and seconds < patience.end:
        return Reply("", "garbage", f"printed more than {_MAX_OUTPUT} bytes")
    if output is None or seconds > patience.late:
        took = f"took {seconds:.2f} s" if output is not None else f"was ended after {seconds:.2f} s"
        return Reply("", "late", f"{took}, {patience.late:.2f} s are allowed")
    if status:
        how = f"exit status {status}" if status > 0 else f"signal {-status}"
        return Reply("", "crashed", f"ended with {how}")
    answer = _clean(output)
    if read_answer(answer) is not None:
        return Reply(answer)
    if status is None and not answer:
        return Reply("", "crashed", "closed its output without an answer")
    return Reply(answer, "garbage", f"answered {answer[:40]!r}, not four numbers")


def _clean(output: bytes) -> str:
    """Make a line that a record can hold of a bot's first line; empty if that is too long."""
    line = output.decode("utf-8", errors="replace").lstrip("\r\n").partition("\n")[0]
    line = "".join(c if c.isprintable() or c == "\t" else " " for c in line)
    return line.rstrip() if len(line.rstrip()) <= MAX_LINE else ""
