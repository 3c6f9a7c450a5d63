"""The playground is one window: figures at once, a board to paint on, what a change would pay."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from benchmarks.boards import random_board, write_board
from tests.browser.pages import (
    FIGURES,
    MIDDLE,
    NARROW,
    Opener,
    figures,
    is_too_wide,
    set_size,
    settle,
    wait_for,
    wait_until_ready,
)
from tests.browser.test_playground import click_hex, score, shown
from tests.helpers import EXAMPLE, EXAMPLE_GOLD, run

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

# The changes that are not 0, by card and player.
_CHANGES = """() => Object.fromEntries(
  [...document.querySelectorAll("#gold tr:has(td.change)")].flatMap((row) => {
    const keys = [...row.querySelectorAll("td button")].map((button) => button.dataset.key);
    const said = [...row.querySelectorAll("td.change > span")].map((on) => on.lastChild?.data);
    return keys.map((key, i) => [key, Number((said[i] || "0").replace("\\u2212", "-"))]);
  }).filter(([, more]) => more))"""
_PLACES = """(names) => names.map((name) => {
  const { left, top, width, height } = document.querySelector(name).getBoundingClientRect();
  return [left, top, width, height];
})"""
# What of these parts can be seen in the window.
_SEEN = """(names) => names.filter((name) => {
  const { top, bottom, width } = document.querySelector(name).getBoundingClientRect();
  return width && top >= 0 && bottom <= innerHeight;
})"""


def differ(board: Path, other: Path) -> dict[str, int]:
    """Say what the command pays more for another board, by card and player."""
    before, after = score(board), score(other)
    return {
        f"{card} {player}": more
        for card in after
        for player, (old, new) in enumerate(zip(before[card], after[card], strict=True), 1)
        if (more := new - old)
    }


def test_figures_and_picture_stand_before_clingo_does(opener: Opener, tmp_path: Path) -> None:
    large = tmp_path / "large.txt"
    large.write_text(write_board(random_board(1, 100, 100)))
    for board in (EXAMPLE, large):
        path = tmp_path / "page.html"
        assert run("playground", board, "-o", path, "--force").status == 0
        # clingo cannot be read here, and never starts.
        path.write_text(re.sub('(id="wasm">)[^<]*', r"\1", path.read_text()))

        page = opener.open(path)

        assert page.evaluate(FIGURES) == score(board)
        assert page.evaluate("kb.state.picture.cells.length") in (400, 10_000)
        assert "failed" in page.inner_text("#status")


def test_board_and_table_stand_in_the_page_before_its_script_runs(
    opener: Opener, tmp_path: Path
) -> None:
    path, later = tmp_path / "page.html", tmp_path / "later.html"
    assert run("playground", EXAMPLE, "-o", path).status == 0
    later.write_text(path.read_text().replace("{ text: ", "{ none: "))
    parts = ["#palette", "#begin", "#gold", "#gold tbody th:nth-child(1)", "#gold td"]
    found = [opener.open(path).evaluate(_PLACES, parts)]

    page = opener.visit(later)
    found.append(page.evaluate(_PLACES, parts))

    assert page.evaluate(FIGURES) == score(EXAMPLE)
    assert page.locator("#gold svg use").count() == 4
    hexes = page.locator("#board path[fill^=url]").evaluate_all(
        "on => on.map((one) => one.outerHTML)"
    )
    assert "".join(hexes).count("M") == 400
    assert page.locator("#palette label").count() == 0
    for one, other in zip(*found, strict=True):
        assert one == pytest.approx(other, abs=1.5)  # nothing moves when it does


def test_one_window_has_board_gold_and_rules(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    assert page.locator("#gold thead svg").count() == 4  # the houses of the players
    parts = ["#board .drawn", "#palette", "#undo", "#begin", "#gold", "#file", "#editor"]
    for size in ((1280, 720), (1600, 1000)):
        set_size(page, size)

        assert page.evaluate(_SEEN, parts) == parts
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        box = page.locator("#board .drawn").bounding_box()
        assert box is not None
        assert box["y"] < 60
        assert box["width"] > 0.3 * size[0]


def test_on_a_phone_the_board_comes_first_and_the_totals_stay(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    set_size(page, NARROW)

    assert page.evaluate(_SEEN, ["#board .drawn", "#palette", "#totals"]) == [
        "#board .drawn", "#palette", "#totals",
    ]  # fmt: skip
    for card in ("lords", "miners", "knights"):
        page.check(f"#card-{card}")
        settle(page)
    assert page.inner_text("#totals").startswith("Total: player 1 ")
    for _ in range(4):
        page.click("#larger")
    assert page.evaluate("kb.state.picture.step[0]") >= 24
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    click_hex(page, 9, 0)
    assert shown(page).splitlines()[9].split()[0] == "1"
    settle(page)
    assert "player 1: +1 " in page.inner_text("#changed")


def test_a_drag_paints_is_undone_as_one_and_tells_what_it_pays(
    opener: Opener, tmp_path: Path
) -> None:
    page = opener.playground(EXAMPLE)
    before = shown(page)
    page.mouse.move(*page.evaluate(MIDDLE, [9, 1]))
    page.mouse.down()
    page.mouse.move(*page.evaluate(MIDDLE, [9, 6]), steps=12)
    page.mouse.up()
    settle(page)
    after = tmp_path / "after.txt"
    after.write_text(shown(page))

    assert shown(page).splitlines()[9].split()[:8] == [".", *["1"] * 6, "M"]
    assert page.evaluate(_CHANGES) == differ(EXAMPLE, after)
    page.click("#undo")
    assert shown(page) == before
    settle(page)
    back = {key: -more for key, more in differ(EXAMPLE, after).items()}
    assert page.evaluate(_CHANGES) == back


def test_a_hex_tells_what_a_click_would_pay(opener: Opener, tmp_path: Path) -> None:
    page = opener.playground(EXAMPLE)
    before = shown(page)
    path = tmp_path / "other.txt"
    rows = [line.split() for line in before.splitlines()]
    rows[9][4] = "1"
    path.write_text("\n".join(" " * (n % 2) + " ".join(row) for n, row in enumerate(rows)))

    page.mouse.move(*page.evaluate(MIDDLE, [9, 4]))
    wait_for(page, "document.querySelectorAll('.preview td.change').length > 0")

    assert page.evaluate(_CHANGES) == differ(EXAMPLE, path)
    assert (shown(page), figures(page)) == (before, score(EXAMPLE))
    assert page.inner_text("#changed").startswith("player 1: +1 ")
    page.mouse.move(0, 0)
    wait_for(page, "document.getElementById('changed').textContent === ''")
    # The same by keys.
    page.focus("#board")
    for key in [*["ArrowDown"] * 9, *["ArrowRight"] * 4]:
        page.keyboard.press(key)
    sort = "(found) => JSON.stringify(Object.entries(found).sort())"
    same = f"(expected) => ({sort})(({_CHANGES})()) === ({sort})(expected)"
    wait_for(page, same, differ(EXAMPLE, path))


def test_boards_are_filled_cleared_and_made_larger(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    page.click("#clear")
    assert set(shown(page)) <= set(". \n")
    page.evaluate("document.getElementById('as-text').open = true")
    page.wait_for_timeout(50)  # it tells the size when it has opened
    page.fill("#row-count", "4")
    page.fill("#column-count", "6")
    page.click("#resize")
    assert shown(page) == ". . . . . .\n . . . . . .\n" * 2
    page.check("#palette input[value=W]")
    for row, column in enumerate((3, 2, 2, 1)):
        click_hex(page, row, column)
    page.check("#palette input[value=G]")
    page.check("#fill")
    click_hex(page, 0, 0)
    settle(page)

    assert shown(page) == "G G G W . .\n G G W . . .\nG G W . . .\n G W . . . .\n"


def begin_with(page: Page, part: str, words: str) -> None:
    """Choose what to begin with, by words of it."""
    option = page.locator(f"#{part} option", has_text=words).first
    page.select_option(f"#{part}", option.get_attribute("value"))
    settle(page)


def test_there_is_something_to_begin_with(opener: Opener, tmp_path: Path) -> None:
    page = opener.playground(EXAMPLE)
    begin_with(page, "examples", "a settlement on water pays nothing")
    assert shown(page) == "W1 W\n"
    assert page.input_value("#file") == "fishermen.lp"
    assert figures(page)["fishermen"] == [0]

    begin_with(page, "rulings", "a settlement that stands on water pays nothing")
    assert figures(page)["fishermen"] == [1]
    assert page.evaluate(_CHANGES) == {"fishermen 1": 1}
    assert page.inner_text("#note").startswith(
        "fishermen_on_water is 1 now, in fishermen.lp: it pays like any other beside water. "
    )

    page.click("#random")
    settle(page)
    # Of another board nothing is told, and of a change there all is.
    assert (page.evaluate(_CHANGES), page.inner_text("#changed")) == ({}, "")
    board = tmp_path / "random.txt"
    board.write_text(shown(page))
    assert len(figures(page)["castles"]) == 4
    page.click("#one-line")
    assert any(figures(page)["walkers"])
    assert page.locator("#messages li").count() == 0
    page.click("#start-over")
    assert figures(page) == score(EXAMPLE)


def test_only_files_that_the_table_follows_are_listed_and_cards_come_first(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    names = page.locator("#file option").all_inner_texts()
    groups = page.locator("#file optgroup").evaluate_all("all => all.map((on) => on.label)")

    assert groups[0] == "cards"
    assert {"board.lp", "score.lp"} < set(names)
    assert not {"held.lp", "live.lp", "advise.lp"} & set(names)


def test_on_a_front_page_a_line_of_a_rule_changes_the_gold(opener: Opener, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    assert run("playground", EXAMPLE, "-o", path).status == 0
    set_size(opener.tab, (736, 576))
    page = opener.tab
    page.goto(f"{path.as_uri()}?compact")
    wait_until_ready(page)
    settle(page)
    line = page.input_value("#line")
    assert line.startswith("gold(miners, P, hex(R,C), 1) :- ")
    seen = page.evaluate(_SEEN, ["#board .drawn", "#palette", "#gold", "#line"])
    assert seen == ["#board .drawn", "#palette", "#gold", "#line"]
    assert page.is_hidden("#editor")

    page.fill("#line", line.replace("1) :-", "2) :-"))
    page.press("#line", "Enter")
    wait_for(page, "document.getElementById('changed').textContent !== ''")
    settle(page)

    assert figures(page)["miners"] == [2 * gold for gold in EXAMPLE_GOLD["miners"]]
    assert not is_too_wide(page)


@pytest.mark.parametrize("wide", [1200, 1280, 1440])
def test_the_gold_of_five_players_is_in_sight(wide: int, opener: Opener, tmp_path: Path) -> None:
    board = tmp_path / "five.txt"
    board.write_text(EXAMPLE.read_text().replace("4", "5", 1))
    page = opener.make("playground", board, size=(wide, 800))

    assert page.locator("#gold thead th").count() == 6
    scrolled = (
        "(on => [on.scrollWidth, on.clientWidth])(document.querySelector('.scroll:has(#gold)'))"
    )
    inner, outer = page.evaluate(scrolled)
    assert inner <= outer


def test_an_empty_board_has_three_doors(opener: Opener) -> None:
    page = opener.playground()
    assert page.is_visible("#nobody")

    page.click("#door-quadrants")
    assert page.is_visible("#lay")
    assert page.evaluate("document.activeElement.id") == "northwest"
    page.click("#door-random")
    settle(page)
    assert len(figures(page)["castles"]) == 4
    page.click("#undo")
    settle(page)
    page.click("#door-example")
    settle(page)
    assert shown(page).strip()
    assert page.is_hidden("#nobody")
