"""What tests of processes share: Python scripts beside the package, waiting, and who is gone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.helpers import ROOT

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def command(*arguments: object) -> list[str]:
    """Return the words that start the command as a process."""
    return [sys.executable, "-m", "kb_score", *map(str, arguments)]


def run_script(
    script: str, *words: object, folder: Path = ROOT, temporary: Path | None = None
) -> tuple[int, str, str]:
    """Run a script of Python; return its status and what it wrote."""
    more = {"TMPDIR": str(temporary)} if temporary else {}
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, words)],
        cwd=folder,
        env={**ENVIRONMENT, **more},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def wait_until(is_so: Callable[[], bool], seconds: float = 20) -> bool:
    """Wait until something is so; tell whether it became so in time."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def is_gone(process: int) -> bool:
    """Whether a process has ended."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


def all_gone(processes: Sequence[int], seconds: float = 2.0) -> bool:
    """Wait until processes have ended; tell whether they did in time."""
    return wait_until(lambda: all(map(is_gone, processes)), seconds)
