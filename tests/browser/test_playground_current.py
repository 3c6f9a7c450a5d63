"""The playground: what it says is about the board and the rules as they are, or looks like old."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.pages import Opener, change_data, figures, settle, wait_for, wait_until_ready
from tests.browser.test_playground import add_card, click_hex, make_link, read_text, score, shown
from tests.helpers import EXAMPLE, run

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

_BEFORE = "Outdated: these scores come from your last working rules."


def at(page: Page) -> str:
    """Read the line above the board."""
    return page.inner_text("#at")


def test_the_address_follows_the_board_the_rules_and_the_cards(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    assert page.evaluate("location.hash") == ""
    address = page.url
    click_hex(page, 9, 0)
    wait_for(page, "location.hash.startsWith('#kb1=')")
    first = make_link(page)
    add_card(page, "mine", 'card(mine, 12, "1").\ngold(mine,P,all,1) :- player(P).\n')
    page.check("#card-mine")
    assert make_link(page) != first
    before, board = figures(page), shown(page)

    page.reload()
    wait_until_ready(page)

    assert (figures(page), shown(page)) == (before, board)
    assert page.is_checked("#card-mine")
    assert page.locator("#gold tfoot td").count() == 4
    page.click("#start-over")
    settle(page)
    make_link(page)
    assert page.evaluate("location.hash") == ""
    # Opened without its address, the page offers what was left in it.
    page.goto("about:blank")
    page.goto(address)
    wait_until_ready(page)
    assert shown(page) != board
    page.click("#left")
    page.wait_for_selector("#note:not([hidden])")
    assert (figures(page), shown(page)) == (before, board)
    page.evaluate("localStorage.clear()")


def test_the_link_is_copied(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    click_hex(page, 9, 0)
    settle(page)

    page.click("#copy-link")

    wait_for(page, "document.getElementById('copied').textContent === 'Copied.'")
    page.fill("#new-name", "")
    page.focus("#new-name")
    page.keyboard.press("Control+v")
    assert page.input_value("#new-name") == page.url[: len(page.input_value("#new-name"))]
    assert "#kb1=" in page.url


def test_the_line_above_the_board_follows_it(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    click_hex(page, 9, 0)
    before = at(page)
    page.check('#palette input[value="M"]')
    click_hex(page, 9, 0)
    assert at(page) == "row 9, column 0: mountain"

    page.click("#undo")
    assert at(page) == before == "row 9, column 0: player 1"
    page.click("#redo")
    assert at(page) == "row 9, column 0: mountain"
    assert read_text(page, ". W\n . .\n") == ""
    assert at(page) == "row 1, column 0: empty"


def test_figures_of_broken_rules_look_old_and_say_so(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    assert page.locator(".before:visible, #halted:visible").count() == 0

    add_card(page, "mine", "gold(\n")

    assert page.locator(".before:visible").all_inner_texts() == [_BEFORE]
    told = "These rules cannot be read. The scores are from the last version that worked."
    assert page.text_content("#status") == page.text_content("#halted") == told
    # The second stands beside the editor, where the eyes are.
    halted, editor = (page.locator(on).bounding_box() for on in ("#halted", "#editor"))
    assert halted is not None
    assert editor is not None
    assert 0 <= editor["y"] - halted["y"] < 100
    assert page.evaluate("getComputedStyle(document.getElementById('board')).opacity") == "0.5"
    page.click("#restore")
    assert figures(page) == score(EXAMPLE)
    assert page.locator(".before:visible, #halted:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.getElementById('board')).opacity") == "1"


def test_a_slow_machine_is_not_taken_for_rules_without_an_end(
    opener: Opener, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    assert run("playground", EXAMPLE, "-o", path).status == 0
    change_data(path, limit=1)  # a millisecond
    page = opener.open(path)

    click_hex(page, 9, 0)
    board = tmp_path / "board.txt"
    board.write_text(shown(page))

    assert figures(page) == score(board)
    assert page.inner_text("#status").startswith("Up to date")
    # Rules of one's own have several times as long as those that are shipped.
    add_card(page, "mine", 'card(mine, 12, "1").\ngold(mine,P,all,1) :- player(P).\n')
    assert figures(page)["mine"] == [1] * 4


def test_where_no_rules_came_before_none_are_named(opener: Opener, tmp_path: Path) -> None:
    (tmp_path / "mine.lp").write_text(":- settlement(1,_,_).\n")

    page = opener.make("playground", EXAMPLE, "--rules", tmp_path)

    told = page.inner_text("#status")
    assert told.startswith("A constraint ")
    assert told.endswith(" So there is nothing to show.")
    assert page.locator(".before:visible").count() == 0


def test_quadrants_are_said_to_be_laid_as_they_are_printed(opener: Opener) -> None:
    page = opener.playground()
    page.evaluate("document.getElementById('of-quadrants').open = true")

    page.click("#lay")

    assert set("GCDF") <= set(shown(page))
    assert "become" not in page.inner_text("#of-quadrants p >> nth=0")


def test_a_card_with_the_number_of_another_is_told(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    assert "same number" not in (page.text_content("#findings") or "")

    add_card(page, "mine", 'card(mine, 4, "1").\ngold(mine,P,all,1) :- player(P).\n')

    figures(page)
    told = "the cards mine and miners have the same number, 4: kb-score rejects them"
    assert told in (page.text_content("#findings") or "")
