"""A small part of the faults of ``python -m tools.faults``: some operations of two runs."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tools.campaign.runner import Runner
from tools.faults.layer import FAULTS
from tools.faults.runs import RUNS, Run
from tools.faults.sweep import Sweep


# A whole file that is renamed, and a file that grows; the others are written in these two ways.
@pytest.mark.parametrize(
    "run", [r for r in RUNS if r.name in ("record", "contest")], ids=lambda run: run.name
)
def test_a_fault_of_the_disk_loses_nothing(run: Run, tmp_path: Path) -> None:
    found, random = [], Random(run.name)
    with Runner(tmp_path) as runner:
        sweep = Sweep(runner, run, tmp_path)
        for fault in FAULTS:
            numbers = random.sample(range(1, run.operations + 1), 1)
            found += [str(defect) for defect in sweep.run(fault, numbers)]

    assert sweep.met >= len(FAULTS)
    assert found == []
