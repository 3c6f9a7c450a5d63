"""Maps that cannot be used: each is explained, with its place, and never by a traceback."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.games.search_party.conftest import MEADOW, PLAN
from tests.helpers import Ran


@pytest.mark.parametrize(
    ("map_", "message"),
    [
        pytest.param("", "the file is empty", id="empty"),
        pytest.param("\x00\x01", "is not text", id="binary"),
        pytest.param("6 5 0\n......\n", "map.txt:1:", id="short header"),
        pytest.param(MEADOW.replace("S", "X"), "map.txt:4:3", id="symbol"),
        pytest.param(MEADOW.replace("..S...", "..S.."), "map.txt:4:6: this row", id="ragged"),
        pytest.param(MEADOW + "......\n", "6 rows, but", id="too many rows"),
        pytest.param(MEADOW.replace("S", "."), "there are 0 cells S", id="no start"),
        pytest.param(MEADOW.replace(".S", "SS"), "there are 2 cells S", id="two starts"),
        pytest.param("257 1 0 0\nS" + "." * 256, "257 columns, but", id="too wide"),
        pytest.param("1 257 0 0\nS" + "\n." * 256, "257 rows, but", id="too high"),
        pytest.param("1 1 27 0\nS\n", "27 costars, but", id="costars"),
        pytest.param("1 1 0 27\nS\n", "27 extras, but", id="extras"),
        pytest.param("1 1 0 99999999999\nS\n", "is too large", id="beyond 32 bits"),
        pytest.param("1 1 0 " + "9" * 9999 + "\nS\n", "is too large", id="endless number"),
        pytest.param("3 1 0 0\nS#.\n", "not connected: no moves lead from S to 2,0", id="apart"),
        pytest.param("3 3 0 0\nS#.\n###\n.#.\n", "not connected", id="apart in rows"),
        pytest.param("0 0 0 0\n\n", "the text ends too early", id="no cells"),
    ],
)
def test_map_that_cannot_be_used_is_explained(
    check: Callable[..., Ran], map_: str, message: str
) -> None:
    ran = check(map_, PLAN)

    assert ran.status == 2
    assert message in ran.err
    assert not ran.out
