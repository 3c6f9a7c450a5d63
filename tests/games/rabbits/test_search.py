"""`kb-score check rabbits` from the outside: run logs, of which all choices have to be found."""

from itertools import product
from pathlib import Path

import pytest

from kb_score.games.rabbits.run_logs import choose
from tests.games.rabbits.helpers import BOARDS, GOOD, HALL, check, codes, log, write
from tests.helpers import run


def test_a_log_that_some_choices_explain_is_consistent(tmp_path: Path) -> None:
    answer = check(tmp_path, HALL, log(*GOOD))

    assert answer["consistent"]
    assert answer["result"] == {
        "turns": 3,
        "runs": 1,
        "saved": 0,
        "finished": True,
        "saved_range": [0, 0],
    }


@pytest.mark.parametrize(
    ("frames", "turn"),
    [
        pytest.param((GOOD[0], "o1,1 o3,1 X2,3", GOOD[2]), 1, id="displaced-rabbit"),
        pytest.param((GOOD[0], GOOD[1], "o1,1 o2,1 o3,1 o6,1 X3,3"), 2, id="rabbit-from-nowhere"),
        pytest.param((GOOD[0], "o2,1 X2,3", GOOD[2]), 1, id="no-rabbit-appeared"),
        pytest.param((GOOD[0], GOOD[1], "o1,1 o2,1 o3,1 X5,3"), 2, id="displaced-crusher"),
        pytest.param((GOOD[0], GOOD[1], "o1,1 o2,1 o3,1 X1,3"), 2, id="crusher-turned-back"),
        pytest.param((GOOD[0], GOOD[1], "o1,1 o2,1 o3,1 X2,3"), 2, id="crusher-stood-still"),
        pytest.param((GOOD[0], "o1,1 o2,1"), 1, id="crusher-gone"),
        pytest.param(("o1,1 X2,3", GOOD[1]), 1, id="begins-elsewhere"),
        pytest.param(("X1,3", GOOD[1]), 1, id="begins-without-a-rabbit"),
        pytest.param((GOOD[0], "o1,1 o2,1 X2,3 #4,1"), 2, id="a-wall-that-is-not-on-the-map"),
        pytest.param((GOOD[0], "o1,1 o2,1 X2,3 o2,2"), 2, id="a-rabbit-in-a-wall"),
    ],
)
def test_the_first_turn_that_cannot_follow_is_named(
    tmp_path: Path, frames: tuple[str, ...], turn: int
) -> None:
    answer = check(tmp_path, HALL, log(*frames))

    assert [(t, code) for t, code, _ in codes(answer)] == [(turn, "no-explanation")]
    assert not answer["result"]["finished"]
    assert answer["result"]["saved"] is None


def test_the_turn_is_drawn_with_those_who_cannot_be_there(tmp_path: Path) -> None:
    paths = write(tmp_path, HALL, log(GOOD[0], GOOD[1], "o1,1 o2,1 o3,1 o6,1 X3,3"))
    ran = run("check", "rabbits", *paths)

    assert ran.status == 1
    assert "1  #  o  o  o       [o]    e  #" in ran.out
    assert "rabbit 6,1" in ran.out


def test_a_total_within_the_reachable_range_is_accepted_and_the_range_told(tmp_path: Path) -> None:
    corridor = "######\n#s  e#\n######\n"
    frames = ("o1,1", "o1,1 o2,1", "o1,1 o3,1", "o1,1 o2,1")
    # In turn 3 the rabbit at 3,1 was saved and the other went on to 2,1; or it came back to 2,1.
    for total, fine in ((0, True), (1, True), (2, False)):
        answer = check(tmp_path, corridor, log(*frames, total=total, station=corridor))

        assert answer["consistent"] is fine
        assert answer["result"]["saved_range"] == [0, 1]
        assert answer["result"]["saved"] == (total if fine else None)
        assert codes(answer) == ([] if fine else [(4, "wrong-score", "")])


