"""``python -m tools.faults``: every fault at every operation of every run; lists the defects."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tools.campaign.runner import Runner
from tools.faults.layer import FAULTS
from tools.faults.runs import RUNS
from tools.faults.sweep import Sweep


def main() -> int:
    """Print the defects; return 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m tools.faults", description=__doc__)
    parser.add_argument("--run", choices=[run.name for run in RUNS], help="only this run")
    parser.add_argument("--fault", choices=FAULTS, help="only this fault")
    options = parser.parse_args()
    found = 0
    with tempfile.TemporaryDirectory(prefix="faults-") as name, Runner(Path(name)) as runner:
        for run in RUNS:
            if options.run not in (None, run.name):
                continue
            start = time.monotonic()
            sweep = Sweep(runner, run, Path(name))
            defects = 0
            for fault in FAULTS:
                if options.fault in (None, fault):
                    for defect in sweep.run(fault):
                        defects += 1
                        print(defect, flush=True)
            seconds = time.monotonic() - start
            print(f"{run.name}: {sweep.met} faults in {seconds:.0f} s, {defects} defects")
            found += defects
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
