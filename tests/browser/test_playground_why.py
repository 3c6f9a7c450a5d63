"""The trees of a playground: why a gold or a violation holds, as the command tells it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.pages import Opener, settle
from tests.browser.test_playground import add_card, write_rules
from tests.helpers import CARDS, EXAMPLE, ROOT, add_rules, run

if TYPE_CHECKING:
    from playwright.sync_api import Page

BOARDS = ROOT / "boards"
# The first piece of evidence of each card for each player, as its atom.
_PAID = """() => Object.values(playground.subject.scores.scores.evidence).flat()
  .filter((pieces) => pieces.length).map(([{ atom }]) => atom)"""
# Cards that pay a hex, a row, a quadrant and a group, and one that counts.
_KINDS = ("castles", "knights", "lords", "citizens", "workers")
# The tree of the page as the command prints one.
_WRITE = """async (atom, asked) => {
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
  await playground.reasons.show(atom, asked);
  return write(document.querySelector("#tree-list > li"), true).join("\\n");
}"""
_BOARD_TREE = f"(atom) => ({_WRITE})(atom, playground.subject.scores.scores.asked)"
RECORD_TREE = f"""(atom) => {{
  const {{ asked }} = playground.subject.violations.find((found) => found.atom === atom);
  return ({_WRITE})(atom, asked);
}}"""
# Change each card, but nothing that it says.
_CHANGE = """async (cards) => {
  const { rules } = playground;
  rules.replace(new Map(cards.map((card) => {
    const name = `${card}.lp`;
    return [name, `${rules.files.get(name).text}\n% Changed.\n`];
  })));
  playground.ask();
  await playground.settled();
}"""


def tell(*words: object) -> str:
    """Ask the command for one tree; return it without what stands before it."""
    ran = run(*words)
    assert ran.status in (0, 1)
    return ran.out.rpartition("\n\n")[2].strip("\n")


def test_the_tree_of_a_gold_is_that_of_the_command_and_of_a_changed_card(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    paid = page.evaluate(_PAID)
    atoms = [next(a for a in paid if a.startswith(f"gold({card},")) for card in CARDS]

    trees = [page.evaluate(_BOARD_TREE, atom) for atom in atoms]

    # Of each kind of reason one: the others are made by the same rules.
    for atom, tree in zip(atoms, trees, strict=True):
        if atom.startswith(tuple(f"gold({card}," for card in _KINDS)):
            assert tree == tell("explain", EXAMPLE, "--why", atom)
    page.evaluate(_CHANGE, CARDS)
    assert page.locator("#differs li").count() == len(CARDS)
    changed = [page.evaluate(_BOARD_TREE, atom) for atom in atoms]
    # The page has clingo, but not its syntax trees: it shows conditions as they are written.
    assert list(map(squeeze, changed)) == list(map(squeeze, trees))


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


def test_a_rule_that_is_changed_in_the_page_has_its_tree(opener: Opener, tmp_path: Path) -> None:
    page = opener.playground(EXAMPLE)
    add_card(page, "inns", _NEW)
    page.focus("[data-key='inns 1']")
    (atom,) = (a for a in page.evaluate(_PAID) if a.startswith("gold(inns,1,"))
    written = page.evaluate(_BOARD_TREE, atom)
    told = tell("explain", EXAMPLE, "--rules", add_rules(tmp_path, _NEW), "--why", atom)

    assert "[gold(inns,1,player(1),13); inns.lp:4]" in written
    # The page has clingo, but not its syntax trees: it shows conditions as they are written.
    assert squeeze(written).replace("inns.lp", "mine.lp") == squeeze(told)


def squeeze(tree: str) -> str:
    return "".join(re.sub(r"%.*?(?= N =)", "", tree).split())


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

    assert page.evaluate(_BOARD_TREE, "gold(inns,1,me,1)") == tell(*words)
