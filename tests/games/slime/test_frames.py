"""Long frames, checked in windows: the verdict is that of the whole, and memory stays small."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from random import Random
from typing import TYPE_CHECKING

import pytest

from kb_score.engine.rules import Changes, GameRules
from kb_score.games.slime import check
from kb_score.games.slime.check import check_record
from kb_score.shell.verdict import Verdict
from tests.helpers import ROOT
from tests.oracles.slime import random_game
from tests.oracles.slime_records import write_frames

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
_GAME = write_frames(random_game(Random(3), 5, 26, "mixed"))
_MIDDLE = _GAME.split("\n\n", 7)[7]
_FULL = "12\n34\n\n"


def _break(text: str, *turns: int) -> str:
    boards = text.split("\n\n")
    for turn in turns:
        boards[turn] = boards[turn][::-1]
    return "\n\n".join(boards)


@cache
def check_at_once(text: str, last_turn: int, first: int | None) -> tuple[GameRules, Verdict]:
    rules = GameRules("slime", Changes(constants=(("last_turn", str(last_turn)),)))
    return rules, check_record(rules, ("frames", text), first=first, list_all=True)


@pytest.mark.parametrize(
    ("text", "last_turn"),
    [
        pytest.param(_GAME, 2000, id="from-the-start"),
        pytest.param(_MIDDLE, 2000, id="from-the-middle"),
        pytest.param(_break(_GAME, 11, 20), 2000, id="broken"),
        pytest.param(_break(_MIDDLE, 2, 13), 2000, id="broken-in-the-middle"),
        pytest.param(_GAME, 17, id="longer-than-a-game"),
        pytest.param(_MIDDLE, 18, id="longer-than-a-game-from-the-middle"),
        pytest.param(_FULL * 9, 2000, id="over-at-the-start"),
        pytest.param(_MIDDLE.split("\n\n")[0] + "\n", 2000, id="one-board"),
    ],
)
@pytest.mark.parametrize(("most", "first"), [(1, None), (90, 3), (300, None)])
def test_windows_give_the_verdict_of_the_whole(
    text: str, last_turn: int, first: int | None, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, whole = check_at_once(text, last_turn, first)
    monkeypatch.setattr(check, "_MANY", most)

    assert check_record(rules, ("frames", text), first=first, list_all=True) == whole


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
        pytest.param(lambda: _start(3) * 100, lambda: _start(3) * 40_000, id="many-boards"),
        pytest.param(lambda: _start(8) * 8, lambda: _start(128) * 8, id="large-boards"),
        pytest.param(
            lambda: _GAME,
            lambda: write_frames(random_game(Random(1), 20, 1200, "long")),
            id="boards-of-a-game",
        ),
    ],
)
def test_frames_take_at_most_100_bytes_of_memory_a_byte(
    small: Callable[[], str], large: Callable[[], str], tmp_path: Path
) -> None:
    few, many = small(), large()

    growth = (_measure(many, tmp_path) - _measure(few, tmp_path)) * (1 << 20)

    assert growth <= 100 * (len(many) - len(few))
