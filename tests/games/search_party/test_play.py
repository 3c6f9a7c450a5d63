"""Bots of Horror Movie Search Party, refereed live."""

import sys
from pathlib import Path
from random import Random

import pytest

from tests.helpers import Ran, run
from tests.oracles.search_party import Game, parse_moves, write_map
from tests.oracles.search_party_bots import random_game, random_map, write_session

# Answers a line of its arguments each turn, and writes down all that it is told.
PARROT = """
import sys
told = open(sys.argv[1], "w")
for answer in [*sys.argv[2:], ""]:
    for line in sys.stdin:
        told.write(line)
        if line.startswith("-"):
            break
    if answer:
        print(answer, flush=True)
"""


def play(map_path: Path, *arguments: object) -> Ran:
    return run("play", "search-party", map_path, *arguments)


@pytest.mark.parametrize("seed", range(5))
def test_a_game_is_recorded_and_sent_to_the_bot_as_by_the_controller(
    tmp_path: Path, seed: int
) -> None:
    rng = Random(seed)
    map_ = random_map(rng, 9, 7, 4, 4, 0.3)
    turns = random_game(map_, rng, 15)
    path, told, record = tmp_path / "map.txt", tmp_path / "told.txt", tmp_path / "record.txt"
    path.write_text(write_map(map_))
    lines = [" ".join(who + key for who, key in moves.items()) + "." for moves in turns]
    game = Game(map_)
    for line in lines:
        game.step(parse_moves(line))

    bot = ("--", sys.executable, "-c", PARROT, told, *lines)
    played = play(path, "--format", "json", "--timeout", "9", "--record", record, *bot)

    names = ("turns", "costars", "extras", "finished")
    assert played.json[0]["result"] == dict(
        zip(names, (*game.result(), game.finished), strict=True)
    )
    assert record.read_text() == write_session(map_, turns)
    assert f"turn {len(turns) + 1}: the bot exited with status 0" in played.err
    answers = set(lines)
    told_lines = [line for line in record.read_text().splitlines() if line not in answers]
    assert told.read_text().splitlines() == told_lines


@pytest.mark.slow
def test_a_bot_that_prints_a_whole_plan_plays_it_and_play_hints_at_check(tmp_path: Path) -> None:
    map_, plan = tmp_path / "map.txt", tmp_path / "plan.txt"
    map_.write_text("9 1 0 0\nS........\n")
    plan.write_text("@6.\n@6.\n")
    outcomes = set()

    for _ in range(8):
        played = play(map_, "--format", "json", "--", "cat", plan)
        outcomes.add((played.status, played.out))
        assert "the bot printed 1 more line before it was asked for a second answer" in played.err
        assert "kb-score check search-party MAP RECORD" in played.err

    ((status, out),) = outcomes
    assert status == 1
    assert '"turns": 2' in out
