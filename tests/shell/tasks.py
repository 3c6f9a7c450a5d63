"""Tasks for crews: workers of a cluster find them by their names."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from kb_score.errors import InputError
from kb_score.shell.parcels import Parcel
from kb_score.shell.programs import Program, make_folder

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
    try:
        trace.touch(exist_ok=False)
    except FileExistsError:
        return number
    os._exit(9)


def note(task: tuple[int, Path]) -> int:
    """Add a line to a file."""
    number, path = task
    with path.open("a") as stream:
        stream.write(f"{number}\n")
    time.sleep(0.05)
    return number


def run_bot(task: tuple[Path, bool]) -> None:
    """Start a bot that starts a daemon of its own, tell of all, and stay or be killed."""
    told, ends = task
    script = (
        f"import subprocess, sys, time; "
        f"p = subprocess.Popen([sys.executable, '-c', {NAP!r}], start_new_session=True); "
        f"print(p.pid, flush=True); time.sleep(300)"
    )
    with make_folder() as folder:
        program = Program([sys.executable, "-c", script], stdin=subprocess.PIPE)
        deadline = time.monotonic() + 20
        line = b""
        while not line.endswith(b"\n") and time.monotonic() < deadline:
            try:
                line += os.read(program.out, 100)
            except BlockingIOError:
                time.sleep(0.01)
        words = os.getpid(), program.process.pid, int(line), folder
        beside = told.with_suffix(".part")
        beside.write_text(" ".join(map(str, words)))
        beside.rename(told)
        if ends:
            program.end()
            return
        time.sleep(300)


def read_parcel(task: tuple[Parcel, str]) -> tuple[str, str]:
    """Read a file of a parcel, and say where it lies."""
    parcel, name = task
    folder = parcel.unpack()
    return (folder / name).read_text(), str(folder)


def blame(folder: Path) -> str:
    """Complain of a folder by the name that it has here."""
    raise InputError(str(folder / "a.lp"), "is wrong")
