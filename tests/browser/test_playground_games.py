"""The playground of a whole game: its turns are changed in the page, and judged there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.check import follow_game
from tests.browser.pages import TALLY, Opener, find_faults_everywhere, follow, settle
from tests.browser.test_playground import add_card, make_link
from tests.browser.test_playground_records import STATE, go, say_violation
from tests.helpers import ROOT, run, tally_at

if TYPE_CHECKING:
    from playwright.sync_api import Page

GAMES = ROOT / "boards" / "kingdom_builder" / "games"
BASE, EXAMPLE = (GAMES / f"{name}.txt" for name in ("base", "example"))
WRONG = GAMES.with_name("why") / "tile-used.txt"
HEADS = "".join(EXAMPLE.read_text().splitlines(keepends=True)[:4])
_DRAWN = """() => {
  const { columns, cells } = kb.state.picture;
  const name = (place) => `${Math.floor(place / columns)},${place % columns}`;
  return Object.fromEntries(cells.map((symbol, place) => [name(place), symbol]));
}"""


def change(page: Page, turns: str) -> None:
    page.fill("#turns", turns)
    settle(page)


def check(folder: Path, text: str) -> Any:
    path = folder / "edited.txt"
    path.write_text(text)
    (found,) = run("check", "kingdom-builder", path, "--format", "json").json
    return found


def test_pictures_are_those_of_the_replay(opener: Opener) -> None:
    replay = follow_game(GameRules("kingdom_builder"), (str(BASE), BASE.read_text()))
    page = opener.playground(BASE)

    for turn in (0, 5, 24, 39):
        go(page, turn)
        cells = {f"{row},{column}": s for (row, column), s in replay.at(turn).cells.items()}
        assert page.evaluate(_DRAWN) == cells
        told = page.evaluate(TALLY)
        # The gold after each turn is left out of the page.
        expected = tally_at(replay, turn)
        assert told == {key: says for key, says in expected.items() if "gold" not in key}
        assert page.locator("#field .marks path").count() == 2 * len(replay.at(turn).highlights)


def test_a_changed_turn_is_judged(opener: Opener, tmp_path: Path) -> None:
    page = opener.playground(EXAMPLE)
    turns = page.input_value("#turns")
    assert turns == EXAMPLE.read_text().removeprefix(HEADS)
    wrong = turns.replace("2,17 3,17 4,18", "2,17 3,18 4,18")

    change(page, wrong)

    (violation,) = check(tmp_path, HEADS + wrong)["violations"]
    assert page.evaluate(STATE)["violations"] == [say_violation(violation)]
    assert page.inner_text("#verdict").startswith("not consistent")
    change(page, f"{turns}1 desert: 4,17 8,0 8,1\n")
    assert page.evaluate(STATE)["result"]["turns"] == "4"
    change(page, turns)
    assert page.text_content("#verdict") == "consistent with the rules"


WRONG_TURNS = [
    ("1 gras: 4,11", "line 1, column 3: expected a terrain: "),
    ("1 grass 4,11", 'line 1, column 9: expected ":" after the terrain'),
    ("1 grass: mill 4,11", "line 1, column 10: expected a tile: barn, "),
    ("1 grass: 4,11 x", 'line 1, column 15: expected ";" before the next action'),
    ("\n1 grass: barn 4,11>;", "line 2, column 20: expected the hex that a settlement moves"),
    ("1 grass: 4,11 +farm 5,12", 'line 1, column 21: expected "@" and the hex'),
    ("1 grass: 4,11;", "line 1, column 15: expected a hex such as 4,11, or a tile"),
    ("1 grass: 4,99999999999", "line 1, column 10: this number is too large"),
    ("gold 1", "line 1, column 7: expected gold for each of 2 players, not for 1"),
    ("gold 1 2\n1 grass:", "line 2, column 1: expected the end of the line after the gold"),
    ("<img src=x>", 'line 1, column 1: expected a turn such as "1 grass: '),
]


def test_what_cannot_be_read_is_told_and_the_rest_stays(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    before = page.evaluate(STATE)["result"]
    for turns, says in WRONG_TURNS:
        change(page, turns)

        assert page.inner_text("#turns-error").startswith(says)
        assert page.is_visible("#turns-wrong")
        assert page.evaluate(STATE)["result"] == before
    change(page, "1 grass: 4,11 4,12 5,11\n")
    assert page.text_content("#turns-error") == ""
    assert page.is_hidden("#turns-wrong")
    assert page.evaluate(STATE)["result"]["turns"] == "1"


def test_a_tile_of_a_new_file_may_stand_in_a_turn(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    turns = page.input_value("#turns")

    add_card(page, "lighthouse", 'tile(lighthouse, none, 0, "shine").\n')
    change(page, f"{turns}1 desert: lighthouse; 4,17 5,18 4,16\n")

    assert page.text_content("#turns-error") == ""
    assert page.evaluate(STATE)["violations"] == [
        "turn 5: tile-not-held (player 1): player 1 holds no lighthouse and has never had one"
    ]


def test_a_link_brings_the_turns(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    change(page, "1 grass: 4,11 4,12\n")
    fragment = make_link(page)
    page = opener.playground(EXAMPLE)

    follow(page, fragment)

    settle(page)
    assert len(page.input_value("#turns")) < 30
    assert len(page.evaluate(STATE)["violations"]) == 1


def test_the_page_of_a_game_has_no_faults_and_fits(opener: Opener) -> None:
    page = opener.playground(WRONG)
    page.click("#violations button >> nth=0")
    page.wait_for_selector("#tree-list > li")

    assert find_faults_everywhere(page) == []
