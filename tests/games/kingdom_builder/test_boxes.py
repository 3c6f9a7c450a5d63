"""Boards of the published game: put together, scored, drawn, and asked about in plain clingo."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import kb_score
from kb_score import Board, parse_board
from kb_score.games.kingdom_builder.board import read_quadrants
from tests.helpers import ASP, ROOT, run
from tests.oracles import kingdom_builder as oracle
from tests.oracles.kingdom_builder_boxes import settle_box

FILE = ASP / "kingdom_builder" / "quadrants.txt"
# Each quadrant with its locations, castles and nomad spaces, which come with Nomads.
SPECIAL = {
    **dict.fromkeys(("oracle", "harbor"), (1, 2, 0)),
    **dict.fromkeys(("barn", "farm", "tower", "oasis", "paddock", "tavern"), (2, 1, 0)),
    "quarry": (1, 0, 3),
    **dict.fromkeys(("caravan", "garden", "village"), (2, 0, 1)),
}
NAMES = re.findall(r"^% (\w+) .*-- agree", FILE.read_text(), re.MULTILINE)
OTHERS = ("oracle", "farm", "tavern", "paddock")


def read_quadrant(name: str) -> list[list[str]]:
    """Read the ten lines below a heading."""
    lines = FILE.read_text().splitlines()
    (heading,) = (n for n, line in enumerate(lines) if line.startswith(f"% {name} "))
    return [line.split() for line in lines[heading + 1 : heading + 11]]


def test_all_twelve_quadrants_have_a_hundred_hexes_and_their_special_ones() -> None:
    quadrants = read_quadrants()

    assert len(quadrants) == len(NAMES) == len(SPECIAL) == 12
    for quadrant in quadrants:
        assert list(map(list, quadrant.rows)) == read_quadrant(quadrant.name)
        symbols = "".join(quadrant.rows)
        assert len(symbols) == 100
        assert set(symbols) <= set("GNDLFMWCTO")
        assert tuple(map(symbols.count, "TCO")) == SPECIAL[quadrant.name]
        assert quadrant.expansion == ("Nomads" if "O" in symbols else "")
        assert quadrant.turn().turn() == quadrant


@pytest.mark.parametrize("turned", ["", "/180"])
@pytest.mark.parametrize("name", NAMES)
def test_a_board_has_each_quadrant_where_it_is_named(name: str, turned: str) -> None:
    others = [other for other in OTHERS if other != name][:3]
    wanted = read_quadrant(name)
    if turned:
        wanted = [row[::-1] for row in wanted[::-1]]
    place = NAMES.index(name) % 4
    top, left = 10 * (place // 2), 10 * (place % 2)

    ran = run("board", *others[:place], name + turned, *others[place:])

    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert [line[: row % 2] for row, line in enumerate(lines)] == ["", " "] * 10
    rows = [line.split() for line in lines]
    assert [len(row) for row in rows] == [20] * 20
    assert [row[left : left + 10] for row in rows[top : top + 10]] == wanted


def test_a_board_is_a_legal_one_and_can_be_drawn(tmp_path: Path) -> None:
    path, picture = tmp_path / "board.txt", tmp_path / "board.svg"

    assert run("board", "quarry", "farm/180", "village", "paddock", "-o", path).out == ""

    ran = run("score", path, "--players", "2", "--format", "json")
    assert [v["code"] for v in ran.json[0]["violations"]] == ["no-settlement"] * 2
    assert run("draw", "-", "-o", picture, given=path.read_text()).status == 0
    names = set(re.findall(r"<title>\d+,\d+: ([a-z ]+)</title>", picture.read_text()))
    land = {"grass", "canyon", "desert", "flower field", "forest"}
    assert names == {*land, "water", "mountain", "town", "castle", "nomad space"}


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, 25))
def test_boards_of_the_box_pay_what_the_oracle_pays(first: int) -> None:
    boards = [settle_box(seed) for seed in range(first, first + 25)]
    assert any(hex_ in ("W1", "M1") for board in boards for row in board.rows for hex_ in row)

    scored = list(kb_score.score_many(boards))

    for board, scores in zip(boards, scored, strict=True):
        assert isinstance(scores, kb_score.Scores)
        assert scores.gold == oracle.score(board.rows)
        assert {v.code for v in scores.violations} == oracle.violations(board.rows)
        assert parse_board(str(board)).facts == board.facts


@pytest.mark.parametrize("seed", range(3))
def test_plain_clingo_scores_a_board_of_the_box(seed: int, tmp_path: Path) -> None:
    path, board = tmp_path / "board.txt", settle_box(seed)
    path.write_text(str(board))
    folder = ASP / "kingdom_builder"
    files = [*sorted(folder.glob("*.lp")), *sorted(folder.glob("cards/*.lp"))]

    told = subprocess.run(
        [sys.executable, "-m", "clingo", "-", *map(str, files)],
        input=run("facts", path).out,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )

    found: dict[str, dict[int, int]] = {}
    for card, player, gold in re.findall(r"score\((\w+),(\d),(\d+)\)", told.stdout):
        found.setdefault(card, {})[int(player)] = int(gold)
    assert {card: tuple(gold[p] for p in sorted(gold)) for card, gold in found.items()} == (
        oracle.score(board.rows)
    )


# A quadrant of 6 by 6 hexes in the north-west: how many of T, C and O, and whether that is found.
@pytest.mark.parametrize(
    ("towns", "castles", "nomads", "is_found"),
    [
        pytest.param(1, 2, 0, False, id="base-1-2"),
        pytest.param(2, 1, 0, False, id="base-2-1"),
        pytest.param(1, 0, 3, False, id="quarry"),
        pytest.param(2, 0, 1, False, id="other-nomads"),
        pytest.param(1, 2, 1, True, id="one-too-many"),
        pytest.param(2, 0, 0, True, id="no-nomads"),
        pytest.param(1, 0, 2, True, id="two-nomads"),
        pytest.param(0, 0, 3, True, id="only-nomads"),
    ],
)
def test_a_quadrant_has_the_locations_of_the_box(
    towns: int, castles: int, nomads: int, is_found: bool
) -> None:
    hexes = [["."] * 12 for _ in range(12)]
    special = "T" * towns + "C" * castles + "O" * nomads
    for place, symbol in enumerate(special):
        hexes[2 * (place // 3)][2 * (place % 3)] = symbol

    found = kb_score.score(Board("here", tuple(map(tuple, hexes)))).violations

    here = [v.detail for v in found if v.detail.startswith("quadrant 1 ")]
    assert len(here) == is_found
    if nomads and here:
        assert here == [
            f"quadrant 1 has {towns} towns, {castles} castles and {nomads} nomad spaces, "
            "but must have two towns and one nomad space or one town and three nomad spaces"
        ]


@pytest.mark.parametrize(
    ("text", "rulings", "found"),
    [
        pytest.param("T . O .\n. . . .\n", {}, ["row 0 column 1"], id="empty"),
        pytest.param("T G2 O .\n. . . .\n", {}, ["row 0 column 1"], id="settled-land"),
        pytest.param("T G# O .\n. . . .\n", {}, ["row 0 column 1"], id="wall"),
        pytest.param("T W1 O .\n. . . .\n", {}, [], id="settled-water"),
        pytest.param("T M1 O .\n. . . .\n", {}, [], id="settled-mountain"),
        pytest.param("T . O .\n. . . .\n", {"nomads_are_locations": 0}, [], id="ruling"),
    ],
)
def test_land_between_a_location_and_a_nomad_space_is_crowded(
    text: str, rulings: dict[str, int], found: list[str]
) -> None:
    scores = kb_score.score(text, constants=rulings)

    crowded = [v.detail for v in scores.violations if v.code == "crowded-locations"]
    more = " has two towns, castles or nomad spaces beside it"
    assert crowded == [place + more for place in found]
