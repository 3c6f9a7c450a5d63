"""The page of scores: what its figures mark and say, how it sorts, and what never happens."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.pages import (
    MARKED,
    NARROW,
    WIDE,
    Opener,
    find_faults_everywhere,
    read_column,
    wait_for,
)
from tests.helpers import EXAMPLE, SMALL, add_rules, draw, run

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

GAME = ("--cards", "discoverers,fishermen,hermits")
Hex = tuple[int, int]


def make(opener: Opener, *words: object, size: tuple[int, int] = WIDE) -> Page:
    """Make a page of scores, and open it."""
    return opener.make("report", *words, size=size)


def figure(page: Page, card: str, player: int) -> Locator:
    return page.locator(f'#gold button[aria-label^="{card}, player {player}:"]')


def find_marked(page: Page) -> set[Hex]:
    """Find the hexes that have rings around them."""
    places = (name.split(",") for name in page.evaluate(MARKED))
    return {(int(row), int(column)) for row, column in places}


def explain(card: str, player: int) -> set[Hex]:
    words = ("--card", card, "--player", player, "--format", "json")
    (explained,) = run("explain", EXAMPLE, *words).json
    return {(row, column) for piece in explained["evidence"] for row, column in piece["hexes"]}


@pytest.fixture
def boards(tmp_path: Path) -> Path:
    """A folder of three boards, of which one is won by 1, one by 2, and in one both tie."""
    folder = tmp_path / "boards"
    folder.mkdir()
    apart = {(0, 0): "1", (3, 0): "1", (0, 3): "2"}
    swapped = {place: {"1": "2", "2": "1"}[player] for place, player in apart.items()}
    tied = {(0, 0): "1", (3, 3): "2"}
    for name, symbols in (("b", apart), ("a", swapped), ("c", tied)):
        (folder / f"{name}.txt").write_text(draw(symbols))
    return folder


def test_a_figure_marks_the_hexes_that_pay_it(opener: Opener) -> None:
    page = make(opener, EXAMPLE)
    assert find_marked(page) == set()

    for card in ("castles", "miners", "lords", "hermits", "merchants"):
        for player in (1, 3):
            figure(page, card, player).hover()
            assert find_marked(page) == explain(card, player)


def test_a_figure_says_what_pays_it(opener: Opener) -> None:
    page = make(opener, EXAMPLE)

    figure(page, "miners", 3).hover()

    assert page.inner_text("#paid") == "miners, player 3: 11 gold"
    assert page.inner_text("#pays") == "1 gold for each of your settlements beside a mountain"
    hexes = "; ".join(f"{row},{column}" for row, column in sorted(explain("miners", 3)))
    assert page.inner_text("#reasons") == f"11 \u00d7 1 gold for hex {hexes}"


def test_a_total_marks_what_any_card_of_the_game_pays_for(opener: Opener) -> None:
    page = make(opener, EXAMPLE, *GAME)

    figure(page, "total", 4).hover()

    cards = ("castles", "discoverers", "fishermen", "hermits")
    assert find_marked(page) == set.union(*(explain(card, 4) for card in cards))
    assert "fishermen: 5 \u00d7 1 gold for hex " in page.inner_text("#reasons")


def test_the_keyboard_alone_reaches_every_figure(opener: Opener) -> None:
    page = make(opener, EXAMPLE, *GAME)
    said = []
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#gold td button')"):
            break
    for key in ["", "ArrowRight", "ArrowDown", "End", *["ArrowDown"] * 3, "Home"]:
        if key:
            page.keyboard.press(key)
        said.append(page.inner_text("#paid"))

    assert said == [
        "castles, player 1: 18 gold",
        "castles, player 2: 0 gold",
        "discoverers, player 2: 20 gold",
        "discoverers, player 4: 16 gold",
        "fishermen, player 4: 5 gold",
        "hermits, player 4: 29 gold",
        "total, player 4: 62 gold",
        "total, player 1: 52 gold",
    ]
    assert find_marked(page)
    page.keyboard.press("Escape")
    assert find_marked(page) == set()
    assert not page.is_visible("#why")


def test_every_column_of_the_cards_sorts(opener: Opener) -> None:
    page = make(opener, EXAMPLE, *GAME)
    before = read_column(page, "#gold", 1)
    assert before == ["castles", "1 discoverers", "3 fishermen", "7 hermits"]

    heads = page.locator("#gold thead th")
    for number in range(2, 6):
        button = heads.nth(number - 1).locator("button")
        for order, reverse in (("descending", True), ("ascending", False)):
            button.focus()
            page.keyboard.press("Enter")
            assert heads.nth(number - 1).get_attribute("aria-sort") == order
            gold = [int(text) for text in read_column(page, "#gold", number)]
            assert gold == sorted(gold, reverse=reverse)
            assert page.locator("#gold [aria-sort]").count() == 1
    assert page.inner_text("#gold tfoot th") == "total"
    heads.nth(0).locator("button").click()
    assert read_column(page, "#gold", 1) == before


def test_the_winner_is_told_and_so_is_a_tie(opener: Opener, boards: Path) -> None:
    page = make(opener, boards, "--cards", "hermits")

    assert read_column(page, "#boards", 4) == ["2", "1", "1, 2"]
    said = []
    for link in page.locator("#boards a").all():
        link.click()
        said.append(page.inner_text("#winner"))
    assert said == [
        "Player 2 wins with 2 gold.",
        "Player 1 wins with 2 gold.",
        "Players 1 and 2 tie with 1 gold.",
    ]


def test_without_chosen_cards_nobody_wins(opener: Opener) -> None:
    page = make(opener, EXAMPLE)

    assert not page.is_visible("#winner")
    assert page.locator("#gold tfoot").count() == 0


def test_the_list_of_boards_sorts_by_any_column_and_shows_any_card(
    opener: Opener, boards: Path
) -> None:
    page = make(opener, boards, "--cards", "hermits,fishermen")
    names = [f"{name}.txt" for name in "abc"]
    assert read_column(page, "#boards", 1) == names

    page.click("#boards th:nth-child(2) button")
    assert read_column(page, "#boards", 2) == ["2", "1", "1"]
    assert read_column(page, "#boards", 1)[0] == names[1]
    page.click("#boards th:nth-child(1) button")
    page.click("#boards th:nth-child(1) button")
    assert read_column(page, "#boards", 1) == names[::-1]
    page.select_option("#figure", "fishermen")
    assert read_column(page, "#boards", 2) == ["0", "0", "0"]


def test_the_picture_of_a_board_in_the_list_opens_its_section(opener: Opener, boards: Path) -> None:
    page = make(opener, boards)
    assert page.inner_text("#name") == "a.txt"
    images = page.locator("#boards img")
    assert images.count() == 3
    wait_for(
        page, "[...document.querySelectorAll('#boards img')].every((on) => on.naturalWidth > 0)"
    )

    images.nth(2).click()

    assert page.inner_text("#name") == "c.txt"
    assert page.evaluate("document.activeElement.id") == "name"
    assert page.get_attribute("#boards a[aria-current]", "href") == "#board-3"
    page.go_back()
    page.locator("#boards a").nth(1).press("Enter")
    assert page.inner_text("#name") == "b.txt"
    assert "player 1: 2" in page.locator("#legend li").all_inner_texts()


def test_findings_of_a_board_are_listed(opener: Opener, tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    crowd = draw({(r, c): "2" for r in range(6) for c in range(7)}, height=8, width=8)
    path.write_text(crowd)

    page = make(opener, path)

    page.click("text=6 findings")

    allowed = "too-many-settlements: player 2 has 42 settlements, but at most 40 are allowed"
    assert allowed in page.locator("#findings li").all_inner_texts()


def test_a_board_without_settlements_opens(opener: Opener, tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.write_text(draw({}))

    page = make(opener, path, *GAME)

    assert page.inner_text("#winner") == "Nobody wins."
    assert len(read_column(page, "#gold", 1)) == 4


def test_texts_of_files_and_rules_stay_text(opener: Opener, tmp_path: Path) -> None:
    text = "</script><img src=x onerror=alert(1)>'&\u202e"
    (tmp_path / f"{text.replace('/', '')}.txt").write_text(SMALL)
    (tmp_path / "other.txt").write_text(SMALL)
    card = f'card(zz,12,"{text}"). gold(zz,P,"{text}",1) :- player(P).'

    page = make(opener, tmp_path, "--rules", add_rules(tmp_path, card), "--cards", "zz")
    figure(page, "zz", 1).hover()

    shown = text.replace("\u202e", "\\u202e")
    assert page.inner_text("#pays") == shown
    assert re.sub(r"\s+", " ", page.inner_text("#reasons")) == f"1 gold for {shown}"
    assert page.locator("img[src=x]").count() == 0
    assert "<img src=x" in page.inner_text("#name")


@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
def test_axe_finds_nothing(opener: Opener, boards: Path, several: bool) -> None:
    page = make(opener, boards if several else EXAMPLE, *GAME)
    figure(page, "hermits", 1).focus()
    page.click("#gold th:nth-child(2) button")
    assert find_faults_everywhere(page) == []


def test_a_narrow_window_shows_figure_and_picture_together(opener: Opener) -> None:
    page = make(opener, EXAMPLE, size=NARROW)

    figure(page, "workers", 4).focus()

    board = page.locator("#field .drawn").bounding_box()
    button = figure(page, "workers", 4).bounding_box()
    assert board is not None
    assert button is not None
    assert board["y"] >= 0
    assert board["y"] + board["height"] <= button["y"] <= NARROW[1] - button["height"]
    assert 0 <= button["x"] <= NARROW[0] - button["width"]


def test_a_list_begins_with_all_cards_is_filtered_and_leaves_room_for_the_board(
    opener: Opener, boards: Path
) -> None:
    (boards / "z.txt").write_text(EXAMPLE.read_text())
    page = make(opener, boards)
    (scores,) = run("score", EXAMPLE, "--format", "json").json
    assert page.input_value("#figure") == "all cards"

    page.fill("#filter", "Z.TXT")

    (line,) = page.locator("#boards tbody tr").all()
    sums = [str(sum(gold)) for gold in zip(*scores["gold"].values(), strict=True)]
    assert line.locator("td").all_inner_texts()[:4] == sums
    page.fill("#filter", "")
    assert page.locator("#boards tbody tr").count() == 4
    box = page.locator("#name").bounding_box()
    assert box is not None
    assert box["y"] < 0.7 * WIDE[1]
