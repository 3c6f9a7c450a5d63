"""Records that cannot be used, and files that look odd but can: never a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kb_score.games import GameFolder
from tests.games.search_party.conftest import MEADOW, PLAN
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


def test_facts_of_a_map_are_printed_for_clingo(tmp_path: Path) -> None:
    path = tmp_path / "map.txt"
    path.write_text(MEADOW)

    assert "size(5,6)." in run("facts", path, "--game", "search-party").out


def test_a_map_is_recognised_and_a_record_is_none() -> None:
    texts = GameFolder("search_party").records

    assert texts.recognises(MEADOW)
    assert not texts.recognises(PLAN)
