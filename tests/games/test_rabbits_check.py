"""`kb-score check rabbits` from the outside: sessions."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kb_score.cli import main

MAP = """\
; a crusher in a room of its own
#########
#s     e#
#########
#c      #
#########
"""
# The crusher walks east from 1,3: it could head north, east, south or west, and only east is free.
SESSION = """\
turnsleft 3
crusher 1,3 movesto 2,3
rabbits 1,1
move 1,1 to 2,1
turnsleft 2
crusher 2,3 movesto 3,3
rabbits 1,1 2,1
move 2,1 to 3,1; 1,1 to 2,1
turnsleft 1
crusher 3,3 movesto 4,3
rabbits 1,1 2,1 3,1
move
score 0
"""


def run(tmp_path: Path, record: str, *options: str, station: str = MAP) -> tuple[int, str, str]:
    """Check a record; return the exit status, standard output and standard error."""
    (tmp_path / "station.map").write_text(station)
    (tmp_path / "record.txt").write_text(record)
    paths = [str(tmp_path / "station.map"), str(tmp_path / "record.txt")]
    result = CliRunner().invoke(main, ["check", "rabbits", *paths, *options])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def verdict(tmp_path: Path, record: str, *options: str, station: str = MAP) -> dict[str, Any]:
    status, output, _ = run(tmp_path, record, "--format", "json", *options, station=station)
    answer = json.loads(output)
    assert status == (0 if answer["consistent"] else 1)
    assert isinstance(answer, dict)
    return answer


def codes(answer: dict[str, Any]) -> list[tuple[int, str, str]]:
    return [(v["turn"], v["code"], v["who"]) for v in answer["violations"]]


def test_a_session_that_follows_the_rules_is_consistent(tmp_path: Path) -> None:
    answer = verdict(tmp_path, SESSION)

    assert answer["consistent"]
    assert answer["result"] == {
        "turns": 3,
        "runs": 1,
        "saved": 0,
        "finished": True,
        "crushed": 0,
        "squished": 0,
        "collided": 0,
        "spawned": 3,
    }
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
            "rabbits 1,1 2,1\n", "rabbits 1,1 2,1 1,1\n", (2, "wrong-rabbits", "1,1"), id="twice"
        ),
        pytest.param("2,3 movesto", "2,3 crushes", (2, "false-crush", "3,3"), id="crushes-nobody"),
        pytest.param(
            "2,3 movesto 3,3", "2,3 movesto 1,3", (2, "illegal-crusher", "2,3"), id="turns-back"
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
    assert codes(verdict(tmp_path, SESSION.replace(right, wrong, 1))) == [expected]
