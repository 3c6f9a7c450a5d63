"""Watching a process until its end: time, memory, output, the processes that it leaves."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from pathlib import Path
from typing import Any

MARKER = "KB_SCORE_CAMPAIGN"  # in the environment of all processes of a case

HANG = 10.0  # seconds until a process that waits for a signal is ready
LATE = 3.0  # seconds from a signal to the end: 2 are promised, and machines are busy
MEMORY = 1 << 30  # bytes
FLOOD = 1 << 26  # bytes of output
_SLOW = 0.3  # seconds, after which memory is looked at
_GRACE = 0.5  # seconds for processes that are about to end


def watch(child: int, request: dict[str, Any], ready: int) -> dict[str, Any]:
    """Wait for a process; see `Seen` in `tools.campaign.judge` for what is returned.

    Args:
        child: The process.
        request: What it was asked for.
        ready: A pipe that a process closes which waits for a signal.
    """
    if request["signal"]:
        select.select([ready], [], [], HANG)
    start = time.monotonic()
    signalled = 0.0
    memory, ended_for = 0, ""
    handle = os.pidfd_open(child)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    wait = request["after"] if request["signal"] else _SLOW
    while not poll.poll(wait * 1000):
        now = time.monotonic() - start
        if request["signal"] and not signalled:
            _send(child, request["signal"], to_group=request["to_group"])
            signalled = now
        memory = max(memory, _measure_tree(child))
        is_late = now > request["patience"] or (signalled and now - signalled > LATE)
        ended_for = "hang" if is_late else "memory" if memory > MEMORY else ""
        ended_for = ended_for or ("flood" if _has_flooded(request["folder"]) else "")
        if ended_for:
            _end_tree(child)
        wait = 0.1
    os.close(handle)
    _, status, usage = os.wait4(child, 0)
    seconds = time.monotonic() - start
    left = [] if ended_for else _find_left(request["folder"])
    for process in _find_marked(request["folder"]):
        _kill(process)
    _reap()
    return {
        "status": os.waitstatus_to_exitcode(status),
        "seconds": round(seconds, 3),
        "memory": max(memory, usage.ru_maxrss * 1024),
        "ended_for": ended_for,
        "signalled": signalled,
        "left": left,
    }


def _send(child: int, name: str, *, to_group: bool) -> None:
    with contextlib.suppress(ProcessLookupError):
        (os.killpg if to_group else os.kill)(child, signal.Signals[name])


def _has_flooded(folder: str) -> bool:
    paths = [Path(folder, name) for name in ("out", "err")]
    return sum(path.stat().st_size for path in paths if path.exists()) > FLOOD


def _parents() -> dict[int, tuple[int, int]]:
    """Find of each process its parent and its resident pages."""
    found = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - a path each would be slow
        if entry.isdigit():
            with contextlib.suppress(OSError, ValueError):
                fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
                found[int(entry)] = (int(fields[1]), int(fields[21]))
    return found


def _list_tree(root: int) -> dict[int, int]:
    """List a process and all that come from it, with their pages."""
    parents = _parents()
    tree = {root: parents[root][1]} if root in parents else {}
    grown = True
    while grown:
        more = {p: pages for p, (up, pages) in parents.items() if up in tree and p not in tree}
        tree |= more
        grown = bool(more)
    return tree


def _measure_tree(root: int) -> int:
    return sum(_list_tree(root).values()) * os.sysconf("SC_PAGE_SIZE")


def _end_tree(root: int) -> None:
    for process in _list_tree(root):
        _kill(process)


def _kill(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _find_left(folder: str) -> list[str]:
    """Describe the processes of a case that outlive it, after a moment of grace."""
    until = time.monotonic() + _GRACE
    while True:
        _reap()
        left = _find_marked(folder)
        if not left or time.monotonic() > until:
            return [_describe(process) for process in left]
        time.sleep(0.02)


def _find_marked(folder: str) -> list[int]:
    """Find the processes of a case: our children, for we adopt orphans, and what has the marker."""
    us = os.getpid()
    mark = f"{MARKER}={folder}".encode()
    found = []
    for process, (parent, _) in _parents().items():
        environment = b""
        with contextlib.suppress(OSError):
            environment = Path(f"/proc/{process}/environ").read_bytes()
        if parent == us or mark in environment.split(b"\0"):
            found.append(process)
    return found


def _describe(process: int) -> str:
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
        return " ".join(word.decode(errors="replace") for word in words).strip()[:200]
    return str(process)
