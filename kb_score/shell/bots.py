"""Bots that run all the time: told lines, they answer lines, and fail in ways that are told."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import time
from collections.abc import Sequence
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
    """A bot failed: it was late, it ended, or it printed without end."""

    def __init__(self, kind: Failure, detail: str) -> None:
        self.kind = kind
        super().__init__(detail)


class Bot:
    """A running program that is told lines and answers lines; its children end with it."""

    def __init__(
        self, command: Sequence[str], *, folder: Path | None = None, logs: Path | None = None
    ) -> None:
        """Start a program, in a folder or in the present one; a BotError if that cannot be.

        What it writes to its error stream is added to a file in ``logs``, or told of if it fails.
        """
        self.command = tuple(command)
        self._unread = bytearray()
        log = logs and logs / _LOG
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
        if not self._program.wait(None, 0, time.monotonic() + timeout):
            return None
        return self._program.process.wait()

    def hear(self) -> str:
        """Tell the end of what is on its error stream by now, as a failure does."""
        self._program.listen()
        return self._program.words.tell()

    def end(self) -> None:
        """End the bot and everything that it has started: politely, then for certain."""
        self._program.end(politely=True)

    def _wait(self, stream: int, event: int, deadline: float, complaint: str) -> None:
        if not self._program.wait(stream, event, deadline):
            raise self._fail("late", f"{complaint} in time")

    def _ended(self) -> BotFailure:
        program = self._program
        if not program.wait(None, 0, time.monotonic() + _GRACE):
            return self._fail("ended", "closed its output")
        code = program.process.wait()
        how = f"ended with exit status {code}" if code >= 0 else f"was ended by signal {-code}"
        return self._fail("ended", how)

    def _fail(self, kind: Failure, detail: str) -> BotFailure:
        self._program.listen()
        return BotFailure(kind, f"{detail}{self._program.words.tell()}")
