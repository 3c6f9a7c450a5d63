"""Other people's bots: started, spoken to line by line, and ended no matter what they do."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from kb_score.errors import KbScoreError

# An answer is a line of moves; anything longer is not an answer.
MAX_ANSWER = 1 << 16
_CHUNK = 1 << 16
_GRACE = 0.5  # seconds between the request to end and the kill

Failure = Literal["late", "ended", "too-long"]


class BotError(KbScoreError):
    """A bot cannot be started."""


class BotFailure(Exception):
    """A bot failed: it was late, it ended, or it printed without end."""

    def __init__(self, kind: Failure, detail: str) -> None:
        self.kind = kind
        super().__init__(detail)


class Bot:
    """A running bot that is sent lines and answers with lines.

    It has a process group of its own, so that its children end with it. Its error stream goes to
    ours.
    """

    def __init__(self, command: Sequence[str], *, folder: Path | None = None) -> None:
        """Start a bot, in a folder or in the current one; a BotError if that is impossible."""
        self.command = tuple(command)
        self._unread = bytearray()
        try:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=folder,
                start_new_session=True,
            )
        except OSError as error:
            reason = error.strerror or str(error)
            quoted = len(self.command) == 1 and " " in self.command[0]
            hint = " (write the program and its arguments without quotes)" if quoted else ""
            raise BotError(f"cannot start {self.command[0]!r}: {reason}{hint}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)

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
            try:
                data = data[os.write(self._in, data[:_CHUNK]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise BotFailure("ended", self._say_ended()) from error

    def read_line(self, timeout: float) -> str:
        """Read a line of the bot's standard output, without its end, within ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        while (end := self._unread.find(b"\n")) < 0:
            if len(self._unread) > MAX_ANSWER:
                detail = f"printed {len(self._unread)} bytes without a line end"
                raise BotFailure("too-long", detail)
            self._wait(self._out, selectors.EVENT_READ, deadline, "did not answer")
            try:
                chunk = os.read(self._out, _CHUNK)
            except BlockingIOError:
                continue
            if not chunk:
                raise BotFailure("ended", self._say_ended())
            self._unread += chunk
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        text = line.decode("utf-8", errors="replace").rstrip("\r")
        # A record is text, and must not have characters that control a terminal.
        return "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in text)

    def end(self) -> None:
        """End the bot and everything that it has started."""
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()
        end_group(self._process)

    def _wait(self, stream: int, event: int, deadline: float, complaint: str) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(stream, event)
            left = deadline - time.monotonic()
            if left <= 0 or not selector.select(left):
                raise BotFailure("late", f"{complaint} in time")

    def _say_ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(_GRACE)
            return f"ended with exit status {code}" if code >= 0 else f"was ended by signal {-code}"
        return "closed its output"


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process and its group: politely, then for certain."""
    for request in (signal.SIGTERM, signal.SIGKILL):
        # The group may live on after its leader has ended.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, request)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
