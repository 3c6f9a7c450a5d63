"""Lights: records from the command line, bots, and random games against plain Python."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random

import pytest

from tests.helpers import ROOT, run

BOARDS = ROOT / "boards" / "lights"
EXPECTED = [json.loads(line) for line in (BOARDS / "expected.jsonl").read_text().splitlines()]

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


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda line: str(line["record"]))
def test_records_to_try_get_the_verdict_that_is_expected(expected: dict[str, object]) -> None:
    ran = run("check", "lights", ROOT / str(expected["record"]), "--format", "json")

    assert ran.status == (0 if expected["consistent"] else 1)
    assert {**ran.json[0], "record": expected["record"]} == expected


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


def test_a_bot_is_refereed_and_its_record_passes(tmp_path: Path) -> None:
    record = tmp_path / "record.txt"
    bot = "print('press 0 0\\npress 0 0\\npress 1 1', flush=True); import sys; sys.stdin.read()"

    ran = run(
        "play", "lights", BOARDS / "cross.txt", "--record", record, "--format", "json",
        "--", sys.executable, "-c", bot,
    )  # fmt: skip

    result = {"turns": 3, "lights": 0, "finished": True}
    assert (ran.status, ran.json) == (0, [{"game": "lights", "result": result, "runs": None}])
    assert run("check", "lights", record, "--format", "json").json[0]["result"] == result


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("press 0 9", "off-grid: the press at 0,9 is off the grid"),
        ("push 0 0", "unexpected 'p': expected the cell that is pressed"),
    ],
)
def test_a_bot_that_does_what_it_must_not_ends_the_game(answer: str, message: str) -> None:
    bot = f"print({answer!r}, flush=True); input()"

    ran = run("play", "lights", BOARDS / "cross.txt", "--", sys.executable, "-c", bot)

    assert ran.status == 1
    assert message in ran.err
