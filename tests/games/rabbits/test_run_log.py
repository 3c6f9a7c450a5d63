"""Run logs that stop early: cut off anywhere, or with runs that a late answer has ended."""

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.games.rabbits.helpers import BOARDS, GOOD, HALL, check, codes, log
from tests.helpers import run

STATION = BOARDS / "small.map"
LOG = (BOARDS / "small.log").read_text()
TOTAL = LOG.index("Total")
# A bot that plays some turns of each run, which its seed decides, and ends.
MOODY = """
import sys
from random import Random

for _ in range(Random(int(sys.argv[2])).randrange(12)):
    for line in sys.stdin:
        if line.startswith("rabbits"):
            break
    print("move", flush=True)
"""


def check_small(tmp_path: Path, record: str) -> dict[str, Any]:
    return check(tmp_path, STATION.read_text(), record)


@pytest.mark.parametrize(
    ("record", "turns"),
    [
        pytest.param(LOG[:TOTAL], 120, id="before the total"),
        pytest.param(LOG[:TOTAL].rstrip(), 120, id="without a line end"),
        pytest.param(LOG[: TOTAL + 3], 120, id="within the word"),
        pytest.param(LOG[: TOTAL + 12], 120, id="before the number"),
        pytest.param(LOG[: LOG.rindex("54") + 1], 120, id="within the number"),
        pytest.param(LOG[:TOTAL].rstrip()[:-1], 119, id="within a row"),
        pytest.param(LOG[:TOTAL].rstrip()[:-45], 119, id="between rows"),
        pytest.param(LOG[: LOG.index("\n") + 1], 0, id="after the first line"),
        pytest.param(LOG[: LOG.index("\n") - 3], 0, id="within the first line"),
        pytest.param(LOG[:TOTAL] + "Move timeout\n", 120, id="after a late answer"),
        pytest.param(LOG[:TOTAL] + "Move tim", 120, id="within a late answer"),
    ],
)
def test_a_log_that_is_cut_off_stops_early(tmp_path: Path, record: str, turns: int) -> None:
    answer = check_small(tmp_path, record)

    assert answer["consistent"]
    assert answer["claimed"] is None
    assert answer["result"]["turns"] == turns
    assert answer["result"]["saved"] is None
    assert not answer["result"]["finished"]


@pytest.mark.parametrize("at", range(500, TOTAL, TOTAL // 4))
def test_a_log_may_be_cut_at_any_place(tmp_path: Path, at: int) -> None:
    whole = LOG[:at].count("\n\n\n")

    answer = check_small(tmp_path, LOG[:at])

    assert answer["consistent"]
    assert answer["result"]["turns"] in (whole, whole + 1)
    assert answer["result"]["runs"] == (1 if answer["result"]["turns"] <= 60 else 2)


def test_a_total_without_a_line_end_is_a_claim_all_the_same(tmp_path: Path) -> None:
    assert check_small(tmp_path, LOG.rstrip())["result"]["saved"] == 54
    assert codes(check_small(tmp_path, LOG.rstrip()[:-2] + "55")) == [(120, "wrong-score", "")]


@pytest.mark.slow
def test_a_log_that_is_cut_off_can_still_be_wrong(tmp_path: Path) -> None:
    record = (BOARDS / "small-displaced.log").read_text()

    answer = check_small(tmp_path, record[: record.index("Total")])

    assert codes(answer) == [(19, "no-explanation", "12,6")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bot", "turns", "runs"),
    [
        pytest.param(["true"], 4, 2, id="at once"),
        pytest.param([sys.executable, "moody.py"], 8, 5, id="now and then"),
    ],
)
def test_our_own_log_of_a_bot_that_ends_early_stops_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bot: list[str], turns: int, runs: int
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("moody.py").write_text(MOODY)
    options = ("--turns", turns, "--runs", runs, "--run-log", "run.log", "--record", "session")
    assert run("play", "rabbits", STATION, *options, "--", *bot).status == 0

    found = run("check", "rabbits", STATION, "run.log", "--explain", "told", "--format", "json")
    (answer,) = found.json
    (session,) = run("check", "rabbits", STATION, "session", "--format", "json").json
    (told,) = run("check", "rabbits", STATION, "told", "--format", "json").json

    assert answer["consistent"]
    assert answer["result"]["turns"] == session["result"]["turns"] == told["result"]["turns"]
    assert answer["result"]["runs"] == runs
    assert (answer["result"]["saved"], answer["result"]["finished"]) == (None, False)
    assert told["consistent"]


OPEN = "#####\n#s e#\n#####\n"
FIRST = "#####\n#o e#\n#####\n\n\n"


@pytest.mark.parametrize("runs", [2, 3])
def test_a_total_says_how_many_runs_there_are(tmp_path: Path, runs: int) -> None:
    # Where nothing happens, any of three frames may be the first of a run.
    record = f"Running: controller.py m 5 1 {runs} bot\n{FIRST * 3}Total Score: 0\n"

    answer = check(tmp_path, OPEN, record)

    assert (answer["result"]["runs"], codes(answer)) == (runs, [])


@pytest.mark.parametrize(("turns", "runs"), [(9, 1), (3, 3)], ids=["fewer", "more"])
def test_frames_of_another_number_of_runs_have_no_explanation(
    tmp_path: Path, turns: int, runs: int
) -> None:
    # The crusher cannot come back in one turn, so a run has to begin anew.
    record = log(*GOOD[:2] * 2).replace(" 4 1 1 ", f" {turns} 1 {runs} ")

    answer = check(tmp_path, HALL, record)

    assert answer["result"]["runs"] == 2
    assert codes(answer) == [(4, "no-explanation", "")]


def test_a_late_answer_that_is_told_ends_a_run(tmp_path: Path) -> None:
    late = f"{FIRST}Move timeout\n"
    record = f"Running: controller.py m 5 1 2 bot\n{late * 2}Total Score: 0\n"

    answer = check(tmp_path, OPEN, record)

    assert answer["result"]["runs"] == 2
    assert answer["consistent"]


def test_nobody_is_saved_in_a_turn_without_an_answer(tmp_path: Path) -> None:
    station = "#####\n#se##\n#####\n"
    frame = station.replace("s", "o") + "\n\n"
    head = "Running: controller.py m 2 1 1 bot\n"

    answer = check(tmp_path, station, f"{head}{frame}Total Score: 1\n")

    assert answer["result"]["saved_range"] == [0, 0]
    assert codes(answer) == [(1, "wrong-score", "")]
    whole = check(tmp_path, station, f"{head}{frame * 2}Total Score: 1\n")
    assert whole["result"]["saved"] == 1


@pytest.mark.parametrize("turns", [20, 21, 41])
def test_a_run_may_have_any_number_of_turns(tmp_path: Path, turns: int) -> None:
    # Some turns are explained at a time; the last of them may stand alone.
    frames = LOG.replace(" 60 0 2 ", f" {turns} 0 1 ").split("\n\n\n")[:turns]

    answer = check_small(tmp_path, "\n\n\n".join([*frames, "Total Score: 99\n"]))

    assert answer["result"]["turns"] == turns
    assert codes(answer) == [(turns, "wrong-score", "")]


@pytest.mark.parametrize("verb", ["draw", "replay", "playground"])
def test_a_log_cut_within_its_first_frame_shows_nothing_to_draw(tmp_path: Path, verb: str) -> None:
    path = tmp_path / "cut.log"
    path.write_text(LOG[:150])

    ran = run(verb, "rabbits", STATION, path)

    assert (ran.status, ran.out) == (2, "")
    assert "cut.log: the log ends within its first frame" in ran.err
