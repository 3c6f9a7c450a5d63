"""The fewest turns of a search, against every possible search in plain Python; limits and ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from kb_score.engine.rules import GameRules
from kb_score.search.solve import SCOUT, Scout, read_map
from tests.helpers import ROOT, run
from tests.oracles.search_party import Map, check_plan, parse_map, write_map
from tests.oracles.search_party_fewest import fewest_turns

MAPS = ROOT / "boards" / "search_party" / "maps"
HARD = MAPS / "field.txt"


def draw_map(random: Random) -> Map:
    """Draw a map with more open cells than obstacles, all of them connected, and a small cast."""
    costars, extras = random.choice(((0, 0), (0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)))
    people = 1 + costars + extras
    sizes = {1: ((8, 7), (10, 6)), 2: ((7, 5), (12, 3)), 3: ((9, 2), (12, 1))}
    width, height = random.choice(sizes[people])
    cells = [(x, y) for y in range(height) for x in range(width)]
    start = random.choice(cells)
    kept, front = {start}, [start]
    while len(kept) < 0.8 * len(cells) and front:
        x, y = random.choice(front)
        beside = [(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        free = [cell for cell in beside if cell in cells and cell not in kept]
        if not free:
            front.remove((x, y))
            continue
        kept.add(cell := random.choice(free))
        front.append(cell)
    rows = tuple(
        "".join("S" if (x, y) == start else ".#"[(x, y) not in kept] for x in range(width))
        for y in range(height)
    )
    return Map(width, height, costars, extras, rows)


def solve(text: str, *options: object) -> dict[str, object]:
    ran = run("solve", "search-party", "-", "--format", "json", *options, given=text)
    assert ran.status == 0, ran.err
    found = json.loads(ran.out)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("seed", [0, 2, 5, 7, 10, 12, 15, 18])
def test_the_fewest_turns_are_those_of_every_possible_search(seed: int) -> None:
    map_ = draw_map(Random(seed))

    found = solve(write_map(map_))

    turns = fewest_turns(map_)
    assert (found["turns"], found["lower_bound"], found["proved"]) == (turns, turns, True)
    assert (found["costars"], found["extras"]) == (map_.costars, map_.extras)
    verdict = check_plan(map_, str(found["plan"]))
    assert verdict == (turns, map_.costars, map_.extras, True, True)


@pytest.mark.parametrize(("side", "turns"), [(1, 0), (2, 0), (3, 1), (4, 2), (5, 4), (6, 7)])
def test_an_open_field_is_searched_from_its_corner(side: int, turns: int) -> None:
    rows = ["S" + "." * (side - 1), *["." * side] * (side - 1)]

    found = solve("\n".join([f"{side} {side} 0 0", *rows, ""]))

    assert (found["turns"], found["proved"]) == (turns, True)


@pytest.mark.slow
def test_plans_get_shorter_where_no_proof_is_in_sight() -> None:
    text = "30 12 0 0\nS" + "." * 29 + "\n" + ("." * 30 + "\n") * 11
    scout = Scout(GameRules("search_party"), read_map(text, "map"), Random(1), lambda: None)

    plans = (scout.list_moves(routes) for routes in scout.plan())

    plan = next(moves for moves in plans if len(moves) <= 80)
    written = "".join(" ".join(some) + ".\n" for some in plan)
    verdict = check_plan(parse_map(text), f"{written}{len(plan)} 0 0\n")
    assert verdict == (len(plan), 0, 0, True, True)


def test_people_part_into_groups_that_survive_by_themselves() -> None:
    # One open cell, so that there is nothing to search: the plan is empty, the groups are not.
    for costars, extras in ((0, 2), (3, 0), (3, 2), (3, 8), (7, 8)):
        text = f"1 1 {costars} {extras}\nS\n"
        answer = GameRules("search_party").ask(SCOUT, read_map(text, "map").facts)
        groups: dict[int, str] = {}
        for person, number in sorted(answer["group"]):
            groups[number] = groups.get(number, "") + person

        assert sum(map(len, groups.values())) == 1 + costars + extras
        for group in groups.values():
            cast = sum(map(str.isupper, group)), sum(map(str.islower, group))
            assert "@" in group or cast in {(2, 0), (1, 1), (0, 3)}


@pytest.mark.slow
def test_at_the_limit_the_best_plan_and_the_best_bound_are_printed() -> None:
    # A busy machine may have no plan by then.
    for seconds in ("2", "8", "32", "64"):
        ran = run("solve", "search-party", HARD, "--limit-seconds", seconds, "--format", "json")
        if ran.out:
            break

    found = json.loads(ran.out)
    assert ran.status == 0
    assert ran.err == f"note: stopped after {seconds} s (--limit-seconds)\n"
    assert not found["proved"]
    assert 0 < found["lower_bound"] < found["turns"]
    assert check_plan(parse_map(HARD.read_text()), found["plan"]).consistent


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_search_and_the_best_so_far_is_printed(
    number: signal.Signals, status: int, tmp_path: Path
) -> None:
    field = tmp_path / "field.txt"
    field.write_text("25 9 1 0\nS" + "." * 24 + "\n" + ("." * 25 + "\n") * 8)
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "kb_score", "solve", "search-party", field, "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    try:
        told = b""
        while b"best plan so far" not in told:
            told += os.read(ours, 4096)
        time.sleep(0.5)
        process.send_signal(number)
        out, _ = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
        os.close(theirs)
        os.close(ours)

    found = json.loads(out)
    assert process.returncode == status
    assert not found["proved"]
    # Together on one cell they take 77 turns; the first plan goes abreast, in 52.
    assert found["turns"] <= 52
    verdict = check_plan(parse_map(field.read_text()), found["plan"])
    assert verdict == (found["turns"], 1, 0, True, True)
