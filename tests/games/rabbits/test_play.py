"""`kb-score play rabbits` from the outside: bots that play well, badly, and not at all."""

import sys
from pathlib import Path
from random import Random

import pytest

from kb_score.engine.rules import GameRules
from kb_score.games.game import MatchSetup
from kb_score.games.rabbits.match import RabbitsMatch
from tests.games.rabbits.helpers import BOARDS
from tests.helpers import Ran, run

PATHFINDER = (sys.executable, str(BOARDS / "pathfinder.py"))
SMALL = BOARDS / "small.map"
# The framework that the challenge suggests, for today's Python; rabbits stay where they are.
FRAMEWORK = """
import sys, re
from random import *
mapfile = sys.argv[1]
argseed = int(sys.argv[2])
seed(argseed)
grid = [line.strip() for line in open(mapfile, 'rt')]
while 1:
    msg = sys.stdin.readline()
    if msg.startswith('turnsleft'):
        turnsleft = int(msg.split()[1])
    elif msg.startswith('crusher'):
        actions = re.findall(r'(\\d+),(\\d+) (movesto|crushes) (\\d+),(\\d+)', msg)
    elif msg.startswith('rabbits'):
        moves = []
        places = re.findall(r'(\\d+),(\\d+)', msg)
        for rabbit in [list(map(int, xy)) for xy in places]:
            step = choice([(0, 1), (1, 0), (0, -1), (-1, 0)])
            newpos = [rabbit[0] + step[0], rabbit[1] + step[1]]
            moves.append('%u,%u to %u,%u' % tuple(rabbit + newpos))
        print('move ' + '; '.join(moves))
        sys.stdout.flush()
"""


def play(*options: str, station: Path = SMALL, command: tuple[str, ...] = PATHFINDER) -> Ran:
    # Under load a machine may be slow to start a program: only the tests of lateness are strict.
    patient = ("--start-time", "60", "--timeout", "60")
    return run("play", "rabbits", station, *patient, *options, "--", *command)


def code(text: str) -> tuple[str, ...]:
    return sys.executable, "-u", "-c", text


@pytest.mark.slow
def test_a_program_in_the_style_of_the_challenge_plays_and_its_record_passes(
    tmp_path: Path,
) -> None:
    record, log, table = (tmp_path / name for name in ("session", "log", "table"))
    program = tmp_path / "bot.py"
    program.write_text(FRAMEWORK)
    ran = play(
        *("--turns", "50", "--runs", "2", "--seed", "7"),
        *("--record", str(record), "--run-log", str(log)),
        command=(sys.executable, str(program)),
    )
    table.write_text(ran.out)

    assert ran.status == 0
    first, head, *rows, last = ran.out.splitlines()
    assert first.startswith("Running: controller.py ")
    assert head.split() == ["Run", "Seed", "Score"]
    assert [row.split()[:2] for row in rows] == [["1", "7"], ["2", "7"]]
    total = int(last.removeprefix("Total Score: "))
    for path in (record, log, table):
        ran = run("check", "rabbits", SMALL, path, "--format", "json")
        (answer,) = ran.json
        assert ran.status == 0, answer
        assert answer["result"]["runs"] == 2
        assert answer["result"]["turns"] == 100
        assert answer["claimed"] == {"saved": total}


@pytest.mark.slow
def test_with_seed_0_each_run_has_a_seed_of_its_own_that_repeats_it() -> None:
    ran = play("--turns", "20", "--runs", "2", "--seed", "0", "--format", "json")
    answer = ran.json[0]

    for one in answer["runs"]:
        assert 1 <= one["seed"] <= 1000
        again = play(
            "--turns", "20", "--runs", "1", "--seed", str(one["seed"]), "--format", "json"
        )  # fmt: skip
        assert again.json[0]["runs"][0]["saved"] == one["saved"]


def test_json_has_the_result_and_each_run() -> None:
    ran = play("--turns", "5", "--runs", "2", "--seed", "3", "--format", "json")
    answer = ran.json[0]

    assert ran.status == 0
    assert answer["game"] == "rabbits"
    assert answer["result"] == {"turns": 10, "runs": 2, "saved": 0, "finished": True}
    assert [list(one) for one in answer["runs"]] == [["run", "seed", "saved", "turns"]] * 2


