"""Bots that run all the time: told lines, they answer lines, and fail in ways that are told."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from kb_score.errors import KbScoreError
from kb_score.shell.programs import Program

# An answer is a line of moves; anything longer is not an answer.
MAX_ANSWER = 1 << 16
# The file for the error stream of the only bot of a game.
_LOG = "bot.log"
_CHUNK = 1 << 16
_GRACE = 0.5  # seconds that a bot whose output has ended has to end itself

Failure = Literal["late", "ended", "too-long"]


class BotError(KbScoreError):
    """A bot cannot be started."""


class BotFailure(Exception):
    """A bot failed: it was late, it ended, or it printed without end.

    Attributes:
        kind: How it failed.
        detail: What happened, in words; the text of the exception also has what the bot said.
    """

    def __init__(self, kind: Failure, detail: str, words: str) -> None:
        self.kind, self.detail = kind, detail
        super().__init__(f"{detail}{words}")


class Bot:
    """A running program that is told lines and answers lines; its children end with it."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path | None = None,
        logs: Path | None = None,
        log: Path | None = None,
        look: Callable[[], object] = lambda: None,
    ) -> None:
        """Start a program; a BotError if that cannot be.

        Args:
            command: The program and its arguments.
            folder: The folder that it runs in; the present one where None.
            logs: The folder of the file that its error stream is added to. Where neither this nor
                ``log`` is given, its end is told if the bot fails.
            log: That file itself.
            look: Called now and then while the bot is waited for; what it raises is passed on.
        """
        self.command = tuple(command)
        self._unread, self._look = bytearray(), look
        log = log or (logs and logs / _LOG)
        try:
            self._program = Program(command, folder=folder, stdin=subprocess.PIPE, log=log)
        except OSError as error:
            reason = error.strerror or str(error)
            quoted = len(self.command) == 1 and " " in self.command[0]
            hint = " (write the program and its arguments without quotes)" if quoted else ""
            raise BotError(f"cannot start {self.command[0]!r}: {reason}{hint}") from error
        assert self._program.process.stdin is not None
        self._in, self._out = self._program.process.stdin.fileno(), self._program.out
        os.set_blocking(self._in, False)

    def __enter__(self) -> Bot:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def ask(self, text: str, timeout: float) -> str:
        """Send a text and read the line that answers it; the timeout, in seconds, is for both."""
        deadline = time.monotonic() + timeout
        self.send(text, timeout)
        return self.read_line(max(0.0, deadline - time.monotonic()))

    def send(self, text: str, timeout: float) -> None:
        """Write a text to the bot's standard input; it has ``timeout`` seconds to read it."""
        data, deadline = memoryview(text.encode()), time.monotonic() + timeout
        while data:
            self._wait(self._in, selectors.EVENT_WRITE, deadline, "did not read its input")
            ended = self._program.has_ended()
            try:
                data = data[os.write(self._in, data[:_CHUNK]) :]
            except BlockingIOError:
                if ended:
                    raise self._ended() from None
            except OSError as error:
                raise self._ended() from error

    def read_line(self, timeout: float) -> str:
        """Read a line of the bot's standard output, without its end, within ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        while (end := self._unread.find(b"\n")) < 0:
            if len(self._unread) > MAX_ANSWER:
                detail = f"printed {len(self._unread)} bytes without a line end"
                raise self._fail("too-long", detail)
            self._wait(self._out, selectors.EVENT_READ, deadline, "did not answer")
            ended = self._program.has_ended()
            try:
                chunk = os.read(self._out, _CHUNK)
            except BlockingIOError:
                if ended:  # but what it has started holds its output
                    raise self._ended() from None
                continue
            if not chunk:
                raise self._ended()
            self._unread += chunk
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        text = line.decode("utf-8", errors="replace").rstrip("\r")
        # A record is text, and must not have characters that control a terminal.
        return "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in text)

    def close_input(self) -> None:
        """Close the bot's standard input: nothing more is said to it."""
        stream = self._program.process.stdin
        assert stream is not None
        # What it has not read is lost to a bot that has ended.
        with contextlib.suppress(OSError):
            stream.close()

    def wait_for_end(self, timeout: float) -> int | None:
        """Wait until the bot has ended by itself; its exit status, None if it goes on."""
        if not self._program.wait(None, 0, time.monotonic() + timeout, self._look):
            return None
        return self._program.process.wait()

    def has_ended(self) -> bool:
        """Whether it has ended or closed its output; what it has printed by now is taken in."""
        try:
            chunk = os.read(self._out, _CHUNK)
        except BlockingIOError:
            return self._program.has_ended()
        self._unread += chunk
        return not chunk or self._program.has_ended()

    def has_unread(self) -> bool:
        """Whether it has printed more than was read, as far as that was taken in."""
        return bool(self._unread)

    def tell_words(self) -> str:
        """Tell what it has written to its error stream by now, in lines that begin on a new one."""
        self._program.listen()
        return self._program.words.tell()

    def end(self) -> None:
        """End the bot and everything that it has started: politely, then for certain."""
        self._program.end(politely=True)

    def _wait(self, stream: int, event: int, deadline: float, complaint: str) -> None:
        if not self._program.wait(stream, event, deadline, self._look):
            raise self._fail("late", f"{complaint} in time")

    def _ended(self) -> BotFailure:
        program = self._program
        if not program.wait(None, 0, time.monotonic() + _GRACE, self._look):
            return self._fail("ended", "closed its output")
        code = program.process.wait()
        how = f"ended with exit status {code}" if code >= 0 else f"was ended by signal {-code}"
        return self._fail("ended", how)

    def _fail(self, kind: Failure, detail: str) -> BotFailure:
        return BotFailure(kind, detail, self.tell_words())
