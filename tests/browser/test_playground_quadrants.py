"""The playground: a board of four quadrants of the published game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.pages import Opener, figures, follow
from tests.browser.test_playground import click_hex, make_link, read_text, score, shown
from tests.helpers import ASP, EXAMPLE

if TYPE_CHECKING:
    from playwright.sync_api import Page

PLACES = ("northwest", "northeast", "southwest", "southeast")


def lay(page: Page, *names: str) -> str:
    """Choose four quadrants, by keys alone; returns what the page says of it."""
    if not page.evaluate("document.getElementById('of-quadrants').open"):
        page.press("#of-quadrants summary", "Enter")
    for place, name in zip(PLACES, names, strict=True):
        page.focus(f"#{place}")
        page.keyboard.press("Home")
        options = page.locator(f"#{place} option").evaluate_all("all => all.map((on) => on.value)")
        for _ in range(options.index(name)):
            page.keyboard.press("ArrowDown")
        assert page.input_value(f"#{place}") == name
    page.press("#lay", "Enter")
    return page.inner_text("#quadrants-error")


def lines_of(*names: str) -> str:
    """Read rows of two quadrants in their file."""
    text = (ASP / "kingdom_builder" / "quadrants.txt").read_text()
    joined = [""] * 10
    for name in names:
        wanted, _, is_turned = name.partition("/")
        lines = text[text.index(f"\n% {wanted} ") :].splitlines()[2:12]
        rows = ["".join(line.split()) for line in lines]
        rows = [row[::-1] for row in rows[::-1]] if is_turned else rows
        joined = [f"{left}{right}" for left, right in zip(joined, rows, strict=True)]
    return "".join(f"{' ' * (number % 2)}{' '.join(row)}\n" for number, row in enumerate(joined))


def test_four_quadrants_are_chosen_undone_and_linked(opener: Opener, tmp_path: Path) -> None:
    names = ("oracle", "farm/180", "quarry", "garden/180")
    page = opener.playground(EXAMPLE)
    before = shown(page)

    assert lay(page, *names) == ""

    wanted = lines_of(*names[:2]) + lines_of(*names[2:])
    assert shown(page) == wanted
    click_hex(page, 9, 10)
    path = tmp_path / "laid.txt"
    path.write_text(shown(page))
    assert figures(page) == score(path)
    other = opener.playground()
    follow(other, make_link(page))
    assert shown(other) == shown(page)
    page.focus("#board")
    page.keyboard.press("Control+z")
    assert shown(page) == wanted
    page.keyboard.press("Control+z")
    assert shown(page) == before


def test_a_quadrant_that_is_chosen_twice_is_told_and_changes_nothing(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    before = shown(page)

    said = lay(page, "oracle", "farm", "oracle/180", "paddock")

    assert said == "oracle is chosen twice: the four quadrants of a board must be different"
    assert shown(page) == before
    assert lay(page, "oracle", "farm", "harbor/180", "paddock") == ""
    assert shown(page) != before


def test_a_settlement_stands_on_the_terrain_where_it_can(opener: Opener) -> None:
    page = opener.playground()
    assert read_text(page, "G W M\tT C O . 2\n. . . . . . . .\n") == ""

    page.focus("#board")
    for _ in range(8):
        page.keyboard.press("3")
        page.keyboard.press("ArrowRight")

    assert shown(page).splitlines()[0] == "G3 W3 M3 3  3  3  3  3"
    page.keyboard.press("#")
    assert shown(page).splitlines()[0] == "G3 W3 M3 3  3  3  3  .#"
    for _ in range(7):
        page.keyboard.press("ArrowLeft")
    assert page.inner_text("#at").endswith("grass, player 3")
    page.keyboard.press("#")
    assert shown(page).startswith("G# W3")
    page.keyboard.press("F")
    assert shown(page).startswith("F  W3")
