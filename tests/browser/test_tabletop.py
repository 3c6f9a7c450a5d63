"""The table in a browser: games are played there, and held against the command."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.pages import (
    MIDDLE,
    Opener,
    find_faults_everywhere,
    set_size,
    settle,
    wait_for,
    wait_until_ready,
)
from tests.browser.tables import ask_command, check_record, open_game, play_at_random, read_totals
from tests.helpers import ASP, run, write_copy

if TYPE_CHECKING:
    from playwright.sync_api import Page

SHORT = ("--const", "most_settlements=5")
CARDS = ("--cards", "fishermen,merchants,knights")
PEOPLE = ("--player", "human", "--player", "human")
OPEN = ".hex[aria-disabled=false]"


@pytest.fixture
def table(opener: Opener) -> Page:
    """A short game of two people, at its begin."""
    return opener.tabletop(*PEOPLE, *CARDS, *SHORT)


def begin(opener: Opener, *words: str) -> Page:
    """Make a table that no other test has, and begin its game; bots make no pauses."""
    opener.tab.emulate_media(reduced_motion="reduce")
    page = opener.make("tabletop", "kingdom-builder", *words)
    settle(page)
    return page


def deal(page: Page, **setup: list[str]) -> None:
    """Begin a game with other players, or on another board, than the page was made with."""
    open_game(page, {**page.evaluate("kb.state"), "lines": [], "now": None, **setup})


def build(page: Page, count: int = 1) -> None:
    for _ in range(count):
        page.locator(OPEN).first.dispatch_event("click")
        settle(page)


def click_hex(page: Page, row: int, column: int) -> None:
    page.locator(f".hex[data-row='{row}'][data-column='{column}']").dispatch_event("click")
    settle(page)


def reload(page: Page) -> Page:
    page.reload()
    return page


def read_place(text: str) -> list[int]:
    return list(map(int, text.split(",")))


def read_state(page: Page) -> tuple[str, str, str]:
    places = "(on) => on.map(({ dataset }) => `${dataset.row},${dataset.column}`).join(' ')"
    shown = page.locator(OPEN).evaluate_all(places)
    return page.text_content("#record") or "", page.text_content("#turn") or "", shown


def test_a_game_of_clicks_at_random_is_accepted_and_refusals_are_those_of_the_command(
    table: Page, tmp_path: Path
) -> None:
    found = play_at_random(table, seed=3, most=4)

    verdict = check_record(table, tmp_path, SHORT)
    assert verdict["result"]["finished"]
    assert verdict["result"]["gold"] == verdict["claimed"]["gold"] == read_totals(table)
    assert len(found["refused"]) == 4
    assert [one["code"] for one in found["refused"]] == [
        ask_command(one, tmp_path, SHORT) for one in found["refused"]
    ]
    assert table.locator("body").get_attribute("data-state") == "over"
    assert "wins with" in table.inner_text("#turn") or "share" in table.inner_text("#turn")
    table.click("#again")
    settle(table)
    assert table.locator("body").get_attribute("data-state") == "human"
    assert "gold" not in (table.text_content("#record") or "")


def test_what_a_rule_forbids_is_not_offered_and_is_refused_as_by_the_command(
    opener: Opener, tmp_path: Path
) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "even.lp").write_text(
        'forbidden(T,build(mandatory,(R,C)),"house-rule",("nobody builds in odd columns",)) :-\n'
        "    mover(_,T), hex(R,C), C\\2 = 1.",
        encoding="utf-8",
    )
    options = (*SHORT, "--rules", str(rules))
    page = begin(opener, *PEOPLE, *CARDS, *options)

    refused = page.evaluate(
        """async () => {
          const told = document.getElementById("told");
          for (const hex of document.querySelectorAll(".hex[aria-disabled=true]")) {
            hex.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
            await kb.settled();
            const record = document.getElementById("record").textContent;
            const { said } = kb.state.now;
            const shown = { record, said, text: told.textContent, ...told.dataset };
            if (shown.code === "house-rule") return shown;
          }
        }"""
    )
    play_at_random(page, seed=5)

    assert "nobody builds in odd columns" in refused["text"]
    assert ask_command(refused, tmp_path, options) == "house-rule"
    assert check_record(page, tmp_path, options)["result"]["finished"]


def test_a_reload_and_a_link_go_on_with_the_game(table: Page) -> None:
    build(table, 3)
    table.click("#end-turn")
    settle(table)
    build(table)
    state = read_state(table)
    link = table.url
    assert "#game=" in link

    table.reload()
    assert read_state(wait_until_ready(table)) == state

    table.goto("about:blank")
    table.goto(link.split("#")[0])  # the browser has kept it
    assert read_state(wait_until_ready(table)) == state

    table.evaluate("localStorage.clear()")
    table.goto("about:blank")
    table.goto(link)
    assert read_state(wait_until_ready(table)) == state


def change_first(pattern: str, text: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Change the first turn of a game."""
    return lambda state: {"lines": [re.sub(pattern, text, state["lines"][0]), *state["lines"][1:]]}


