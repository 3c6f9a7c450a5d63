"""`kb-score check rabbits` from the outside: sessions and score tables."""

from pathlib import Path

import pytest

from tests.games.rabbits.helpers import BOARDS, MAP, SESSION, check, codes, turns, write
from tests.helpers import run


def test_a_session_that_follows_the_rules_is_consistent(tmp_path: Path) -> None:
    answer = check(tmp_path, MAP, SESSION)

    assert answer["consistent"]
    assert answer["result"] == {"turns": 3, "runs": 1, "saved": 0, "finished": True}
    assert answer["counts"] == {"crushed": 0, "squished": 0, "collided": 0, "spawned": 3}
    assert answer["claimed"] == {"saved": 0}


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        pytest.param("turnsleft 2", "turnsleft 7", (2, "wrong-turnsleft", ""), id="turnsleft"),
        pytest.param("rabbits 1,1 2,1\n", "rabbits 1,1\n", (2, "wrong-rabbits", "2,1"), id="lack"),
        pytest.param(
            "rabbits 1,1 2,1\n", "rabbits 1,1 2,1 5,1\n", (2, "wrong-rabbits", "5,1"), id="more"
        ),
        pytest.param(
            "rabbits 1,1 2,1\n", "rabbits 1,1 2,1 99,1\n", (2, "wrong-rabbits", ""), id="off-map"
        ),
        pytest.param(
            "rabbits 1,1 2,1\n", "rabbits 1,1 2,1 1,1\n", (2, "wrong-rabbits", "1,1"), id="twice"
        ),
        pytest.param("2,3 movesto", "2,3 crushes", (2, "false-crush", "3,3"), id="false-crush"),
        pytest.param(
            "2,3 movesto 3,3", "2,3 movesto 1,3", (2, "illegal-crusher", "2,3"), id="turns-back"
        ),
        pytest.param(
            "2,3 movesto 3,3", "2,3 movesto 4,3", (2, "illegal-crusher", "2,3"), id="jumps"
        ),
        pytest.param(
            "2,3 movesto 3,3", "2,3 movesto 2,2", (2, "illegal-crusher", "2,3"), id="into-wall"
        ),
        pytest.param(
            "crusher 2,3 movesto 3,3", "crusher", (2, "illegal-crusher", "2,3"), id="stands-still"
        ),
        pytest.param("score 0", "score 1", (3, "wrong-score", ""), id="score"),
    ],
)
def test_each_violation_is_caught_at_its_turn(
    tmp_path: Path, right: str, wrong: str, expected: tuple[int, str, str]
) -> None:
    assert codes(check(tmp_path, MAP, SESSION.replace(right, wrong, 1))) == [expected]


def test_a_crush_that_is_told_as_a_move_is_missed(tmp_path: Path) -> None:
    station = "########\n#s    e#\n########\n#sc    #\n########\n"
    # No rabbit appears at 1,3, which is in sight of the crusher until it has gone round.
    record = turns("crusher 2,3 movesto 1,3\nrabbits 1,1\nmove\n")
    assert check(tmp_path, station, record)["consistent"]

    corridor = "#####\n#s e#\n# ###\n# # #\n#  c#\n#####\n"
    # The rabbit at 1,1 walks down the corridor that the crusher comes up.
    record = turns(
        "crusher 3,4 movesto 2,4\nrabbits 1,1\nmove 1,1 to 1,2\n",
        "crusher 2,4 movesto 1,4\nrabbits 1,1 1,2\nmove 1,2 to 1,3\n",
        "crusher 1,4 movesto 1,3\nrabbits 1,1\nmove\n",
    )
    assert codes(check(tmp_path, corridor, record)) == [(3, "missed-crush", "1,3")]
    told = record.replace("1,4 movesto 1,3", "1,4 crushes 1,3")
    assert check(tmp_path, corridor, told)["counts"]["crushed"] == 1


def test_a_crusher_that_sees_a_rabbit_has_to_hunt_it(tmp_path: Path) -> None:
    corridor = "######\n#s  e#\n#    #\n#c   #\n######\n"
    # Nobody appears: the crusher sees the start. It goes right, then a rabbit appears.
    opening = "crusher 1,3 movesto 2,3\nrabbits\nmove\n"
    hunts = turns(
        opening,
        "crusher 2,3 movesto 3,3\nrabbits 1,1\nmove 1,1 to 2,1; 2,1 to 3,1\n",
        "crusher 3,3 movesto 3,2\nrabbits 1,1 2,1\nmove 2,1 to 3,1\n",
    )
    # After the second turn a rabbit is at 2,1, out of the sight of 3,3.
    assert check(tmp_path, corridor, hunts)["consistent"]
    seen = turns(
        opening,
        "crusher 2,3 movesto 3,3\nrabbits 1,1\nmove 1,1 to 2,1\n",
        "crusher 3,3 movesto 3,2\nrabbits 1,1 2,1\nmove 2,1 to 3,1\n",
        "crusher 3,2 movesto 4,2\nrabbits 1,1 3,1\nmove\n",
    )
    assert codes(check(tmp_path, corridor, seen)) == [(4, "illegal-crusher", "3,2")]


def test_derivation_goes_on_from_the_rules_after_a_wrong_list(tmp_path: Path) -> None:
    record = SESSION.replace("rabbits 1,1\n", "rabbits 1,1 6,1\n")

    assert codes(check(tmp_path, MAP, record)) == [(1, "wrong-rabbits", "6,1")]


