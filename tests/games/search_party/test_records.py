"""Records that cannot be used, and files that look odd but can: never a traceback."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from kb_score.games import GameFolder
from tests.games.search_party.conftest import BLOCK, MEADOW, PLAN
from tests.helpers import Ran, run


@pytest.mark.parametrize(
    ("map_", "record"),
    [
        pytest.param(MEADOW.replace("\n", "\r\n"), PLAN.replace("\n", "\r\n"), id="CR LF"),
        pytest.param(MEADOW.rstrip(), PLAN.rstrip(), id="no last newline"),
        pytest.param("\ufeff" + MEADOW, "\ufeff" + PLAN, id="byte order mark"),
        pytest.param(MEADOW + "\n\n", "\n" + PLAN + "\n\n", id="empty lines"),
        pytest.param("  6  5\t0 0 \n" + MEADOW[8:], "@4 .\n @6.\n@6.\n@6.\n4  0 0 ", id="spaces"),
    ],
)
def test_odd_but_proper_files_are_read(check: Callable[..., Ran], map_: str, record: str) -> None:
    ran = check(map_, record)

    assert ran.status == 0, ran.err


@pytest.mark.parametrize(
    ("record", "places"),
    [
        pytest.param("@4..\n@66.\n", ["1:4", "2:1"], id="two full stops"),
        pytest.param("@4\u00a0A6.\n", ["1:3"], id="another blank"),
        pytest.param("@4  .\n\t.\n4 0\n", ["3:4"], id="blanks before a full stop"),
    ],
)
def test_all_mistakes_of_a_record_are_told_at_their_places(
    check: Callable[..., Ran], record: str, places: list[str]
) -> None:
    ran = check(MEADOW, record)

    assert (ran.status, re.findall(r"record\.txt:(\d+:\d+): ", ran.err)) == (2, places)


@pytest.mark.parametrize("number", [2, 20_000])
def test_one_person_may_be_named_many_times(check: Callable[..., Ran], number: int) -> None:
    """Twice as many take twice as long: joined with each other they would take minutes."""
    ran = check(MEADOW, "@4 " * number + ".\n")

    assert (ran.status, "moved-twice" in ran.out) == (1, True)
    block = BLOCK.replace("@:2,2.", "@:2,2 " * number + ".")
    assert "ghost" in check(MEADOW, block).out


@pytest.mark.parametrize(
    ("answer", "is_read"),
    [
        *[
            ("@4", True),
            ("..@4 ..", True),
            (" . @4. ", True),
            ("@4\u00a0@6", True),
            (" . . ", True),
        ],
        *[("@4. .", False), ("@4 . .", False), (". . .", False), ("@4@6", False)],
    ],
)
def test_blanks_and_full_stops_are_taken_away_around_an_answer_as_the_controller_does(
    answer: str, is_read: bool, tmp_path: Path
) -> None:
    path = tmp_path / "map.txt"
    path.write_text(MEADOW)

    ran = run("legal", "search-party", path, "--move", answer)

    assert (ran.status != 2) is is_read


def test_facts_of_a_map_are_printed_for_clingo(tmp_path: Path) -> None:
    path = tmp_path / "map.txt"
    path.write_text(MEADOW)

    assert "size(5,6)." in run("facts", path, "--game", "search-party").out


def test_a_map_is_recognised_and_a_record_is_none() -> None:
    texts = GameFolder("search_party").records

    assert texts.recognises(MEADOW)
    assert not texts.recognises(PLAN)
