"""The page of a replay: what it shows, how one moves through it, and what it never does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.check import follow_game
from kb_score.shell.svg import MARKS
from tests.browser.pages import (
    MARKED,
    MIDDLE,
    NARROW,
    Opener,
    expect,
    find_faults_everywhere,
    is_too_wide,
    look,
    look_at_turns,
    read_column,
    wait_for,
    wait_until_ready,
)
from tests.games.records import follow_party, follow_rabbits, follow_slime
from tests.helpers import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from kb_score.shell.picture import Replay

BOARDS = ROOT / "boards"
FIELD = BOARDS / "search_party" / "maps" / "field.txt"
RECKLESS = BOARDS / "search_party" / "records" / "field" / "reckless-stream.txt"
STATION = BOARDS / "rabbits" / "small.map"
TWO_RUNS = BOARDS / "rabbits" / "small.session"
SLIME = ("slime", BOARDS / "slime" / "session.txt")
WRONG = ("slime", BOARDS / "slime" / "wrong.txt")
PARTY = ("search-party", FIELD, RECKLESS)
LARGE = ("rabbits", BOARDS / "rabbits" / "large.map", BOARDS / "rabbits" / "large.session")
KINGDOM = ("kingdom-builder", BOARDS / "kingdom_builder" / "games" / "broken.txt")
GAMES = [
    pytest.param(KINGDOM, follow_game, id="kingdom-builder"),
    pytest.param(WRONG, follow_slime, id="slime"),
    pytest.param(("slime", BOARDS / "slime" / "frames.txt"), follow_slime, id="slime-frames"),
    pytest.param(PARTY, follow_party, id="search-party"),
    pytest.param(("rabbits", STATION, TWO_RUNS), follow_rabbits, id="rabbits"),
    pytest.param(
        ("rabbits", STATION, BOARDS / "rabbits" / "small-displaced.log"),
        follow_rabbits,
        id="rabbits-log",
    ),
]
# Hexes with pieces, squares with violations, a board that scrolls, and one that has a single turn.
PAGES = [
    pytest.param(KINGDOM, id="kingdom-builder"),
    pytest.param(WRONG, id="slime"),
    pytest.param(LARGE, id="rabbits"),
    pytest.param(("search-party", FIELD), id="map-alone"),
]
# What is drawn: each look's places, the borders and the marks.
_DRAWN = """() => [
  [...document.querySelectorAll("#field .places > path")].map((on) => on.outerHTML).sort(),
  document.querySelector("#field .borders").getAttribute("d"),
  document.querySelector("#field .marks").innerHTML,
]"""
# Captions of the game of slime.
FIRST, LAST = "before turn 1", "before turn 53"


def caption(page: Page) -> str | None:
    return page.text_content("#caption")


def go(page: Page, turn: int) -> None:
    page.locator("#slider").fill(str(turn))


def follow(follow_files: Callable[..., Replay], game: str, *paths: Path) -> Replay:
    files = [(str(path), path.read_text()) for path in paths]
    return follow_files(GameRules(game.replace("-", "_")), *files)


@pytest.mark.parametrize(("game", "follow_files"), GAMES)
def test_page_shows_at_any_turn_what_the_rules_have_drawn(
    opener: Opener, game: tuple[str, Path], follow_files: Callable[..., Replay]
) -> None:
    replay = follow(follow_files, *game)
    page = opener.replay(*game)
    on = range(replay.first, replay.last + 1)
    turns = [*on, *reversed(on), *Random(1).choices(on, k=50)]

    found = look_at_turns(page, turns)

    expected = {turn: expect(replay, turn) for turn in on}
    assert found == [expected[turn] for turn in turns]


@pytest.mark.parametrize("game", PAGES)
def test_picture_after_many_steps_is_that_of_the_turn(
    opener: Opener, game: tuple[str, Path]
) -> None:
    page = opener.replay(*game)
    for key in [*["ArrowRight"] * 7, *["ArrowLeft"] * 3, "End", *["ArrowLeft"] * 2]:
        page.keyboard.press(key)
    turn = page.input_value("#slider")
    drawn = page.evaluate(_DRAWN)
    assert len(drawn[0][0]) > 1

    page.goto(page.url.partition("#")[0] + f"?#turn-{turn}")
    wait_until_ready(page)

    assert page.input_value("#slider") == turn
    assert page.evaluate(_DRAWN) == drawn


def test_keys_move_through_the_game_and_stop_at_its_ends(opener: Opener) -> None:
    page = opener.replay(*SLIME)
    for key, says in (
        ("End", LAST),
        ("ArrowRight", LAST),
        ("ArrowLeft", "before turn 52"),
        ("Home", FIRST),
        ("ArrowLeft", FIRST),
        ("ArrowRight", "before turn 2"),
    ):
        page.keyboard.press(key)
        assert caption(page) == says


def test_buttons_move_through_the_game(opener: Opener) -> None:
    page = opener.replay(*SLIME)
    expected = {"last": LAST, "back": "before turn 52", "first": FIRST, "on": "before turn 2"}

    for button, says in expected.items():
        page.click(f"#{button}")
        assert caption(page) == says
        assert page.input_value("#slider") == says.split()[-1]
        assert page.text_content("#count") == f"{says.split()[-1]} of 53"


def test_play_runs_to_the_end_and_then_from_the_start(opener: Opener) -> None:
    page = opener.replay(*SLIME)
    page.select_option("#speed", "60")
    go(page, 40)
    for _ in range(2):
        page.click("#play")
        assert page.text_content("#play") == "Pause"
        page.wait_for_selector("#play:text-is('Play')")
        assert caption(page) == LAST


def test_speed_is_that_of_the_choice_while_the_game_plays(opener: Opener) -> None:
    page = opener.replay(*SLIME)
    page.select_option("#speed", "1")
    go(page, 40)
    page.click("#play")
    page.wait_for_timeout(200)
    assert caption(page) == "before turn 40"

    page.select_option("#speed", "60")

    page.wait_for_selector(f"#caption:text-is('{LAST}')")


def test_space_plays_and_pauses_wherever_no_button_has_another_meaning(opener: Opener) -> None:
    page = opener.replay(*SLIME)
    page.select_option("#speed", "1")
    for focus in ("body", "#play", "#slider", ".scroll"):
        page.locator(focus).focus()
        for says in ("Pause", "Play"):
            page.keyboard.press(" ")
            assert page.text_content("#play") == says, focus
    page.keyboard.press("Home")
    page.locator("#on").focus()

    page.keyboard.press(" ")

    assert (caption(page), page.text_content("#play")) == ("before turn 2", "Play")


def test_keys_of_the_slider_are_a_turn_each(opener: Opener) -> None:
    page = opener.replay(*SLIME)
    page.locator("#slider").focus()

    for key, says in {"ArrowRight": "before turn 2", "End": LAST, "Home": FIRST}.items():
        page.keyboard.press(key)
        assert caption(page) == says
        assert page.locator("#slider").get_attribute("aria-valuetext") == says


def test_page_opens_at_the_first_violation_and_a_click_leads_to_each(opener: Opener) -> None:
    page = opener.replay(*WRONG)
    buttons = page.locator("#violations button")
    assert page.text_content("#verdict") == "4 violations"
    assert caption(page) == "before turn 10"

    buttons.nth(3).click()

    assert caption(page) == "before turn 52"
    marks = [buttons.nth(i).get_attribute("aria-current") for i in range(4)]
    assert marks == ["false", "false", "true", "true"]
    buttons.nth(0).focus()
    page.keyboard.press("Enter")
    assert caption(page) == "before turn 10"
    assert set(page.evaluate(MARKED)) == {"1,2"}


def test_consistent_record_begins_at_its_start_and_says_so(opener: Opener) -> None:
    page = opener.replay(*SLIME)

    assert page.text_content("#verdict") == "Consistent with the rules"
    assert caption(page) == FIRST
    assert page.locator("#violations button").count() == 0


def test_legend_counts_what_is_on_the_board(opener: Opener) -> None:
    page = opener.replay(*SLIME)
    go(page, 53)
    board = "".join(look(page)["rows"])

    assert page.locator("#legend li > span").all_text_contents() == [
        "empty",
        *(f"player {player}: {board.count(str(player))}" for player in range(1, 5)),
    ]


def test_legend_of_a_board_with_pieces_counts_the_pieces(opener: Opener) -> None:
    page = opener.replay(*KINGDOM)
    go(page, 36)
    symbols = " ".join(look(page)["rows"]).split()

    listed = page.locator("#legend li > span").all_text_contents()

    counts = {
        f"player {player}: {sum(symbol[1:] == str(player) for symbol in symbols)}"
        for player in range(1, 4)
    }
    assert counts | {"could begin here", "grass", "water", "castle"} <= set(listed)
    assert len(listed) == len({entry.partition(":")[0] for entry in listed}) == 13


def test_whole_page_can_be_used_by_tab_alone(opener: Opener) -> None:
    page = opener.replay(*WRONG)
    reached = []
    for _ in range(30):
        page.keyboard.press("Tab")
        focus = page.evaluate(
            "(on => [on.id || on.className || on.textContent, "
            "on === document.body || getComputedStyle(on).outlineStyle])(document.activeElement)"
        )
        if focus[1] is True:
            break
        assert focus[1] == "solid", focus
        reached.append(focus[0])

    saves = ["save-picture", "save-dots"]
    controls = ["first", "back", "play", "on", "last", "full", "slider", "speed", "size", *saves]
    assert reached[:13] == ["scroll", *controls, "the board as text"]
    found = [text.split(":")[0] for text in reached[13:]]
    assert found == ["turn 10", "turn 11", "turn 52", "turn 52", "moves", "curves-heading"]


@pytest.mark.parametrize("game", PAGES)
def test_everybody_can_use_the_page(opener: Opener, game: tuple[str, Path]) -> None:
    page = opener.replay(*game)
    look(page)

    assert find_faults_everywhere(page) == []


def test_large_board_scrolls_in_its_own_region(opener: Opener) -> None:
    page = opener.replay(*LARGE, size=NARROW)
    region = page.locator(".scroll")
    widths = []
    for size in ("8", "16", "28"):
        page.select_option("#size", size)
        page.wait_for_timeout(100)
        widths.append(page.evaluate("field.firstChild.clientWidth"))
        assert not is_too_wide(page)
    assert widths == sorted(set(widths))
    assert widths[2] > 65 * 28

    region.focus()
    before = caption(page)
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(500)

    assert page.evaluate("document.querySelector('.scroll').scrollLeft") > 0
    assert caption(page) == before


def test_pointer_on_a_place_says_what_is_there(opener: Opener) -> None:
    page = opener.replay(*WRONG)

    page.mouse.move(*page.evaluate(MIDDLE, [1, 3]))
    assert page.text_content("#place") == "row 1, column 3: player 1"

    page.hover("#field", position={"x": 2, "y": 2})
    assert page.text_content("#place") == ""


def test_each_player_has_a_row_of_figures(opener: Opener) -> None:
    page = opener.replay(*KINGDOM)
    assert not is_too_wide(page)

    heads = [text.strip() for text in page.locator("#crossed thead th").all_text_contents()]
    assert heads == ["gold so far", "settlements left", "tiles"]
    assert read_column(page, "#crossed", 1) == [f"player {player}" for player in (1, 2, 3)]


def test_a_line_of_the_list_leads_to_its_turn(opener: Opener) -> None:
    page = opener.replay(*SLIME)
    lines = page.locator("#moves option").all_inner_texts()
    assert lines[:2] == ["before turn 1", "before turn 2: player 1 spread"]

    page.select_option("#moves", lines[9])
    assert caption(page) == "before turn 10"

    page.click("#last")
    assert page.evaluate("document.getElementById('moves').selectedIndex") == 52


def test_figures_over_time_are_curves_that_lead_to_a_turn(opener: Opener) -> None:
    page = opener.replay(*KINGDOM)

    kinds = page.locator("#curves figcaption").all_inner_texts()
    assert [kind.split(" (")[0] for kind in kinds] == ["gold so far", "settlements left"]
    assert page.locator("#curves figure").nth(0).locator("path:not(.now)").count() == 3
    page.locator("#curves svg").nth(0).click(position={"x": 0, "y": 20})
    assert caption(page) == "turn 0"
    # Where no figures stand beside the board, those of the legend are drawn.
    page = opener.replay(*SLIME)
    players = [f"player {player}" for player in range(1, 5)]
    assert page.locator("#curves figcaption span").all_text_contents() == players


@pytest.mark.parametrize("verb", ["replay", "playground"])
def test_locations_caves_and_capitols_are_named(opener: Opener, verb: str) -> None:
    game = KINGDOM[1].with_name("caves.txt")
    page = opener.replay(game) if verb == "replay" else opener.playground(game)

    for place, says in {
        (1, 17): "town, farm",
        (5, 0): "mountain, cave",
        (7, 2): "castle, capitol",
    }.items():
        page.mouse.move(*page.evaluate(MIDDLE, place))
        assert page.text_content("#place") == f"row {place[0]}, column {place[1]}: {says}"
    drawn = page.locator(".drawn > .signs").inner_html().replace("></path>", "/>")
    assert (drawn.count("translate"), drawn.count(MARKS["farm"])) == (7, 2)


# Symbols, names, labels and texts that a user's rules may give.
HOSTILE = "</script><script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(1)>"
RULES = f"""
paints(0,9,9,{json.dumps(HOSTILE)}) :- replayed.
paints(0,9,0,"$title") :- replayed.
paints(0,0,9,"&amp;\\"'\u202e") :- replayed.
look({json.dumps(HOSTILE)},black,text,{json.dumps(IMAGE)}).
look("$title",white,text,"</title></svg>$data").
tally(0,{json.dumps(IMAGE)},"$script") :- replayed.
"""


def test_text_from_files_never_becomes_markup(opener: Opener, folder: Path, tmp_path: Path) -> None:
    (folder / "mine.lp").write_text(RULES)
    strange = tmp_path / "<"  # a path may well hold a whole closing tag
    strange.mkdir()
    record = strange / "script><script>alert(1)<title>$title\u202e\"'&amp;.txt"
    record.write_bytes((BOARDS / "slime" / "frames.txt").read_bytes())

    page = opener.replay("slime", record, "--rules", folder)

    name = record.name.replace("\u202e", "\\u202e")
    assert page.title() == page.text_content("h1") == f"{name} - Slime"
    assert page.evaluate("document.querySelectorAll('img, script:not([id]), title').length") == 3
    state = look(page)
    assert state["tally"][IMAGE] == "$script"
    assert state["rows"][9].startswith("$title")
    assert state["rows"][9].endswith(HOSTILE)
    assert state["rows"][0].endswith("&amp;\"'\\u202e")
    legend = page.locator("#legend li > span").all_text_contents()
    assert {IMAGE, "</title></svg>$data"} <= set(legend)
    page.wait_for_timeout(200)


def test_the_board_fills_the_screen_with_a_line_of_what_happens(opener: Opener) -> None:
    page = opener.replay(*KINGDOM)
    go(page, 3)
    before = page.evaluate("kb.state.picture.step[0]")

    page.click("#full")
    wait_for(page, "document.fullscreenElement !== null")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    more = page.evaluate("getComputedStyle(document.getElementById('caption'), '::after').content")
    large = page.evaluate("kb.state.picture.step[0]")
    page.keyboard.press("f")
    wait_for(page, "document.fullscreenElement === null")

    assert caption(page) == "turn 3"
    assert more.startswith('": player ')
    assert large > before
