"""The sheet: a game is scored as a family does it on a phone, and as the command does it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.pages import (
    MIDDLE,
    Opener,
    find_faults,
    find_faults_everywhere,
    is_too_wide,
    set_size,
    settle,
    wait_for,
    wait_until_ready,
)
from tests.browser.sheets import (
    PHONE,
    ask_command,
    begin_game,
    can_stand,
    draw_game,
    open_game,
    read_gold,
    read_grounds,
    show_result,
)
from tests.helpers import add_rules, run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# A game of two people: the quadrants, one of which is turned, and the settlements of each of them.
QUADRANTS = ("oracle", "farm/180", "tavern", "paddock")
CARDS = ("lords", "citizens", "merchants")
SETTLEMENTS = {1: 40, 2: 37}
# A game in which houses are placed, and its first meadow.
PLACING = begin_game(step="place")
MEADOW = read_grounds(PLACING["quadrants"]).index("G")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sheet") / "sheet.html"
    assert run("sheet", "-o", path).status == 0
    return path


@pytest.fixture
def phone(browser: Browser, file: Path) -> Iterator[Page]:
    """The sheet on a phone that is touched."""
    context = browser.new_context(
        offline=True,
        viewport={"width": PHONE[0], "height": PHONE[1]},
        has_touch=True,
        is_mobile=True,
        accept_downloads=True,
    )
    page = context.new_page()
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(file.as_uri())
    yield wait_until_ready(page)
    context.close()
    assert troubles == []


@pytest.fixture
def sheet(opener: Opener) -> Page:
    """The sheet in a window of a desk."""
    return opener.sheet()


class Finger:
    """Taps on a phone, and counts the taps."""

    def __init__(self, page: Page) -> None:
        self.page, self.taps = page, 0

    def tap(self, wanted: str) -> None:
        self.taps += 1
        self.page.tap(wanted)

    def tap_hex(self, row: int, column: int) -> None:
        self.taps += 1
        self.page.touchscreen.tap(*self.page.evaluate(MIDDLE, [row, column]))


def choose_hexes() -> dict[int, list[int]]:
    """Choose places for settlements of two people, as many in each quadrant as there is room."""
    free = list_free(QUADRANTS)
    Random(7).shuffle(free)
    first = SETTLEMENTS[1]
    return {1: sorted(free[:first]), 2: sorted(free[first : first + SETTLEMENTS[2]])}


def list_free(quadrants: Sequence[str]) -> list[int]:
    """List the hexes of a board where a settlement can stand."""
    return [place for place, ground in enumerate(read_grounds(quadrants)) if can_stand(ground)]


def quadrant_of(place: int) -> int:
    return place // 200 * 2 + place % 20 // 10


def set_up(finger: Finger) -> None:
    """Tell who played, on which quadrants and with which cards, by taps alone."""
    for player, name in enumerate(("Anna", "Ben"), 1):
        finger.tap(f"#name-{player}")
        finger.page.keyboard.type(name)
    for at, name in enumerate(QUADRANTS):
        plain, _, turned = name.partition("/")
        finger.tap(f"#quadrant-{at}")
        finger.tap(f"#offered [data-name={plain}]")
        if turned:
            finger.tap(f"#turn-{at}")
    for card in CARDS:
        finger.tap(f"#card-{card}")
    finger.tap("#forward")


def tap_settlements(finger: Finger, places: dict[int, list[int]]) -> None:
    """Tap all settlements, quadrant by quadrant, where nothing is to be scrolled."""
    page, players = finger.page, [1, 2]
    for quadrant in range(4):
        if quadrant:
            finger.tap(f"#map-{quadrant}")
        for player in players:
            if page.get_attribute(f"#who-{player}", "aria-pressed") != "true":
                finger.tap(f"#who-{player}")
            for place in places[player]:
                if quadrant_of(place) == quadrant:
                    finger.tap_hex(place // 20 % 10, place % 10)
        players.reverse()
        assert page.evaluate("kb.state.picture.step[0]") >= 36
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        assert not is_too_wide(page)


def test_a_family_scores_its_game_on_a_phone(phone: Page, tmp_path: Path) -> None:
    finger = Finger(phone)

    set_up(finger)
    tap_settlements(finger, choose_hexes())
    assert phone.locator("#who small").all_inner_texts() == ["40/40", "37/40"]
    finger.tap("#forward")
    settle(phone)
    with phone.expect_download() as saved:
        finger.tap("#forward")
    saved.value.save_as(tmp_path / "card.png")

    assert finger.taps <= 105
    assert _read_size((tmp_path / "card.png").read_bytes()) == (1080, 1350)
    with phone.expect_download() as text:
        phone.tap("#save-board")
    text.value.save_as(tmp_path / "board.txt")
    scores = ask_command(tmp_path / "board.txt", ["--players", "2", "--cards", ",".join(CARDS)])
    assert read_gold(phone) == {**scores["gold"], "total": scores["total"]}
    first, second = scores["total"]
    assert first != second
    winner = "Anna" if first > second else "Ben"
    assert read_verdict(phone) == f"{winner} wins by {abs(first - second)} gold"
    ranked = sorted(zip(("Anna", "Ben"), scores["total"], strict=True), key=lambda one: -one[1])
    assert phone.locator("#ranking .name").all_inner_texts() == [name for name, _ in ranked]
    assert phone.locator("#ranking b").all_inner_texts() == [str(gold) for _, gold in ranked]


def read_verdict(page: Page) -> str:
    return " ".join(page.inner_text("#verdict").split())


def _read_size(png: bytes) -> tuple[int, int]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


@pytest.mark.parametrize("seed", range(8))
def test_the_sheet_scores_as_the_command_does(seed: int, sheet: Page, tmp_path: Path) -> None:
    state = draw_game(Random(seed))

    show_result(sheet, state)

    board = tmp_path / "board.txt"
    board.write_text(sheet.evaluate("kb.state.text"))
    options = ["--players", str(len(state["names"])), "--cards", ",".join(state["cards"])]
    scores = ask_command(board, options)
    assert read_gold(sheet) == {**scores["gold"], "total": scores["total"]}
    winners = sheet.evaluate("kb.state.winners")
    assert winners == [state["names"][player - 1] for player in scores["winners"]]


@pytest.mark.parametrize(
    ("built", "told"), [(1, ["Anna has 1 of 40 houses.", "Ben has 1 of 40 houses."]), (40, [])]
)
def test_missing_houses_are_told_unless_somebody_has_built_all(
    built: int, told: list[str], sheet: Page
) -> None:
    houses = ["."] * 400
    for number, place in enumerate(list_free(QUADRANTS)[: built + 1]):
        houses[place] = "1" if number < built else "2"

    show_result(
        sheet,
        begin_game(names=["Anna", "Ben"], quadrants=QUADRANTS, cards=CARDS, houses="".join(houses)),
    )
    settle(sheet)

    lines = sheet.locator("#findings li").all_text_contents()
    assert [line for line in lines if " of 40 " in line] == told


def test_a_tie_is_told_in_one_sentence(sheet: Page) -> None:
    state = draw_game(Random(1))
    state |= {"names": ["Anna", "Ben", "Cleo"], "houses": "." * 400}

    show_result(sheet, state)

    gold = read_gold(sheet)["total"][0]
    assert read_verdict(sheet) == f"Anna, Ben and Cleo tie with {gold} gold"


def count_houses(page: Page) -> int:
    """Count the houses of the first player."""
    houses: str = page.evaluate("kb.state.houses")
    return houses.count("1")


def place(page: Page, row: int, column: int) -> None:
    page.mouse.click(*page.evaluate(MIDDLE, [row, column]))


def test_illegal_hexes_and_too_many_houses_are_refused(sheet: Page) -> None:
    open_game(sheet, PLACING)
    grounds = read_grounds(PLACING["quadrants"])
    castle, meadow = grounds.index("C"), grounds.index("G")

    place(sheet, *divmod(castle, 20))
    assert sheet.inner_text("#said") == "You can\u2019t build on a castle."
    assert sheet.locator("#who small").first.inner_text() == "0/40"
    place(sheet, *divmod(meadow, 20))
    assert sheet.inner_text("#said") == ""
    assert sheet.locator("#who small").first.inner_text() == "1/40"

    free = list_free(PLACING["quadrants"])
    houses = "".join("1" if at in free[:40] else "." for at in range(400))
    open_game(sheet, PLACING | {"houses": houses})
    place(sheet, *divmod(free[40], 20))
    assert sheet.inner_text("#said") == "Player 1 has all 40 houses on the board."


def test_a_tap_puts_takes_and_changes_and_undo_leads_back(sheet: Page) -> None:
    open_game(sheet, PLACING)
    here = divmod(MEADOW, 20)
    counts = sheet.locator("#who small")

    place(sheet, *here)
    sheet.click("#who-2")
    place(sheet, *here)
    assert counts.all_inner_texts() == ["0/40", "1/40"]
    place(sheet, *here)
    assert counts.all_inner_texts() == ["0/40", "0/40"]
    sheet.click("#undo")
    assert counts.all_inner_texts() == ["0/40", "1/40"]
    sheet.click("#undo")
    assert counts.all_inner_texts() == ["1/40", "0/40"]
    sheet.click("#undo")
    assert sheet.is_disabled("#undo")


def test_a_drag_paints_and_is_undone_as_one(sheet: Page) -> None:
    open_game(sheet, PLACING)
    first, last = (sheet.evaluate(MIDDLE, [0, column]) for column in (0, 6))
    sheet.mouse.move(*first)
    sheet.mouse.down()
    sheet.mouse.move(*last, steps=30)
    sheet.mouse.up()

    free = [place for place in list_free(PLACING["quadrants"]) if place < 7]
    assert count_houses(sheet) == len(free) > 2
    sheet.click("#undo")
    assert count_houses(sheet) == 0


def test_keys_place_houses_too(sheet: Page) -> None:
    open_game(sheet, PLACING)
    sheet.focus("#board")
    sheet.keyboard.press("ArrowRight")
    sheet.keyboard.press("ArrowDown")
    sheet.keyboard.press("Space")

    assert sheet.evaluate("kb.state.houses[21]") == "1"
    sheet.keyboard.press("Control+z")
    assert sheet.evaluate("kb.state.houses[21]") == "."


def test_a_reload_loses_nothing_and_a_link_brings_the_game(opener: Opener, file: Path) -> None:
    sheet = opener.open(file)
    state = draw_game(Random(3)) | {"names": ["Anna", "Ben", "Cleo", "Dan", "Eva"]}
    open_game(sheet, state)
    sheet.fill("#name-1", "Zoe")
    for _ in range(2):
        sheet.click("#forward")
    settle(sheet)
    gold = read_gold(sheet)
    link = sheet.url

    for url in (file.as_uri(), link):
        sheet.goto("about:blank")
        sheet.goto(url)
        wait_until_ready(sheet)
        assert sheet.evaluate("kb.state.houses") == state["houses"]
        assert read_gold(sheet) == gold
    assert sheet.inner_text("#said") == ""

    sheet.goto("about:blank")
    sheet.goto(link[:-9])
    wait_until_ready(sheet)
    assert sheet.inner_text("#said").startswith("This link cannot be opened: ")


def test_a_game_is_kept_where_the_address_may_change_no_more(opener: Opener, file: Path) -> None:
    sheet = opener.open(file)
    open_game(sheet, PLACING)
    # Safari refuses so after a hundred changes in half a minute: a game has more taps.
    sheet.evaluate("() => { history.replaceState = () => { throw new Error('too many'); }; }")
    place(sheet, *divmod(MEADOW, 20))

    sheet.goto("about:blank")
    sheet.goto(file.as_uri())
    wait_until_ready(sheet)

    assert [count_houses(sheet), sheet.evaluate("kb.state.step")] == [1, "place"]


def test_a_new_game_is_begun_when_one_says_so(sheet: Page) -> None:
    show_result(sheet, draw_game(Random(4)))

    sheet.click("#new-game")
    sheet.click("text=Cancel >> visible=true")
    assert sheet.evaluate("kb.state.step") == "result"
    sheet.click("#new-game")
    sheet.click("#begin-anew")

    assert sheet.is_visible("#names")
    assert count_houses(sheet) == 0
    assert sheet.input_value("#name-1") == "Anna"  # the same people play again
    assert sheet.inner_text("#cards-error") == ""


GAME = begin_game(cards=["lords"], houses="1" + "." * 399)


@pytest.mark.parametrize(
    "change",
    [
        {"names": ["A"]},
        {"names": [1, 2]},
        {"quadrants": ["farm", "farm/180", "barn", "oracle"]},
        {"quadrants": ["nowhere", "farm", "barn", "oracle"]},
        {"cards": ["nothing"]},
        {"cards": ["lords", "miners", "knights", "hermits"]},
        {"houses": "1"},
        {"houses": "x" * 400},
        {"step": "other"},
        {"date": "today"},
    ],
)
def test_a_link_that_holds_no_game_changes_nothing(change: dict[str, Any], sheet: Page) -> None:
    open_game(sheet, GAME)
    before = sheet.evaluate("kb.state")

    open_game(sheet, GAME | change)

    told = "This link cannot be opened: it does not contain a game for this page."
    assert sheet.inner_text("#said").startswith(told)
    after = sheet.evaluate("kb.state")
    assert after | {"said": ""} == before | {"said": ""}


def test_a_saved_game_is_opened_and_a_file_that_is_none_changes_nothing(
    phone: Page, tmp_path: Path
) -> None:
    state = draw_game(Random(13)) | {"title": "Friday night", "date": "2026-11-27"}
    show_result(phone, state)
    with phone.expect_download() as saved:
        phone.tap("#save-board")
    saved.value.save_as(tmp_path / "friday.txt")
    (tmp_path / "poem.txt").write_text("Roses are red\n")
    phone.tap("#new-game")
    phone.tap("#begin-anew")
    before = phone.evaluate("kb.state")

    for name in ("poem.txt", "friday.txt"):
        with phone.expect_file_chooser() as chooser:
            phone.tap("#open-game")
        chooser.value.set_files(tmp_path / name)
        settle(phone)
        if name == "poem.txt":
            told = "poem.txt cannot be opened: line 1, column 1: unexpected 'R'"
            assert phone.inner_text("#open-error").startswith(told)
            assert phone.evaluate("kb.state.names") == before["names"]

    kept = phone.evaluate("kb.state")
    assert {key: kept[key] for key in state} == state
    assert kept["said"] == "This is the game of friday.txt."
    assert phone.inner_text("#open-error") == ""
    phone.tap("#told button")
    assert phone.evaluate("kb.state") | {"said": ""} == before | {"said": ""}


def test_houses_stay_where_they_can_when_a_quadrant_is_turned(sheet: Page) -> None:
    state = draw_game(Random(5))
    open_game(sheet, state)
    sheet.click("#turn-0")

    houses = sheet.evaluate("kb.state.houses")
    free = list_free(sheet.evaluate("kb.state.quadrants"))
    assert {at for at, player in enumerate(houses) if player != "."} <= set(free)
    kept = [at for at in free if state["houses"][at] != "."]
    assert all(houses[at] == state["houses"][at] for at in kept)


def test_a_quadrant_that_lies_elsewhere_changes_places(sheet: Page) -> None:
    before = sheet.evaluate("kb.state.quadrants")
    sheet.click("#quadrant-0")
    sheet.click(f"#offered [data-name={before[2]}]")

    after = sheet.evaluate("kb.state.quadrants")
    assert after == [before[2], before[1], before[0], before[3]]


def test_cards_that_are_missing_are_asked_for_once(sheet: Page) -> None:
    sheet.click("#forward")
    assert sheet.inner_text("#cards-error") == "Which 3 cards did you play with?"
    assert sheet.is_visible("#names")
    sheet.click("#forward")
    assert sheet.is_visible("#board")

    sheet.click("#forward")
    settle(sheet)
    assert sheet.inner_text("#verdict") == "Choose your cards to see who wins."
    sheet.click("#save-card")  # there is no picture of who has won
    assert sheet.inner_text("#said") == "Choose your cards to see who wins."
    assert sheet.inner_text("#forward") == "Choose your cards"
    sheet.click("#forward")
    assert sheet.is_visible("#card-lords")


def test_a_refused_hex_is_no_step_to_undo_and_a_lost_house_is_told(sheet: Page) -> None:
    open_game(sheet, PLACING)
    grounds = read_grounds(PLACING["quadrants"])
    place(sheet, *divmod(grounds.index("G"), 20))
    place(sheet, *divmod(grounds.index("C"), 20))
    sheet.click("#undo")
    assert sheet.locator("#who small").first.inner_text() == "0/40"

    place(sheet, *divmod(grounds.index("G"), 20))
    sheet.click("#who-2")
    place(sheet, *divmod(grounds.index("G"), 20))
    assert sheet.inner_text("#said") == "Player 1\u2019s house is now Player 2\u2019s."


def test_the_first_tap_on_a_number_is_about_that_number(phone: Page) -> None:
    show_result(phone, draw_game(Random(11)))
    buttons = phone.locator("#gold tbody td button")
    phone.evaluate("document.getElementById('gold').scrollIntoView({ block: 'center' })")
    for number in (4, 1, 6):
        box = buttons.nth(number).bounding_box()
        assert box is not None
        phone.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        wanted = buttons.nth(number).get_attribute("aria-label")
        assert phone.inner_text("#paid") == wanted
        assert buttons.nth(number).bounding_box() == box  # nothing moves under the finger
        phone.tap("#close-why")


def test_two_players_of_one_name_are_told(sheet: Page) -> None:
    for player in (1, 2):
        sheet.fill(f"#name-{player}", "Anna")

    sheet.click("#forward")

    assert sheet.inner_text("#names-error") == "Two players are called Anna."
    assert sheet.is_visible("#names")


def test_names_and_rules_never_become_markup(opener: Opener, tmp_path: Path) -> None:
    text = "<img src=x onerror=alert(1)>"
    rules = add_rules(tmp_path, f'card(zz,12,"{text}"). gold(zz,P,"{text}",1) :- player(P).')
    page = opener.make("sheet", "--rules", rules)
    state = draw_game(Random(6)) | {"cards": ["zz"]}
    open_game(page, state)
    page.fill("#name-1", "<b>A</b>")
    page.fill("#title", text)

    for _ in range(3):  # one card is not three: that is asked for once
        page.click("#forward")
    settle(page)

    assert read_gold(page)["zz"] == [1] * len(state["names"])
    assert page.locator("img").count() == 0
    assert page.locator("#gold b").count() == 0
    page.click("#gold tbody tr:nth-child(2) td button")
    assert text in page.inner_text("#why")


def test_the_quadrants_of_a_file_can_be_laid(opener: Opener, tmp_path: Path) -> None:
    table = tmp_path / "mine.txt"
    rows = ["G G G G L G G G G G", *["G G G G G G G G G G"] * 8, "G G G G C G G G G G"]
    table.write_text("% lighthouse -- my own\n" + "\n".join(rows) + "\n")

    page = opener.make("sheet", "--quadrants", table)
    page.click("#quadrant-3")
    page.click("#offered [data-name=lighthouse]")

    assert page.evaluate("kb.state.quadrants[3]") == "lighthouse"
    assert page.evaluate("kb.state.text").splitlines()[-1].split()[-10:] == [*"GGGGCGGGGG"]


def test_rulings_hold_on_the_sheet(opener: Opener) -> None:
    plain = opener.make("sheet")
    state = draw_game(Random(2)) | {"cards": ["lords"], "names": ["A", "B"]}
    state["houses"] = "." * 400
    show_result(plain, state)
    assert read_gold(plain)["lords"] == [48, 48]

    page = opener.make("sheet", "--const", "lords_need_settlement=1")
    show_result(page, state)

    assert read_gold(page)["lords"] == [0, 0]


def test_the_picture_is_shared_where_a_phone_can(phone: Page) -> None:
    show_result(phone, draw_game(Random(8)))
    phone.evaluate(
        """() => {
          navigator.canShare = () => true;
          navigator.share = async (wish) => { window.wish = wish; };
        }"""
    )

    phone.tap("#forward")
    wait_for(phone, "Boolean(window.wish)")

    shared = phone.evaluate("[wish.files[0].name, wish.files[0].type, wish.title]")
    assert shared[1] == "image/png"
    assert shared[0].endswith(".png")
    assert shared[2] == phone.text_content("#verdict")


@pytest.mark.parametrize("step", ["setup", "place", "result"])
def test_everybody_can_use_it(step: str, sheet: Page) -> None:
    state = draw_game(Random(9)) | {"step": step}
    open_game(sheet, state)

    assert find_faults_everywhere(sheet) == []
    for size in ((390, 844), (844, 390), (1280, 900)):
        set_size(sheet, size)
        assert not is_too_wide(sheet)


def test_mistakes_of_the_command_line_are_told(tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("% mine -- x\nG G\n")

    assert run("sheet", "-o", tmp_path / "page.txt").status == 2
    ran = run("sheet", "--quadrants", bad, "-o", tmp_path / "page.html")
    assert ran.status == 2
    assert f"{bad}:2:" in ran.err
    assert not (tmp_path / "page.html").exists()


def test_what_is_kept_is_a_game_for_any_state(sheet: Page) -> None:
    state: dict[str, Any] = draw_game(Random(10))

    open_game(sheet, state)

    kept = sheet.evaluate("kb.state")
    assert {key: kept[key] for key in state} == state


# What browsers leave of the screens of phones.
SIZES = ((375, 553), (320, 568), (568, 320), (390, 664))
CONTROLS = ("#board .drawn", "#who-1", "#who-4", "#map-0", "#map-3", "#undo", "#back", "#forward")
_SEEN = """(names) => names.filter((name) => {
  const { left, top, right, bottom } = document.querySelector(name).getBoundingClientRect();
  return left >= -1 && top >= -1 && right <= innerWidth + 1 && bottom <= innerHeight + 1;
})"""


@pytest.mark.parametrize("size", SIZES)
def test_all_that_one_needs_is_in_sight_at_real_heights(size: tuple[int, int], phone: Page) -> None:
    set_size(phone, size)
    names = ["Anna", "Ben", "Cleo", "Dan"]
    open_game(phone, begin_game(step="place", names=names, cards=["lords", "miners", "knights"]))
    finger = Finger(phone)
    free = list_free(PLACING["quadrants"])
    Random(1).shuffle(free)

    placed = tap_for_four(finger, free[:80])
    finger.tap("#map-0")
    wrong, right = placed[0], next(at for at in free[80:] if quadrant_of(at) == 0)
    finger.tap("#who-1")
    for place in (wrong, right):
        finger.tap_hex(place // 20 % 10, place % 10)

    houses = phone.evaluate("kb.state.houses")
    assert [houses.count(str(player)) for player in (1, 2, 3, 4)] == [20] * 4
    assert (houses[wrong], houses[right]) == (".", "1")
    assert phone.evaluate(_SEEN, CONTROLS) == list(CONTROLS)
    assert phone.evaluate("kb.state.picture.step[0]") >= (34 if size[0] >= 375 else 30)
    finger.tap("#forward")
    settle(phone)
    assert " gold" in read_verdict(phone)
    assert not is_too_wide(phone)
    finger.tap("#back")
    pinch_and_swipe(phone)
    assert phone.evaluate("kb.state.houses") == houses


def tap_for_four(finger: Finger, places: Sequence[int]) -> list[int]:
    """Tap 20 hexes for each of four players; return those of the first, by quadrant."""
    placed: list[int] = []
    for quadrant in range(4):
        finger.tap(f"#map-{quadrant}")
        for player in range(1, 5):
            finger.tap(f"#who-{player}")
            mine = [at for at in places[(player - 1) * 20 :][:20] if quadrant_of(at) == quadrant]
            for place in mine:
                finger.tap_hex(place // 20 % 10, place % 10)
            placed += mine if player == 1 else []
    return placed


def pinch_and_swipe(page: Page) -> None:
    """Spread two fingers over the board, and move both of them up."""
    client = page.context.new_cdp_session(page)
    near, far = (page.evaluate(MIDDLE, hex_) for hex_ in ([4, 3], [4, 6]))

    def touch(kind: str, *points: Sequence[float]) -> None:
        client.send(
            "Input.dispatchTouchEvent",
            {
                "type": kind,
                "touchPoints": [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)],
            },
        )

    for apart, up in ((1, 0), (0, 1)):
        touch("touchStart", near)
        touch("touchStart", near, far)
        for step in range(1, 9):
            points = [
                (near[0] - 6 * step * apart, near[1] - 6 * step * up),
                (far[0] + 6 * step * apart, far[1] - 6 * step * up),
            ]
            touch("touchMove", *points)
        touch("touchEnd")


def test_a_swipe_of_one_finger_fills_empty_hexes_alone(phone: Page) -> None:
    houses = "".join("2" if at == 2 else "." for at in range(400))
    open_game(phone, begin_game(step="place", houses=houses))
    client = phone.context.new_cdp_session(phone)
    for kind, column in (("touchStart", 0), *(("touchMove", step / 4) for step in range(25))):
        (x, y), (right, _) = (phone.evaluate(MIDDLE, [0, at]) for at in (0, 1))
        at = {"x": x + (right - x) * column, "y": y}
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    free = {place for place in list_free(PLACING["quadrants"]) if place < 7}
    filled = phone.evaluate("kb.state.houses")[:7]
    assert filled[2] == "2"
    assert {at for at, player in enumerate(filled) if player == "1"} == free - {2}


def test_what_a_screen_reader_is_given(sheet: Page) -> None:
    open_game(sheet, begin_game(step="place", names=["Anna", "Ben"]))
    told = sheet.locator(".told")
    sheet.focus("#who-2")
    sheet.keyboard.press("Enter")
    heard = [sheet.evaluate("document.activeElement.getAttribute('aria-label')")]
    sheet.focus("#board")
    for key in ("ArrowRight", "ArrowDown", "Space", "Control+z"):
        sheet.keyboard.press(key)
        heard.append(told.inner_text())
    heard.append(sheet.inner_text("#said"))

    grounds = read_grounds(PLACING["quadrants"])
    names = {"G": "grass", "N": "canyon", "D": "desert", "L": "flower field", "F": "forest"}
    right, down = (names[grounds[at]] for at in (1, 21))
    assert heard == [
        "Ben, 0 of 40",
        f"{right}, row 1, column 2",
        f"{down}, row 2, column 2",
        f"Ben\u2019s house on {down}, row 2, column 2",
        f"Ben\u2019s house on {down}, row 2, column 2",
        "Undone: Ben\u2019s house.",
    ]


def test_back_leads_from_step_to_step(opener: Opener, file: Path) -> None:
    sheet = opener.open(file)
    open_game(sheet, begin_game(cards=["lords", "miners", "knights"]))
    for _ in range(2):
        sheet.click("#forward")
    settle(sheet)
    steps = [sheet.evaluate("kb.state.step")]
    for _ in range(2):
        sheet.go_back()
        settle(sheet)
        steps.append(sheet.evaluate("kb.state.step"))

    assert steps == ["result", "place", "setup"]


def test_a_whole_game_by_the_keyboard_alone(sheet: Page) -> None:
    """From the names to the picture, with nothing but keys."""
    press = sheet.keyboard.press
    heard: list[str] = []

    def hear() -> None:
        heard.append(
            sheet.evaluate(
                "(document.activeElement.getAttribute('aria-label')"
                " ?? document.activeElement.textContent).trim()"
            )
        )

    def tab_to(wanted: str) -> None:
        for _ in range(60):
            press("Tab")
            if sheet.evaluate("(wanted) => document.activeElement.matches(wanted)", wanted):
                return
        raise AssertionError(wanted)

    sheet.focus("#name-1")
    sheet.keyboard.type("Anna")
    tab_to("#name-2")
    sheet.keyboard.type("Ben")
    tab_to("#turn-1")
    press("Enter")
    for card in ("knights", "miners", "lords"):
        sheet.focus("#card-discoverers")
        tab_to(f"#card-{card}")
        press("Space")
    tab_to("#forward")
    press("Enter")
    hear()
    tab_to("#board")
    grounds = read_grounds(sheet.evaluate("kb.state.quadrants"))
    for column in range(3):
        if can_stand(grounds[column]):
            press("Space")
        press("ArrowRight")
    tab_to("#forward")
    press("Enter")
    settle(sheet)
    hear()
    tab_to("#gold button")
    press("Enter")

    placed = sum(map(can_stand, grounds[:3]))
    assert sheet.evaluate("kb.state.houses").count("1") == placed > 0
    assert heard[0] == "Place the houses"
    assert heard[1].startswith("Anna ")
    assert sheet.evaluate("kb.state.names") == ["Anna", "Ben"]
    assert sheet.inner_text("#paid").startswith("Castles, Anna: ")


@pytest.mark.parametrize("step", ["setup", "place", "result"])
def test_what_is_chosen_can_be_told_in_forced_colours(step: str, sheet: Page) -> None:
    open_game(sheet, draw_game(Random(9)) | {"step": step})
    sheet.emulate_media(forced_colors="active")

    faults = find_faults(sheet)
    chosen, others = (
        sheet.locator(f"button[aria-pressed={state}]").evaluate_all(
            "(all) => all.map((on) => getComputedStyle(on).borderTopWidth)"
        )
        for state in ("true", "false")
    )
    sheet.emulate_media(forced_colors="none")

    assert faults == []
    assert not set(chosen) & set(others)
