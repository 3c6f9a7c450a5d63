"""The playground: the rules of Kingdom Builder in a page, which follows what one changes there."""

from __future__ import annotations

import re
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from benchmarks.boards import random_board, write_board
from kb_score.errors import FormatError
from kb_score.games.kingdom_builder.board import parse_board
from tests.browser.pages import (
    FIGURES,
    MARKED,
    MIDDLE,
    Opener,
    change_data,
    figures,
    find_faults_everywhere,
    follow,
    pack,
    settle,
    wait_for,
    wait_until_ready,
)
from tests.helpers import EXAMPLE, SMALL, add_rules, run, write_copy
from tests.oracles.kingdom_builder_boxes import settle_box

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def score(board: object, *words: object) -> dict[str, list[int]]:
    (scores,) = run("score", board, "--format", "json", *words).json
    gold: dict[str, list[int]] = scores["gold"]
    return gold


def read_text(page: Page, text: str) -> str:
    """Have the page read a board; returns what it says of it."""
    page.evaluate("document.getElementById('as-text').open = true")
    page.wait_for_timeout(50)
    page.fill("#text", text)
    page.click("#read")
    return page.inner_text("#text-error")


def shown(page: Page) -> str:
    """Read the board back as a file shows it."""
    text: str = page.evaluate("kb.state.board")
    return text


