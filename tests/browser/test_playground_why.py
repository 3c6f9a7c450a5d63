"""The trees of a playground: why a gold or a violation holds, as the command tells it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.pages import Opener, follow, settle
from tests.browser.test_playground import add_card, link, write_rules
from tests.helpers import ASP, CARDS, EXAMPLE, ROOT, add_rules, run

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

BOARDS = ROOT / "boards"
# The first piece of evidence of each card for each player, as its atom.
_PAID = """() => Object.values(kb.state.evidence).flat()
  .filter((pieces) => pieces.length).map(([{ atom }]) => atom)"""
# Cards that pay a hex, a row, a quadrant and a group, and one that counts.
_KINDS = ("castles", "knights", "lords", "citizens", "workers")
# The tree of the page as the command prints one.
_WRITE = """() => {
  const write = (item, isFirst) => {
    const [unfolded] = item.children;
    if (unfolded?.tagName !== "DETAILS") return [item.textContent];
    const [summary, ...rest] = unfolded.children;
    const inner = [...rest.pop().children];
    const below = inner.flatMap((one, i) => write(one).map((line, j) => (
      (i < inner.length - 1 ? (j ? "│  " : "├─ ") : (j ? "   " : "└─ ")) + line
    )));
    const quoted = isFirst ? rest.map((on) => `  ${on.textContent}`) : [];
    return [summary.textContent, ...quoted, ...below];
  };
  return write(document.querySelector("#tree-list > li"), true).join("\\n");
}"""


def read_tree(page: Page, button: Locator) -> str:
    """Click on a reason, and read the tree of the page as the command prints one."""
    button.dispatch_event("click")
    settle(page)
    tree: str = page.evaluate(_WRITE)
    return tree


def read_tree_of(page: Page, atom: str) -> str:
    """Read the tree of the first reason of a figure, which is this atom."""
    found = re.match(r"gold\((\w+),(\d+),", atom)
    assert found
    page.focus(f"[data-key='{found[1]} {found[2]}']")
    return read_tree(page, page.locator("#reasons button").first)


def tell(*words: object) -> str:
    """Ask the command for one tree; return it without what stands before it."""
    ran = run(*words)
    assert ran.status in (0, 1)
    return ran.out.rpartition("\n\n")[2].strip("\n")


def test_the_tree_of_a_gold_is_that_of_the_command_and_of_a_changed_card(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    paid = page.evaluate(_PAID)
    atoms = [next(a for a in paid if a.startswith(f"gold({card},")) for card in CARDS]

    trees = [read_tree_of(page, atom) for atom in atoms]

    # Of each kind of reason one: the others are made by the same rules.
    for atom, tree in zip(atoms, trees, strict=True):
        if atom.startswith(tuple(f"gold({card}," for card in _KINDS)):
            assert tree == tell("explain", EXAMPLE, "--why", atom)
    folder = ASP / "kingdom_builder" / "cards"
    texts = {f"{card}.lp": (folder / f"{card}.lp").read_text() for card in CARDS}
    files = {name: f"{text}\n% Changed.\n" for name, text in texts.items()}
    follow(page, link({"board": EXAMPLE.read_text(), "files": files}))
    assert page.locator("#differs li").count() == len(CARDS)
    changed = [read_tree_of(page, atom) for atom in atoms]
    # The page has clingo, but not its syntax trees: it shows conditions as they are written.
    assert list(map(squeeze, changed)) == list(map(squeeze, trees))


def squeeze(tree: str) -> str:
    return "".join(tree.split())


def open_tree(page: Page) -> str:
    """Wait for the tree of a click; return its first line."""
    page.wait_for_selector("#tree-list > li")
    return page.locator("#tree-list > li > details > summary").first.inner_text()


def test_a_click_on_a_reason_unfolds_a_tree(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    page.focus("[data-key='lords 1']")
    page.locator("#reasons button").first.focus()
    page.keyboard.press("Enter")

    assert open_tree(page).startswith("Card lords pays 6 gold to player 1 for quadrant(")
    assert page.is_visible("text=Tied players are all paid in full")
    count = page.locator("#tree-list li").count()
    page.evaluate("document.querySelectorAll('#tree-list details').forEach((on) => on.open = true)")
    page.locator("#tree-list button").first.click()
    page.locator("#tree-list li").nth(count).wait_for(state="attached")
    inner = page.locator("#tree-list details details").first
    assert inner.get_attribute("open") is not None
    inner.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert inner.get_attribute("open") is None
    page.focus("#board")
    page.keyboard.press("1")
    settle(page)

    assert not page.is_visible("#tree")


def test_a_finding_and_a_violation_have_trees(opener: Opener) -> None:
    page = opener.make("playground", BOARDS / "kingdom_builder" / "why" / "findings.txt")
    page.click("#found summary")
    page.click("#findings button >> text=unofficial-size")
    assert open_tree(page).startswith("The board breaks the rule named unofficial-size")

    page = opener.playground("slime", BOARDS / "slime" / "wrong.txt")
    page.click("#violations button >> nth=0")
    assert open_tree(page).startswith("The record breaks the rules at turn 10, wrong-board")


_NEW = """card(inns, 30, "1 gold").

% An inn, and a comment.
gold(inns, P, player(P), N) :-
    player(P), not closed(P, _),  % closed/2 is empty
    N = #count { R,C : settlement(P,R,C), near(R,C,R1,C1), terrain(water,R1,C1) }, N > 0.
#defined closed/2.
"""


def test_a_rule_that_is_new_in_the_page_has_its_tree(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    add_card(page, "inns", _NEW)
    page.focus("[data-key='inns 1']")
    (atom,) = (a for a in page.evaluate(_PAID) if a.startswith("gold(inns,1,"))

    assert "[gold(inns,1,player(1),13); inns.lp:4]" in read_tree_of(page, atom)


def test_a_constant_that_is_changed_in_the_page_is_told(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    write_rules(page, "miners.lp", "#const miners_on_mountain = 1.\n")
    page.focus("[data-key='lords 1']")
    page.locator("#reasons button").first.click()
    page.locator("#tree-status", has_text="#const").wait_for()
    assert "There is no tree" in page.inner_text("#tree-status")


def test_rules_that_the_page_was_made_with_are_told_as_ours(opener: Opener, tmp_path: Path) -> None:
    folder = add_rules(tmp_path, 'card(inns, 30, "1 gold").\ngold(inns, P, me, 1) :- player(P).')
    page = opener.make("playground", EXAMPLE, "--rules", folder)
    words = ("explain", EXAMPLE, "--rules", folder, "--why", "gold(inns,1,me,1)")

    assert read_tree_of(page, "gold(inns,1,me,1)") == tell(*words)
