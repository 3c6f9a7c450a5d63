"""Maps, sessions, run logs and score tables as texts: what is read, refused and warned of."""

from pathlib import Path

import pytest

from tests import helpers
from tests.games.rabbits.helpers import MAP, SESSION, check, turns, write
from tests.helpers import SILENT, STATION, run


def test_blanks_at_line_ends_are_fine(tmp_path: Path) -> None:
    paths = write(tmp_path, MAP, SESSION.rstrip().replace("\n", "  \n"))

    assert run("check", "rabbits", *paths).status == 0


def test_odd_requests_are_passed_over_as_the_controller_does(tmp_path: Path) -> None:
    odd = (
        "move 99999999999999999999,1 to 1,1; 1,1 to 1,0; 1,1 to 1,1; 1,1 to 3,1; 4,1 to 5,1;"
        " 01,1 to\t2,1; 1,1 to 1,2 whatever"
    )

    assert check(tmp_path, MAP, SESSION.replace("move 1,1 to 2,1", odd, 1))["consistent"]


def test_a_score_table_whose_first_line_is_short_is_read(tmp_path: Path) -> None:
    table = tmp_path / "table.txt"
    table.write_text(
        "Running: controller.py map.txt\nRun Seed Score\n1 5000000 3\nTotal Score: 3\n"
    )

    ran = run("check", "rabbits", STATION, table, "--format", "json")

    assert (ran.status, ran.json[0]["result"]["saved"]) == (0, 3)


@pytest.mark.parametrize(
    ("old", "new"),
    [("rabbits ", "rabbits ٣,٣ "), ("turnsleft 6", "turnsleft ٦"), ("run 1", "run ٤")],
)
def test_a_session_has_only_the_digits_of_ascii(old: str, new: str, tmp_path: Path) -> None:
    record = tmp_path / "record.txt"
    record.write_text(helpers.SESSION.read_text().replace(old, new, 1))

    assert run("check", "rabbits", STATION, record).status == 2


def test_a_start_without_a_way_out_is_a_warning(tmp_path: Path) -> None:
    paths = write(tmp_path, "#####\n#s#e#\n#####\n", turns("crusher\nrabbits 1,1\nmove\n"))
    ran = run("check", "rabbits", *paths)

    assert ran.status == 0
    assert "warning" in ran.err
    assert "1,1" in ran.err


def test_a_station_that_is_too_large_to_work_with_is_refused(tmp_path: Path) -> None:
    station, edge = tmp_path / "station.map", "#" * 600
    inside = "#" + " " * 598 + "#"
    station.write_text("\n".join([edge, f"#se{inside[3:]}", *[inside] * 500, edge]) + "\n")

    ran = run("play", "rabbits", station, *SILENT)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"{station}: the map has more than 250000 cells\n"
