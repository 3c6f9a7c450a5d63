"""The quadrants of the published game, against a reading of their file that knows no grammar."""

from __future__ import annotations

import pytest

from kb_score.games.kingdom_builder.board import Quadrant, join_quadrants, read_quadrants
from tests.helpers import ROOT

FILE = ROOT / "asp" / "kingdom_builder" / "quadrants.txt"
# Locations, castles and nomad spaces.
SPECIAL = {
    **dict.fromkeys(("oracle", "harbor"), (1, 2, 0)),
    **dict.fromkeys(("barn", "farm", "tower", "oasis", "paddock", "tavern"), (2, 1, 0)),
    "quarry": (1, 0, 3),
    **dict.fromkeys(("caravan", "garden", "village"), (2, 0, 1)),
}


def read_plainly() -> dict[str, list[str]]:
    """Read the ten lines below each heading."""
    lines = FILE.read_text().splitlines()
    return {
        line.split()[1]: ["".join(row.split()) for row in lines[number + 1 : number + 11]]
        for number, line in enumerate(lines)
        if " -- agree: " in line
    }


def by_name(name: str) -> Quadrant:
    """Find a quadrant; name/180 is a turned one."""
    wanted, _, is_turned = name.partition("/")
    (found,) = (quadrant for quadrant in read_quadrants() if quadrant.name == wanted)
    return found.turn() if is_turned else found


def test_all_twelve_are_read_as_they_stand_in_the_file() -> None:
    plain = read_plainly()

    assert {q.name: list(q.rows) for q in read_quadrants()} == plain
    assert set(plain) == set(SPECIAL)
    assert {q.name for q in read_quadrants() if q.expansion == "Nomads"} == {
        *("caravan", "quarry", "garden", "village")
    }
    assert {q.expansion for q in read_quadrants()} == {"", "Nomads"}


@pytest.mark.parametrize("name", SPECIAL)
def test_a_quadrant_has_a_hundred_hexes_and_its_special_ones(name: str) -> None:
    rows = by_name(name).rows

    assert [len(row) for row in rows] == [10] * 10
    assert set("".join(rows)) <= set("GNDLFMWCTO")
    counts = tuple(sum(row.count(symbol) for row in rows) for symbol in "TCO")
    assert counts == SPECIAL[name]


@pytest.mark.parametrize("name", SPECIAL)
def test_a_turned_quadrant_has_rows_and_columns_reversed(name: str) -> None:
    plain = read_plainly()[name]

    turned = by_name(f"{name}/180")

    assert list(turned.rows) == [row[::-1] for row in plain[::-1]]
    assert turned.turn() == by_name(name)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(("oracle", "farm", "tavern", "paddock"), id="as-printed"),
        pytest.param(("oracle", "farm/180", "tavern", "paddock"), id="one-turned"),
        pytest.param(("village/180", "quarry/180", "barn/180", "oasis/180"), id="all-turned"),
    ],
)
def test_four_quadrants_make_the_rows_of_a_board(names: tuple[str, str, str, str]) -> None:
    plain = read_plainly()
    northwest, northeast, southwest, southeast = map(by_name, names)

    rows = join_quadrants(northwest, northeast, southwest, southeast)

    assert [len(row) for row in rows] == [20] * 20
    for number, name in enumerate(names):
        top, left = 10 * (number // 2), 10 * (number % 2)
        wanted, _, is_turned = name.partition("/")
        for row in range(10):
            for column in range(10):
                at = (9 - row, 9 - column) if is_turned else (row, column)
                assert rows[top + row][left + column] == plain[wanted][at[0]][at[1]]
