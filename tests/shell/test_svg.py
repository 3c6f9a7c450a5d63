"""Pictures as SVG."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from kb_score.errors import RuleError
from kb_score.shell.picture import Drawing, Look, Piece, PlaceGroup
from kb_score.shell.svg import COLOURS, HEXES, MARKS, SQUARES, draw_svg, find_ink, list_legend

SVG = "{http://www.w3.org/2000/svg}"
LOOKS = {"W": Look("blue", "wave", "water"), "1": Look("orange", "circle", "player 1")}
BOARD = Drawing({(0, 0): "W", (0, 1): "1", (1, 0): "1"}, looks=LOOKS)


def parse(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def read_places(svg: str) -> dict[tuple[int, int], str]:
    found = (g for g in parse(svg).iter(f"{SVG}g") if "data-row" in g.attrib)
    return {
        (int(g.attrib["data-row"]), int(g.attrib["data-column"])): g.attrib["data-symbol"]
        for g in found
    }


def light_of(colour: str) -> float:
    """The relative luminance of WCAG 2.1, by its own formula."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_every_place_can_be_read_back() -> None:
    assert read_places(draw_svg(BOARD, title="a board", hexes=True)) == dict(BOARD.cells)


def test_a_picture_has_a_title_and_a_description() -> None:
    root = parse(draw_svg(BOARD, title="a board", description="two settlements"))

    named = root.attrib["aria-labelledby"].split()
    texts = {part.attrib["id"]: part.text for part in root if "id" in part.attrib}
    assert [texts[name] for name in named] == ["a board", "two settlements"]


@pytest.mark.parametrize(("shape", "x"), [(HEXES, 14), (SQUARES, 0)], ids=["hexes", "squares"])
def test_every_second_row_of_hexes_lies_half_a_hex_to_the_right(shape: object, x: int) -> None:
    svg = draw_svg(BOARD, title="", hexes=shape is HEXES)

    assert f'data-row="1" data-column="0" data-symbol="1" transform="translate({x},24)"' in svg


def test_text_never_becomes_markup() -> None:
    evil = '<script>alert("x")</script>&\u202e\x1b'
    drawing = Drawing(
        {(0, 0): evil}, frozenset({(0, 0)}), {(0, 0): evil}, {evil: Look("blue", "text", evil)}
    )

    root = parse(draw_svg(drawing, title=evil, description=evil))

    assert {part.tag for part in root.iter()}.isdisjoint({f"{SVG}script", "script"})
    assert root[0].text == '<script>alert("x")</script>&\\u202e\\x1b'


def test_groups_is_a_ring_an_edge_or_a_shaded_part_with_its_gold() -> None:
    cells = {(row, column): "." for row in range(2) for column in range(3)}
    pieces = [
        PlaceGroup(7, [(0, 0)]),
        PlaceGroup(2, [(0, 0)]),
        PlaceGroup(1, [(0, 1), (0, 2)]),
        PlaceGroup(4, [(1, 2)], (1, 0, 1, 2)),
    ]

    root = parse(draw_svg(Drawing(cells, frozenset({(0, 1)}), groups=pieces), title=""))

    ring, one, _, group, row = (
        [path.attrib for path in g.iter(f"{SVG}path")]
        for g in root.iter(f"{SVG}g")
        if g.get("class") == "highlight"
    )
    assert ring[0]["transform"].startswith("translate(24,0)")
    assert one[0]["transform"].startswith("translate(0,0)")
    # Two squares have eight edges, of which they share two halves.
    assert [path["d"].count("M") for path in group] == [6, 6]
    assert [path.get("opacity") for path in row] == [".25", None, None, None, None]
    assert row[0]["d"].count("M") == 3
    assert row[3]["transform"].startswith("translate(48,24)")
    colours = [paths[-1]["stroke"] for paths in (ring, one, group, row)]
    assert colours[0] == colours[1] == colours[2] != colours[3]
    labels = [g for g in root.iter(f"{SVG}g") if g.get("class") == "label"]
    assert [[text.text for text in label] for label in labels] == [["9"] * 2, ["1"] * 2, ["4"] * 2]


def test_a_symbol_without_a_look_is_drawn_as_it_is() -> None:
    assert ">?</text>" in draw_svg(Drawing({(0, 0): "?"}), title="")


def test_pictures_in_one_page_can_have_names_of_their_own() -> None:
    one, two = (parse(draw_svg(BOARD, title="", name=name)) for name in ("a", "b"))

    names = [
        {part.attrib["id"] for part in root.iter() if "id" in part.attrib} for root in (one, two)
    ]
    assert names[0].isdisjoint(names[1])


@pytest.mark.parametrize("colour", COLOURS)
def test_marks_can_be_read_on_every_colour(colour: str) -> None:
    ink, paper = sorted((light_of(find_ink(colour)), light_of(COLOURS[colour])))

    assert (paper + 0.05) / (ink + 0.05) >= 4.5


@pytest.mark.parametrize("mark", MARKS)
def test_every_mark_can_be_drawn(mark: str) -> None:
    svg = draw_svg(Drawing({(0, 0): "x"}, looks={"x": Look("sky", mark, "it")}), title="")

    assert parse(svg).tag == f"{SVG}svg"
    assert MARKS[mark] in svg


def test_a_place_whose_own_name_is_a_mark_has_that_mark() -> None:
    cells = {(0, 0): "T", (0, 1): "T", (0, 2): "T", (0, 3): "T1"}
    town = Look("yellow", "hall", "town")
    looks = {"T": town, "T1": replace(town, piece=Piece("sky", "circle_house", "player 1"))}
    # The last two have no sign: something lies on the one, and the other is no place.
    titles = {(0, 0): "farm", (0, 1): "shop", (0, 3): "farm", (9, 9): "farm"}
    drawing = Drawing(cells, looks=looks, titles=titles)

    svg = draw_svg(drawing, title="", hexes=True)

    uses = re.findall(r'<use href="#(p\d)"/>', svg)
    assert len(uses) == 4
    assert uses[0] != uses[1] == uses[2] != uses[3] != uses[0]
    assert MARKS["farm"] in svg
    assert ">0,0: town, farm<" in svg
    listed = ("farm", "town", "player 1", "shop")
    assert [text for text in listed if f'start">{text}<' in svg] == ["farm", "town", "player 1"]


@pytest.mark.parametrize("look", [Look("pink", "circle", ""), Look("sky", "heart", "")])
def test_an_unknown_colour_or_mark_is_told(look: Look) -> None:
    with pytest.raises(RuleError, match=r"there is no (colour|mark) '(pink|heart)': use "):
        draw_svg(Drawing({(0, 0): "x"}, looks={"x": look}), title="")


def test_symbols_with_one_name_are_one_entry_of_the_legend() -> None:
    looks = {"A": Look("blue", "text", "costar"), "B": Look("blue", "text", "costar")}

    assert list_legend(looks) == [("costar", ["A", "B"])]
