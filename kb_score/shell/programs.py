"""Other people's programs: started, listened to, and ended with all that they have started.

A program has a process group of its own. What it starts in other groups or sessions is found as
well, on Linux: it becomes a child of ours when its parent has ended, and has our mark in its
environment. If we are killed, a guard ends all that has it, and removes the folders that we have
made for programs. What has cleared its environment and left its session is not found; elsewhere
than on Linux nothing is that has left the group.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import count
from pathlib import Path

from kb_score.errors import visible

# What is kept of a program's error stream for a message, and what a file of it may hold.
MAX_WORDS = 1 << 16
_MAX_LOG = 1 << 24
_CHUNK = 1 << 16
_CHUNKS = 32  # more than a pipe holds
_GRACE = 0.5  # seconds between the request to end and the kill
_LOOK = 0.1  # seconds between looks at whether to go on
_POLL = 0.002  # seconds between looks at what the system tells of only if it is asked
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of Linux

# In the environment of a program, and so of what it starts: our process, then which program it is.
_MARK = "KB_SCORE_BOT"
_RUN = f"{os.getpid()}-{time.time_ns()}"
_FOLDER = f"kb-score-{_RUN}-"
# It is no child of ours: whoever ends all our children shall not end it.
_GUARD = """
exec 3<&0
{
read -r folders <&3
read -r end <&3
for again in 1 2 3; do
    for found in $(grep -lsF "$0" /proc/[0-9]*/environ); do
        found=${found%/environ}; kill -9 "${found#/proc/}"
    done
done
if [ "$folders" ]; then rm -rf "$folders"*; fi
} &
"""

_lock = threading.Lock()
_numbers = count(1)
_started = dict[int, bytes]()  # the processes that are ours to wait for, with their marks


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
            with contextlib.suppress(OSError), self._log.open("ab") as stream:
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
        with _lock:
            _adopt_orphans()
            mark = f"{_RUN}.{next(_numbers)}."
            self.process = subprocess.Popen(
                command,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env={**os.environ, _MARK: mark},
                start_new_session=True,
            )
            _started[self.process.pid] = f"{_MARK}={mark}".encode()
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
        with _lock:
            _started.pop(self.process.pid, None)
        _end_orphans()

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


@contextlib.contextmanager
def make_folder() -> Iterator[Path]:
    """Make a temporary folder for programs, which goes when we do; an OSError if that cannot be."""
    with _lock:
        _guard_folders()
    with tempfile.TemporaryDirectory(prefix=_FOLDER) as name:
        yield Path(name)


@cache
def _guard_folders() -> None:
    """Tell the guard, once, how the names of our folders begin."""
    guard = _adopt_orphans()
    if guard is not None:
        assert guard.stdin is not None
        guard.stdin.write(os.fsencode(Path(tempfile.gettempdir(), _FOLDER)) + b"\n")
        guard.stdin.flush()


@cache
def _adopt_orphans() -> subprocess.Popen[bytes] | None:
    """See to it, once, that what loses its parent becomes ours, and that nothing outlives us."""
    if sys.platform != "linux":
        return None
    command = ["/bin/sh", "-c", _GUARD, f"{_MARK}={_RUN}."]
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    guard = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=null, start_new_session=True)
    guard.wait()
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    atexit.register(_dismiss, guard)
    return guard


def _dismiss(guard: subprocess.Popen[bytes]) -> None:
    # It closes its output at its end.
    with contextlib.suppress(subprocess.TimeoutExpired):
        guard.communicate(timeout=2)


def _end_orphans() -> None:
    """End what programs that are over have left behind, and what that has started."""
    deadline = time.monotonic() + _GRACE
    while time.monotonic() < deadline:
        with _lock:
            left = [child for child in _list_children() if _is_left_behind(child)]
            for child in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(child, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(child, os.WNOHANG)
        if not left:
            return
        time.sleep(_POLL)


def _list_children() -> list[int]:
    found: list[int] = []
    for path in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, path.read_text().split())
    return [child for child in found if child not in _started]


def _is_left_behind(child: int) -> bool:
    """Whether a child that we have not started is of a program that is over."""
    try:
        stat = Path(f"/proc/{child}/stat").read_text()
        environment = Path(f"/proc/{child}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    state, _, _, session, *_ = stat.rpartition(")")[2].split()
    if state == "Z":
        # Its environment is gone. Who uses us as a library starts processes in our session.
        return int(session) != os.getsid(0)
    marks = {entry for entry in environment if entry.startswith(f"{_MARK}={_RUN}.".encode())}
    return bool(marks) and marks.isdisjoint(_started.values())
