"""What all pages have: a dark look, an icon, a look on paper, and pictures to keep."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from tests.browser.pages import (
    MARKED,
    NARROW,
    WIDE,
    Opener,
    follow,
    set_size,
    wait_for,
    wait_until_ready,
)
from tests.helpers import EXAMPLE, ROOT, run

if TYPE_CHECKING:
    from playwright.sync_api import Page

BOARDS = ROOT / "boards"
SLIME = ("slime", BOARDS / "slime" / "session.txt")
_SVG = "{http://www.w3.org/2000/svg}"
PAGES = [
    pytest.param(("playground", EXAMPLE), id="playground"),
    pytest.param(("replay", "slime", BOARDS / "slime" / "wrong.txt"), id="replay"),
    pytest.param(("report", EXAMPLE, "--cards", "lords,miners,hermits"), id="report"),
]
# How light the paper and the ink are, from 0 to 255.
_LIGHT = """() => ["backgroundColor", "color"].map((what) => (
  Number(getComputedStyle(document.body)[what].match(/\\d+/)[0])
))"""


# The inner colours of marks.
_INNER = """() => [...document.querySelectorAll('.marks path[stroke-width="2.5"]')].map(
  (on) => on.getAttribute("stroke")
)"""


def find(opener: Opener, words: tuple[Any, ...]) -> Page:
    """Make a page by the words of its command; a playground that was made before is that one."""
    return opener.playground(*words[1:]) if words[0] == "playground" else opener.make(*words)


def download(page: Page, button: str) -> tuple[str, ET.Element]:
    """Have a page save its picture; returns the name, and the picture."""
    with page.expect_download() as started:
        page.click(button)
    text = Path(started.value.path()).read_text(encoding="utf-8")
    return started.value.suggested_filename, ET.fromstring(text)


@pytest.mark.parametrize("words", PAGES)
def test_pages_are_dark_where_that_is_preferred_and_without_controls_on_paper(
    opener: Opener, words: tuple[Any, ...]
) -> None:
    page = find(opener, words)
    paper, ink = page.evaluate(_LIGHT)
    assert ink < 60 < 200 < paper

    page.emulate_media(color_scheme="dark")

    paper, ink = page.evaluate(_LIGHT)
    assert paper < 60 < 200 < ink
    page.emulate_media(color_scheme="dark", media="print")
    paper, ink = page.evaluate(_LIGHT)
    assert ink < 60 < 200 < paper
    assert page.locator(".controls:visible, textarea:visible, #editor:visible").count() == 0
    assert page.locator("h1").is_visible()
    if words[0] == "report":
        assert "miners" in page.inner_text("#gold")
        assert page.inner_text("#gold tbody td >> nth=0").isdigit()


def test_pages_bring_an_icon(opener: Opener) -> None:
    page = opener.replay(*SLIME)

    wide = """() => new Promise((resolve) => {
      const image = new Image();
      image.onload = () => resolve(image.naturalWidth > 0);
      image.onerror = () => resolve(false);
      image.src = document.querySelector('link[rel=icon]').href;
    })"""
    assert page.evaluate(wide)


def test_the_picture_of_a_turn_is_saved(opener: Opener) -> None:
    page = opener.replay(*SLIME)
    page.keyboard.press("End")

    name, picture = download(page, "#save-picture")

    assert re.fullmatch(r"turn-\d+\.svg", name)
    assert name == f"turn-{page.evaluate('kb.state.turn')}.svg"
    filled = [path for path in picture.iter(f"{_SVG}path") if "url(" in path.get("fill", "")]
    places = "".join(path.get("d", "") for path in filled).count("M")
    assert places == page.evaluate("kb.state.picture.cells.length")
    known = {f"url(#{made.get('id')})" for made in picture.iter(f"{_SVG}pattern")}
    assert {path.get("fill") for path in filled} <= known


def test_the_picture_of_a_board_is_saved_with_its_marks(opener: Opener) -> None:
    for words, wanted in (
        (("report", EXAMPLE), '#gold button[aria-label^="miners, player 3:"]'),
        (("playground", EXAMPLE), '#gold button[data-key="miners 3"]'),
    ):
        page = find(opener, words)
        page.click(wanted)

        button = "#save-picture" if words[0] == "report" else "#save-drawn"
        name, picture = download(page, button)

        assert name == ("example.svg" if words[0] == "report" else "board.svg")
        (marks,) = (on for on in picture.iter(f"{_SVG}g") if on.get("class") == "marks")
        # Each hex has a ring of two lines, and its gold.
        assert len(marks.findall(f"{_SVG}g/{_SVG}path")) == 2 * 11
        assert [text.text for text in marks.findall(f"{_SVG}text")] == ["1"] * 11


@pytest.mark.parametrize("words", PAGES)
def test_pictures_are_saved_as_dots(opener: Opener, words: tuple[Any, ...]) -> None:
    page = find(opener, words)
    with page.expect_download() as started:
        page.click("#save-drawn-dots" if words[0] == "playground" else "#save-dots")

    assert started.value.suggested_filename.endswith(".png")
    data = Path(started.value.path()).read_bytes()
    assert data.startswith(b"\x89PNG")
    assert int.from_bytes(data[16:20]) > 200


def read_lines(path: str | None) -> list[list[str]]:
    """Read the lines of a path, whichever way each leads."""
    return sorted(sorted(line.split("L")) for line in (path or "").split("M"))


def test_regions_have_the_same_outline_in_pages_and_pictures(opener: Opener) -> None:
    for files, turn in (((EXAMPLE,), ""), (SLIME, "--turn 9")):
        picture = ET.fromstring(run("draw", *files, *turn.split()).out)
        (path,) = (on for on in picture.iter(f"{_SVG}path") if on.get("class") == "border")
        page = opener.make("replay", *files) if turn else opener.playground(EXAMPLE)
        if turn:
            follow(page, "#turn-9")

        lines = page.get_attribute(".layers .borders", "d")

        assert read_lines(lines) == read_lines(path.get("d"))


@pytest.mark.parametrize("verb", ["report", "playground"])
def test_quadrants_and_rows_are_shaded_and_groups_have_an_edge(opener: Opener, verb: str) -> None:
    page = find(opener, (verb, EXAMPLE))
    # By card of player 1: how many parts of the board are shaded, and how many colours they have.
    for card, shaded, colours in (("lords", 3, 3), ("knights", 1, 1), ("miners", 0, 1)):
        page.focus(f'#gold button[data-key="{card} 1"]')
        assert page.locator(".marks [opacity]").count() == shaded
        assert len(set(page.evaluate(_INNER))) == colours

    # A group has one edge of two lines, however many hexes it has, and its gold once.
    page.focus('#gold button[data-key="citizens 1"]')
    (group,) = page.locator(".marks g").all()
    assert len((group.get_attribute("data-hexes") or "").split()) > 5
    assert group.locator("path").count() == 2
    assert page.locator(".marks text").all_text_contents() == ["4"]


def test_a_turn_has_an_address(opener: Opener) -> None:
    page = opener.replay(*SLIME)
    first = page.evaluate("kb.state.turn")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    wait_for(page, "turn => location.hash === `#turn-${turn}`", first + 2)

    page.reload()
    wait_until_ready(page)
    assert page.evaluate("kb.state.turn") == first + 2
    page.evaluate("number => { location.hash = `turn-${number}`; }", first + 4)
    wait_for(page, "number => kb.state.turn === number", first + 4)


def test_a_small_board_is_as_large_as_the_window_lets_it(opener: Opener) -> None:
    page = opener.replay(*SLIME)

    box = page.locator("#field .drawn").bounding_box()

    assert box is not None
    assert box["height"] > WIDE[1] / 3
    assert box["y"] + box["height"] < WIDE[1]
    # All of a replay is in one window, and what matters most is in sight.
    set_size(page, (1280, 720))
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    for part in ("#field .drawn", "#slider", "#verdict", "#moves"):
        found = page.locator(part).bounding_box()
        assert found is not None
        assert found["y"] + found["height"] <= 720


def test_a_tap_on_a_figure_brings_its_reasons_into_sight(opener: Opener) -> None:
    page = opener.make("report", EXAMPLE, size=NARROW)

    page.click('#gold button[aria-label^="hermits, player 4:"]')

    box = page.locator("#paid").bounding_box()
    assert box is not None
    assert 0 <= box["y"] <= NARROW[1] - box["height"]


def test_rings_of_slime_are_around_what_a_turn_has_changed(opener: Opener) -> None:
    page = opener.replay(*SLIME)
    for _ in range(6):
        before = page.evaluate("kb.state.picture.cells")
        page.keyboard.press("ArrowRight")
        after = page.evaluate("kb.state.picture.cells")
        changed = {at for at, symbol in enumerate(before) if symbol != after[at]}
        columns = page.evaluate("kb.state.picture.columns")
        found = {tuple(map(int, hex_.split(","))) for hex_ in page.evaluate(MARKED)}
        assert {row * columns + column for row, column in found} == changed


def test_five_players_fit_into_a_narrow_table(opener: Opener, tmp_path: Path) -> None:
    board = tmp_path / "five.txt"
    board.write_text("1 2 3 4 5 .\n . . . . . .\n")

    page = opener.make("report", board, size=NARROW)

    more = "(on => on.scrollWidth - on.clientWidth)(document.querySelector('.beside .scroll'))"
    assert page.evaluate(more) == 0
