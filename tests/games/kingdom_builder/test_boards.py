"""What boards/ says of its boards is what the rules and the plain scorer say."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kb_score import Board, KbScoreError, parse_board, score
from tests.helpers import EXAMPLE, run
from tests.oracles import kingdom_builder as plain


def test_the_examples_expected_result_is_that_of_the_plain_scorer_and_of_the_rules() -> None:
    expected = json.loads(EXAMPLE.with_suffix(".json").read_text())
    oracle = plain.score(plain.parse(EXAMPLE.read_text()))

    assert expected["gold"] == {card: list(gold) for card, gold in oracle.items()}
    (scored,) = run("score", EXAMPLE, "--format", "json").json
    assert {**scored, "board": expected["board"]} == expected


LAND = {"G": "grass", "N": "canyon", "D": "desert", "L": "flower", "F": "forest"}
TERRAIN = {"W": "water", "M": "mountain", "T": "town", "C": "castle", "O": "nomad"}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("1 W\n. 2\n", id="none"),
        pytest.param("1 W\n . 2\n", id="right"),
        pytest.param("    1 W\n     . 2\n    . .\n     . .\n", id="margin"),
        pytest.param("1W\n .2\n", id="compact"),
        pytest.param("1   W   .   .\n  .   2   .   .\n", id="wide"),
        pytest.param("1  W\n .  2\n", id="three-apart"),
        pytest.param("1  W\n  .  2\n", id="three-apart-by-two"),
        pytest.param(EXAMPLE.read_text(), id="example"),
        pytest.param(re.sub("(?m)^ ", "", EXAMPLE.read_text()), id="example-without"),
    ],
)
def test_indentation_that_fits_gets_no_warning(text: str) -> None:
    assert parse_board(text).notes == ()


# Hexes as they are written, as a board has them, and the facts about the hex on row 0, column 1.
HEXES = [
    *((symbol, symbol, [f"terrain({kind},0,1)"]) for symbol, kind in TERRAIN.items()),
    *((symbol, symbol, [f"land({kind},0,1)"]) for symbol, kind in LAND.items()),
    *((player, player, [f"settlement({player},0,1)"]) for player in "12345"),
    *(
        (s + player, s + player, [f"{name}({kind},0,1)", f"settlement({player},0,1)"])
        for name, kinds in (("land", LAND), ("terrain", {"W": "water", "M": "mountain"}))
        for s, kind in kinds.items()
        for player in "12345"
    ),
    *((f"{s}#", f"{s}#", [f"land({kind},0,1)", "wall(0,1)"]) for s, kind in LAND.items()),
    (".2", "2", ["settlement(2,0,1)"]),
    (".#", ".#", ["wall(0,1)"]),
    (".", ".", []),
]


@pytest.mark.parametrize(
    ("written", "hex_", "facts"), [pytest.param(*case, id=case[0]) for case in HEXES]
)
def test_a_hex_is_its_terrain_and_what_stands_on_it(
    written: str, hex_: str, facts: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "b.txt"
    path.write_text(f". {written}\n . .\n")

    assert parse_board(path.read_text()).rows[0][1] == hex_
    told = run("facts", path, "--game", "kingdom-builder").out
    assert sorted(re.findall(r"\w+\([^)]*\)", told)) == sorted(["size(2,2)", *facts])


def test_a_compact_board_has_hexes_of_one_symbol() -> None:
    assert parse_board("W1\nG2\n").rows == ("W1", "G2")
    assert parse_board("W1 G2\n. .\n").rows == (("W1", "G2"), "..")


def test_a_board_is_written_wide_as_soon_as_a_hex_has_two_symbols() -> None:
    assert str(parse_board("W G\n. 2\n")) == "W G\n . 2\n"
    assert str(parse_board("W G2\n. 2\nF# .1\n. .\n")) == "W  G2\n .  2\nF# 1\n .  .\n"


def test_a_board_of_two_symbols_a_hex_may_be_as_large_as_any() -> None:
    board = parse_board("\n".join([" ".join(["G2"] * 1000)] * 2))

    assert (board.height, board.width) == (2, 1000)


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param((("G2", "W"), ".."), id="a-text-and-a-tuple"),
        pytest.param((("G#", ".1"), ("M3", "O")), id="tuples"),
    ],
)
def test_rows_of_a_board_may_be_tuples(rows: tuple[str | tuple[str, ...], ...]) -> None:
    board = Board("here", rows)

    assert score(board).gold == score(str(board)).gold


@pytest.mark.parametrize(
    "row", [("C1", "."), ("G22", "."), ("", "."), ("# ", "."), (1, "."), "G#", "C 1", [".", "."]]
)
def test_other_rows_are_refused(row: Any) -> None:
    with pytest.raises(KbScoreError, match="a row of a board is"):
        score(Board("here", (row, "..")))
