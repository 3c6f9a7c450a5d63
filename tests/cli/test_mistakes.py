"""All mistakes of a file are reported at once, in order, each with its line and column."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers import EXAMPLE, ROOT, STATION, run

_PLACED = re.compile(r"^-:(\d+:\d+): (.*)", re.MULTILINE)

GAME = """\
board oracle farm/180 tavrn paddock
cards fishermen minars fishermen
players 7
players 2
start 1
1 grass: 4,11 4,12 +farn@5,12
2 forest 0,15 0,16
1 dessert: 3,15 ? 3,16
1 dessert: 3,15; frm 6,12
cards lords
2 forest: 0,15
gold 52 x
gold 52 46
2 forest: 0,15 0,16 0,17
2 forest: 0,15 0,16 0,17
"""

CLAIMS = """\
minrs: 4, 12, 8, 4
1 3 7  52 46 43
lords: 4 x 3 2
?? : 3
1 3 3  1 2 3 4
miners: 4, 12, 11, 4
"""


def test_a_board_reports_every_mistake_of_its_rows() -> None:
    ran = run("score", "-", given="1 x 2 6\n . . . .\n W# 2x . ,\n . .\n . T2 G2 2G\n . . yz .\n")

    assert (ran.status, ran.out) == (2, "")
    assert [place for place, _ in _PLACED.findall(ran.err)] == [
        *("1:3", "1:7", "3:6", "3:10", "4:5", "5:4", "5:11", "6:6")
    ]
    assert "-:1:7: unexpected '6': each hex is one of" in ran.err
    assert "-:4:5: this row has 2 hexes, the row in line 2 has 4" in ran.err


def test_a_board_reports_its_size_behind_other_mistakes() -> None:
    ran = run("score", "-", given=". . x .\n . . . .\n . . . .\n")

    assert _PLACED.findall(ran.err)[0][0] == "1:5"
    assert ran.err.endswith("\n-: 3 rows of 4 hexes cannot be halved into quadrants: "
                            "both numbers must be even\n")  # fmt: skip


def test_a_row_alone_reports_every_mistake() -> None:
    assert [place for place, _ in _PLACED.findall(run("score", "-", given="1 x 2 6\n").err)] == [
        "1:3",
        "1:7",
    ]


def test_a_file_that_is_no_board_has_one_mistake() -> None:
    ran = run("score", "-", given="meeting at 3 pm\nbring a friend\n")

    assert len(_PLACED.findall(ran.err)) == 1


@pytest.mark.parametrize(
    ("wrong", "last"),
    [
        pytest.param(20, "    ^\n", id="20"),
        pytest.param(21, "\n1 more mistake\n", id="21"),
        pytest.param(31, "\n11 more mistakes\n", id="31"),
    ],
)
def test_twenty_mistakes_are_written_out_and_more_are_counted(wrong: int, last: str) -> None:
    good = ". .\n" * (1 + (wrong + 1) % 2)

    ran = run("score", "-", given=good + "x .\n" * wrong)

    assert ran.err.count("unexpected 'x'") == 20
    assert ran.err.endswith(last)


def test_a_game_reports_the_mistakes_of_its_headings_and_turns() -> None:
    ran = run("check", "kingdom-builder", "-", given=GAME)

    assert (ran.status, ran.out) == (2, "")
    assert [(place, message.partition(":")[0]) for place, message in _PLACED.findall(ran.err)] == [
        ("1:23", "there is no quadrant 'tavrn'"),
        ("2:17", "there is no card 'minars'"),
        ("2:24", "the card fishermen is named twice"),
        ("3:9", "there are 1 to 5 players, not 7"),
        ("4:1", "there is a second heading 'players'"),
        ("6:21", "there is no tile 'farn'"),
        ("7:10", "unexpected '0,15'"),
        ("8:17", "unexpected '?'"),
        ("9:3", "there is no terrain 'dessert'"),
        ("9:18", "there is no tile 'frm'"),
        ("10:1", "unexpected 'cards'"),
        ("12:9", "unexpected 'x'"),
        ("14:1", "unexpected '2'"),
    ]


def test_a_game_says_which_headings_are_missing_unless_one_may_be_misspelt() -> None:
    missing = run("check", "kingdom-builder", "-", given="start 1\n1 grass: 1,1\n").err
    misspelt = run("check", "kingdom-builder", "-", given="start 1\nbord oracle\n").err

    assert missing.splitlines() == [
        "-: the heading 'board' is missing, such as 'board oracle farm/180 tavern paddock'",
        "-: the heading 'players' is missing, such as 'players 2'",
    ]
    assert [place for place, _ in _PLACED.findall(misspelt)] == ["2:1"]
    assert "is missing" not in misspelt


def test_turns_that_cannot_be_read_do_not_change_the_numbers_of_others() -> None:
    game = "board oracle farm tavern paddock\nplayers 2\n1. 1 grass 1,1\n2. 2 grass: 1,2\n"

    ran = run("check", "kingdom-builder", "-", given=game)

    assert [place for place, _ in _PLACED.findall(ran.err)] == ["3:12"]


def test_claims_report_every_line() -> None:
    ran = run("check", "kingdom-builder", EXAMPLE, "-", given=CLAIMS)

    assert ran.status == 2
    assert [(place, message.partition(":")[0]) for place, message in _PLACED.findall(ran.err)] == [
        ("1:1", "there is no card 'minrs'"),
        ("2:16", "expected 3 cards and a total for each of 4 players, not 3 values"),
        ("3:10", "a number is expected, not 'x'"),
        ("4:1", "unexpected '?'"),
        ("5:1", "three different cards are expected"),
    ]


def test_quadrants_report_every_mistake(tmp_path: Path) -> None:
    table = (ROOT / "asp" / "kingdom_builder" / "quadrants.txt").read_text()
    heading, *rows = table[table.index("% farm ") :].split("\n")[:11]
    rows[1] = " ? " + rows[1].strip()[2:-1] + "!"
    rows[3] = rows[3][:-2]
    (tmp_path / "quadrants.txt").write_text("\n".join([heading, *rows, "", heading, *rows[4:6]]))

    ran = run("board", "barn", "farm", "tavern", "paddock", "--rules", tmp_path)

    assert ran.status == 2
    found = re.findall(r"quadrants\.txt:(\d+:\d+): ", ran.err)
    assert found == ["3:2", "3:20", "5:19", "13:3"]


@pytest.mark.parametrize(
    ("game", "text", "places"),
    [
        pytest.param(
            "search-party",
            "6 5 2 1\n......\n..x#.y\n..S..\n  .. S..\n..,...\n",
            ["3:3", "4:6", "5:5", "6:3"],
            id="search-party",
        ),
        pytest.param(
            "rabbits",
            "; a comment\n  #######\n#s x y#\n  #  e###\n#####\n### ###\n",
            ["3:4", "3:6", "5:6", "6:4"],
            id="rabbits",
        ),
        pytest.param(
            "slime",
            "1.2\n.x.\n3.4\n\n1.2\n...\n3yy\n\n12\n34\n",
            ["2:2", "7:2", "9:3", "10:3"],
            id="frames",
        ),
    ],
)
def test_maps_and_frames_report_every_mistake(game: str, text: str, places: list[str]) -> None:
    ran = run("facts", "-", "--game", game, given=text)

    assert (ran.status, ran.out) == (2, "")
    assert [place for place, _ in _PLACED.findall(ran.err)] == places


def test_a_run_log_reports_every_frame() -> None:
    rows = [line for line in STATION.read_text().splitlines() if line.startswith("#")]
    narrow, short = [row[:-1] for row in rows], rows[:-1]
    frames = ["\n".join(frame) for frame in (rows, narrow, short, rows)]
    log = "Running: controller.py small.map 4 0 1 python bunny.py\n" + "\n\n\n".join(frames)

    ran = run("check", "rabbits", STATION, "-", given=log + "\n\n\nTotal Score: 0\n")

    second = 2 + len(rows) + 2
    third = second + len(rows) + 2
    assert [place for place, _ in _PLACED.findall(ran.err)] == [
        f"{second}:{len(rows[0])}",
        f"{third + len(short) - 1}:1",
    ]
