"""The page of a contest: how it sorts, filters and draws, and what never happens."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from kb_score.arena.contests.plan import Fixture
from tests.arena.contests.contest import RECORD, Game, report, write_contest, write_played
from tests.browser.pages import (
    NARROW,
    Opener,
    find_faults,
    find_faults_everywhere,
    is_too_wide,
    read_column,
    set_size,
    wait_until_ready,
)
from tests.helpers import MEADOW, run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BOTS = ("Ada", "Bo", "Cy", "Di", "Em")
HOSTILE = "</script><img src=x onerror=alert(1)>'&"


def write_games(folder: Path, bots: tuple[str, ...] = BOTS, count: int = 120) -> Path:
    """Write a contest in which earlier bots mostly win, and the last is late in each game."""
    random, last = Random(4), len(bots) - 1

    def play(fixture: Fixture) -> Game:
        squares = [max(0, 60 - bot * 10 + random.randrange(25)) for bot in fixture.bots]
        late = {seat: {"late": 1} for seat, bot in enumerate(fixture.bots) if bot == last}
        record = RECORD if fixture.number < 3 else None
        return Game(squares, late, record, {1: "I think"} if fixture.number == 3 else {})

    return write_played(folder, bots, play, count, f'seatings = "all"\ngames = {count}')


def open_page(opener: Opener, contest: Path) -> Page:
    """Make the page of a contest, and open it."""
    assert report(contest).status == 0
    return opener.open(contest.with_suffix(".html"))


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A contest with its page, which tests do not change."""
    path = write_games(tmp_path_factory.mktemp("contest"))
    assert report(path).status == 0
    return path


@pytest.fixture
def page(opener: Opener, contest: Path) -> Page:
    return opener.open(contest.with_suffix(".html"))


def test_the_table_sorts_by_any_column(page: Page, contest: Path) -> None:
    lines = run("contest", "table", contest, "--format", "json").json
    names = [line["name"] for line in lines]
    assert read_column(page, "#table", 2) == names
    heads = page.locator("#table thead th")

    for head in heads.all():
        for _ in range(2):
            head.locator("button").focus()
            page.keyboard.press("Enter")
            assert head.get_attribute("aria-sort") in ("ascending", "descending")
            assert sorted(read_column(page, "#table", 2)) == sorted(names)

    heads.nth(1).locator("button").click()
    assert read_column(page, "#table", 2) == sorted(names)
    heads.filter(has_text="rating").first.locator("button").click()
    ratings = sorted(lines, key=lambda line: -line["rating"])
    assert read_column(page, "#table", 2) == [line["name"] for line in ratings]
    heads.nth(0).locator("button").click()
    assert read_column(page, "#table", 1) == [str(line["place"]) for line in lines]


def test_the_picture_has_a_dot_within_a_bar_for_each_bot(page: Page, contest: Path) -> None:
    lines = run("contest", "table", contest, "--format", "json").json

    places = page.evaluate(
        """() => [...document.querySelectorAll("#chart g")].map((bar) => {
          const [box, dot] = ["line", "circle"].map((kind) => bar.querySelector(kind).getBBox());
          return [box.x, dot.x + dot.width / 2, box.x + box.width];
        })"""
    )

    assert len(places) == len(lines)
    # Each pixel is so much of a rating, for all bots alike.
    unit = (lines[0]["rating"] - lines[-1]["rating"]) / (places[0][1] - places[-1][1])
    for line, (left, middle, right) in zip(lines, places, strict=True):
        low, high = line["rating_interval"]
        assert (middle - left) * unit == pytest.approx(line["rating"] - low, abs=0.05)
        assert (right - middle) * unit == pytest.approx(high - line["rating"], abs=0.05)
    drawn = page.locator("#chart .separated").count()
    assert drawn == sum(bool(line["separated"]) for line in lines)


def test_a_picture_is_as_narrow_as_the_window(page: Page) -> None:
    set_size(page, NARROW)

    assert page.evaluate(
        """() => [...document.querySelectorAll("#chart text, #chart circle")].every((text) => {
          const box = text.getBoundingClientRect();
          return box.left >= 0 && box.right <= innerWidth;
        })"""
    )


