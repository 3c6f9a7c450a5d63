"""Tasks for pools: workers of a cluster find them by their names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import mkdtemp

from kb_score.errors import InputError
from kb_score.shell.bots import Bot

# What the children of a bot are called, so that a test finds them.
NAP = "import time; time.sleep(300)"


def double(number: int) -> int:
    return 2 * number


def sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def nap(seconds: float) -> int:
    """Sleep, and tell which process did."""
    time.sleep(seconds)
    return os.getpid()


def refuse(number: int) -> int:
    raise InputError("task", f"refuses {number}")


def kill_at(task: tuple[int, int]) -> int:
    """End the process at one number, and take a moment for each other one."""
    number, fatal = task
    if number == fatal:
        os._exit(9)
    time.sleep(0.02)
    return number


def kill_once(task: tuple[int, Path]) -> int:
    """End the process of the first that comes here."""
    number, trace = task
    if is_first(trace):
        os._exit(9)
    return number


def is_first(trace: Path) -> bool:
    """Make a file, and tell whether nobody had made it before."""
    try:
        trace.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def kill_with_lock(task: tuple[int, Path]) -> int:
    """End the process of the first that comes here while it keeps others from sending results."""
    number, trace = task
    if not is_first(trace):
        return number
    frame = sys._getframe()
    while "result_queue" not in frame.f_locals:
        assert frame.f_back is not None
        frame = frame.f_back
    frame.f_locals["result_queue"]._wlock.acquire()
    time.sleep(0.5)  # others come to the lock
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def leave_folder(task: tuple[int, Path]) -> int:
    """Make a temporary folder, and end the process of the first that comes here."""
    Path(mkdtemp(), "left").touch()
    return kill_once(task)


def note(task: tuple[int, Path]) -> int:
    """Add a line to a file."""
    number, path = task
    with path.open("a") as stream:
        stream.write(f"{number}\n")
    time.sleep(0.05)
    return number


def run_bot(told: Path) -> None:
    """Start a bot that starts a child with a session of its own, tell of both, and stay."""
    script = (
        f"import subprocess, sys, time; "
        f"p = subprocess.Popen([sys.executable, '-c', {NAP!r}], start_new_session=True); "
        f"print(p.pid, flush=True); time.sleep(300)"
    )
    with Bot([sys.executable, "-c", script]) as bot:
        words = os.getpid(), bot.process.pid, int(bot.read_line(20))
        beside = told.with_suffix(".part")
        beside.write_text(" ".join(map(str, words)))
        beside.rename(told)
        time.sleep(300)


def stay(told: Path) -> None:
    """Start a program, tell of it, and do not end when asked to."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with subprocess.Popen(["sleep", "300"], start_new_session=True) as program:
        told.with_suffix(".part").write_text(str(program.pid))
        told.with_suffix(".part").rename(told)
        time.sleep(300)
