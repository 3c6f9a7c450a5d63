"""Lights: random games against plain Python."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.helpers import run

Cell = tuple[int, int]


def press(lights: set[Cell], cell: Cell, size: int, *, wraps: bool) -> set[Cell]:
    """Press a cell of a square grid, in plain Python."""
    row, column = cell
    reached = {(row + d, column + a) for d, a in [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]}
    if wraps:
        reached = {(r % size, c % size) for r, c in reached}
    return lights ^ {(r, c) for r, c in reached if 0 <= r < size and 0 <= c < size}


def write_grid(lights: set[Cell], size: int) -> str:
    rows = range(size)
    return "".join("".join(".*"[(r, c) in lights] for c in rows) + "\n" for r in rows)


@pytest.mark.parametrize("wraps", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_random_games_are_those_of_plain_python(seed: int, wraps: bool, tmp_path: Path) -> None:
    rng = Random(seed)
    size = rng.randint(3, 6)
    cells = [(r, c) for r in range(size) for c in range(size)]
    lights = set(rng.sample(cells, size))
    text, turns = write_grid(lights, size), 0
    while lights and turns < 20:
        cell = rng.choice(cells)
        lights = press(lights, cell, size, wraps=wraps)
        text += f"press {cell[0]} {cell[1]}\n"
        text += write_grid(lights, size) if rng.random() < 0.5 else ""
        turns += 1
    record = tmp_path / "record.txt"
    record.write_text(text)

    ran = run("check", "lights", record, "--format", "json", "--const", f"wrap_around={int(wraps)}")

    assert ran.json[0]["violations"] == []
    assert ran.json[0]["result"] == {
        "turns": turns, "lights": len(lights), "finished": not lights
    }  # fmt: skip