def test_a_total_that_no_explanation_reaches_is_refused_even_between_two_that_are(
    tmp_path: Path,
) -> None:
    # From 2,1 and 1,2 both rabbits can go to the exit at 2,2, or collide on 1,1.
    nook = "########\n#      #\n# e  #s#\n########\n"
    # Two rabbits come to 1,2 and 2,1 one behind the other.
    frames = (
        "o6,2",
        "o6,2 o6,1",
        "o6,2 o6,1 o5,1",
        "o6,2 o4,1 o5,1",
        "o6,2 o4,1 o3,1",
        "o6,2 o2,1 o3,1",
        "o6,2 o1,1 o2,1",
        "o6,2 o1,2 o2,1",
        "o6,2",
        "o6,2",
    )
    for total, fine in ((0, True), (1, False), (2, True)):
        answer = check(tmp_path, nook, log(*frames, total=total, station=nook))

        assert answer["consistent"] is fine
        assert answer["result"]["saved_range"] == [0, 2]


def test_the_last_turn_may_save_whoever_stands_beside_an_exit(tmp_path: Path) -> None:
    corridor = "####\n#se#\n####\n"
    answer = check(tmp_path, corridor, log("o1,1", "o1,1", total=1, station=corridor))

    assert answer["consistent"]
    assert answer["result"]["saved_range"] == [0, 2]


def test_totals_of_several_runs_are_added(tmp_path: Path) -> None:
    corridor = "####\n#se#\n####\n"
    record = log("o1,1", "o1,1", total=3, station=corridor, runs=2)
    answer = check(tmp_path, corridor, record, "--explain", str(tmp_path / "explained"))

    assert answer["result"]["saved_range"] == [0, 2]
    assert codes(answer) == [(2, "wrong-score", "")]
    assert not (tmp_path / "explained").exists()


def test_a_run_that_fails_does_not_hide_another_one(tmp_path: Path) -> None:
    record = log(GOOD[0], "o1,1 X2,3 o5,1", *GOOD[:2], GOOD[0], "X2,3", runs=3)
    answer = check(tmp_path, HALL, record)

    assert codes(answer)[0][:2] == (1, "no-explanation")
    assert codes(answer)[1][:2] == (5, "no-explanation")
    assert answer["violations"][1]["detail"].startswith("run 3, turn 1: ")


def test_crushers_that_are_walled_in_keep_all_their_headings(tmp_path: Path) -> None:
    cells = "#" * 25 + "\n" + "#c" * 12 + "#\n" + "#" * 25 + "\n#s" + " " * 21 + "e#\n" + "#" * 25
    frame = " ".join(f"X{x},1" for x in range(1, 25, 2)) + " o1,3"
    answer = check(tmp_path, cells + "\n", log(*[frame] * 25, station=cells))

    assert answer["consistent"]


def test_headings_of_crushers_that_got_into_each_other_s_way_are_kept_together(
    tmp_path: Path,
) -> None:
    # Two crushers in a cell of two: each heads for the other or stands, for longer than a window.
    station = "######\n#cc###\n######\n#s  e#\n######\n"
    frames = ["X1,1 X2,1 o1,3"] * 24
    explained = tmp_path / "explained"
    answer = check(tmp_path, station, log(*frames, station=station), "--explain", str(explained))

    assert answer["consistent"]
    assert check(tmp_path, station, explained.read_text())["consistent"]


@pytest.mark.parametrize("name", ["small.log"])
def test_the_explanation_of_a_log_is_a_session_that_passes(tmp_path: Path, name: str) -> None:
    station, explained = BOARDS / "small.map", tmp_path / "explained.session"
    assert run("check", "rabbits", station, BOARDS / name, "--explain", explained).status == 0

    ran = run("check", "rabbits", station, explained, "--format", "json")
    answer = ran.json[0]
    assert ran.status == 0
    assert answer["result"]["finished"]
    total = int((BOARDS / name).read_text().split()[-1])
    assert answer["result"]["saved"] == answer["claimed"]["saved"] == total


def test_an_explanation_can_go_to_standard_output(tmp_path: Path) -> None:
    paths = write(tmp_path, HALL, log(*GOOD))
    ran = run("check", "rabbits", *paths, "--explain", "-")

    assert ran.status == 0
    paths[1].write_text(ran.out)
    assert run("check", "rabbits", *paths).status == 0


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
