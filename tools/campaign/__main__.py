"""``python -m tools.campaign --cases N --seed S``: run a campaign, or one case of it again.

    python -m tools.campaign --cases 300 --seed 1    the table; exit status 1 if there is a defect
    python -m tools.campaign --seed 1 --case 17      one case again; its folder is kept

Rules without an end need ``--limit-seconds`` of kb-score; where it has none, they are skipped.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from queue import SimpleQueue

from tools.campaign.case import Case, write_command
from tools.campaign.judge import Seen, judge
from tools.campaign.kinds import KINDS, draw_case
from tools.campaign.runner import Runner
from tools.campaign.table import Tally

_LIMIT = ("--limit-seconds", "3")


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tools.campaign", description=__doc__)
    parser.add_argument("--cases", type=int, default=300, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--case", type=int, metavar="K", help="this one alone; its folder is kept")
    parser.add_argument("--kind", choices=KINDS, help="only the cases of this kind")
    parser.add_argument("--jobs", type=int, default=1, metavar="J")
    parser.add_argument("--show", type=int, default=3, metavar="N", help="show N defects of a sort")
    options = parser.parse_args()
    if options.case is not None:
        return replay(options.seed, options.case)
    start = time.monotonic()
    tally = run_campaign(
        options.seed, range(options.cases), jobs=options.jobs, kind=options.kind, show=options.show
    )
    seconds = time.monotonic() - start
    print(tally.write())
    print(f"{options.cases} cases of seed {options.seed} in {seconds:.0f} s, ", end="")
    print(f"{tally.defects} defects")
    return 1 if tally.defects else 0


def run_campaign(
    seed: int, numbers: range, *, jobs: int = 1, kind: str | None = None, show: int = 3
) -> Tally:
    """Run cases, a server a job; show the first defects of each sort as they come."""
    tally = Tally(KINDS)
    with tempfile.TemporaryDirectory(prefix="campaign-") as name:
        for number, case, seen in _run_all(seed, numbers, Path(name), jobs, kind):
            defects = judge(case, seen) if seen else {}
            tally.add(case.kind, seen, defects)
            for defect, text in defects.items():
                if tally.counts[case.kind][defect] <= show:
                    command = write_command(case)[:300]
                    print(f"case {number}, {case.kind}: {defect}: {text}\n    {command}")
            sys.stdout.flush()
    return tally


def _run_all(
    seed: int, numbers: range, folder: Path, jobs: int, kind: str | None
) -> Iterator[tuple[int, Case, Seen | None]]:
    free: SimpleQueue[Runner] = SimpleQueue()
    runners = [Runner(folder) for _ in range(jobs)]
    for runner in runners:
        free.put(runner)

    def run(number: int) -> tuple[int, Case, Seen | None] | None:
        case = draw_case(seed, number)
        if kind not in (None, case.kind):
            return None
        if case.endless and not has_limits():
            return number, case, None
        runner = free.get()
        try:
            return number, case, runner.run(limit(case), f"case-{number}")
        finally:
            free.put(runner)

    try:
        with ThreadPoolExecutor(jobs) as pool:
            yield from filter(None, pool.map(run, numbers))
    finally:
        for runner in runners:
            runner.close()


def replay(seed: int, number: int) -> int:
    """Run one case again, tell what was seen and keep its folder."""
    case = limit(draw_case(seed, number))
    folder = Path(tempfile.mkdtemp(prefix="campaign-"))
    with Runner(folder) as runner:
        seen = runner.run(case, f"case-{number}", keep=True)
    print(f"{case.kind}: in {folder}/case-{number}/work")
    print(f"    {write_command(case)}")
    print(f"status {seen.status}, {seen.seconds:.2f} s, {seen.memory >> 20} MB")
    print(f"changed: {', '.join(map(ascii, seen.changed)) or 'nothing'}")
    for title, text in (("standard output", seen.out), ("standard error", seen.err)):
        print(f"{title}, {len(text)} bytes:")
        shown = text[:3000].decode(errors="backslashreplace").splitlines()
        print("".join(f"    {ascii(line)[1:-1]}\n" for line in shown), end="")
    defects = judge(case, seen)
    for defect, detail in defects.items():
        print(f"defect: {defect}: {detail}")
    return 1 if defects else 0


def limit(case: Case) -> Case:
    """Add limits to a command that reads rules of the user's, where there are any."""
    if "--rules" not in case.arguments or not has_limits():
        return case
    if _LIMIT[0] in case.arguments:
        return case
    at = case.arguments.index("--rules")
    return replace(case, arguments=(*case.arguments[:at], *_LIMIT, *case.arguments[at:]))


@cache
def has_limits() -> bool:
    """Whether kb-score can be told how long rules may take."""
    words = [sys.executable, "-m", "kb_score", "score", "--help"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return "--limit-seconds" in done.stdout


if __name__ == "__main__":
    sys.exit(main())