BAD_LINKS: list[tuple[Callable[[dict[str, Any]], dict[str, Any]], str]] = [
    (change_first(": .*", ": 0,5 0,6 0,7"), "turn 1 is "),
    (change_first("^1 [a-z]+", "1 water"), "not those that were"),
    (change_first(".*", "2 grass"), "a turn in it cannot be read"),
    (lambda _: {"players": ["human", "planner"]}, "2 to 5 play"),
    (lambda _: {"queenies": ["toString"]}, "unknown small sets"),
]


def test_a_link_that_is_no_game_is_refused_and_changes_nothing(table: Page) -> None:
    build(table, 3)
    table.click("#end-turn")
    settle(table)
    before, state = read_state(table), table.evaluate("kb.state")
    for change, says in BAD_LINKS:
        open_game(table, state | change(state))

        assert says in table.inner_text("#note")
        assert read_state(table) == before
    # The page may write its own game into the address before it hears of that one.
    table.evaluate("location.hash = '#game=abc'; history.replaceState(null, '', location.pathname)")
    table.wait_for_selector("#note:not([hidden])")
    assert "This game cannot be opened: it" in table.inner_text("#note")
    settle(table)
    assert read_state(table) == before


def test_the_marked_hexes_are_the_legal_ones_of_the_command(table: Page, tmp_path: Path) -> None:
    build(table, 3)
    table.click("#end-turn")
    settle(table)
    build(table)
    path = tmp_path / "game.txt"
    path.write_text(table.text_content("#record") or "")
    card, after = table.evaluate("kb.state.now.said")[2:].split(": ")

    words = ("--terrain", card, "--after", after, *SHORT)
    ran = run("legal", "kingdom-builder", path, *words, "--format", "json")

    assert sorted(ran.json[0]["moves"]) == sorted(read_state(table)[2].split())


def test_undo_takes_back_what_was_done_in_the_turn_alone(table: Page) -> None:
    before = read_state(table)
    assert table.locator("#undo").get_attribute("aria-disabled") == "true"
    build(table, 2)
    assert read_state(table) != before

    for _ in range(2):
        table.click("#undo")
        settle(table)

    assert read_state(table) == before
    build(table, 3)
    table.click("#end-turn")
    settle(table)
    assert table.locator("#undo").get_attribute("aria-disabled") == "true"


def test_a_turn_by_the_keyboard_alone(table: Page) -> None:
    table.locator(".hex[tabindex='0']").focus()
    for _ in range(3):
        table.keyboard.press("n")
        table.keyboard.press("Enter")
        settle(table)
    table.keyboard.press("u")
    settle(table)
    assert table.locator("#end-turn").get_attribute("aria-disabled") == "true"
    table.keyboard.press("b")
    table.keyboard.press("Space")
    settle(table)
    table.keyboard.press("ArrowDown")
    settle(table)
    table.keyboard.press("e")
    settle(table)

    assert table.locator("body").get_attribute("data-player") == "2"
    assert (table.text_content("#record") or "").splitlines()[-1].startswith("1 ")


