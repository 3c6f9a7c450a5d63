"""Odd inputs of megabytes: their bytes decide what they cost, not their lines or cells."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import EXAMPLE, MEADOW, ROOT, STATION, can_repeat_groups

_CAPPED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
from kb_score.cli import main
main(sys.argv[1:])
"""
_MEGABYTE = 1 << 20


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "text", "status"),
    [
        pytest.param(
            ["kingdom-builder", EXAMPLE], "\n" * 4_000_000 + "1 4 7 1 2 3 4\n", 1, id="claims"
        ),
        pytest.param(["slime"], "\n" * 8_000_000 + "1.2\n...\n3.4\n", 0, id="frames"),
        pytest.param(["slime"], "1\n" * 4_000_000, 2, id="rows-of-frames"),
        pytest.param(["search-party", MEADOW], "\n" * 8_000_000 + "1 0 0\n", 1, id="plan"),
        pytest.param(
            ["search-party", MEADOW], "Turn 1\n@:2,2.\n" + "o\n" * 4_000_000, 2, id="board"
        ),
        pytest.param(
            ["rabbits", STATION],
            "turnsleft 1\ncrusher\nrabbits" + " 1,1" * 2_000_000 + "\nmove\n",
            1,
            id="list-of-rabbits",
        ),
        pytest.param(
            ["rabbits", STATION], "Running: c m 1 0 1 b\n" + "#\n" * 4_000_000, 2, id="log"
        ),
    ],
)  # fmt: skip
@pytest.mark.skipif(not can_repeat_groups(), reason="atomic groups, as before 3.11.5, need more")
def test_lines_and_cells_without_number_take_little_memory(
    words: list[object], text: str, status: int, tmp_path: Path
) -> None:
    path = tmp_path / "odd.txt"
    path.write_text(text)
    command = [sys.executable, "-c", _CAPPED.format(memory=700 * _MEGABYTE)]

    done = subprocess.run(
        [*command, "check", *map(str, words), str(path)],
        cwd=ROOT, capture_output=True, check=False, timeout=120,
    )  # fmt: skip

    assert (done.returncode, b"memory" in done.stderr.lower()) == (status, False), done.stderr
