"""A small part of the faults of ``python -m tools.faults``: some operations of a few runs."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tools.campaign.runner import Runner
from tools.faults.layer import FAULTS
from tools.faults.runs import RUNS, Run
from tools.faults.sweep import Sweep

# A file that grows, a whole file that stands in for another one, a new file, and a new folder: the
# other runs write in these ways.
NAMES = ("record", "contest", "new-card", "new-rules")


@pytest.mark.slow
@pytest.mark.parametrize("run", [r for r in RUNS if r.name in NAMES], ids=lambda run: run.name)
def test_a_fault_of_the_disk_loses_nothing(run: Run, tmp_path: Path) -> None:
    found, random = [], Random(run.name)
    with Runner(tmp_path) as runner:
        sweep = Sweep(runner, run, tmp_path)
        for fault in FAULTS:
            numbers = random.sample(range(1, run.operations + 1), 1)
            found += [str(defect) for defect in sweep.run(fault, numbers)]

    assert sweep.met >= len(FAULTS)
    assert found == []
