"""A changed card is compared with the shipped one in the page, as `rules compare` does it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.pages import Opener, figures, settle
from tests.browser.test_playground import shown, write_rules
from tests.helpers import EXAMPLE, ROOT, run, write_copy

_CARDS = ROOT / "asp" / "kingdom_builder" / "cards"


def compare(folder: Path, card: str, text: str) -> dict[str, Any]:
    """Say what the command finds."""
    write_copy(folder, f"kingdom_builder/cards/{card}.lp", text)
    (line,) = run("rules", "compare", card, "--rules", folder, "--format", "json").json
    found: dict[str, Any] = line
    return found


@pytest.mark.parametrize(
    ("card", "old", "new"),
    [
        pytest.param("merchants", "need_settlement = 1", "need_settlement = 0", id="a-constant"),
        pytest.param("fishermen", ", not terrain(water,R,C)", "", id="a-condition"),
        pytest.param("lords", "N < M.\n\n% Tied", "N <= M.\n\n% Tied", id="what-it-derives"),
    ],
)
def test_the_smallest_board_is_that_of_the_command(
    opener: Opener, tmp_path: Path, card: str, old: str, new: str
) -> None:
    page = opener.playground(EXAMPLE)
    shipped = (_CARDS / f"{card}.lp").read_text()
    changed = shipped.replace(old, new)
    write_rules(page, f"{card}.lp", changed)

    page.click("#compare")
    page.wait_for_selector("#compared button")
    page.wait_for_selector("#stop-comparing", state="hidden")

    found = compare(tmp_path, card, changed)
    said = page.inner_text("#compared")
    assert f"it matters ({found['rows']}x{found['columns']}): the" in said
    page.click("#compared button")
    settle(page)
    board = tmp_path / "board.txt"
    board.write_text(shown(page))
    assert len(shown(page).replace(".", "").split()) == len(found["board"].replace(".", "").split())
    before, after = (
        run("score", board, "--format", "json").json[0]["gold"][card],
        figures(page)[card],
    )
    assert sorted(before) == sorted(found["before"])
    assert sorted(after) == sorted(found["after"])
    for version, paid in (("the original pays", before), ("yours pays", after)):
        gold = ", ".join(f"{gold} to player {player}" for player, gold in enumerate(paid, 1))
        assert f"{version} {gold}" in said


def test_what_cannot_be_compared_is_told_and_a_search_can_be_stopped(opener: Opener) -> None:
    page = opener.playground(EXAMPLE)
    shipped = (_CARDS / "miners.lp").read_text()
    page.click("#compare")
    page.wait_for_selector("#compared:text('the same rules decide what both versions pay')")
    for more, says in [
        ("{ rich(P) } :- player(P).", "a constraint or a choice cannot be compared"),
        ("near(R,C,R,C) :- hex(R,C).", "board.lp uses near, which a version derives"),
    ]:
        write_rules(page, "miners.lp", f"{shipped}{more}\n")
        page.click("#compare")
        page.wait_for_selector(f"#compared:text('{says}')")

    write_rules(page, "miners.lp", f"{shipped}rich(P) :- player(P), 1 > 2.\n")
    assert page.inner_text("#compared") == ""
    page.click("#compare")
    page.wait_for_selector("#compared:text('with 2 players: proved')")
    page.click("#stop-comparing")
    page.wait_for_selector("#compared:text('miners.lp: stopped; no difference up to')")
    assert page.is_hidden("#stop-comparing")
