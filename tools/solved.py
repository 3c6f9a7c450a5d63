"""The fewest turns on maps, with the time that the proof takes.

    python -m tools.solved [MAP...] [--largest 7] [--limit-seconds 600]

Without a map these are open fields up to a size, with the star alone, who begins in the corner and
in the middle. Every plan is judged by ``kb-score check`` and by the rules in plain Python. The exit
status is 1 if one of them refuses a plan, or if something is not proved in time.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.helpers import run_process
from tests.oracles.search_party import Map, check_plan, parse_map, write_map


def open_field(side: int, start: int) -> Map:
    """Make a square field without obstacles; the star begins in this row and in this column."""
    rows = [["."] * side for _ in range(side)]
    rows[start][start] = "S"
    return Map(side, side, 0, 0, tuple(map("".join, rows)))


def list_fields(largest: int) -> Iterator[tuple[str, str]]:
    """List open fields from 3x3 on, each with a name and a text."""
    for side in range(3, largest + 1):
        for name, start in (("corner", 0), ("middle", side // 2)):
            yield f"field {side}x{side}, {name}", write_map(open_field(side, start))


def prove(name: str, text: str, seconds: float) -> bool:
    """Solve a map and print a line about it; say whether all is as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        map_path, plan_path = Path(folder, "map.txt"), Path(folder, "plan.txt")
        map_path.write_text(text)
        began = _used()
        words = ("--limit-seconds", seconds, "--record", plan_path, "--format", "json")
        ran = run_process("solve", "search-party", map_path, *words, timeout=seconds + 60)
        used = _used() - began
        checked = run_process("check", "search-party", map_path, plan_path)
    found = json.loads(ran.out)
    verdict = check_plan(parse_map(text), found["plan"])
    cast = parse_map(text).costars, parse_map(text).extras
    fine = verdict == (found["turns"], *cast, True, True) and checked.status == 0
    proved = "proved" if found["proved"] else f"at least {found['lower_bound']}"
    accepted = "accepted" if fine else "REFUSED"
    line = f"{name:28} {found['turns']:4} turns, {proved}, {used:6.1f} s, {accepted}"
    print(line, flush=True)
    return fine and bool(found["proved"])


def _used() -> float:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def main(arguments: Sequence[str] | None = None) -> int:
    """Solve the maps one after another."""
    parser = argparse.ArgumentParser(prog="python -m tools.solved", description=__doc__)
    parser.add_argument("maps", nargs="*", type=Path)
    parser.add_argument("--largest", type=int, default=7)
    parser.add_argument("--limit-seconds", type=float, default=600)
    given = parser.parse_args(arguments)
    maps: Iterable[tuple[str, str]]
    maps = [(path.name, path.read_text()) for path in given.maps] or list_fields(given.largest)
    fine = [prove(name, text, given.limit_seconds) for name, text in maps]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
