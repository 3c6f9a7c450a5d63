"""Run logs: those of bots that end early, and the totals that all choices reach."""

import sys
from itertools import product
from pathlib import Path

import pytest

from kb_score.games.rabbits.run_logs import choose
from tests.games.rabbits.helpers import BOARDS, check, log
from tests.helpers import run

STATION = BOARDS / "small.map"
# A bot that ends early in three of five runs; a file beside it counts them.
MOODY = """
import sys
from pathlib import Path

played = Path("played")
run = len(played.read_text()) if played.exists() else 0
played.write_text("x" * (run + 1))
for _ in range((5, 12, 0, 12, 3)[run]):
    for line in sys.stdin:
        if line.startswith("rabbits"):
            break
    print("move", flush=True)
"""


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


def test_a_total_that_no_explanation_reaches_is_refused_even_between_two_that_are(
    tmp_path: Path,
) -> None:
    # From 2,1 and 1,2 both rabbits can go to the exit at 2,2, or collide on 1,1.
    nook = "########\n#      #\n# e  #s#\n########\n"
    # Two rabbits come to 1,2 and 2,1 one behind the other.
    frames = (
        *("o6,2", "o6,2 o6,1", "o6,2 o6,1 o5,1", "o6,2 o4,1 o5,1", "o6,2 o4,1 o3,1"),
        *("o6,2 o2,1 o3,1", "o6,2 o1,1 o2,1", "o6,2 o1,2 o2,1", "o6,2", "o6,2"),
    )
    for total, fine in ((0, True), (1, False), (2, True)):
        answer = check(tmp_path, nook, log(*frames, total=total, station=nook))

        assert answer["consistent"] is fine
        assert answer["result"]["saved_range"] == [0, 2]


@pytest.mark.parametrize(
    "sets",
    [
        pytest.param([{0, 1}, {2}, {1, 2, 3}], id="no-gaps"),
        pytest.param([{0, 2}, {0, 2}], id="only-even"),
        pytest.param([{0, 2}, {0, 1}, {1, 4, 5}], id="gaps-that-close"),
        pytest.param([{0, 5}, {0, 1}, {3, 6}], id="gaps-that-stay"),
        pytest.param([], id="nothing"),
    ],
)
def test_totals_are_the_sums_of_one_number_out_of_each_set(sets: list[set[int]]) -> None:
    sums = {sum(picked) for picked in product(*sets)}

    for total in range(-2, 20):
        chosen = choose(sets, total)
        assert (chosen is not None) == (total in sums)
        if chosen is not None:
            assert sum(chosen) == total
            assert all(n in some for n, some in zip(chosen, sets, strict=True))
