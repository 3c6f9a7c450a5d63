"""The playground: a board of four quadrants of the published game."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.pages import NARROW, WIDE, Opener, figures, find_faults, is_too_wide
from tests.browser.test_playground import hex_at, make, score, shown
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
        for _ in range(page.locator(f"#{place} option").count()):
            if page.input_value(f"#{place}") != name:
                page.keyboard.press("ArrowDown")
        assert page.input_value(f"#{place}") == name
    page.press("#lay", "Enter")
    return page.text_content("#quadrants-error") or ""


def lines_of(*names: str) -> str:
    """Read rows of two quadrants in their file; what a board does not know is empty there."""
    text = (ASP / "kingdom_builder" / "quadrants.txt").read_text()
    joined = [""] * 10
    for name in names:
        wanted, _, is_turned = name.partition("/")
        lines = text[text.index(f"\n% {wanted} ") :].splitlines()[2:12]
        rows = ["".join(line.split()) for line in lines]
        rows = [row[::-1] for row in rows[::-1]] if is_turned else rows
        joined = [f"{left}{right}" for left, right in zip(joined, rows, strict=True)]
    found = re.sub("[GNDLF]", ".", "\n".join(joined)).replace("O", "T").splitlines()
    return "".join(f"{' ' * (number % 2)}{' '.join(row)}\n" for number, row in enumerate(found))


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(("oracle", "farm/180", "tavern", "paddock"), id="base-game"),
        pytest.param(("caravan/180", "quarry", "garden/180", "village/180"), id="nomads"),
    ],
)
def test_four_quadrants_are_chosen_undone_and_linked(
    opener: Opener, tmp_path: Path, names: tuple[str, ...]
) -> None:
    page = make(opener, EXAMPLE)
    before = shown(page)

    assert lay(page, *names) == ""

    wanted = lines_of(*names[:2]) + lines_of(*names[2:])
    assert shown(page) == wanted
    page.click(hex_at(9, 10))
    path = tmp_path / "laid.txt"
    path.write_text(shown(page))
    assert figures(page) == score(path)
    page.click("#make-link")
    page.wait_for_selector("#linked:not([hidden])")
    other = make(opener)
    other.evaluate("link => { location.hash = link; }", page.input_value("#link").split("#")[1])
    other.wait_for_selector("#note:not([hidden])")
    assert shown(other) == shown(page)
    page.focus("#board")
    page.keyboard.press("Control+z")
    assert shown(page) == wanted
    page.keyboard.press("Control+z")
    assert shown(page) == before


def test_a_quadrant_that_is_chosen_twice_is_told_and_changes_nothing(opener: Opener) -> None:
    page = make(opener, EXAMPLE)
    before = shown(page)

    said = lay(page, "oracle", "farm", "oracle/180", "paddock")

    assert said == "oracle is chosen twice: the four quadrants of a board are different"
    assert shown(page) == before
    assert lay(page, "oracle", "farm", "harbor/180", "paddock") == ""
    assert shown(page) != before


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_choice_has_no_faults_and_fits(opener: Opener, size: tuple[int, int]) -> None:
    page = make(opener, EXAMPLE, size=size)

    assert not page.is_visible("#northwest")
    assert lay(page, "quarry/180", "farm", "quarry", "paddock") != ""

    assert page.is_visible("#northwest")
    assert not is_too_wide(page)
    assert find_faults(page) == []
