"""Nothing that a process of ours has started outlives it, and no folder that it has made.

What a program starts in other groups or sessions is found on Linux: it becomes a child of ours when
its parent has ended, and has our mark in its environment. If we are killed, a guard ends all that
has it, and removes the folders that we have made for programs. What has cleared its environment and
left its session is not found; elsewhere than on Linux nothing is that has left the group.

A process that is forked off has a mark and a guard of its own: when it is killed, what other
processes of ours have started goes on.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

_GRACE = 0.5  # seconds in which what is left behind is to end
_POLL = 0.002  # seconds between looks at whether it has
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of Linux

# In the environment of a program, and so of what it starts: our process, then which program it is.
_MARK = "KB_SCORE_BOT"
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


class _Own:
    """What one process keeps of what it has started."""

    def __init__(self) -> None:
        self.run = f"{os.getpid()}-{time.time_ns()}"
        self.folder = f"kb-score-{self.run}-"  # how the names of our folders begin
        self.lock = threading.Lock()
        self.numbers = count(1)
        self.started = dict[int, bytes]()  # the processes that are ours to wait for, with marks
        self.guard: subprocess.Popen[bytes] | None = None
        self.guards_folders = False

    def adopt_orphans(self) -> None:
        """See to it, once, that what loses its parent becomes ours, and nothing outlives us."""
        if sys.platform != "linux" or self.guard is not None:
            return
        command = ["/bin/sh", "-c", _GUARD, f"{_MARK}={self.run}."]
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        self.guard = subprocess.Popen(
            command, bufsize=0, stdin=pipe, stdout=pipe, stderr=null, start_new_session=True
        )
        self.guard.wait()
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
        atexit.register(self.dismiss, os.getpid())

    def guard_folders(self) -> None:
        """Tell the guard, once, how the names of our folders begin."""
        self.adopt_orphans()
        if self.guard is not None and not self.guards_folders:
            assert self.guard.stdin is not None
            self.guard.stdin.write(os.fsencode(Path(tempfile.gettempdir(), self.folder)) + b"\n")
            self.guards_folders = True

    def keep_folder(self) -> Path:
        """Make a temporary folder that goes with the process."""
        self.guard_folders()
        path = tempfile.mkdtemp(prefix=self.folder)
        # Where there is no guard.
        atexit.register(_remove, path, os.getpid())
        return Path(path)

    def dismiss(self, owner: int) -> None:
        """Let the guard see that its process ends; it closes its output at its own end."""
        if self.guard is not None and owner == os.getpid():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.guard.communicate(timeout=2)

    def leave_to_parent(self) -> None:
        """Let go of the guard of the process that we have been forked off."""
        if self.guard is not None:
            # It waits for the end of all that could write to it.
            for stream in (self.guard.stdin, self.guard.stdout):
                assert stream is not None
                stream.close()


def _remove(path: str, owner: int) -> None:
    if owner == os.getpid():
        shutil.rmtree(path, ignore_errors=True)


_own = _Own()


def _begin_anew() -> None:
    """Begin as a process that has been forked off and has started nothing."""
    global _own
    _own.leave_to_parent()
    _own = _Own()


os.register_at_fork(after_in_child=_begin_anew)


@contextlib.contextmanager
def start_marked() -> Iterator[tuple[dict[str, str], Callable[[int], None]]]:
    """Yield what the environment of a new program must have, and what notes its process."""
    own = _own
    with own.lock:
        own.adopt_orphans()
        mark = f"{own.run}.{next(own.numbers)}."

        def note(process: int) -> None:
            own.started[process] = f"{_MARK}={mark}".encode()

        yield {_MARK: mark}, note


def forget(process: int) -> None:
    """Note that a program that was started is over and has been waited for."""
    with _own.lock:
        _own.started.pop(process, None)


@contextlib.contextmanager
def make_folder() -> Iterator[Path]:
    """Make a temporary folder for programs, which goes when we do; an OSError if that cannot be."""
    own = _own
    with own.lock:
        own.guard_folders()
    with tempfile.TemporaryDirectory(prefix=own.folder) as name:
        yield Path(name)


def keep_folder() -> Path:
    """Make a temporary folder that stays as long as the process; an OSError if that cannot be."""
    own = _own
    with own.lock:
        return own.keep_folder()


def end_orphans() -> None:
    """End what programs that are over have left behind, and what that has started."""
    deadline = time.monotonic() + _GRACE
    while time.monotonic() < deadline:
        with _own.lock:
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
    return [child for child in found if child not in _own.started]


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
    marks = {entry for entry in environment if entry.startswith(f"{_MARK}={_own.run}.".encode())}
    return bool(marks) and marks.isdisjoint(_own.started.values())