@pytest.mark.slow
def test_the_large_station_is_played_and_its_record_passes(tmp_path: Path) -> None:
    record = tmp_path / "session"
    station = BOARDS / "large.map"
    play(
        "--turns", "30", "--runs", "1", "--seed", "2", "--record", str(record), station=station
    )  # fmt: skip

    assert run("check", "rabbits", station, record).status == 0


def test_the_ruling_on_a_third_rabbit_holds_live_too(tmp_path: Path) -> None:
    record = tmp_path / "session"
    station = tmp_path / "cross.map"
    station.write_text("#######\n###s###\n##s s##\n### ###\n##e####\n#######\n")
    program = code(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('rabbits'):\n"
        "        print('move 3,1 to 3,2; 2,2 to 3,2; 4,2 to 3,2')\n"
    )
    for ruling, rabbits in (("1", "rabbits 3,1 2,2 3,2 4,2"), ("0", "rabbits 3,1 2,2 4,2")):
        const = ("--const", f"collide_in_pairs={ruling}")
        options = ("--turns", "2", "--runs", "1", "--record", str(record), *const)
        play(*options, station=station, command=program)

        assert record.read_text().splitlines()[7] == rabbits
        assert run("check", "rabbits", station, record, *const).status == 0


def test_a_program_that_ends_amid_a_run_keeps_its_points(tmp_path: Path) -> None:
    record = tmp_path / "session"
    program = "for turn in range(2):\n    for line in range(3): input()\n    print('move')"

    ran = play(
        *("--turns", "9", "--runs", "1", "--format", "json", "--record", str(record)),
        command=code(program),
    )

    assert (ran.status, "ended" in ran.err) == (0, True)
    assert ran.json[0]["result"] == {"turns": 2, "runs": 1, "saved": 0, "finished": False}
    assert record.read_text().endswith("score 0\n")
    assert run("check", "rabbits", SMALL, record).status == 0


def test_answers_of_nonsense_move_nobody(tmp_path: Path) -> None:
    record = tmp_path / "session"
    program = (
        "import sys\nfor line in sys.stdin:\n    if line[0] == 'r': print('turnsleft 9 \\xff')"
    )
    play("--turns", "5", "--runs", "1", "--record", str(record), command=code(program))

    assert record.read_text().count("move\n") == 5
    assert run("check", "rabbits", SMALL, record).status == 0


def test_a_person_may_list_moves_and_try_again_after_one_that_is_skipped(tmp_path: Path) -> None:
    record = tmp_path / "session"
    given = "?\nmove 1,1 to 1,2\nhop\nmove 5,3 to 5,4\n"

    ran = run(
        "play", "rabbits", SMALL, "--turns", 1, "--runs", 1, "--seed", 3, "--bot", "human",
        "--record", record, given=given,
    )  # fmt: skip

    assert ran.status == 0
    assert "robot 5,3: 5,3 to 6,3; 5,3 to 5,4" in ran.err
    assert "no: no-rabbit (1,1): there is no rabbit on 1,1" in ran.err
    assert "no: no readable move: expected, for example, move 3,4 to 3,5" in ran.err
    assert record.read_text().endswith("\nmove 5,3 to 5,4\nscore 0\n")
    assert run("check", "rabbits", SMALL, record).status == 0


def test_a_match_keeps_only_the_moves_of_an_answer_and_says_where_there_is_none() -> None:
    setup = MatchSetup((("small.map", SMALL.read_text()),), {"turns": 3})
    match = RabbitsMatch(GameRules("rabbits"), setup, Random(1))

    turns = [match.answer(line) for line in ("hello", "", "go 1,1  to 1,2 now")]

    assert [turn.record for turn in turns] == ["move\n", "move\n", "move 1,1 to 1,2\n"]
    assert [turn.fault.kind if turn.fault else None for turn in turns] == ["garbage", None, None]
    assert match.finished
    assert match.position().over == "the run is over after turn 3"
