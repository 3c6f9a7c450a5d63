"""The page of coverage: what stands beside a rule, and what a click shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.pages import find_faults_everywhere

if TYPE_CHECKING:
    from tests.browser.pages import Opener

CARD = """
card(ferrymen, 11, "2 gold for each <b>settlement</b> beside water").
gold(ferrymen, P, hex(R,C), 2) :- settlement(P,R,C), beside(R,C,water).
gold(ferrymen, P, cave, 1) :- settlement(P,_,_), quarry(_,_).
#defined quarry/2.

%*! Example: water pays
W 1 .
player 1: 2 *%
"""


def test_a_click_shows_an_instance_and_axe_finds_nothing(opener: Opener, tmp_path: Path) -> None:
    (tmp_path / "ferrymen.lp").write_text(CARD)
    page = opener.make("rules", "coverage", "--rules", tmp_path)
    signs = page.locator("#text button").all_inner_texts()
    assert signs == ["\u2713 0/0", "\u25d0 1/2", "\u2717"]
    page.click("#text button >> nth=1")
    shown = page.inner_text("#shown")
    assert "gold(ferrymen, 1, hex(0,1), 2) :- settlement(1,0,1), beside(0,1,water)." in shown
    assert "ferrymen.lp:7: water pays" in shown
    assert "never" in shown
    assert find_faults_everywhere(page) == []