def test_why_not_and_a_hint_are_told(table: Page) -> None:
    table.locator(".hex[aria-disabled=true]").first.hover()
    table.wait_for_selector("#told[data-code]:not([data-code=''])")
    assert table.locator("#told").get_attribute("data-code") in ("wrong-terrain", "not-adjacent")

    table.click("#hint")
    settle(table)

    gold = int(table.locator(".marks text").first.text_content() or "")
    assert table.inner_text("#told").startswith("Best now: the ringed hex")
    assert table.inner_text("#told").endswith(f", +{gold} gold.")
    best = table.locator(".marks g").first.get_attribute("data-hexes") or ""
    click_hex(table, *read_place(best))
    assert gold > 0
    assert read_totals(table) == [gold, 0]


def list_around(row: int, column: int) -> list[tuple[int, int]]:
    """List the hexes around one."""
    west = column - 1 + row % 2
    beside = [(row, column - 1), (row, column + 1)]
    return beside + [(row + down, west + i) for down in (-1, 1) for i in (0, 1)]


def find_beside(page: Page) -> tuple[int, int]:
    """Find an open hex that is beside a tile."""
    lying = [one["hex"] for one in page.evaluate("kb.state.lying")]
    beside = {hex_ for row, column in lying for hex_ in list_around(row, column)}
    return min(beside & {tuple(move["to"]) for move in page.evaluate("kb.state.offers")})


def test_a_tile_that_is_won_is_for_the_next_turn_and_is_gone_from_its_place(table: Page) -> None:
    row, column = find_beside(table)
    before = table.evaluate("kb.state.lying")
    click_hex(table, row, column)

    (place,) = [one for one in before if one not in table.evaluate("kb.state.lying")]
    name = place["tile"].replace("_", "-")
    label = "[data-row='{}'][data-column='{}']".format(*place["hex"])
    told = table.locator(f".hex{label}").get_attribute("aria-label") or ""
    assert (place["number"], f"1 {name}" in told) == (2, True)
    assert table.inner_text("#tiles").strip() == f"{name}, next turn"
    assert table.inner_text("#told").startswith(f"You won the {name}!")
    table.locator(f"[data-tile={place['tile']}]").dispatch_event("click")
    settle(table)
    assert table.inner_text("#told") == f"You can use the {name} from your next turn."
    table.click("#undo")
    settle(table)
    assert table.inner_text("#tiles") == ""
    assert table.evaluate("kb.state.lying") == before


def test_the_headline_counts_what_the_turn_allows(table: Page) -> None:
    build(table)
    assert (table.text_content("#turn") or "").endswith("build on a dotted hex (1 of 3)")
    table.click("#undo")
    settle(table)
    for _ in range(2):
        build(table, 3)
        table.click("#end-turn")
        settle(table)

    # There are five settlements in all.
    assert (table.text_content("#turn") or "").endswith("build on a dotted hex (0 of 2)")


def test_what_was_done_is_marked_otherwise_than_a_hint_and_open_hexes_by_a_dot(table: Page) -> None:
    dashes = "(all) => all.map((on) => getComputedStyle(on).strokeDasharray)"
    build(table, 3)
    table.click("#end-turn")
    settle(table)

    assert table.locator(".marks g.past").count() == 3
    assert set(table.locator(".marks path").evaluate_all(dashes)) == {"5px, 4px"}
    fills = "(all) => all.map((on) => getComputedStyle(on).fill)"
    assert set(table.locator(OPEN).evaluate_all(fills)) == {'url("#open")'}
    assert table.locator("pattern#open circle").count() == 1
    table.click("#hint")
    settle(table)
    assert set(table.locator(".marks path").evaluate_all(dashes)) == {"none"}


