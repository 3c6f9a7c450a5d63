"""Pages where no script runs, such as in previews of mail, and pages on paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.pages import Opener
from tests.helpers import EXAMPLE, ROOT, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

GAME = ROOT / "boards" / "kingdom_builder" / "games" / "base.txt"
# Where parts of the page are: left, top, right and bottom.
_BOXES = """(parts) => parts.flatMap((wanted) => [...document.querySelectorAll(wanted)])
  .map((on) => on.getBoundingClientRect())
  .filter(({ width }) => width > 0)
  .map(({ left, top, right, bottom }) => [left, top, right, bottom])"""
_PARTS = [".drawn", "#gold", "#tally", "#crossed", "#players", "#curves", "#legend"]
_FIGURES = """() => [...document.querySelectorAll("td, dd, .numbers text")]
  .filter((on) => on.textContent).map((on) => on.getBoundingClientRect())
  .map(({ left, right }) => [left, right])"""


@pytest.fixture
def unscripted(browser: Browser) -> Iterator[Page]:
    """A page in which no script runs."""
    context = browser.new_context(offline=True, java_script_enabled=False)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("command", [("report", EXAMPLE, "--cards", "1,3,7"), ("replay", GAME)])
def test_without_scripts_board_and_figures_are_seen(
    command: tuple[object, ...], unscripted: Page, tmp_path: Path
) -> None:
    assert run(*command, "-o", tmp_path / "page.html").status == 0

    unscripted.goto((tmp_path / "page.html").as_uri())

    board = unscripted.locator("#field > svg")
    box = board.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) > 200
    assert board.locator("path[fill^=url]").count() > 8
    assert unscripted.locator("text=/open the file in a browser/i").is_visible()
    if command[0] == "report":
        rows = unscripted.locator("#gold tr").all_inner_texts()
        assert rows[-1].split() == ["total", "52", "46", "43", "62"]
        assert unscripted.inner_text("#winner") == "Player 4 wins with 62 gold."
    else:
        assert unscripted.inner_text("#caption") == "turn 39"
        assert "50" in unscripted.locator("#tally dd").all_inner_texts()


@pytest.mark.parametrize("size", [(794, 1123), (1123, 794)], ids=["portrait", "landscape"])
@pytest.mark.parametrize(
    "command",
    [
        ("report", EXAMPLE, "--cards", "1,3,7"),
        ("replay", GAME, "--names", "Anna,Ben,Cleo"),
        ("tabletop", "--seed", "4"),
        ("playground", EXAMPLE),
    ],
    ids=lambda command: str(command[0]),
)
def test_on_paper_nothing_lies_over_anything_else(
    command: tuple[object, ...], size: tuple[int, int], opener: Opener, tmp_path: Path
) -> None:
    assert run(*command, "-o", tmp_path / "page.html").status == 0
    page = opener.open(tmp_path / "page.html")
    before = page.viewport_size
    page.emulate_media(media="print")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    try:
        boxes = page.evaluate(_BOXES, _PARTS)
        figures = page.evaluate(_FIGURES)
    finally:
        page.emulate_media(media="screen")
        if before:
            page.set_viewport_size(before)

    assert len(boxes) > 1
    for number, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0
        assert right <= size[0] + 1
        for other_left, other_top, other_right, other_bottom in boxes[:number]:
            is_beside = right <= other_left + 1 or other_right <= left + 1
            is_below = bottom <= other_top + 1 or other_bottom <= top + 1
            assert is_beside or is_below
    assert len(figures) > 40
    assert all(left >= 0 and right <= size[0] for left, right in figures)


def test_the_curve_of_a_player_has_the_colour_of_his_pieces(opener: Opener) -> None:
    page = opener.replay(GAME)
    plain = page.locator("#curves figcaption span").evaluate_all(
        "on => on.map((one) => [one.textContent, one.style.borderColor])"
    )

    names = opener.replay(GAME, "--names", "R2D2,Ben,Cleo")
    named = names.locator("#curves figcaption span").evaluate_all(
        "on => on.map((one) => one.style.borderColor)"
    )

    assert [name for name, _ in plain[:3]] == ["player 1", "player 2", "player 3"]
    colours = ["rgb(230, 159, 0)", "rgb(86, 180, 233)", "rgb(0, 158, 115)"]
    assert [colour for _, colour in plain] == named == colours * 2
