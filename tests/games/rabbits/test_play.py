"""Runs of rabbits and crusher-bots: seeds, answers, and stations that are too large."""

import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kb_score.engine.rules import GameRules
from kb_score.games.match import MatchSetup
from kb_score.games.rabbits.match import RabbitsMatch
from tests.games.rabbits.helpers import BOARDS
from tests.helpers import SILENT, run

SMALL = BOARDS / "small.map"


@pytest.mark.slow
def test_with_seed_0_each_run_has_a_seed_of_its_own_that_repeats_it() -> None:
    def play(runs: int, seed: int) -> Any:
        # Under load a machine may be slow to start a program.
        words = ("--start-time", 60, "--timeout", 60, "--turns", 20, "--runs", runs, "--seed", seed)
        bot = ("--", sys.executable, BOARDS / "pathfinder.py")
        return run("play", "rabbits", SMALL, *words, "--format", "json", *bot).json[0]["runs"]

    for one in play(2, 0):
        assert 1 <= one["seed"] <= 1000
        assert play(1, one["seed"])[0]["saved"] == one["saved"]


def test_a_match_keeps_only_the_moves_of_an_answer_and_notes_where_there_are_none() -> None:
    setup = MatchSetup((("small.map", SMALL.read_text()),), {"turns": 3})
    match = RabbitsMatch(GameRules("rabbits"), setup, Random(1))

    turns = [match.answer(line) for line in ("hello", "", "go 1,1  to 1,2 now")]

    assert [turn.record for turn in turns] == ["move\n", "move\n", "move 1,1 to 1,2\n"]
    assert [turn.fault.kind if turn.fault else None for turn in turns] == ["garbage", None, None]
    assert match.finished
    assert match.position().over == "the run is over after turn 3"


def test_a_station_that_is_too_large_to_work_with_is_refused(tmp_path: Path) -> None:
    station, edge = tmp_path / "station.map", "#" * 600
    inside = "#" + " " * 598 + "#"
    station.write_text("\n".join([edge, f"#se{inside[3:]}", *[inside] * 500, edge]) + "\n")

    ran = run("play", "rabbits", station, *SILENT)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"{station}: the map has more than 250000 cells\n"