def test_what_others_have_done_is_told_in_words(table: Page) -> None:
    deal(table, players=["human", "greedy", "settler"])
    build(table, 3)
    table.click("#end-turn")
    settle(table)

    turns = [line for line in read_state(table)[0].splitlines() if line[:2] in ("2 ", "3 ")]
    gold = read_totals(table)[1:]
    said = " ".join(
        f"Player {line[0]} built {line.split(': ')[1]}: +{paid} gold."
        for line, paid in zip(turns, gold, strict=True)
    )
    assert table.inner_text("#told") == said
    table.locator(".hex[aria-disabled=true]").first.dispatch_event("click")
    settle(table)
    assert table.inner_text("#told") != said
    build(table)
    assert table.inner_text("#told") == said


def test_the_board_does_not_move_whatever_is_told_and_held(table: Page) -> None:
    hexes = (
        "[...document.querySelectorAll('.hex')].map((on) => on.getBoundingClientRect().toJSON())"
    )
    for size in ((1280, 720), (800, 700), (360, 780)):
        set_size(table, size)
        table.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        boxes = [table.evaluate(hexes)]
        tools = [table.locator(".doing").bounding_box()]
        for _ in range(2):
            table.evaluate(
                """() => {
                  document.getElementById("told").textContent = "a long sentence ".repeat(30);
                  const tiles = document.getElementById("tiles");
                  for (let i = 0; i < 9; i += 1) {
                    const tile = document.createElement("button");
                    tile.textContent = "a tile";
                    tiles.append(tile);
                  }
                }"""
            )
            boxes.append(table.evaluate(hexes))
            tools.append(table.locator(".doing").bounding_box())

        assert boxes[0] == boxes[1] == boxes[2]
        # On a phone the tools lie on the board.
        assert size[0] > 360 or tools[0] == tools[1] == tools[2]
        table.evaluate("kb.reset()")


def test_small_sets_are_placed_kept_and_pay(opener: Opener, tmp_path: Path) -> None:
    sets = ("--queenies", "caves,capitol", "--board", "oracle farm harbor paddock")
    page = begin(opener, *PEOPLE, *CARDS, *sets, *SHORT)
    heads = [line.split() for line in read_state(page)[0].splitlines()]
    capitols, caves = (head for head in heads if head[0] in ("capitol", "caves"))
    assert (len(capitols), len(caves)) == (3, 5)
    labels = page.locator(".hex").evaluate_all("(all) => all.map((on) => on.ariaLabel)")
    assert [
        sum(label.endswith(f", {kind}") for label in labels) for kind in ("capitol", "cave")
    ] == [2, 4]
    build(page, 3)
    page.click("#end-turn")
    settle(page)
    state = read_state(page)
    assert read_state(wait_until_ready(reload(page))) == state
    assert "capitol" in page.inner_text("#gold")

    play_at_random(page, seed=2)

    verdict = check_record(page, tmp_path, SHORT)
    assert verdict["result"]["finished"]
    assert verdict["result"]["gold"] == read_totals(page)
    page.evaluate("document.getElementById('new').open = true")
    chosen = page.locator("#queenies select").evaluate_all("(all) => all.map((on) => on.value)")
    assert chosen == ["capitol", "caves"]
    for select in page.locator("#queenies select").all():
        select.select_option("none")
    page.click("#setup [type=submit]")
    settle(page)
    assert "capitol" not in (read_state(page)[0] + page.inner_text("#gold"))


def test_a_move_is_worth_what_comes_of_it(table: Page) -> None:
    """Gold and tiles that a hint expects of a hex are those that the next position has."""
    table.click("#hint")
    settle(table)
    state = table.evaluate("kb.state")
    moves = zip(state["offers"], state["gains"], strict=True)
    sample = [one for number, one in enumerate(moves) if number % 20 == 0 or one[1]["tiles"]]

    come = []
    for move, _ in sample:
        click_hex(table, *move["to"])
        held = len(table.evaluate("kb.state.held")) - len(state["held"])
        come.append({"gold": read_totals(table)[0], "tiles": held})
        table.click("#undo")
        settle(table)

    assert {gain["tiles"] for _, gain in sample} >= {0, 1}
    assert [gain for _, gain in sample] == come


