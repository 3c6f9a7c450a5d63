"""The bot Shepherd: its moves are steps of rabbits that meet nobody, and it saves many of them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from tests.games.rabbits.helpers import BOARDS
from tests.helpers import run
from tests.oracles.rabbits import Cell, Map, Run, move_line, parse_map
from tests.oracles.rabbits_records import random_map

# Its figures over whole runs are in shepherd.md; these are short ones.
SHEPHERD = BOARDS / "bots" / "shepherd.py"


@pytest.fixture(scope="module")
def shepherd() -> ModuleType:
    """The bot as a module."""
    spec = importlib.util.spec_from_file_location("shepherd", SHEPHERD)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lead(bot_module: ModuleType, station: Map, turns: int, seed: int) -> Run:
    """Let the bot play a run of the plain simulator."""
    width = len(station.rows[0])

    def cell(number: int) -> Cell:
        return number % width, number // width

    def number(place: Cell) -> int:
        return place[1] * width + place[0]

    bot = bot_module.Bot("\n".join(station.rows))
    game = Run(station, Random(seed), turns=turns)
    for _ in range(turns):
        game.spawn()
        actions = game.crush()
        bot.note([(number(source), number(target)) for source, _, target in actions])
        moves = [(cell(a), cell(b)) for a, b in bot.answer(map(number, game.rabbits))]
        assert {source for source, _ in moves} <= game.rabbits
        assert all(target in station.beside[source] for source, target in moves)
        game.answer(move_line(moves))
    return game


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "turns", "saved"),
    [
        pytest.param("small.map", 200, 120, id="small"),
        pytest.param("large.map", 200, 170, id="large"),
    ],
)
def test_it_saves_many_rabbits(shepherd: ModuleType, name: str, turns: int, saved: int) -> None:
    station = parse_map((BOARDS / name).read_text())
    runs = [lead(shepherd, station, turns, seed) for seed in (1, 2)]

    assert sum(game.saved for game in runs) >= saved * len(runs)


@pytest.mark.parametrize("seed", range(6))
def test_no_rabbit_runs_into_a_crusher_or_another_one(shepherd: ModuleType, seed: int) -> None:
    station = random_map(Random(seed), 25, 13, starts=2, exits=2, crushers=3)
    game = lead(shepherd, station, 120, seed)

    assert (game.squished, game.collided) == (0, 0)
    assert game.spawned == game.saved + game.crushed + len(game.rabbits)


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param("#####\n#s e#\n#####", id="no-crusher"),
        pytest.param("#######\n#s#e c#\n#######", id="no-way-to-an-exit"),
        pytest.param("#####\n#sec#\n#####", id="crusher-beside-the-exit"),
        pytest.param("#####\n#s e#\n###c#\n#####", id="crusher-below-the-exit"),
        pytest.param("#######\n#s e#c#\n#######", id="crusher-walled-in"),
    ],
)
def test_it_copes_with_odd_stations(shepherd: ModuleType, rows: str) -> None:
    game = lead(shepherd, parse_map(rows), 30, 1)

    assert (game.squished, game.collided) == (0, 0)


def test_without_crushers_a_rabbit_is_saved_each_turn(shepherd: ModuleType) -> None:
    assert lead(shepherd, parse_map("#####\n#s e#\n#####"), 30, 1).saved == 29


@pytest.mark.slow
def test_its_runs_are_legal_and_can_be_repeated(tmp_path: Path) -> None:
    record = tmp_path / "record"
    options = ("--turns", "60", "--seed", "843", "--runs", "2", "--record", record)
    patient = ("--start-time", "60", "--answer-time", "60")
    command = ("--format", "json", "--", sys.executable, SHEPHERD)
    ran = run("play", "rabbits", BOARDS / "small.map", *options, *patient, *command)
    (played,) = ran.json
    first, second = played["runs"]
    (checked,) = run("check", "rabbits", BOARDS / "small.map", record, "--format", "json").json

    assert first["saved"] == second["saved"] > 20
    assert checked["consistent"]
    assert checked["result"]["saved"] == first["saved"] + second["saved"]
    assert (checked["counts"]["squished"], checked["counts"]["collided"]) == (0, 0)