def test_who_beat_whom_is_told_in_figures(page: Page) -> None:
    data = page.evaluate("kb.state")

    for i, row in enumerate(data["compared"], 1):
        texts = page.locator(f"#met tbody tr:nth-child({i}) td").all_inner_texts()
        for j, (text, (before, ties, met)) in enumerate(zip(texts, row, strict=True), 1):
            tied = [f"{ties} tied"] if ties else []
            wanted = "" if i == j else " ".join([f"{before} of {met}", *tied])
            assert " ".join(text.split()) == wanted


def test_games_are_paged_and_chosen(page: Page, contest: Path) -> None:
    assert page.inner_text("#where") == "1 to 50 of 120"
    assert page.is_disabled("#back")

    page.click("#on")
    page.click("#on")

    assert page.inner_text("#where") == "101 to 120 of 120"
    assert page.is_disabled("#on")
    assert read_column(page, "#list", 1) == [str(number) for number in range(101, 121)]
    page.select_option("#which", "replay")
    assert read_column(page, "#list", 1) == ["1", "2", "3"]
    page.select_option("#which", "faults")
    late = sum("late" in line for line in contest_lines(contest))
    assert page.inner_text("#where").endswith(f"of {late}")
    page.select_option("#which", "all")
    page.select_option("#bot", label="Em")
    games = sum('"Em"' in line for line in contest_lines(contest))
    assert page.inner_text("#where").endswith(f"of {games}")
    assert all("Em, player" in text for text in read_column(page, "#list", 3))


def contest_lines(contest: Path) -> list[str]:
    """Read the lines of the results."""
    return (contest.with_suffix(".results") / "results.jsonl").read_text().splitlines()


def test_a_bot_leads_to_its_games_and_a_fault_to_its_game(page: Page) -> None:
    page.locator("#table a", has_text="Bo").press("Enter")

    assert page.locator("#bot").evaluate("on => on.selectedOptions[0].textContent") == "Bo"
    link = page.locator("#mishaps a[href^='#game-']").first
    number = link.inner_text().removeprefix("game ")
    link.press("Enter")
    assert page.locator("#list tr.shown th").inner_text() == number
    assert page.evaluate("document.activeElement.textContent") == number
    # What is chosen by another address afterwards stays so.
    page.evaluate("location.hash = '#game-120'")
    page.wait_for_selector("#game-120.shown")
    assert page.inner_text("#where") == "101 to 120 of 120"


def test_replay_record_and_log_are_a_click_away(page: Page) -> None:
    address = page.url

    assert page.inner_text("#replays") == "3 of 120 games have a replay."
    winner = page.locator("#game-1 .bots strong").all_inner_texts()
    assert [text.partition(".")[0] for text in winner] == ["1"]
    assert page.locator("#game-1 .see strong").inner_text().startswith("\u25b6 replay")
    assert page.locator("#game-1 >> text=record (text)").count() == 1
    page.click("#game-1 >> text=replay")
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    assert page.inner_text("#caption")
    assert page.title().startswith("contest: Ada, ")
    page.go_back()
    assert page.url == address
    page.click("#game-1 >> text=record")
    assert page.inner_text("body").split() == RECORD.split()
    page.go_back()
    page.click("#game-4 >> text=log of player 2")  # whose record was not kept
    assert page.inner_text("body") == "I think"
    page.go_back()
    assert page.locator("#game-4 >> text=replay").count() == 0
    assert page.locator("#game-4 >> text=record").count() == 0


def test_the_keyboard_alone_turns_and_chooses(page: Page) -> None:
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
        if page.evaluate("document.activeElement.id") == "on":
            break

    page.keyboard.press("Enter")

    assert page.inner_text("#where") == "51 to 100 of 120"
    assert reached >= {"A", "BUTTON", "DIV", "bot", "which", "on"}


def test_without_games_the_page_says_so(opener: Opener, tmp_path: Path) -> None:
    page = open_page(opener, write_contest(tmp_path, BOTS, []))

    assert page.inner_text("#state").startswith("No game had been played by")
    assert page.locator("section:visible").count() == 0
    assert find_faults(page) == []


