"""A small part of the faults of ``python -m tests.faults``: some operations of each run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaign.runner import Runner
from tests.faults.layer import FAULTS
from tests.faults.runs import RUNS, Run
from tests.faults.sweep import Sweep

# The first operations are those that open; later ones lie in the middle of what is written.
NUMBERS = (1, 2, 4, 8)


@pytest.mark.xfail(strict=False, reason="some of what this finds is not mended yet")
@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_a_fault_of_the_disk_loses_nothing(run: Run, tmp_path: Path) -> None:
    with Runner(tmp_path) as runner:
        sweep = Sweep(runner, run, tmp_path)
        found = [str(defect) for fault in FAULTS for defect in sweep.run(fault, NUMBERS)]

    assert sweep.met
    assert found == []
