"""The page of coverage: what it says of each rule."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.pages import find_faults_everywhere, read_column
from tests.helpers import run

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


def test_the_page_lists_rules_and_axe_finds_nothing(opener: Opener, tmp_path: Path) -> None:
    card = tmp_path / "ferrymen.lp"
    card.write_text(CARD)
    path = tmp_path / "page.html"
    ran = run("rules", "coverage", "--rules", tmp_path, "-o", path)
    assert ran.status == 0

    page = opener.visit(path)

    assert read_column(page, "#files", 2) == [str(card)]
    assert [read_column(page, "#files", number) for number in (3, 4, 5, 6)] == [
        ["3"], ["2"], ["4"], ["2"],
    ]  # fmt: skip
    assert read_column(page, ".rules", 1) == ["2", "3", "4"]
    assert "<b>settlement</b>" in read_column(page, ".rules", 2)[0]
    assert read_column(page, ".rules", 3) == ["0 of 0", "1 of 2", "1 of 2"]
    assert read_column(page, ".rules", 4) == ["", "beside(R,C,water)", ""]
    uses = read_column(page, ".rules", 5)
    assert [re.sub(r".*(?=ferrymen.lp)", "", use) for use in uses] == [
        "ferrymen.lp:7: water pays", "ferrymen.lp:7: water pays", "never used",
    ]  # fmt: skip
    assert page.locator("script").count() == 0
    assert find_faults_everywhere(page) == []