def extend_copy(folder: Path, name: str, rule: str) -> None:
    """Write a copy of one of our files with one rule more where it replaces that file."""
    write_copy(folder, name, f"{(ASP / name).read_text()}\n{rule}\n")


def test_a_hint_for_a_settlement_that_moves_says_from_where_and_it_is_dragged(
    opener: Opener, tmp_path: Path
) -> None:
    (tmp_path / "lent.lp").write_text("lend(paddock;quarry).\n")
    extend_copy(
        tmp_path,
        "kingdom_builder/rules/held.lp",
        "ready((0,0),Tile,T) :- mover(_,T), lend(Tile).\n"
        "has_tile(Tile,T) :- mover(_,T), lend(Tile).",
    )
    page = begin(opener, *PEOPLE, *CARDS, *SHORT, "-q", "--rules", str(tmp_path))
    build(page, 3)
    page.click("[data-tile=paddock]")
    assert page.inner_text("#told").startswith("Paddock: move one of your settlements")
    page.click("#hint")
    settle(page)

    moves = page.evaluate("kb.state.offers.map(({ from, to }) => `${to} ${from}`)")
    marked = page.locator(".marks g").evaluate_all("(all) => all.map((on) => on.dataset.hexes)")
    assert marked
    assert set(marked) <= set(moves)
    # A ring on both hexes, and an arrow, each a line of two colours.
    assert page.locator(".marks g").first.locator("path").count() == 6
    to, start = marked[0].split(" ")
    said = page.inner_text("#told")
    assert said.startswith(("Best now: the moves with arrows, ", "All moves gain the same: "))
    for place, act in ((start, page.mouse.down), (to, page.mouse.up)):
        page.mouse.move(*page.evaluate(MIDDLE, read_place(place)))
        act()
    settle(page)
    said = page.evaluate("kb.state.now.said")
    assert said.endswith(f"paddock {start}>{to}")
    label = f"[aria-label^='row {to.replace(',', ', column ')}:']"
    assert page.locator(f"{label}[aria-label$='player 1']").count() == 1
    # A wall is shown at once, in the turn and after it.
    page.click("[data-tile=quarry]")
    build(page)
    assert page.locator(".hex[aria-label$='stone wall']").count() == 1
    page.click("#end-turn")
    settle(page)
    assert page.locator(".hex[aria-label$='stone wall']").count() == 1


def test_bots_make_their_turns(table: Page, tmp_path: Path) -> None:
    board = ["garden", "farm/180", "quarry", "tavern"]
    deal(table, players=["greedy", "settler", "settler"], board=board, cards=[])

    assert table.locator("body").get_attribute("data-state") == "over"
    verdict = check_record(table, tmp_path, SHORT)
    assert verdict["result"]["gold"] == read_totals(table)


def test_a_further_card_is_drawn_where_no_hex_is_free(opener: Opener, tmp_path: Path) -> None:
    extend_copy(
        tmp_path,
        "kingdom_builder/rules/turn.lp",
        "exhausted((grass;canyon;desert),T) :- mover(_,T).",
    )
    options = ("-q", "--rules", str(tmp_path), *SHORT)
    page = begin(opener, "--player", "human", "--player", "greedy", *CARDS, *options)

    play_at_random(page, seed=1)

    verdict = check_record(page, tmp_path, options)
    cards = [line.split(":")[0] for line in read_state(page)[0].splitlines() if "/" in line[:20]]
    assert {card[0] for card in cards} == {"1", "2"}
    assert verdict["result"]["gold"] == read_totals(page)


