"""The geometry of board.lp: neighbours, quadrants and groups, drawn and counted by hand."""

from __future__ import annotations

import pytest

from kb_score.games.kingdom_builder.board import parse_board
from tests.helpers import Hex, derive, draw


def ask(text: str, name: str, arity: int) -> set[tuple[object, ...]]:
    return derive("kingdom_builder", "board", parse_board(text).facts, f"{name}/{arity}")


EMPTY = draw({})


@pytest.mark.parametrize(
    ("home", "expected"),
    [
        pytest.param((2, 1), {(1, 0), (1, 1), (2, 0), (2, 2), (3, 0), (3, 1)}, id="even-row"),
        pytest.param((1, 1), {(0, 1), (0, 2), (1, 0), (1, 2), (2, 1), (2, 2)}, id="odd-row"),
        pytest.param((0, 0), {(0, 1), (1, 0)}, id="north-west-corner"),
        pytest.param((0, 3), {(0, 2), (1, 2), (1, 3)}, id="north-east-corner"),
        pytest.param((3, 0), {(2, 0), (2, 1), (3, 1)}, id="south-west-corner"),
        pytest.param((3, 3), {(2, 3), (3, 2)}, id="south-east-corner"),
        pytest.param((2, 0), {(1, 0), (2, 1), (3, 0)}, id="west-edge-in-an-even-row"),
        pytest.param(
            (1, 0), {(0, 0), (0, 1), (1, 1), (2, 0), (2, 1)}, id="west-edge-in-an-odd-row"
        ),
        pytest.param((1, 3), {(0, 3), (1, 2), (2, 3)}, id="east-edge-in-an-odd-row"),
        pytest.param((0, 1), {(0, 0), (0, 2), (1, 0), (1, 1)}, id="north-edge"),
        pytest.param((3, 1), {(3, 0), (3, 2), (2, 1), (2, 2)}, id="south-edge"),
    ],
)
def test_near_names_the_neighbours_on_the_board(home: Hex, expected: set[Hex]) -> None:
    found = {(r1, c1) for r, c, r1, c1 in ask(EMPTY, "near", 4) if (r, c) == home}

    assert found == expected


def test_near_is_mutual_and_never_of_a_hex_with_itself() -> None:
    near = ask(EMPTY, "near", 4)

    assert near == {(r1, c1, r, c) for r, c, r1, c1 in near}
    assert all((r, c) != (r1, c1) for r, c, r1, c1 in near)
    # Within rows 4 times 3 pairs; between rows 3 times 7 pairs.
    assert len(near) == 2 * (12 + 21)


def test_hex_names_every_hex() -> None:
    assert ask(draw({}, height=2, width=6), "hex", 2) == {(r, c) for r in (0, 1) for c in range(6)}


@pytest.mark.parametrize("symbol", [pytest.param("T", id="town"), pytest.param("C", id="castle")])
def test_around_names_the_neighbours_of_locations(symbol: str) -> None:
    expected = {(0, 0, 0, 1), (0, 0, 1, 0), (3, 3, 3, 2), (3, 3, 2, 3)}

    assert ask(draw({(0, 0): symbol, (3, 3): symbol, (1, 2): "W"}), "around", 4) == expected


def test_beside_names_settlements_and_the_terrain_next_to_them() -> None:
    text = draw({(1, 1): "1", (1, 2): "W", (0, 1): "M", (2, 2): "T", (3, 3): "2", (2, 3): "C"})

    assert ask(text, "beside", 3) == {
        (1, 1, "water"),
        (1, 1, "mountain"),
        (1, 1, "town"),
        (3, 3, "castle"),
    }


@pytest.mark.parametrize(
    ("height", "width", "hex_", "expected"),
    [
        pytest.param(20, 20, (9, 9), 1, id="last-of-the-north-west"),
        pytest.param(20, 20, (9, 10), 2, id="first-column-of-the-east"),
        pytest.param(20, 20, (10, 9), 3, id="first-row-of-the-south"),
        pytest.param(20, 20, (10, 10), 4, id="first-of-the-south-east"),
        pytest.param(2, 2, (0, 0), 1, id="smallest-board"),
        pytest.param(2, 2, (1, 1), 4, id="smallest-board-south-east"),
        pytest.param(2, 6, (1, 2), 3, id="half-of-six-columns"),
        pytest.param(6, 2, (3, 1), 4, id="half-of-six-rows"),
    ],
)
def test_quadrant_numbers_the_quarters_in_reading_order(
    height: int, width: int, hex_: Hex, expected: int
) -> None:
    found = ask(draw({}, height=height, width=width), "quadrant", 3)

    assert [q for r, c, q in found if (r, c) == hex_] == [expected]
    assert len(found) == height * width
    for quadrant in (1, 2, 3, 4):
        assert sum(q == quadrant for _, _, q in found) == height * width // 4


def groups(text: str) -> set[tuple[object, frozenset[object]]]:
    found: dict[tuple[object, object], set[object]] = {}
    for player, row, column, area in ask(text, "area", 4):
        found.setdefault((player, area), set()).add((row, column))
    return {(player, frozenset(hexes)) for (player, _), hexes in found.items()}


AREAS = [
    pytest.param("..\n..\n", [], id="nothing"),
    pytest.param("1.\n..\n", [(1, {(0, 0)})], id="one"),
    pytest.param("1.1.\n....\n", [(1, {(0, 0)}), (1, {(0, 2)})], id="apart"),
    pytest.param(".1\n1.\n", [(1, {(0, 1), (1, 0)})], id="neighbours-across-rows"),
    pytest.param("1.\n.1\n", [(1, {(0, 0)}), (1, {(1, 1)})], id="not-neighbours-across-rows"),
    pytest.param("12\n..\n", [(1, {(0, 0)}), (2, {(0, 1)})], id="two-players"),
    # Two arms that begin apart in the north and meet in the south are one group.
    pytest.param(
        "1.1.\n1.1.\n111.\n....\n",
        [(1, {(0, 0), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2)})],
        id="arms-that-meet",
    ),
    pytest.param(
        "1.1.1.\n1.1.1.\n11111.\n......\n",
        [(1, {(r, c) for r in (0, 1) for c in (0, 2, 4)} | {(2, c) for c in range(5)})],
        id="three-arms-that-meet",
    ),
    pytest.param(
        "....1.\n....1.\n1...1.\n11111.\n",
        [(1, {(0, 4), (1, 4), (2, 4), (2, 0), *((3, c) for c in range(5))})],
        id="arms-of-which-the-western-begins-further-south",
    ),
]


@pytest.mark.parametrize(("text", "expected"), AREAS)
def test_area_names_connected_groups(text: str, expected: list[tuple[int, set[Hex]]]) -> None:
    assert groups(text) == {(player, frozenset(hexes)) for player, hexes in expected}


def test_area_is_named_by_its_first_hex() -> None:
    areas = ask("1.1.\n1.1.\n111.\n....\n", "area", 4)

    assert {area for _, _, _, area in areas} == {(0, 0)}


def test_in_row_and_in_quadrant_count_settlements() -> None:
    text = "11.2\n1...\n....\n...1\n"

    assert ask(text, "in_row", 3) == {(1, 0, 2), (1, 1, 1), (1, 3, 1), (2, 0, 1)}
    assert ask(text, "in_quadrant", 3) == {
        *((1, 1, 3), (1, 2, 0), (1, 3, 0), (1, 4, 1)),
        *((2, 1, 0), (2, 2, 1), (2, 3, 0), (2, 4, 0)),
    }
