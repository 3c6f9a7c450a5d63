"""Bots of Horror Movie Search Party, refereed live."""

import shlex
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.helpers import ROOT, Ran, add_rules, run
from tests.oracles.search_party import Game, parse_map, parse_moves, write_map
from tests.oracles.search_party_bots import random_game, random_map, write_session

SHARED_MAPS = ROOT / ".." / "shared" / "data" / "search_party"
WALKER = ROOT / "boards" / "search_party" / "bots" / "walker.py"
LANE = "12 2 1 1\nS...........\n....#.......\n"

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


def check(map_path: Path, record: Path) -> dict[str, Any]:
    found: dict[str, Any] = run("check", "search-party", map_path, record, "--format", "json").json[
        0
    ]
    return found


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    path = tmp_path / "lane.txt"
    path.write_text(LANE)
    return path


def test_bot_is_told_what_the_controller_tells_byte_for_byte(tmp_path: Path) -> None:
    rng = Random(3)
    map_ = random_map(rng, 12, 9, 3, 3, 0.2)
    turns = random_game(map_, rng, 12)
    path, told, record = tmp_path / "map.txt", tmp_path / "told.txt", tmp_path / "record.txt"
    path.write_text(write_map(map_))
    lines = [" ".join(who + key for who, key in moves.items()) + "." for moves in turns]

    played = play(
        path, "--record", str(record), "--", sys.executable, "-c", PARROT, str(told), *lines
    )

    assert played.status == 1
    assert "turn 13: the bot ended with exit status 0" in played.err
    assert record.read_text() == write_session(map_, turns)
    answers = set(lines)
    told_lines = [line for line in record.read_text().splitlines() if line not in answers]
    assert told.read_text().splitlines() == told_lines


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param(
            "A8.",
            "turn 2: the bot made an illegal move: off-map (A): A would leave the map",
            id="illegal",
        ),
        pytest.param("9 1 1", "turn 2: the bot gave no answer that can be read", id="result"),
        pytest.param("", "turn 2: the bot gave no answer that can be read", id="empty"),
        pytest.param("@6." * 700_000, "turn 2: the bot printed", id="megabytes"),
    ],
)
def test_game_ends_when_the_bot_does_not_move(
    lane: Path, tmp_path: Path, answer: str, message: str
) -> None:
    record = tmp_path / "record.txt"
    code = f"print('@6.', flush=True); print({answer[:3]!r} * {max(1, len(answer) // 3)})"
    if len(answer) < 100:
        code = (
            f"print('@6.', flush=True); import sys; print({answer!r}, flush=True); sys.stdin.read()"
        )

    played = play(lane, "--record", str(record), "--", sys.executable, "-c", code)

    assert played.status == 1, played.err
    assert message in played.err
    checked = check(lane, record)
    assert checked["result"] == {"turns": 1, "costars": 1, "extras": 1, "finished": False}


@pytest.mark.parametrize("seed", range(4))
def test_each_turn_of_live_play_is_that_of_the_plain_rules(tmp_path: Path, seed: int) -> None:
    rng = Random(seed)
    map_ = random_map(rng, 9, 7, 4, 4, 0.3)
    turns = random_game(map_, rng, 15)
    path, told = tmp_path / "map.txt", tmp_path / "told.txt"
    path.write_text(write_map(map_))
    lines = [" ".join(who + key for who, key in moves.items()) + "." for moves in turns]
    game = Game(map_)
    for line in lines:
        game.step(parse_moves(line))

    bot = ("--", sys.executable, "-c", PARROT, told, *lines)
    played = play(path, "--format", "json", "--timeout", "9", *bot)

    turns_played, costars, extras = game.result()
    assert played.json[0]["result"] == {
        "turns": turns_played,
        "costars": costars,
        "extras": extras,
        "finished": game.finished,
    }


@pytest.mark.parametrize("line", ["@6", " @6.", "@6..", ".@6 .", "\\t@6  ."])
def test_line_of_moves_is_read_as_the_controller_reads_it(tmp_path: Path, line: str) -> None:
    path, record = tmp_path / "map.txt", tmp_path / "record.txt"
    path.write_text("4 1 0 0\nS...\n")
    code = f"print('{line}', flush=True); input()"

    played = play(path, "--record", str(record), "--", sys.executable, "-c", code)

    assert played.status == 0, played.err
    assert "\n@6.\n" in record.read_text()
    assert check(path, record)["consistent"]


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


def test_a_bot_that_answers_line_by_line_gets_no_hint_at_plans(lane: Path) -> None:
    answer = "if line[0] == '-': print('@5.', flush=True)"
    code = f"import sys\nfor _, line in zip(range(15), sys.stdin):\n  {answer}"

    played = play(lane, "--bot", f"{sys.executable} -c {shlex.quote(code)}")

    assert "MAP PLAN" not in played.err


def test_game_that_is_over_before_the_first_turn_tells_the_bot_nothing(tmp_path: Path) -> None:
    path, record = tmp_path / "map.txt", tmp_path / "record.txt"
    path.write_text(write_map(parse_map("1 1 0 0\nS\n")))

    played = play(path, "--record", str(record), "--", sys.executable, "-c", "input()")

    assert played.status == 0
    assert record.read_text() == "Finished in 0 turns\n0 0 0\n"


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ('{ illegal(t,"mood","",("perhaps",t)) }.', "leave nothing open"),
        (":- at(P,C,t), star(P), t > 0.", "the rules contradict themselves"),
    ],
)
def test_rules_that_give_no_single_turn_cannot_referee(
    lane: Path, tmp_path: Path, rule: str, message: str
) -> None:
    rules = add_rules(tmp_path, f"#program step(t).\n{rule}")
    bot = (sys.executable, "-c", "import sys; print('@6.', flush=True); sys.stdin.read()")

    played = play(lane, "--rules", rules, "--", *bot)

    assert (played.status, played.out) == (2, "")
    assert message in played.err