def write_rules(page: Page, name: str, text: str) -> None:
    """Put a text in place of a rule file."""
    page.select_option("#file", name)
    page.click(".cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)
    # The editor hears of it a little later.
    wait_for(page, "([name, text]) => kb.state.files[name] === text", [name, text])
    settle(page)


def add_card(page: Page, name: str, text: str) -> None:
    page.fill("#new-name", name)
    page.press("#new-name", "Enter")
    write_rules(page, f"{name}.lp", text)


def messages(page: Page) -> list[str]:
    return page.locator("#messages li").all_inner_texts()


def list_changes(page: Page) -> dict[str, list[int]]:
    """Read the column of changes: by card, what each player has gained or lost."""
    rows: dict[str, list[str]] = page.evaluate("""
        () => Object.fromEntries([...document.querySelectorAll("#gold tr:has(td.change)")]
            .map((row) => [row.cells[0].innerText.split(" ").at(-1).trim(),
                [...row.querySelectorAll("td.change > span")]
                    .map((cell) => cell.lastChild?.data || "0")]))
    """)
    changes = {
        card: [int(text.replace("\u2212", "-")) for text in row] for card, row in rows.items()
    }
    return {card: row for card, row in changes.items() if any(row)}


def make_link(page: Page) -> str:
    """Read the link that the address of the page has become; returns what stands behind its #."""
    settle(page)
    fragment: str = page.evaluate("location.hash.slice(1)")
    return fragment


def click_hex(page: Page, row: int, column: int) -> None:
    """Click on the middle of a hex of the board."""
    page.locator("#board .drawn").scroll_into_view_if_needed()
    page.mouse.click(*page.evaluate(MIDDLE, [row, column]))


def test_the_page_shows_the_figures_of_the_command(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)

    assert figures(page) == score(EXAMPLE)
    assert messages(page) == []
    assert shown(page) == str(parse_board(EXAMPLE.read_text()))


def test_random_boards_have_the_figures_of_the_command(opener: Opener, tmp_path: Path) -> None:
    page = opener.playground()
    # Of the challenge, and of the published game with its terrain.
    boards = [parse_board(write_board(random_board(seed))) for seed in range(4)]
    boards += [settle_box(seed) for seed in range(2)]
    paths = [tmp_path / f"{number}.txt" for number in range(len(boards))]
    for path, board in zip(paths, boards, strict=True):
        path.write_text(str(board))
    scores = run("score", *paths, "--format", "json").json
    for board, found in zip(boards, scores, strict=True):
        assert read_text(page, str(board)) == ""

        assert figures(page) == found["gold"]
        assert shown(page) == str(board)


@pytest.mark.slow
def test_the_page_is_small_and_its_scripts_end_where_they_should(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    run("playground", EXAMPLE, "-o", path)
    text = path.read_text()

    assert path.stat().st_size <= 2_000_000
    assert text.count("</script") == 5
    assert "<!--" not in text


def test_without_a_board_the_page_has_an_empty_one(
    opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "page.html"
    written = run("playground", "-o", "page.html")
    printed = [run("playground"), run("playground", "kingdom-builder")]
    assert [(ran.status, ran.err) for ran in (written, *printed)] == [(0, "")] * 3
    assert [ran.out for ran in printed] == [path.read_text()] * 2

    page = opener.open(path)

    assert shown(page).replace(" ", "") == ("." * 20 + "\n") * 20
    assert page.is_visible("#nobody")
    assert figures(page)["castles"] == []


def test_the_page_works_from_a_server(browser: Browser, tmp_path: Path) -> None:
    run("playground", EXAMPLE, "-o", tmp_path / "page.html")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/page.html")
        wait_until_ready(page)

        assert figures(page) == score(EXAMPLE)

        page.close()
        server.shutdown()


def test_a_board_too_large_for_a_page_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    path.write_text((". " * 102 + "\n") * 2)

    ran = run("playground", path, "-o", tmp_path / "page.html")

    assert (ran.status, ran.out) == (2, "")
    assert "100 is the limit" in ran.err


def test_a_click_changes_a_hex_and_its_gold(opener: Opener, tmp_path: Path) -> None:
    page = opener.playground(EXAMPLE)
    page.check("#palette input[value='2']")

    click_hex(page, 9, 0)

    changed = tmp_path / "changed.txt"
    changed.write_text(shown(page))
    assert changed.read_text() != str(parse_board(EXAMPLE.read_text()))
    assert figures(page) == score(changed)
    assert page.evaluate("kb.state.picture.cells[9 * kb.state.picture.columns]") == "2"


def test_keys_change_the_board_and_take_it_back(opener: Opener) -> None:
    page = opener.playground()
    empty = shown(page)
    page.focus("#board")

    for key in ["1", "ArrowRight", "ArrowDown", "W", "ArrowDown", "Space"]:
        page.keyboard.press(key)

    assert shown(page).splitlines()[0].startswith("1 .")
    assert shown(page).splitlines()[1].startswith(" . W")
    assert page.text_content("#at") == "row 2, column 1: player 1"
    after = shown(page)
    assert figures(page)["discoverers"] == [2]
    for _ in range(3):
        page.keyboard.press("Control+z")
    assert shown(page) == empty
    for _ in range(3):
        page.keyboard.press("Control+y")
    assert shown(page) == after
    page.click("#undo")
    assert shown(page) != after
    page.click("#redo")
    assert shown(page) == after


def test_a_figure_marks_and_says_its_evidence(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    # One card pays each hex, others rows, quadrants, areas and connections.
    for explained in run("explain", EXAMPLE, "--player", 3, "--format", "json").json:
        card, player, pieces = (explained[key] for key in ("card", "player", "evidence"))
        figure = page.locator(f'#gold button[data-key="{card} {player}"]')
        for point in (figure.hover, figure.focus):
            page.keyboard.press("Escape")
            assert page.evaluate(MARKED) == []
            point()
            marked = {tuple(map(int, key.split(","))) for key in page.evaluate(MARKED)}
            assert marked == {tuple(place) for piece in pieces for place in piece["hexes"]}
            # Reasons of one kind share a line, each a button of its own.
            said = " ".join(page.locator("#reasons li").all_inner_texts()) + " "
            assert page.locator("#reasons button").count() == len(pieces)
            for piece in pieces:
                kind, _, which = piece["why"].rpartition(" ")
                assert f"{piece['gold']} gold for {kind} " in said
                assert re.search(rf"\b{which}\b", said)
            assert pieces or said == "No gold. "


# Words that are no hexes, and boards that are none.
WORDS = "C1 T2 O5 W# M# C# # 1# x 6 GG2 G12 G#1 G1# G## .1# .12. 12 22 GW 2G W1W"
BAD_BOARDS = [
    *(f". .\n . {word}\n" for word in WORDS.split()),
    "G#\n..\n",
    "G2 .\n W1\n",
    "1 W . .\n . 1 2\n",
    "% a comment\n1 W . .\n . 1 2 . W\n",
]


def test_what_is_no_board_is_told_in_the_words_of_the_command(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    before = shown(page)
    for text in BAD_BOARDS:
        with pytest.raises(FormatError) as error:
            parse_board(text)
        place = error.value.place
        # The command also guesses what was meant.
        message = error.value.message.partition("; did you mean")[0]

        assert read_text(page, text) == f"line {place.line}, column {place.column}: {message}"
    for text in ("", ". .\n", "1 W\n . .\n\n1 W\n . .\n"):
        assert read_text(page, text)
    assert shown(page) == before


def test_a_changed_rule_changes_the_table_and_is_marked(opener: Opener, tmp_path: Path) -> None:
    page = opener.playground(EXAMPLE)
    rules = "gold(miners, P, hex(R,C), 5) :- settlement(P,R,C), beside(R,C,mountain).\n"
    card = 'card(miners, 4, "5 gold for each settlement beside a mountain").\n'
    folder = tmp_path / "mine"
    write_copy(folder, "kingdom_builder/cards/miners.lp", card + rules)

    write_rules(page, "miners.lp", card + rules)

    assert figures(page) == score(EXAMPLE, "--rules", folder) != score(EXAMPLE)
    assert page.locator("#differs li").all_inner_texts() == ["cards/miners.lp, changed"]
    assert page.locator(".cm-changed").count() == 2
    paid = zip(figures(page)["miners"], score(EXAMPLE)["miners"], strict=True)
    assert list_changes(page) == {"miners": [more - before for more, before in paid]}
    page.click("#restore")
    assert figures(page) == score(EXAMPLE)
    assert page.locator("#differs li").count() == 0


def test_rules_of_a_folder_are_put_in_and_marked(opener: Opener, tmp_path: Path) -> None:
    card = 'card(shy, 11, "1 gold").\ngold(shy, P, hex(R,C), 1) :- settlement(P,R,C).'
    folder = add_rules(tmp_path, card)
    page = opener.make(
        "playground", EXAMPLE, "--rules", folder, "--const", "lords_need_settlement=1"
    )

    words = ("--rules", folder, "--const", "lords_need_settlement=1")
    assert figures(page) == score(EXAMPLE, *words)
    assert page.locator("#differs li").all_inner_texts() == ["mine.lp, new"]


def test_a_new_card_of_two_lines_is_a_new_row(opener: Opener, tmp_path: Path) -> None:
    text = (
        'card(shepherds, 12, "2 gold for each settlement in the first row").\n'
        "gold(shepherds, P, hex(0,C), 2) :- settlement(P,0,C).\n"
    )
    page = opener.playground(EXAMPLE)

    add_card(page, "shepherds", text)

    assert figures(page) == score(EXAMPLE, "--rules", add_rules(tmp_path, text))
    assert figures(page)["shepherds"] == [0, 2, 4, 10]
    assert messages(page) == []


BROKEN = [
    ("% a\ngold(miners,P,h,1) :- settlement(P,R,.\n", "2:38"),
    ("% ä\ngold(miners,P,h,X) :-\n  settlement(P,R,C).\n", "2:17"),
    ('x("äöü"). gold(miners,P,h,X) :- a(P).\n', "1:27"),
    ("gold(miners,1,h,1)\n", "1:18"),
    ("a.\n  %* no end\n", "2:3"),
    ("a.\n#script (lua)\n#end.\n", "2:1"),
    ("a :- b.\n#show a/0.\n", "2:1"),
    ('#include "a.lp".\n', "1:1"),
]


def test_a_broken_rule_is_underlined_at_its_place(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    for text, place in BROKEN:
        add_card(page, "mine", text)

        assert messages(page)[0].startswith(f"mine.lp:{place}: error: ")
        assert page.locator(".cm-lintRange-error").count() >= 1
        said = page.locator(".cm-said.error").first.inner_text()
        assert messages(page)[0].endswith(f": {said}")
        assert figures(page) == score(EXAMPLE)
        page.click("#restore")
        assert page.locator("#file option[value='mine.lp']").count() == 0
        settle(page)
        assert messages(page) == []


def test_what_cannot_be_read_stays_told_when_an_older_question_is_answered(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    page.select_option("#file", "miners.lp")
    page.click(".cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("a(1..1000000).\n")
    wait_for(page, "document.getElementById('status').textContent === 'Running …'")

    page.keyboard.press("Control+a")
    page.keyboard.insert_text("%* no end\n")
    page.wait_for_timeout(2500)

    assert messages(page) == ["miners.lp:1:1: error: this comment has no end: *% ends it"]


def test_a_message_leads_to_its_file(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    write_rules(page, "lords.lp", "card(lords,5,X).\n")
    page.select_option("#file", "board.lp")
    assert messages(page)[0].startswith("lords.lp:1:14: error: unsafe variables in: 'X'")

    page.click("#messages button >> nth=0")

    assert page.input_value("#file") == "lords.lp"
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "rules of lords.lp"


def test_a_predicate_that_nothing_defines_is_told(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)

    add_card(page, "mine", "gold(miners,P,h,1) :- setlement(P,R,C).\n")

    assert messages(page)[0].startswith("mine.lp:1:23: info: atom does not occur")


def test_rules_without_an_end_are_stopped_and_the_page_works_on(
    opener: Opener, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    assert run("playground", EXAMPLE, "-o", path).status == 0
    change_data(path, limit=500)  # milliseconds, for 5000
    page = opener.open(path)

    add_card(page, "mine", "a(0). a(X+1) :- a(X).\n")

    assert re.match(r"Stopped after \d+ seconds", page.inner_text("#status"))
    assert page.evaluate(FIGURES) == score(EXAMPLE)
    page.click("#restore")
    assert figures(page) == score(EXAMPLE)
    assert page.inner_text("#status").startswith("Up to date")


def test_a_correction_of_an_endless_rule_is_answered_at_once(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    page.fill("#new-name", "mine")
    page.press("#new-name", "Enter")
    settle(page)
    page.click(".cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("a(0). a(X+1) :- a(X).\n")
    wait_for(page, "document.getElementById('status').textContent === 'Running …'")

    begin = page.evaluate("performance.now()")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("a(0).\n")
    settle(page)

    assert page.evaluate("performance.now()") - begin < 3000  # the endless one has five seconds
    assert page.inner_text("#status").startswith("Up to date")


def test_rules_that_are_discarded_can_be_taken_back(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    add_card(page, "mine", 'card(mine, 12, "1").\ngold(mine,P,all,1) :- player(P).\n')
    click_hex(page, 9, 0)
    changed = (figures(page), shown(page))
    for button, says in (("#restore", "mine.lp is removed."), ("#start-over", "The board and")):
        page.click(button)
        settle(page)
        assert (figures(page), shown(page)) != changed
        assert page.inner_text("#note").startswith(says)
        page.click("#note button")
        settle(page)
        assert (figures(page), shown(page)) == changed


def test_gold_for_a_card_that_is_not_declared_is_told(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)

    add_card(page, "mine", "gold(frontier,P,hex(R,C),1) :- settlement(P,R,C).\n")

    told = "gold for frontier, but there is no card of that name: declare it: card(frontier, 11, "
    assert told in (page.text_content("#findings") or "")


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("{ a }. :- a, not a.", "The rules leave a choice open"),
        (":- settlement(1,R,C).", "rules this board out"),
    ],
)
def test_rules_that_do_not_decide_are_told(opener: Opener, rule: str, says: str) -> None:
    page = opener.playground(EXAMPLE)

    add_card(page, "mine", rule)

    assert says in page.inner_text("#status")


def test_a_link_brings_the_board_and_the_changed_rules(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    click_hex(page, 9, 0)
    add_card(page, "mine", 'card(mine, 12, "1").\ngold(mine,P,all,1) :- player(P).\n')
    fragment = make_link(page)
    other = opener.playground()

    follow(other, fragment)

    assert figures(other) == figures(page)
    assert shown(other) == shown(page)
    assert "mine.lp" in other.inner_text("#note")
    # The same when the page begins with the link.
    other.reload()
    wait_until_ready(other)
    assert figures(other) == figures(page)
    assert other.locator("#differs li").all_inner_texts() == ["mine.lp, new"]


def test_a_link_opens_the_file_that_it_names(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    before = figures(page)

    page.evaluate("location.hash = '#open=fishermen.lp'")
    wait_for(page, "document.getElementById('file').value === 'fishermen.lp'")

    assert "card(fishermen, 3," in page.locator(".cm-content").inner_text()
    assert page.locator("#note").is_hidden()
    # The same when the page begins with the link.
    page.reload()
    wait_until_ready(page)
    assert page.input_value("#file") == "fishermen.lp"
    assert figures(page) == before


def link(state: object) -> str:
    """Write the fragment of a link as the page does, for whatever is in it."""
    return f"kb1={pack(state)}"


IMAGE = "<img src=x onerror=alert(1)>"
BAD_LINKS = {
    "no-file": "open=",
    "file-of-markup": "open=" + IMAGE,
    "absent-file": "open=absent.lp",
    "empty": "kb1=",
    "no-deflate": "kb1=abc",
    "long": "kb1=" + "A" * 500_000,
    "bomb": link("A" * 50_000_000),
    "no-object": link([]),
    "no-text": link({"board": 1, "files": {}}),
    "no-board": link({"board": IMAGE, "files": {}}),
    "name": link({"board": SMALL, "files": {IMAGE: ""}}),
    "no-rules": link({"board": SMALL, "files": {"a.lp": 7}}),
    "prototype": link({"board": SMALL, "files": {"__proto__": "a."}}),
    "other": "state=zzz",
    "place": "top",
}


def test_a_bad_link_is_told_and_changes_nothing(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    before = figures(page)
    follow(page, link({"board": EXAMPLE.read_text(), "files": {}}))
    assert page.inner_text("#note").startswith("Opened from a link")
    for name, fragment in BAD_LINKS.items():
        follow(page, fragment)

        said = page.inner_text("#note")
        assert said.startswith("The link cannot be opened: "), name
        assert page.locator("img").count() == 0
    assert figures(page) == before
    assert said == "The link cannot be opened: it is not a link to this page. Ask for it again."


def test_a_link_is_opened_even_if_the_page_has_meanwhile_written_its_own(opener: Opener) -> None:
    page = opener.playground()
    page.evaluate("document.getElementById('note').hidden = true")
    own = "history.replaceState(null, '', location.pathname)"
    page.evaluate(
        f"fragment => {{ location.hash = fragment; {own}; }}", link({"board": SMALL, "files": {}})
    )
    page.wait_for_selector("#note:not([hidden])")

    settle(page)
    assert page.inner_text("#note").startswith("Opened from a link")
    assert shown(page) == SMALL


def test_what_a_link_brings_is_never_markup(opener: Opener) -> None:
    page = opener.playground()
    rules = f'card(mine, 12, "{IMAGE}").\ngold(mine,P,"{IMAGE}",1) :- player(P).\n'
    fragment = link({"board": SMALL, "files": {"mine.lp": rules}})

    follow(page, fragment)
    settle(page)
    page.focus('#gold button[data-key="mine 1"]')

    assert page.text_content("#pays") == IMAGE
    assert page.locator("#reasons").inner_text() == f"1 gold for {IMAGE}"
    assert page.locator("img").count() == 0


def test_rules_too_long_for_clingo_are_told(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    for letters, says in ((800_000, "Up to date"), (1_100_000, "These rules are too long")):
        fragment = link({"board": EXAMPLE.read_text(), "files": {"mine.lp": "% " + "x" * letters}})
        follow(page, fragment)
        settle(page)
        wait_for(
            page, "says => document.getElementById('status').textContent.startsWith(says)", says
        )

    assert figures(page) == score(EXAMPLE)


def test_ten_megabytes_are_refused_at_once(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.setData("text/plain", "W ".repeat(5e6));
          const paste = { clipboardData: data, bubbles: true, cancelable: true };
          document.getElementById("text").dispatchEvent(new ClipboardEvent("paste", paste));
        }"""
    )

    assert page.text_content("#status") == "10 MB is too much to paste: 1 MB is the limit."
    assert len(page.input_value("#text")) < 10_000


def test_the_board_and_the_rules_are_saved_as_files(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    write_rules(page, "miners.lp", "card(miners,4,none).\n")
    for button, name, text in (
        ("#save-board", "board.txt", str(parse_board(EXAMPLE.read_text()))),
        ("#save-file", "miners.lp", "card(miners,4,none).\n"),
        ("#save-files", "miners.lp", "card(miners,4,none).\n"),
    ):
        with page.expect_download() as started:
            page.click(button)
        assert started.value.suggested_filename == name
        assert Path(started.value.path()).read_text() == text


def test_keys_alone_reach_everything(opener: Opener) -> None:
    page = opener.make("playground", EXAMPLE)
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "document.activeElement.id || document.activeElement.getAttribute('aria-label')"
                " || document.activeElement.name"
            )
        )

    assert reached >= {
        *("1 player 1", "undo", "redo", "save-board", "board", "file", "restore", "save-file"),
        *("rules of miners.lp", "new-name", "copy-link"),
        "castles, player 1: 18 gold",
    }
    page.focus("#gold td button[tabindex='0']")
    for key in ("ArrowDown", "End", "ArrowLeft"):
        page.keyboard.press(key)
    assert page.text_content("#paid") == "discoverers, player 3: 12 gold"


def test_chosen_cards_give_totals_and_the_winner(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    assert page.locator("#gold tfoot").count() == 0

    for number in (1, 3, 7):
        page.check(f"#gold label:text-matches('^{number} ') input")
        settle(page)

    total = page.locator("#gold tfoot td").all_inner_texts()
    (line,) = run("score", EXAMPLE, "--cards", "1,3,7", "--format", "json").json
    assert total == [str(gold) for gold in line["total"]]
    assert page.inner_text("#winner") == "Player 4 wins with 62 gold."
    assert page.evaluate("document.activeElement.id") == "card-hermits"


def test_the_page_has_no_faults_and_fits(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    add_card(page, "mine", "gold(miners,P,h,X) :- setlement(P,R,C).\n")
    for name in ("as-text", "of-quadrants"):
        page.evaluate("name => { document.getElementById(name).open = true; }", name)
    page.click("#lay")
    make_link(page)
    page.focus('#gold button[data-key="miners 1"]')

    assert find_faults_everywhere(page) == []


def test_a_new_file_that_derives_a_predicate_of_ours_is_refused(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)

    add_card(page, "mine", "inner(R,C) :- hex(R,C).\n")

    (said,) = messages(page)
    assert "our rules already derive inner/2, in board.lp" in said
    assert figures(page) == score(EXAMPLE)
    assert "cannot be read" in page.inner_text("#status")
