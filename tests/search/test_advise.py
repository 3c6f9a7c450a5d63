"""``kb-score advise``: the placements that gain most."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kb_score.search.placements import PlacementSearch
from kb_score.shell.shutdown import Ended
from tests.helpers import ASP, EXAMPLE, listens, run, write_copy
from tools import advice

# With the sizes and the letters of a whole board, and too many groups to be looked through at once.
MOTLEY = "".join(
    " ".join(".1"[(r * r + c * c + r * c) % 7 < 2] for c in range(60)) + "\n" for r in range(60)
)


def write(folder: Path, text: str) -> Path:
    path = folder / "board.txt"
    path.write_text(text)
    return path


@pytest.mark.slow
def test_advice_is_what_a_search_finds_that_tries_every_placement() -> None:
    # python -m tools.advice does the same with more boards.
    assert advice.run(9, seed=1) == []


@pytest.mark.slow
def test_three_settlements_and_all_cards_gain_what_was_counted_one_by_one() -> None:
    # A loop over all 762,521 placements with tests/oracles/kingdom_builder.py gives 24, 30 times.
    ran = run("advise", EXAMPLE, "--player", 1, "--placements", 100, "--format", "json")

    gains = [placement["gain"] for placement in ran.json[0]["placements"]]
    assert gains.count(24) == 30
    assert max(gains) == 24


def test_what_all_cards_build_on_makes_each_of_them_unknown(tmp_path: Path) -> None:
    path, name = write(tmp_path, ". . . .\n . . . .\n"), "kingdom_builder/board.lp"
    write_copy(tmp_path / "rules", name, (ASP / name).read_text() + "near(1,1,1,2).\n")

    words = ("--player", 1, "--rules", tmp_path / "rules", "--cards", "lords")
    ran = run("advise", path, *words)

    assert (ran.status, ran.out) == (2, "")
    castles, lords = (line for line in ran.err.splitlines() if "looks at" in line)
    for line, card in ((castles, "castles"), (lords, "lords")):
        assert f"cards/{card}.lp:" in line
        assert line.endswith(
            f"nothing says what {card} looks at: write looks/3 for it in your rules"
        )


@pytest.mark.slow
def test_what_is_found_before_a_signal_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = iter(range(300))

    def complete(self: PlacementSearch, placed: object) -> None:
        if next(calls, None) is None:
            raise Ended(signal.SIGTERM)
        there(self, placed)  # type: ignore[arg-type]

    there = PlacementSearch._complete
    monkeypatch.setattr(PlacementSearch, "_complete", complete)

    ran = run("advise", EXAMPLE, "--player", 1)

    assert ran.status == 143
    assert "hexes" in ran.out
    assert ran.out.endswith("no placement is better: not proved\n")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks into /proc")
def test_a_real_signal_is_heard_at_once(tmp_path: Path) -> None:
    command = ("advise", str(write(tmp_path, MOTLEY)), "--player", "1", "--format", "json")
    for seconds in (1, 4, 16, 32):  # until a first placement is found, on a slow machine, too
        process = subprocess.Popen(
            [sys.executable, "-m", "kb_score", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        while not listens(process):
            time.sleep(0.05)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        out, _ = process.communicate(timeout=30)

        assert process.returncode == 130
        assert time.monotonic() - began < 10
        if out:
            break

    assert out.count(b'"proved": false') == 1
