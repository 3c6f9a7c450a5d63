"""Records that cannot be used, and files that look odd but can: never a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kb_score.games.search_party.records import recognises
from tests.games.search_party.conftest import BLOCK, MEADOW, PLAN
from tests.helpers import Ran, run


@pytest.mark.parametrize(
    ("record", "message"),
    [
        pytest.param("", "the file is empty", id="empty"),
        pytest.param("\x00", "is not text", id="binary"),
        pytest.param("hello\n", "record.txt:1:1", id="garbage"),
        pytest.param("@4\n", "record.txt:1", id="no full stop"),
        pytest.param("@4.\n4 0\n", "record.txt:2", id="short result"),
        pytest.param(PLAN + "@4.\n", "record.txt:6:1", id="moves after the result"),
        pytest.param("@44.\n", "record.txt:1", id="long word"),
        pytest.param("4 0 99999999999\n", "too large", id="beyond 32 bits"),
        pytest.param(BLOCK.replace("@:2,2", "@:2,99999999999"), "too large", id="far away"),
        pytest.param(BLOCK.replace("Turn 1", "Turn " + "1" * 9999), "too large", id="endless"),
        pytest.param(
            BLOCK.replace("ooooo.\n", "ooooo\n", 1), "record.txt:4:1: the board", id="row"
        ),
        pytest.param(BLOCK.replace("ooooo.\n", "", 1), "the board is not 6 columns", id="few rows"),
        pytest.param(BLOCK.replace("ooooo.\n", "oooxo.\n", 1), "record.txt:4:4", id="symbol"),
        pytest.param(BLOCK[:40], "ends too early", id="truncated"),
        pytest.param(BLOCK + "@4.\n" + BLOCK + BLOCK, "record.txt:18:1", id="moves are missing"),
        pytest.param("a" * 5_000_000, "record.txt:1:1", id="huge line"),
    ],
)
def test_record_that_cannot_be_used_is_explained(
    check: Callable[..., Ran], record: str, message: str
) -> None:
    ran = check(MEADOW, record)

    assert ran.status == 2
    assert message in ran.err
    assert not ran.out
    assert len(ran.err) < 1000


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


def test_file_that_is_not_there_is_named() -> None:
    ran = run("check", "search-party", "no-map.txt", "no-record.txt")

    assert ran.status == 2
    assert "no-map.txt: no such file" in ran.err


def test_facts_of_a_map_are_printed_for_clingo(tmp_path: Path) -> None:
    path = tmp_path / "map.txt"
    path.write_text(MEADOW)

    assert "size(5,6)." in run("facts", path, "--game", "search-party").out


def test_a_map_is_recognised_and_a_record_is_none() -> None:
    assert recognises(MEADOW)
    assert not recognises(PLAN)
