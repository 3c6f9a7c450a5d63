"""Other people's programs: started, listened to, and ended with all that they have started.

A program has a process group of its own. What it starts in other groups or sessions is found as
well, by the mark in its environment: see `kb_score.shell.guard`.
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from kb_score.errors import visible
from kb_score.shell.guard import end_orphans, forget, make_folder, start_marked

# What is kept of a program's error stream for a message, and what a file of it may hold.
MAX_WORDS = 1 << 16
# The name of a program; what else a command for the shell may begin with is for the shell.
PROGRAM = re.compile(r"[\w./+-]+")
_MAX_LOG = 1 << 24
_CHUNK = 1 << 16
_CHUNKS = 32  # more than a pipe holds
_GRACE = 0.5  # seconds between the request to end and the kill
_LOOK = 0.1  # seconds between looks at whether to go on
_POLL = 0.002  # seconds between looks at what the system tells of only if it is asked


def read_program(command: str) -> str:
    """Read which program a command for the shell begins with; empty if only the shell can tell."""
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return ""
    return words[0] if words and PROGRAM.fullmatch(words[0]) else ""


def list_known(programs: Iterable[str]) -> set[str]:
    """List which programs the shell finds by their names alone; one look finds all of them."""
    each = (f"command -v {shlex.quote(p)} >&2 && echo {shlex.quote(p)}" for p in programs)
    look = ["/bin/sh", "-c", "; ".join(each) or ":"]
    return set(subprocess.run(look, capture_output=True, text=True, check=False).stdout.split())


def explain_missing(program: str, folder: Path, known: Container[str]) -> str:
    """Explain why a program cannot be run in a folder; empty if it can be.

    Args:
        program: Its name, or its path.
        folder: The folder that it is to run in.
        known: The programs that are found by their names alone.
    """
    path = folder / program
    # A name may be too long for a file.
    found = program in known if "/" not in program else os.access(path, os.F_OK) and path.is_file()
    if not found:
        return f"there is no program {program!r}"
    if "/" in program and not os.access(path, os.X_OK):
        return f"{program!r} is not a program that may be run"
    return ""


def _open_log(path: Path) -> IO[bytes]:
    """Open a file to add to it; a bot may have put a pipe there, which must not keep us waiting."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK
    return open(os.open(path, flags, 0o666), "ab")  # noqa: PTH123


class Words:
    """What a program writes to its error stream: the end of it, and all of it in a file."""

    def __init__(self, log: Path | None = None) -> None:
        """Keep the end of it, and add to a file, if there is one, as long as that is no giant."""
        self._log = log
        self._end = bytearray()

    def take(self, data: bytes) -> None:
        """Take what was written."""
        self._end += data
        del self._end[:-MAX_WORDS]
        if self._log is not None:
            # No game is lost for what is said beside it.
            with contextlib.suppress(OSError), _open_log(self._log) as stream:
                stream.write(data[: max(0, _MAX_LOG - stream.tell())])

    def tell(self) -> str:
        """Tell of it in lines that begin on a new one: where it is, or its end, fit to be shown."""
        text = self._end.decode("utf-8", errors="replace").strip()
        if not text:
            return ""
        if self._log is not None:
            return f"\n    what it said is in {visible(str(self._log))}"
        return "".join(f"\n    | {visible(line.expandtabs())}" for line in text.splitlines())


class Program:
    """A program that runs, its output and errors read without ever waiting for it.

    Attributes:
        words: What it writes to its error stream.
        process: The process; its output does not block.
        out: The file descriptor of its output.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path | None = None,
        stdin: int = subprocess.DEVNULL,
        log: Path | None = None,
    ) -> None:
        """Start a program, in a folder or in the present one; an OSError if that cannot be."""
        self.words = Words(log)
        with start_marked() as (mark, note):
            self.process = subprocess.Popen(
                command,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env={**os.environ, **mark},
                start_new_session=True,
            )
            note(self.process.pid)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.out, self._errors = self.process.stdout.fileno(), self.process.stderr.fileno()
        os.set_blocking(self.out, False)
        os.set_blocking(self._errors, False)
        self._heard = True  # whether its error stream is open

    def has_ended(self) -> bool:
        """Whether it has ended; its number is ours until `end`, so that nobody else is hit."""
        if self.process.returncode is not None:
            return True
        options = os.WEXITED | os.WNOWAIT | os.WNOHANG
        return os.waitid(os.P_PID, self.process.pid, options) is not None

    def wait(
        self,
        stream: int | None,
        event: int,
        deadline: float,
        look: Callable[[], object] = lambda: None,
    ) -> bool:
        """Wait until a stream is ready or the program has ended; tell whether that was in time.

        Args:
            stream: The file descriptor; None to wait for the end alone.
            event: What it is to be ready for, of `selectors`.
            deadline: When to give up, of `time.monotonic`.
            look: Called now and then; what it raises is passed on.
        """
        with selectors.DefaultSelector() as selector, _open_end(self.process) as end:
            if stream is not None:
                selector.register(stream, event)
            if end is not None:
                selector.register(end, selectors.EVENT_READ)
            if self._heard:
                selector.register(self._errors, selectors.EVENT_READ)
            while (left := deadline - time.monotonic()) > 0:
                look()
                ready = selector.select(min(left, _POLL if end is None else _LOOK))
                found = {key.fd for key, _ in ready}
                if self._errors in found:
                    self._listen()
                    if not self._heard:
                        selector.unregister(self._errors)
                if found - {self._errors} or (end is None and self.has_ended()):
                    return True
        return False

    def end(self, *, politely: bool = False) -> None:
        """End the program and all that it has started."""
        requests = [signal.SIGTERM] * politely + [signal.SIGKILL]
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        for request in requests:
            # The group may live on when its leader has gone.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, request)
            self.wait(None, 0, time.monotonic() + _GRACE)
        self.listen()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_GRACE)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        forget(self.process.pid)
        end_orphans()

    def listen(self) -> None:
        """Take in what is on its error stream by now."""
        # What still runs may write without end.
        for _ in range(_CHUNKS):
            if not (self._heard and self._listen()):
                return

    def _listen(self) -> bool:
        """Take in a piece of its error stream; tell whether there was one."""
        try:
            data = os.read(self._errors, _CHUNK)
        except BlockingIOError:
            return False
        self.words.take(data)
        self._heard = bool(data)
        return self._heard


@contextlib.contextmanager
def _open_end(process: subprocess.Popen[bytes]) -> Iterator[int | None]:
    """Open what becomes ready to be read when a process ends; None where there is no such thing."""
    try:
        number = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        yield None
        return
    try:
        yield number
    finally:
        os.close(number)


__all__ = ["MAX_WORDS", "Program", "Words", "make_folder"]
