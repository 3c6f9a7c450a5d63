"""The map: cells, directions, cast, and what makes a map invalid."""

from __future__ import annotations

import pytest

from tests.rules.search_party.lanes import Lane, ask, draw


def test_open_cells_are_those_of_the_corridors() -> None:
    map_ = draw("S.#", "#..")

    assert ask(map_, "", "open/1") == {
        (map_.cell(x, y),) for x, y in [(0, 0), (1, 0), (1, 1), (2, 1)]
    }


def test_directions_are_the_keys_of_a_number_pad() -> None:
    offsets = {7: -11, 8: -10, 9: -9, 4: -1, 5: 0, 6: 1, 1: 9, 2: 10, 3: 11}

    assert ask(draw("S..."), "", "direction/2") == {*offsets.items()}


def test_the_cast_is_named_by_letters() -> None:
    assert ask(draw("S", costars=2, extras=1), "", "person/1") == {("@",), ("A",), ("B",), ("a",)}


@pytest.mark.parametrize(
    ("rows", "part"),
    [
        pytest.param(("S#", "#."), None, id="diagonal"),
        pytest.param(("S.", "##", ".."), (0, 2), id="a-row-between"),
        pytest.param(("S##.", "..#."), (3, 0), id="a-column-between"),
        pytest.param(("S#.", "#.#", ".#."), None, id="there-and-back"),
    ],
)
def test_king_moves_connect_the_open_cells(
    rows: tuple[str, ...], part: tuple[int, int] | None
) -> None:
    found = {detail for (detail,) in ask(draw(*rows), "", "unusable/1")}

    text = "the open cells are not connected: no moves lead from S to"
    assert found == ({(text, part)} if part else set())


@pytest.mark.parametrize(
    ("map_", "expected"),
    [
        pytest.param(
            draw(".", costars=27), {(0, "cells marked S"), (27, "costars")}, id="all-at-once"
        ),
        pytest.param(
            draw("SS", extras=27), {(2, "cells marked S"), (27, "extras")}, id="two-cells-S"
        ),
        pytest.param(Lane(257, 0, 0, 0, ("S",)), {(257, "columns"), (0, "rows")}, id="size"),
    ],
)
def test_everything_that_is_wrong_with_a_map_is_said(
    map_: Lane, expected: set[tuple[int, str]]
) -> None:
    details = {str(detail) for (detail,) in ask(map_, "", "unusable/1")}

    assert len(details) == len(expected)
    assert all(any(str(n) in d and word in d for d in details) for n, word in expected)
