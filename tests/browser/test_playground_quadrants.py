"""The playground: a board of four quadrants of the published game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kb_score import parse_board
from kb_score.errors import FormatError
from tests.browser.pages import NARROW, WIDE, Opener, figures, find_faults, is_too_wide
from tests.browser.test_playground import click_hex, make, read_text, score, shown
from tests.helpers import ASP, EXAMPLE
from tests.oracles.kingdom_builder_boxes import settle_box

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Words that are no hexes, and boards that are none.
WORDS = "C1 T2 O5 W# M# C# # 1# x 6 GG2 G12 G#1 G1# G## .1# .12. 12 GW 2G W1W"
BAD = [*(f". .\n . {word}\n" for word in WORDS.split()), "G#\n..\n", "G2 .\n W1\n"]
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
    click_hex(page, 9, 10)
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


@pytest.mark.parametrize("seed", range(3))
def test_boards_of_the_box_have_the_figures_of_the_command(
    opener: Opener, tmp_path: Path, seed: int
) -> None:
    page, path = make(opener), tmp_path / "board.txt"
    board = settle_box(seed)
    path.write_text(str(board))

    assert read_text(page, path.read_text()) == ""

    assert figures(page) == score(path)
    assert shown(page) == str(board)


def test_a_settlement_stands_on_the_terrain_where_it_can(opener: Opener) -> None:
    page = make(opener)
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
    assert (page.text_content("#at") or "").endswith("grass, player 3")
    page.keyboard.press("#")
    assert shown(page).startswith("G# W3")
    page.keyboard.press("F")
    assert shown(page).startswith("F  W3")


def test_what_is_no_board_is_told_in_the_words_of_the_command(opener: Opener) -> None:
    page = make(opener)
    for text in BAD:
        said = read_text(page, text)

        with pytest.raises(FormatError) as error:
            parse_board(text)
        place = error.value.place
        # The command also guesses what was meant.
        message = error.value.message.partition("; did you mean")[0]
        assert said == f"line {place.line}, column {place.column}: {message}"
