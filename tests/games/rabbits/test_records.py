"""Sessions, run logs and score tables as texts: what can be read, and what is refused."""

from pathlib import Path

import pytest

from tests import helpers
from tests.games.rabbits.helpers import GOOD, HALL, MAP, SESSION, check, log, write
from tests.helpers import STATION, run


@pytest.mark.parametrize(
    ("record", "message"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param("hello\n", "no record", id="another-kind"),
        pytest.param("\u00a0", "no record", id="no-break-space"),
        pytest.param("\n\nhello\n", ":3:1", id="another-kind-further-down"),
        pytest.param(SESSION.replace("crusher 1", "crushed 1"), ":2:", id="word"),
        pytest.param(SESSION.replace("3,3 movesto", "3;3 movesto"), ":10:", id="place"),
        pytest.param(SESSION.split("rabbits")[0], "ends too early", id="truncated"),
        pytest.param(
            SESSION.replace("turnsleft 3", "turnsleft 99999999999999"),
            "numbers here go up",
            id="number",
        ),
        pytest.param(
            SESSION.replace("move 1,1 to 2,1\n", "", 1), "last of its run", id="no-answer-amid-run"
        ),
        pytest.param("Running: controller.py m 1 0\nTotal Score: 0\n", "numbers", id="head"),
        pytest.param(
            "Running: controller.py m 1000000000 0 1 p\nTotal Score: 0\n", "frames", id="turns"
        ),
        pytest.param("run 1 seed 1\nscore 1\n", "turnsleft", id="no-turns"),
    ],
)
def test_a_record_that_cannot_be_read_is_refused(tmp_path: Path, record: str, message: str) -> None:
    ran = run("check", "rabbits", *write(tmp_path, MAP, record))

    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


@pytest.mark.parametrize(
    ("record", "message"),
    [
        pytest.param(log(*GOOD).replace(" 3 1 1 ", " 2 1 1 "), "has 1 to 2 frames", id="more"),
        pytest.param(log(*GOOD).replace(" 3 1 1 ", " 9 1 4 "), "has 4 to 36 frames", id="fewer"),
        pytest.param(log(*GOOD).replace("# ###### #\n", "", 1), "ends after 6 rows", id="rows"),
        pytest.param(log(*GOOD).replace("#o", "# o", 1), "frame has 7 rows of 10", id="ragged"),
        pytest.param(log(*GOOD, total=10**15), "up to", id="number"),
    ],
)
def test_a_log_that_cannot_be_read_is_refused(tmp_path: Path, record: str, message: str) -> None:
    ran = run("check", "rabbits", *write(tmp_path, HALL, record))

    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_line_ends_and_byte_order_marks_of_other_systems_are_fine(tmp_path: Path) -> None:
    paths = write(tmp_path, MAP, "")
    record = "\ufeff" + SESSION.rstrip().replace("\n", "  \r\n")
    paths[1].write_bytes(record.encode())

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
