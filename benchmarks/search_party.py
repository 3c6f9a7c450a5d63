"""How fast records of Horror Movie Search Party are checked, next to the plain-Python rules.

    python -m benchmarks.search_party

Each line is a game by the bot of ``tests.oracles.search_party_bots``; nobody dies. "Plain"
is what the plain rules need for its plan, whatever the kind of record. Peak memory is that of a
process that does nothing but this check.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from random import Random

from kb_score.engine.rules import GameRules
from kb_score.games import GameFolder
from kb_score.shell.output import Output, Table, show
from tests.oracles.search_party import Map, Moves, check_plan, write_map
from tests.oracles.search_party_bots import (
    random_map,
    safe_game,
    write_plan,
    write_session,
    write_stream,
)

RUNS = 7
RULES = GameRules("search_party")
# The kernel's own high-water mark: what getrusage says begins with that of the parent process.
PEAK = """
import re, sys
from pathlib import Path
from click.testing import CliRunner
from kb_score.cli import main
assert not CliRunner().invoke(main, ["check", "search-party", *sys.argv[1:]]).exit_code
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""
WRITERS: dict[str, Callable[[Map, list[Moves]], str]] = {
    "plan": lambda map_, turns: write_plan(map_, turns, claim=False),
    "session": write_session,
    "stream": write_stream,
}


COLUMNS = ("map", "people", "turns", "record", "MB", "ours", "plain", "ratio", "peak MB", "target")


@dataclass(frozen=True, slots=True)
class Size:
    """What is played, and what the check of each kind of record may cost."""

    name: str
    width: int
    height: int
    costars: int
    extras: int
    density: float
    turns: int
    targets: dict[str, str]


SIZES = (
    Size("small", 12, 12, 2, 0, 0.3, 500, {"plan": "", "stream": ""}),
    Size("medium", 150, 58, 4, 9, 0.3, 500, {"plan": "", "stream": ""}),
    Size("large", 250, 146, 8, 13, 0.6, 500, {"plan": "10", "session": "", "stream": "25, 200 MB"}),
    Size("largest", 256, 256, 26, 26, 0.3, 800, {"plan": "", "stream": "400 MB"}),
)


def main() -> None:
    # Each size in a process of its own, as a user's check is: a heap that others have used is slow.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        rows = tuple(row for found in pool.map(measure_size, SIZES) for row in found)
    title = "Check of complete games, milliseconds of processor time"
    show(Output([Table(title, COLUMNS, rows)], ()), "table")


def measure_size(size: Size) -> list[tuple[str | int, ...]]:
    rng = Random(1)
    map_ = random_map(rng, size.width, size.height, size.costars, size.extras, size.density)
    turns: list[Moves] = [*safe_game(map_, rng)[: size.turns]]
    plan = write_plan(map_, turns, claim=False)
    plain = best(partial(check_plan, map_, plan))
    name = f"{size.name} {size.width}x{size.height}"
    return [
        measure(name, kind, map_, WRITERS[kind](map_, turns), plain, target)
        for kind, target in size.targets.items()
    ]


def measure(
    name: str, kind: str, map_: Map, record: str, plain: float, target: str
) -> tuple[str | int, ...]:
    text = write_map(map_)

    def ours() -> int:
        verdict = GameFolder("search_party").type.check(RULES, [(name, text), (name, record)])
        assert verdict.consistent
        return int(verdict.result["turns"])

    seconds, turns = best(ours), ours()
    return (
        name,
        1 + map_.costars + map_.extras,
        turns,
        kind,
        f"{len(record) / 1e6:.1f}",
        round(1000 * seconds),
        round(1000 * plain),
        f"{seconds / plain:.1f}",
        peak_memory(text, record),
        target,
    )


def best(action: Callable[[], object]) -> float:
    """Time an action several times; the rules are read before, and by all but the first run."""
    times = []
    for _ in range(RUNS):
        begin = time.process_time()
        action()
        times.append(time.process_time() - begin)
    return min(times)


def peak_memory(map_text: str, record: str) -> int:
    """Measure a process that checks a record, in megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        paths = Path(folder, "map.txt"), Path(folder, "record.txt")
        for path, text in zip(paths, (map_text, record), strict=True):
            path.write_text(text)
        command = [sys.executable, "-c", PEAK, *map(str, paths)]
        return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


if __name__ == "__main__":
    main()