def test_texts_stay_text(opener: Opener, tmp_path: Path) -> None:
    page = open_page(opener, write_games(tmp_path, (HOSTILE, "x" * 3000, *BOTS), 6))

    assert page.locator("img").count() == 0
    assert HOSTILE in read_column(page, "#table", 2)
    assert not is_too_wide(page)


def test_axe_finds_nothing_and_nothing_is_too_wide(opener: Opener, tmp_path: Path) -> None:
    names = tuple(f"Bot {number}" for number in range(12))
    page = open_page(opener, write_games(tmp_path, names, 60))
    page.click("#table thead button >> nth=2")
    page.evaluate("location.hash = '#game-2'")
    page.wait_for_selector("#game-2.shown")

    assert find_faults_everywhere(page) == []


def test_many_games_open_at_once(opener: Opener, tmp_path: Path) -> None:
    names = tuple(f"Bot {number}" for number in range(9))
    page = open_page(opener, write_games(tmp_path, names, 1500))

    assert page.inner_text("#where") == "1 to 50 of 1,500"
    assert page.locator("#list tbody tr").count() == 50
    assert page.evaluate("document.querySelectorAll('*').length") < 2500


def test_games_are_chosen_by_map(opener: Opener, tmp_path: Path) -> None:
    maps = {"one": MEADOW.read_text(), "two": MEADOW.read_text()}
    for name, text in maps.items():
        (tmp_path / f"{name}.txt").write_text(text)
    contest = tmp_path / "contest.toml"
    bots = "".join(f'[[bot]]\nname = "{name}"\ncommand = "true"\n' for name in ("Ada", "Bo"))
    contest.write_text(f'game = "search-party"\nmaps = ["one.txt", "two.txt"]\n{bots}')
    assert run("contest", contest).status == 0
    page = open_page(opener, contest)
    assert sorted(read_column(page, "#list", 3)) == ["one", "one", "two", "two"]
    # Neither of them has done better on any of the two maps.
    assert page.inner_text("#met tbody tr:nth-child(1) td:nth-child(3)").split() == [
        "0", "of", "2", "2", "tied",
    ]  # fmt: skip

    page.select_option("#field", label="two")
    page.select_option("#bot", label="Bo")

    assert read_column(page, "#list", 3) == ["two"]
    assert read_column(page, "#list", 4)[0].startswith("Bo: ")
    assert "not finished" in read_column(page, "#list", 4)[0]
    assert find_faults(page) == []


def test_the_page_says_how_to_get_more_replays(opener: Opener, tmp_path: Path) -> None:
    contest = write_games(tmp_path, count=6)
    assert report(contest, "--replays", 1).status == 0
    page = opener.open(contest.with_suffix(".html"))

    said = "1 of 6 games have a replay. With --replays all, 3 have one."
    assert page.inner_text("#replays") == said


def test_without_scripts_the_page_shows_its_table(contest: Path, browser: Browser) -> None:
    with_scripts, without = (
        browser.new_context(offline=True, java_script_enabled=is_on) for is_on in (True, False)
    )
    tables = []
    for context in (with_scripts, without):
        page = context.new_page()
        page.goto(contest.with_suffix(".html").as_uri())
        cells = page.locator("#table tbody tr").all()
        tables.append([line.locator("th, td").all_text_contents() for line in cells])
        context.close()

    assert tables[0] == tables[1] != []


def test_the_replay_of_a_game_names_its_bots(page: Page) -> None:
    page.select_option("#which", "replay")
    page.locator("#list .see strong a").first.click()
    wait_until_ready(page)

    legend = page.locator("#legend li > span").all_text_contents()
    assert not any("player" in text for text in legend)
    assert any(text.split(":")[0] in BOTS for text in legend)


def test_a_phone_shows_the_main_columns_and_the_others_when_asked(page: Page) -> None:
    set_size(page, NARROW)
    heads = page.locator("#table thead th:visible")
    assert heads.all_inner_texts() == ["place", "bot", "squares a game", "rating"]
    assert page.evaluate("(on => on.scrollWidth <= on.clientWidth)(table.parentNode)")

    page.click("text=All figures")

    assert "rating 95 %" in heads.all_inner_texts()
