"""The playground of a record: verdict and pictures by the rules as they are in the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kb_score.engine.lift import write_lifted
from kb_score.engine.rules import GameRules
from tests.browser.pages import Opener, expect, follow, settle, wait_for
from tests.browser.test_playground import add_card, link, messages, write_rules
from tests.browser.test_playground_why import read_tree, tell
from tests.games.records import follow_party, follow_rabbits, follow_slime
from tests.helpers import ASP, MEADOW, ROOT, SAFE, STATION, add_rules, run

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from kb_score.shell.picture import Replay

BOARDS = ROOT / "boards"
PARTY = BOARDS / "search_party"
SLIME = BOARDS / "slime" / "session.txt"
WRONG = BOARDS / "slime" / "wrong.txt"
WHY = BOARDS / "rabbits" / "why"
RABBITS = (STATION, STATION.with_suffix(".session"))
# Sessions that are right, and wrong ones.
SESSIONS: list[Any] = [
    pytest.param("slime", (SLIME,), id="slime"),
    pytest.param("search-party", (MEADOW, SAFE), id="search-party"),
    pytest.param("rabbits", RABBITS, id="rabbits"),
    *(
        pytest.param("kingdom-builder", (path,), id=f"kingdom-builder-{path.stem}")
        for path in sorted((BOARDS / "kingdom_builder" / "games").glob("*.txt"))
    ),
]
WRONG_SESSIONS = [
    pytest.param("slime", (WRONG,), id="slime-wrong"),
    pytest.param(
        "search-party",
        (PARTY / "maps" / "hollow.txt", PARTY / "records/hollow/wrong-position-session.txt"),
        id="search-party-wrong",
    ),
    pytest.param(
        "rabbits", (WHY / "corridor.map", WHY / "missed-crush.session"), id="rabbits-wrong"
    ),
    pytest.param(
        "kingdom-builder",
        (BOARDS / "kingdom_builder" / "why" / "tile-used.txt",),
        id="kingdom-builder-wrong",
    ),
]
# No other test opens these: a tab of their own is not worth its time.
ALONE = {"nomads.txt", "broken.txt", "hollow.txt", "corridor.map"}
# What stands on the page, as the command says it.
STATE = """() => ({
  verdict: document.getElementById("verdict").textContent,
  result: Object.fromEntries([...document.querySelectorAll("#result tr")].map((line) => [
    line.firstChild.textContent, line.lastChild.textContent,
  ])),
  violations: [...document.querySelectorAll("#violations button")].map((on) => on.textContent),
})"""
_DRAWN = """() => {
  const { rows, columns, cells } = kb.state.picture;
  return Array.from({ length: rows }, (_, row) =>
    cells.slice(row * columns, (row + 1) * columns).join(""));
}"""


def say(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def say_violation(found: dict[str, Any]) -> str:
    who = found["who"]
    if isinstance(who, int):
        who = f"player {who}"
    who = f" ({who})" if who else ""
    return f"turn {found['turn']}: {found['code']}{who}: {found['detail']}"


def go(page: Page, turn: int) -> None:
    page.locator("#slider").fill(str(turn))


@pytest.mark.parametrize(("game", "files"), SESSIONS + WRONG_SESSIONS)
def test_the_verdict_is_that_of_the_command(
    opener: Opener, game: str, files: tuple[Path, ...]
) -> None:
    (expected,) = run("check", game, *files, "--format", "json").json
    if files[0].name in ALONE:
        page = opener.make("playground", game, *files)
    else:
        # Other tests leave out the name of Kingdom Builder.
        page = opener.playground(*([] if game == "kingdom-builder" else [game]), *files)

    state = page.evaluate(STATE)

    # A page tells the outcome of a game of Kingdom Builder without its winners.
    result = {key: say(value) for key, value in expected["result"].items() if key != "winners"}
    assert {key: state["result"][key] for key in result} == result
    assert state["violations"] == [say_violation(found) for found in expected["violations"]]
    says = "consistent" if expected["consistent"] else "not consistent"
    assert state["verdict"].startswith(f"{says} with the rules")
    assert messages(page) == []
    assert page.is_visible("#parts") == (files == RABBITS)
    # The same tree as the command's tells why.
    for number, violation in enumerate(page.evaluate("kb.state.violations")):
        tree = read_tree(page, page.locator("#violations button").nth(number))
        assert tree == tell("check", game, *files, "--why", violation["atom"])


@pytest.mark.parametrize(
    ("game", "files", "follow_files"),
    [
        pytest.param("slime", (WRONG,), follow_slime, id="slime"),
        pytest.param("search-party", (MEADOW, SAFE), follow_party, id="search-party"),
        pytest.param("rabbits", RABBITS, follow_rabbits, id="rabbits"),
    ],
)
def test_pictures_are_those_of_the_replay(
    opener: Opener, game: str, files: tuple[Path, ...], follow_files: Callable[..., Replay]
) -> None:
    texts = [(str(path), path.read_text()) for path in files]
    replay = follow_files(GameRules(game.replace("-", "_")), *texts)
    page = opener.playground(game, *files)

    for turn in range(replay.first, replay.last + 1, 5):
        go(page, turn)
        wanted = expect(replay, turn)
        assert page.text_content("#caption") == wanted["caption"]
        assert page.evaluate(_DRAWN) == wanted["rows"]


def test_steps_are_counted_as_turns(opener: Opener, tmp_path: Path) -> None:
    ladder, record = ROOT / "tests" / "games" / "ladder", tmp_path / "record.txt"
    record.write_text("roll 2\nup X, up Y\nroll 1\nup P, up Q\n")
    page = opener.make("playground", "ladder", record, "--game-dir", ladder)

    assert page.evaluate(STATE)["violations"] == ["turn 4: no-step (player 2): no step is left"]
    drawn = []
    for turn in range(4):
        go(page, turn)
        drawn.append(page.evaluate(_DRAWN))
    assert drawn == [[".", "."], [".", "."], ["Y", "."], ["Y", "."]]


def test_the_verdict_follows_a_changed_rule(opener: Opener) -> None:
    page = opener.playground("search-party", MEADOW, SAFE)
    text = write_lifted(ASP / "search_party" / "rules" / "rules.lp", ["step", "judge"])
    extra = 'violation(2,"too-slow",1,("turn",2,"takes too long")).\n'

    write_rules(page, "rules.lp", text + extra)

    assert page.locator("#violations li").all_inner_texts() == [
        "turn 2: too-slow (player 1): turn 2 takes too long"
    ]
    assert page.locator("#differs li").all_inner_texts() == ["rules/rules.lp, changed"]
    assert page.inner_text("#verdict").startswith("not consistent")
    page.click("#violations button")
    assert page.input_value("#slider") == "2"
    page.click("#restore")
    settle(page)
    assert page.text_content("#verdict") == "consistent with the rules"


def test_what_clingo_says_leads_to_its_place(opener: Opener) -> None:
    page = opener.playground("slime", SLIME)

    add_card(page, "mine", "% a\n\nviolation(T,x,P,X) :- turn(T), P = 1.\n")

    assert messages(page)[0].startswith("mine.lp:3:17: error: unsafe variables in: 'X'")


def test_a_new_rule_may_look_at_any_square(opener: Opener, tmp_path: Path) -> None:
    counts = "N = #count { S : holds(S,P,T) }, N > 12"
    rule = f'violation(T,"many",P,("player has",N)) :- mover(P,T), {counts}, last(L), T <= L.\n'
    folder = add_rules(tmp_path, rule)
    (expected,) = run("check", "slime", SLIME, "--rules", folder, "--format", "json").json
    page = opener.playground("slime", SLIME)

    add_card(page, "mine", rule)

    found = page.evaluate(STATE)["violations"]
    assert len(found) == len(expected["violations"]) > 5
    for said, violation in zip(found, expected["violations"], strict=True):
        assert said.startswith(f"turn {violation['turn']}: many (player ")


def test_a_record_that_changed_rules_leave_has_a_wrong_board(opener: Opener) -> None:
    page = opener.playground("slime", SLIME)

    add_card(page, "mine", "becomes((1,1),2,8).\n")

    (violation,) = page.locator("#violations li").all_inner_texts()
    assert violation.startswith("turn 9: wrong-board: squares that differ from what the rules make")
    assert page.text_content("#verdict") == "not consistent with the rules: 1 violation"


def test_a_link_brings_changed_rules_but_no_board(opener: Opener) -> None:
    page = opener.playground("search-party", MEADOW, SAFE)
    for board, says in (("1 .\n . .\n", "cannot be opened"), ("", "late.lp")):
        rules = 'violation(1,"late","","too late").\n'
        fragment = link({"board": board, "files": {"late.lp": rules}})
        follow(page, fragment)
        wait_for(page, "says => document.getElementById('note').textContent.includes(says)", says)
        settle(page)

    assert page.locator("#violations li").all_inner_texts() == ["turn 1: late: too late"]


def test_what_leaves_the_rules_a_choice_is_refused() -> None:
    stream = PARTY / "records" / "field" / "reckless-stream.txt"

    ran = run("playground", "search-party", PARTY / "maps" / "field.txt", stream)

    assert (ran.status, ran.out) == (2, "")
    assert "a playground accepts only records" in ran.err


@pytest.mark.parametrize("game", ["rabbits", "search_party", "slime"])
def test_lifting_nothing_leaves_every_file_as_it_is(game: str) -> None:
    for path in (ASP / game).rglob("*.lp"):
        assert write_lifted(path, ["no_such_part"]) == path.read_text()


def test_lifted_rules_keep_their_comments(tmp_path: Path) -> None:
    path = tmp_path / "mine.lp"
    path.write_text('% ä\n#program step(t).\na(t) :- b(t-1). % "ö"\n  c :- d.\n')

    assert write_lifted(path, ["step"]) == (
        "% ä\n#program base.\na(Turn') :- b((Turn'-1)); turn(Turn'). % \"ö\"\n  c :- d.\n"
    )
