"""The bot that plans the whole search, and the plans that it has made for the challenge's maps."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.helpers import ROOT, SHARED, leave_out, run
from tests.oracles.search_party import Map, Verdict, check_plan, parse_map, write_map
from tests.oracles.search_party_bots import random_map

BOARDS = ROOT / "boards" / "search_party"
CHALLENGE = SHARED / "search_party"
MAPS = sorted((BOARDS / "maps").glob("*.txt"))
# The turns of the plans in boards/search_party/plans, as its page has them.
PLANS = {"map1": 23, "map2": 38, "map3": 204, "map4": 250, "map5": 254}


@pytest.fixture(scope="session")
def party(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bot, built by the command that its page tells, only less optimised."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        leave_out("there is no C++ compiler: g++ or clang++")
    path = tmp_path_factory.mktemp("party") / "party"
    source = BOARDS / "bots" / "party.cpp"
    command = [compiler, "-O1", "-std=c++17", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*command, "-o", path, source], check=True)
    return path


def plan(party: Path, map_: Path, *options: object) -> str:
    """Let the bot print a plan."""
    command = [party, "--map", map_, *options]
    return subprocess.run(
        [str(word) for word in command], check=True, capture_output=True, text=True, timeout=100
    ).stdout


def all_alive(map_: Map, verdict: Verdict) -> bool:
    """Whether a plan leads to the end, and nobody dies on the way."""
    wanted = (map_.costars, map_.extras, True, True)
    return verdict[1:] == wanted


@pytest.mark.slow
@pytest.mark.parametrize("path", MAPS, ids=[path.stem for path in MAPS])
def test_bot_plays_live_and_everybody_lives(party: Path, path: Path, tmp_path: Path) -> None:
    map_, record = parse_map(path.read_text()), tmp_path / "record.txt"
    options = ("--format", "json", "--record", str(record))

    played = run("play", "search-party", path, *options, "--", str(party), "--rounds", "300")

    assert played.status == 0, played.err
    result = played.json[0]["result"]
    alive = {"costars": map_.costars, "extras": map_.extras, "finished": True}
    assert result == {"turns": result["turns"], **alive}
    checked = run("check", "search-party", path, record, "--format", "json").json[0]
    assert (checked["consistent"], checked["result"]) == (True, result)


@pytest.mark.slow
def test_plan_is_the_same_as_the_live_game(party: Path, tmp_path: Path) -> None:
    path, record = BOARDS / "maps" / "field.txt", tmp_path / "record.txt"
    options = ("--rounds", "300", "--seed", "7")

    run("play", "search-party", path, "--record", str(record), "--", str(party), *options)
    planned = plan(party, path, *options)

    answers = [line for line in record.read_text().splitlines() if line.endswith(".")]
    moves = [line for line in answers if ":" not in line and set(line) - set("o.#")]
    assert moves == [line for line in planned.splitlines()[:-1] if line != "."]


def test_plans_for_any_map_and_cast_keep_everybody_alive(party: Path, tmp_path: Path) -> None:
    rng, path = Random(11), tmp_path / "map.txt"
    for _ in range(40):
        size = rng.randint(1, 24), rng.randint(1, 16)
        map_ = random_map(rng, *size, rng.randint(0, 5), rng.randint(0, 6), rng.random() * 0.6)
        path.write_text(write_map(map_))

        verdict = check_plan(map_, plan(party, path, "--rounds", 40))

        assert all_alive(map_, verdict), (write_map(map_), verdict)


def test_plan_depends_on_seed_and_rounds_alone(party: Path) -> None:
    path = BOARDS / "maps" / "field.txt"

    plans = [plan(party, path, "--rounds", 200, "--seed", seed) for seed in (1, 1, 2)]

    assert plans[0] == plans[1] != plans[2]


@pytest.mark.shared
@pytest.mark.parametrize(("name", "most"), [("map1", 23), ("map2", 39)])
def test_few_rounds_are_enough_for_the_small_maps(party: Path, name: str, most: int) -> None:
    path = CHALLENGE / f"{name}.txt"
    map_ = parse_map(path.read_text())

    verdict = check_plan(map_, plan(party, path, "--rounds", 4000))

    assert all_alive(map_, verdict)
    assert verdict.turns <= most


@pytest.mark.shared
@pytest.mark.parametrize("name", PLANS)
def test_plan_for_a_map_of_the_challenge_is_right_and_as_short_as_its_page_says(name: str) -> None:
    path, record = CHALLENGE / f"{name}.txt", BOARDS / "plans" / f"{name}.txt"
    map_ = parse_map(path.read_text())

    checked = run("check", "search-party", path, record, "--format", "json").json[0]
    plain = check_plan(map_, record.read_text())

    result = {"turns": PLANS[name], "costars": map_.costars, "extras": map_.extras}
    assert checked["consistent"]
    assert checked["claimed"] == checked["result"] == {**result, "finished": True}
    assert all_alive(map_, plain)
    assert plain.turns == PLANS[name]


def test_the_page_of_the_bot_lists_the_turns_of_its_plans() -> None:
    page = (BOARDS / "bots" / "party.md").read_text()

    for name, turns in PLANS.items():
        assert f"| {name} | {turns} | " in page
    assert f"| together | {sum(PLANS.values())} | " in page
    assert sum(PLANS.values()) <= 900


@pytest.mark.slow
def test_the_commands_of_the_page_print_what_it_says(party: Path, tmp_path: Path) -> None:
    page = (BOARDS / "bots" / "party.md").read_text()
    blocks = "".join(re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    build, *commands = re.split(r"^\$ ", blocks, flags=re.MULTILINE)[1:]
    assert build.startswith("g++ ")  # which the fixture has done
    shutil.copytree(BOARDS, tmp_path / "boards" / "search_party")
    shutil.copy(party, tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    for command, _, shown in (text.partition("\n") for text in commands):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env={**os.environ, "PATH": path, "COLUMNS": "200"},
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.stdout == shown, (command, done.stderr)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(["--map", "nowhere.txt"], "cannot read nowhere.txt", id="no-file"),
        pytest.param(["--map", sys.executable], "a map begins with columns", id="no-map"),
        pytest.param(["--rounds"], "no value follows --rounds", id="no-value"),
        pytest.param(["--rounds", "many"], "--rounds takes a number, not many", id="no-number"),
        pytest.param(["--speed", "9"], "not --speed", id="unknown"),
    ],
)
def test_bot_says_what_it_cannot_use(party: Path, options: list[str], message: str) -> None:
    ran = subprocess.run([party, *options], capture_output=True, text=True, timeout=20, input="")

    assert (ran.returncode, ran.stdout) == (2, "")
    assert message in ran.stderr