def test_the_table_is_open_to_all(table: Page) -> None:
    build(table, 3)
    table.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")

    assert find_faults_everywhere(table) == []


def test_at_the_end_the_game_is_watched_and_its_picture_saved(table: Page, tmp_path: Path) -> None:
    play_at_random(table, 1)
    seen = "kb.state.picture.cells.join()"
    last = table.evaluate(seen)

    table.click("#watch")
    wait_for(table, "!kb.state.isWatched")
    settle(table)
    assert table.evaluate(seen) == last
    assert table.inner_text("#watch") == "Watch the game"

    turns = table.evaluate("kb.state.lines.length")
    table.evaluate(
        """() => {
          window.said = [];
          new MutationObserver((all) => {
            for (const { addedNodes: [text] } of all) if (text) window.said.push(text.data);
          }).observe(document.getElementById("told"), { childList: true });
        }"""
    )
    table.click("#watch")
    wait_for(table, "!kb.state.isWatched")
    told = [text for text in table.evaluate("said") if text.startswith("Turn ")]
    assert len(told) == turns > 3
    assert told[0].startswith(f"Turn 1 of {turns}. Player 1, ")

    with table.expect_download() as saved:
        table.click("#share")
    saved.value.save_as(tmp_path / "card.png")
    data = (tmp_path / "card.png").read_bytes()
    assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == (1080, 1350)


def test_a_new_game_is_one_click_away_and_loses_none(table: Page) -> None:
    table.click("#one-computer")
    settle(table)
    assert table.evaluate("kb.state.players") == ["human", "settler"]

    table.click("#two-people")
    settle(table)
    assert table.evaluate("kb.state.players") == ["human", "human"]

    build(table, 3)
    table.click("#end-turn")
    settle(table)
    table.click("#one-computer")
    assert table.is_visible("#asking")
    table.keyboard.press("Enter")  # it goes on
    settle(table)
    assert table.evaluate("kb.state.lines.length") == 1
    table.click("#one-computer")
    table.click("#end-game")
    settle(table)
    assert table.evaluate("kb.state.players") == ["human", "settler"]
    assert table.evaluate("kb.state.lines") == []


def test_a_turn_is_told_in_words_and_marked_when_it_is_pointed_at(table: Page) -> None:
    build(table, 3)
    table.click("#end-turn")
    settle(table)
    line = table.locator("#turns li span").first

    assert line.inner_text().startswith("Player 1, ")
    assert line.inner_text().endswith(": 3 houses")
    line.hover()
    assert table.locator(".marks g").count() == 3


def test_players_have_names_in_all_that_is_told_and_in_the_record(
    table: Page, tmp_path: Path
) -> None:
    table.click("#other-game")
    for player, name in enumerate(("Anna", "Ben"), 1):
        table.locator("#seats input").nth(player - 1).fill(name)
    table.click("#begin")
    settle(table)
    assert (table.text_content("#turn") or "").strip().startswith("Anna, ")
    build(table, 3)
    table.click("#end-turn")
    settle(table)

    assert table.inner_text("#turns").startswith("Anna, ")
    names = table.locator("#players tbody th").all_inner_texts()
    assert [name.strip() for name in names] == ["Anna", "Ben"]
    heads = table.locator("#gold thead th").all_inner_texts()
    assert [head.strip() for head in heads] == ["card", "Anna", "Ben"]
    record = tmp_path / "game.txt"
    record.write_text(table.text_content("#record") or "")
    assert "\n% player 1: Anna\n% player 2: Ben\nboard " in record.read_text()
    assert run("check", "kingdom-builder", record, *SHORT).status == 0
    reload(table)
    wait_until_ready(table)
    assert (table.text_content("#turn") or "").strip().startswith("Ben, ")

    table.click("#other-game")
    table.locator("#seats input").nth(1).fill("Anna")
    table.click("#begin")
    assert table.inner_text("#setup-error") == "Two players are called Anna."
