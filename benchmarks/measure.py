"""How benchmarks measure: the best of several, a ratio against plain Python in the same run."""

import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb_score.shell.output import Output, Table, show


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a benchmark's table.

    Attributes:
        what: What is measured.
        ours: Seconds that ours takes.
        theirs: Seconds of what it is compared with, None for nothing.
        target: What the ratio, or the figure, shall be, in words.
        note: A figure that is not a time, such as memory.
    """

    what: str
    ours: float | None
    theirs: float | None = None
    target: str = ""
    note: str = ""


def best_of(function: Callable[[], object], *, repeat: int = 5, seconds: float = 2.0) -> float:
    """Time a call: the best of several, for whatever else runs only adds to it.

    Args:
        function: What to call.
        repeat: How often at the least.
        seconds: Go on for about so long, if calls are short.

    Returns:
        The seconds of the fastest call.
    """
    best, begin, count = float("inf"), time.perf_counter(), 0
    while count < repeat or (time.perf_counter() - begin < seconds and count < 1000):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
        count += 1
    return best


def own_peak_memory() -> float:
    """Return the most memory that this process has held, in MB."""
    status = Path("/proc/self/status")
    if status.exists():
        # What getrusage tells of a child begins with the peak of its parent.
        words = status.read_text().split()
        return int(words[words.index("VmHWM:") + 1]) / 1024
    # macOS counts in bytes, others in kilobytes.
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def print_rows(title: str, rows: Sequence[Row]) -> None:
    """Print a benchmark's table."""
    cells = tuple(
        (row.what, _in_ms(row.ours), _in_ms(row.theirs), _ratio(row), row.target, row.note)
        for row in rows
    )
    columns = ("what", "ours, ms", "compared with, ms", "ratio", "target", "note")
    show(Output([Table(title, columns, cells)], ()), "table")


def _in_ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1000:.2f}"


def _ratio(row: Row) -> str:
    return f"{row.ours / row.theirs:.2f}" if row.ours and row.theirs else ""
