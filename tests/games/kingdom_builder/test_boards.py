"""What boards/ says of its boards is what the rules and the plain scorer say."""

import json
import re
from pathlib import Path

import pytest

from kb_score import parse_board, score
from tests.helpers import EXAMPLE, run
from tests.oracles import kingdom_builder as plain


def test_the_examples_expected_result_is_that_of_the_plain_scorer_and_of_the_rules() -> None:
    expected = json.loads(EXAMPLE.with_suffix(".json").read_text())
    oracle = plain.score(plain.parse(EXAMPLE.read_text()))

    assert expected["gold"] == {card: list(gold) for card, gold in oracle.items()}
    (scored,) = run("score", EXAMPLE, "--format", "json").json
    assert {**scored, "board": expected["board"]} == expected


RIGHT, LEFT = "half a hex to the right of that row", "half a hex to the left of that row"


@pytest.mark.parametrize(
    ("text", "line", "indents", "side"),
    [
        pytest.param(" 1 W\n. 2\n", 2, (0, 1), RIGHT, id="only-the-first"),
        pytest.param(" 1 W\n . 2\n", 2, (1, 1), RIGHT, id="both"),
        pytest.param("1 W\n. 2\n. 3\n 4 W\n", 2, (0, 0), RIGHT, id="not-every-second"),
        pytest.param("1 W\n . 2\n . 3\n 4 W\n", 3, (1, 1), LEFT, id="an-even-one"),
        pytest.param("1 W\n  . 2\n", 2, (2, 0), RIGHT, id="a-whole-hex"),
        pytest.param("1 W\n\t. 2\n", 2, (8, 0), RIGHT, id="tab"),
    ],
)
def test_indentation_that_contradicts_the_rows_is_told(
    text: str, line: int, indents: tuple[int, int], side: str, tmp_path: Path
) -> None:
    path, claims = tmp_path / "b.txt", tmp_path / "claims.txt"
    path.write_text(text)
    players = len(set(re.findall("[1-4]", text)))
    claims.write_text(f"1: {' '.join(['0'] * players)}\n")
    this, before = indents
    said = f"this row is indented by {this}, the row before it by {before}; it is taken to lie"

    ran = [
        run("score", path),
        run("explain", path),
        run("check", "kingdom-builder", path, claims),
    ]

    assert [r.err.splitlines()[0] for r in ran] == [
        f"{path}: warning: line {line}: {said} {side}"
    ] * 3
    assert score(text).gold == score(str(parse_board(text))).gold


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
def test_indentation_that_fits_is_not_told(text: str) -> None:
    assert parse_board(text).notes == ()


def test_every_board_of_a_file_has_its_own_notes(tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    path.write_text("1 W\n . 2\n\n 1 W\n. 2\n")

    err = run("score", path, "--cards", "3").err

    assert f"{path}#1: warning: line" not in err
    assert f"{path}#2: warning: line 5: this row is indented by 0" in err
