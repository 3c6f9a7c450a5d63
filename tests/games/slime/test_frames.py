"""Long frames: their memory grows with their text, and stays small."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.helpers import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_PEAK = """
import sys
from benchmarks.measure import own_peak_memory
from click.testing import CliRunner
from kb_score.cli import main
CliRunner().invoke(main, ["check", "slime", sys.argv[1], "--format", "json"])
print(own_peak_memory())
"""


def _measure(text: str, folder: Path) -> float:
    path = folder / "frames.txt"
    path.write_text(text)
    command = [sys.executable, "-c", _PEAK, str(path)]
    return float(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)


def _start(size: int) -> str:
    rows = ["1" + "." * (size - 2) + "2", *["." * size] * (size - 2), "3" + "." * (size - 2) + "4"]
    return "\n".join(rows) + "\n\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("small", "large"),
    [
        pytest.param(lambda: _start(3) * 100, lambda: _start(3) * 10_000, id="many-boards"),
        pytest.param(lambda: _start(8) * 8, lambda: _start(128) * 8, id="large-boards"),
    ],
)
def test_frames_take_at_most_400_bytes_of_memory_a_byte(
    small: Callable[[], str], large: Callable[[], str], tmp_path: Path
) -> None:
    few, many = small(), large()

    growth = (_measure(many, tmp_path) - _measure(few, tmp_path)) * (1 << 20)

    assert growth <= 400 * (len(many) - len(few))
