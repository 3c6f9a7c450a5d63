"""A bot's turn: its command is run anew each time, with the board line as one more argument."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kb_score.games.slime.records import read_answer
from kb_score.shell.bots import BotError

# An answer is four numbers; a longer line is none, and would only fill the record.
MAX_LINE = 200
_MAX_OUTPUT = 1 << 16
# The name of a program; what else a command may begin with is for the shell.
_PROGRAM = re.compile(r"[\w./+-]+")
_LOOK = 0.1  # seconds between looks at whether to go on
_POLL = 0.0005  # seconds between looks at a bot that has closed its output but still runs


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot.

    Attributes:
        name: What people call it.
        command: A command for the shell.
        folder: The folder that it runs in; the present one where None.
    """

    name: str
    command: str
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a bot may take.

    Attributes:
        timeout: The seconds that a bot should need at the most.
        grace: An answer counts until so many times these seconds: the machine may be busy.
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
    """

    answer: str
    problem: str = ""
    detail: str = ""


def check_program(bot: BotSpec) -> None:
    """Check that the shell finds the program that a bot's command begins with.

    A bot that cannot be started at all would pass all its turns.

    Raises:
        BotError: It does not.
    """
    try:
        words = shlex.split(bot.command, comments=True)
    except ValueError:
        return  # the shell will say
    if not words or not _PROGRAM.fullmatch(words[0]):
        return
    look = ["/bin/sh", "-c", f"command -v {shlex.quote(words[0])}"]
    try:
        found = subprocess.run(look, cwd=bot.folder, capture_output=True, check=False)
    except OSError as error:
        raise BotError(f"cannot run bot {bot.name!r}: {error.strerror or error}") from error
    if found.returncode:
        raise BotError(f"cannot run bot {bot.name!r}: there is no program {words[0]!r}")


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
    try:
        process = subprocess.Popen(
            ["/bin/sh", "-c", f"{bot.command} {shlex.quote(line)}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            cwd=bot.folder,
            # A group of its own: what the bot starts ends with it, and our interrupts are not its.
            start_new_session=True,
        )
    except OSError as error:
        raise BotError(f"cannot run bot {bot.name!r}: {error.strerror or error}") from error
    with process:
        try:
            output = _read_output(process, start + patience.end, look)
        finally:
            # It may have ended, but not what it has started. Its number is ours until it is waited
            # for, so that nobody else can be hit.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
    return _judge(output, process.returncode, time.monotonic() - start, patience)


def _read_output(
    process: subprocess.Popen[bytes], deadline: float, look: Callable[[], object]
) -> bytes | None:
    """Read what a bot prints until it has ended; None if it goes on too long or prints too much."""
    assert process.stdout is not None
    output = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            look()
            left = deadline - time.monotonic()
            if left <= 0 or len(output) > _MAX_OUTPUT:
                return None
            if not selector.select(min(left, _LOOK)):
                continue
            chunk = os.read(process.stdout.fileno(), _MAX_OUTPUT)
            if not chunk:
                break
            output += chunk
    # WNOWAIT: the process stays waitable, see above.
    options = os.WEXITED | os.WNOWAIT | os.WNOHANG
    while os.waitid(os.P_PID, process.pid, options) is None:
        look()
        if time.monotonic() > deadline:
            return None
        time.sleep(_POLL)
    return bytes(output)


def _judge(output: bytes | None, status: int, seconds: float, patience: Patience) -> Reply:
    if output is None and seconds < patience.end:
        return Reply("", "garbage", f"printed more than {_MAX_OUTPUT} bytes")
    if output is None or seconds > patience.late:
        took = f"took {seconds:.2f} s" if output is not None else f"was ended after {seconds:.2f} s"
        return Reply("", "late", f"{took}, {patience.late:.2f} s are allowed")
    if status:
        how = f"exit status {status}" if status > 0 else f"signal {-status}"
        return Reply("", "crashed", f"ended with {how}")
    answer = _clean(output)
    if read_answer(answer) is None:
        return Reply(answer, "garbage", f"answered {answer[:40]!r}, not four numbers")
    return Reply(answer)


def _clean(output: bytes) -> str:
    """Make a line that a record can hold of a bot's first line; empty if that is too long."""
    line = output.decode("utf-8", errors="replace").lstrip("\r\n").partition("\n")[0]
    line = "".join(c if c.isprintable() or c == "\t" else " " for c in line)
    return line.rstrip() if len(line.rstrip()) <= MAX_LINE else ""
