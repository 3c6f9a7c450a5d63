"""Live play: what is new after each turn."""

from __future__ import annotations

from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.engine.stepper import Stepper
from kb_score.games.schema import IllegalRow, TerminalRow
from kb_score.games.search_party.rules import PLAY, LivingRow, SearchedRow, Standing
from tests.rules.search_party.lanes import draw

MAP = draw("S....", costars=1)


def begin() -> Stepper:
    return Stepper(GameRules("search_party").program(PLAY), MAP.facts(), renewal=1)


def step(live: Stepper, direction: int) -> None:
    live.next_turn()
    live.play(["step"], {"move": [("@", direction)]})


def test_a_cell_is_newly_searched_once() -> None:
    live = begin()
    columns = []
    for _ in range(3):
        columns.append([MAP.place(row.cell)[0] for row in live.news(SearchedRow)])
        step(live, 6)

    assert [sorted(found) for found in columns] == [[0, 1, 2], [3], [4]]


def test_a_game_is_over_when_everything_has_been_searched() -> None:
    live = begin()
    step(live, 6)
    assert live.news(TerminalRow) == []

    step(live, 6)
    assert live.news(TerminalRow) == [(2,)]

    step(live, 6)
    assert [row.code for row in live.news(IllegalRow)] == ["after-end"]


def test_the_living_are_counted_and_placed() -> None:
    live = begin()
    for _ in range(3):
        live.news(LivingRow), live.news(Standing)
        step(live, 6)

    assert live.news(LivingRow) == [(0, 0, 3)]
    assert live.news(Standing) == [("@", MAP.cell(3, 0), 3)]


def test_a_game_is_begun_anew_on_a_large_map_and_nobody_notices() -> None:
    large = draw("S" + "." * 39, *["." * 40] * 39)
    rules = GameRules("search_party", Changes(constants=(("sight", "700"),)))
    live = Stepper(rules.program(PLAY), large.facts(), renewal=1)
    seen = len(live.news(SearchedRow))
    assert seen > 500

    for turn in (1, 2):
        step(live, 6)
        assert 0 < len(live.news(SearchedRow)) < 50
        assert live.news(Standing)[-1] == ("@", large.cell(turn, 0), turn)