def test_an_impossible_crusher_ends_the_derivation_of_its_run(tmp_path: Path) -> None:
    record = SESSION.replace("2,3 movesto 3,3", "2,3 movesto 1,3").replace("score 0", "score 9")
    answer = check(tmp_path, MAP, record)

    assert codes(answer) == [(2, "illegal-crusher", "2,3")]
    assert answer["result"]["turns"] == 1
    assert not answer["result"]["finished"]


def test_turns_of_several_runs_are_counted_through(tmp_path: Path) -> None:
    second = SESSION.replace("turnsleft 2", "turnsleft 5")
    answer = check(tmp_path, MAP, f"run 1 seed 7\n{SESSION}run 2 seed 8\n{second}")

    assert codes(answer) == [(5, "wrong-turnsleft", "")]
    assert answer["violations"][0]["detail"].startswith("run 2, turn 2: ")
    assert answer["result"]["runs"] == 2
    assert answer["result"]["turns"] == 6


def test_a_late_answer_ends_a_run_before_its_last_turn(tmp_path: Path) -> None:
    lines = SESSION.splitlines(keepends=True)
    answer = check(tmp_path, MAP, "".join(lines[:7]) + "score 0\n")

    assert answer["consistent"]
    assert answer["result"]["finished"]
    assert answer["result"]["turns"] == 2


def test_a_record_that_stops_early_without_a_score_is_consistent_but_not_finished(
    tmp_path: Path,
) -> None:
    answer = check(tmp_path, MAP, "".join(SESSION.splitlines(keepends=True)[:8]))

    assert answer["consistent"]
    assert not answer["result"]["finished"]
    assert answer["claimed"] is None


CROSS = "#######\n###s###\n# s s #\n##   e#\n### ###\n#c#####\n#######\n"


@pytest.mark.parametrize(
    ("ruling", "left"),
    [
        pytest.param((), "rabbits 3,1 2,2 4,2 3,2\n", id="the-third-survives"),
        pytest.param(
            ("--const", "collide_in_pairs=0"), "rabbits 3,1 2,2 4,2\n", id="all-three-die"
        ),
    ],
)
def test_the_ruling_on_a_third_rabbit_can_be_switched(
    tmp_path: Path, ruling: tuple[str, ...], left: str
) -> None:
    record = turns(
        "crusher\nrabbits 3,1 2,2 4,2\nmove 3,1 to 3,2; 2,2 to 3,2; 4,2 to 3,2\n",
        f"crusher\n{left}move\n",
    )

    assert check(tmp_path, CROSS, record, *ruling)["consistent"]
    other = () if ruling else ("--const", "collide_in_pairs=0")
    assert codes(check(tmp_path, CROSS, record, *other)) == [(2, "wrong-rabbits", "3,2")]


def test_a_score_table_has_to_add_up(tmp_path: Path) -> None:
    table = (BOARDS / "small.table").read_text()
    station = (BOARDS / "small.map").read_text()

    assert check(tmp_path, station, table)["consistent"]
    total = table.rsplit(":", 1)[0] + ": 1\n"
    assert [v["code"] for v in check(tmp_path, station, total)["violations"]] == ["wrong-score"]


def test_a_row_of_a_score_table_tells_of_the_seed_that_was_asked_for(tmp_path: Path) -> None:
    table = "{}Run Seed Score\n1 7 3\n2 8 0\nTotal Score: 3\n"
    head = "Running: controller.py m 60 {} 2 bot\n"

    for seed, found in ((7, [("run 2", "wrong-score")]), (0, [])):
        answer = check(tmp_path, MAP, table.format(head.format(seed)))
        assert [(v["who"], v["code"]) for v in answer["violations"]] == found
    assert check(tmp_path, MAP, table.format(""))["consistent"]


@pytest.mark.parametrize(
    ("lines", "runs"),
    [
        pytest.param("1 7 3\n2 7 0\n", 2, id="before the total"),
        pytest.param("1 7 3\n2 7 0\nTotal Sc", 2, id="within the total"),
        pytest.param("1 7 3\n2 7 0\nTotal Score: ", 2, id="before the sum"),
        pytest.param("1 7 3\n2 7", 1, id="within a row"),
        pytest.param("1 7 3\nMove timeout\n", 1, id="after a late answer"),
        pytest.param("1 7 3\nMove", 1, id="within a late answer"),
        pytest.param("", 0, id="before the rows"),
    ],
)
def test_a_score_table_that_is_cut_off_is_not_finished(
    tmp_path: Path, lines: str, runs: int
) -> None:
    head = "Running: controller.py m 60 7 2 bot\nRun Seed Score\n"
    answer = check(tmp_path, MAP, head + lines)

    assert answer["consistent"]
    assert answer["claimed"] is None
    assert (answer["result"]["runs"], answer["result"]["finished"]) == (runs, False)


def test_a_session_has_no_choices_to_explain(tmp_path: Path) -> None:
    ran = run(
        "check", "rabbits", *write(tmp_path, MAP, SESSION), "--explain", str(tmp_path / "out")
    )

    assert ran.status == 2
    assert "--explain" in ran.err


@pytest.mark.slow
def test_one_wrong_list_of_many_is_told_alone() -> None:
    session = (BOARDS / "small.session").read_text()
    lists = [line for line in session.splitlines() if line.startswith("rabbits ")]
    wrong = session.replace(lists[18], f"{lists[18]} 5,5", 1)

    ran = run("check", "rabbits", BOARDS / "small.map", "-", "--format", "json", given=wrong)

    (answer,) = ran.json
    assert codes(answer) == [(19, "wrong-rabbits", "5,5")]
    assert answer["result"] == {"turns": 120, "runs": 2, "saved": 54, "finished": True}
