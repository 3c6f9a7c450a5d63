"""What the library returns shows itself in a notebook, and the example notebook is true."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import kb_score
from kb_score.shell.output import Table, Text
from kb_score.shell.verdict import Verdict, Violation, write_html
from tests.helpers import CLAIMS, EXAMPLE, SMALL, add_rules
from tests.notebook import NOTEBOOK, beside_the_notebook, read_cells, read_outputs, run_cells

SVG = "{http://www.w3.org/2000/svg}"
TAGS = {
    "div", "h4", "p", "strong", "pre",
    "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td",
}  # fmt: skip
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&\u202e"
SHOWN = HOSTILE.replace("\u202e", "\\u202e")


def read_svg(value: Any) -> ElementTree.Element:
    root = ElementTree.fromstring(value._repr_svg_())
    assert root.tag == f"{SVG}svg"
    return root


def read_html(value: Any) -> ElementTree.Element:
    root = ElementTree.fromstring(value._repr_html_())
    assert root.tag == "div"
    assert {element.tag for element in root.iter()} <= TAGS
    return root


def read_rows(table: ElementTree.Element) -> list[list[str]]:
    return [[cell.text or "" for cell in line] for line in table.iter("tr")]


def find_marked(root: ElementTree.Element) -> set[tuple[float, float]]:
    """Find where a picture has rings around its places."""
    rings = root.iterfind(f".//{SVG}g[@class='highlight']/{SVG}path")
    found = (re.match(r"translate\(([\d.]+),([\d.]+)\)", r.get("transform", "")) for r in rings)
    return {(float(place[1]), float(place[2])) for place in found if place}


def find_places(root: ElementTree.Element) -> dict[tuple[int, int], ElementTree.Element]:
    """Find the groups of a picture by row and column."""
    groups = root.iterfind(f".//{SVG}g[@data-row]")
    return {(int(g.attrib["data-row"]), int(g.attrib["data-column"])): g for g in groups}


@pytest.fixture(scope="module")
def board() -> kb_score.Board:
    return kb_score.parse_board(EXAMPLE.read_text(), name="example.txt")


def test_the_cells_of_the_notebook_show_what_it_says() -> None:
    cells = read_cells()
    assert len(cells) >= 5
    with beside_the_notebook():
        shown = list(run_cells(cells))

    # Where this fails after a change that is meant: python -m tests.notebook
    assert [read_outputs(cell) for cell in cells] == shown
    kinds = [kind for each in shown for kind in each]
    assert (kinds.count("image/svg+xml"), kinds.count("text/html")) == (3, 2)
    for each in shown:
        for kind in each.keys() - {"text/plain"}:
            ElementTree.fromstring(each[kind])


def test_the_notebook_has_the_shape_that_jupyter_reads() -> None:
    notebook = json.loads(NOTEBOOK.read_text())

    assert (notebook["nbformat"], notebook["metadata"]["language_info"]["name"]) == (4, "python")
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert {cell["cell_type"] for cell in notebook["cells"]} == {"code", "markdown"}


def test_a_board_shows_its_picture(board: kb_score.Board) -> None:
    root = read_svg(board)

    places = find_places(root)
    rows = tuple(
        "".join(places[row, column].attrib["data-symbol"] for column in range(20))
        for row in range(20)
    )
    assert rows == board.rows
    assert root.findtext(f"{SVG}title") == "example.txt"
    assert not find_marked(root)


def test_a_board_that_is_made_by_hand_shows_itself() -> None:
    program = "import kb_score; kb_score.Board('by hand', ('W1', '.M'))._repr_svg_()"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")


def test_scores_show_their_tables_and_findings() -> None:
    small = kb_score.score(SMALL, cards=["fishermen"], combinations=True)

    root = read_html(small)

    assert root.findtext(".//caption") == "the text"
    first, second = root.iter("table")
    assert read_rows(first) == [
        ["card", "player 1", "player 2"],
        ["castles", "0", "0"],
        ["fishermen", "2", "0"],
        ["total", "2", "0"],
    ]
    assert len(read_rows(second)) == 1 + 16
    found = [paragraph.text for paragraph in root.iter("p")]
    said = [f"{v.code}: {v.detail}" for v in small.violations]
    assert said
    assert found == ["player 1 wins with 2 gold", *said]


def test_an_explanation_shows_the_board_with_the_hexes_that_pay(board: kb_score.Board) -> None:
    (explanation,) = kb_score.explain(board, card="miners", player=3)

    root = read_svg(explanation)

    places = find_places(root)
    expected = {places[hex_].attrib["transform"] for hex_ in explanation.hexes}
    assert len(expected) == 11
    assert {f"translate({x:.0f},{y:.0f})" for x, y in find_marked(root)} == expected
    assert root.findtext(f"{SVG}title") == "example.txt: miners, player 3: 11 gold"


def test_an_explanation_is_drawn_by_the_rules_that_gave_it(tmp_path: Path) -> None:
    card = 'card(mayors,11,"1 gold for each town").'
    rules = f"{card} gold(mayors,P,hex(R,C),1) :- player(P), terrain(town,R,C)."
    (explanation,) = kb_score.explain(
        "1 T . .\n . . . T\n", card="mayors", player=1, rules=[add_rules(tmp_path, rules)]
    )

    assert len(find_marked(read_svg(explanation))) == 2


def test_an_explanation_without_its_board_has_no_picture(board: kb_score.Board) -> None:
    made: Any
    (made,) = kb_score.explain(board, card="miners", player=3)
    bare: Any = kb_score.Explanation(made.board, made.card, made.player, made.gold, made.evidence)

    assert bare._repr_svg_() is None
    assert bare == made
    assert pickle.loads(pickle.dumps(made))._repr_svg_() == made._repr_svg_()


def test_a_verdict_shows_its_result_and_violations(board: kb_score.Board) -> None:
    verdict = kb_score.check_claims(board, CLAIMS.read_text())

    root = read_html(verdict)

    assert root.findtext("p/strong") == "not consistent with the rules"
    result, violations = map(read_rows, root.iter("table"))
    assert result == [["result", "derived"], ["claims", "16"], ["wrong", "4"]]
    assert [row[2] for row in violations[1:]] == [v.detail for v in verdict.violations]
    assert len(violations) == 1 + 4


def test_a_verdict_shows_its_picture_tables_and_notes() -> None:
    table = Table("counts", ("what", "times"), (("steps", 3),))
    found = (Violation("off-map", "it is <b>", 2, "A"),)
    verdict = Verdict(
        "lights", "r.txt", {"turns": 3}, {"turns": 2}, found, " 0\n[#]\n", ("odd",), (table,)
    )

    root = read_html(verdict)

    assert root.findtext("pre") == " 0\n[#]\n"
    result, counts, violations = map(read_rows, root.iter("table"))
    assert result[1] == ["turns", "3", "2"]
    assert counts == [["what", "times"], ["steps", "3"]]
    assert violations[1] == ["2", "off-map", "A", "it is <b>"]
    assert [p.text for p in root.iter("p")] == ["r.txt: ", "odd"]


def test_text_never_becomes_markup() -> None:
    board = kb_score.parse_board(SMALL, name=HOSTILE)
    assert read_svg(board).findtext(f"{SVG}title") == SHOWN
    assert read_html(kb_score.score(board)).findtext("table/caption") == SHOWN

    cell = HOSTILE.replace('"', "'")
    table = Table(HOSTILE, (HOSTILE,), ((cell,),))
    violation = Violation(HOSTILE, HOSTILE, 1, HOSTILE)
    said = {HOSTILE: HOSTILE}, None, (violation,), HOSTILE, (HOSTILE,), (table,)
    verdict = Verdict(HOSTILE, HOSTILE, *said)
    root = read_html(verdict)
    assert root.findtext("pre") == SHOWN
    assert root.findtext("p") == f"{SHOWN}: "


def test_pictures_in_one_notebook_do_not_share_identifiers(board: kb_score.Board) -> None:
    values: list[Any] = [
        board,
        kb_score.parse_board(SMALL),
        *kb_score.explain(board, card="miners"),
    ]
    used = [set(re.findall(r'\bid="([^"]+)"', value._repr_svg_())) for value in values]

    assert all(used)
    assert len(set.union(*used)) == sum(map(len, used))


def test_text_between_tables_is_kept() -> None:
    assert write_html([Text("a & b", "heading"), Text("fine: ", outcome="yes")]) == (
        "<div><h4>a &amp; b</h4><p>fine: <strong>yes</strong></p></div>"
    )
