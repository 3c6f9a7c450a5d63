"""Live play: what is new after each turn."""

from __future__ import annotations

from typing import NamedTuple

from kb_score.engine.changes import Changes
from kb_score.engine.live import Live
from kb_score.engine.rules import GameRules, Use
from kb_score.games.told import ToldCellRow
from tests.rules.search_party.lanes import draw

PLAY = Use(("map", "rules", "listed", "play", "impossible", "common/live"))
MAP = draw("S....", costars=1)


class Step(NamedTuple):
    searched: list[int]
    people: list[str]
    figures: dict[str, object]
    ends: list[int]


def begin() -> Live:
    return Live(GameRules("search_party").program(PLAY), MAP.facts(), renewal=1)


def step(live: Live, direction: int) -> None:
    live.next_turn()
    live.play(["step"], {"go": [("@", direction, 1)]})


def look(live: Live) -> Step:
    told = [parts for key, parts, _ in live.news("told") if key == "people"]
    return Step(
        sorted(row.column for row in live.news(ToldCellRow) if row.symbol == "o"),
        sorted("".join(map(str, parts)) for parts in told),
        {key: value for key, value, _ in live.news("figure")},
        [turn for (turn,) in live.news("terminal")],
    )


def test_a_cell_is_newly_searched_once() -> None:
    live = begin()
    columns = []
    for _ in range(3):
        columns.append(look(live).searched)
        step(live, 6)

    assert columns == [[0, 1, 2], [3], [4]]


def test_a_game_is_over_when_everything_has_been_searched() -> None:
    live = begin()
    step(live, 6)
    assert look(live).ends == []

    step(live, 6)
    assert look(live).ends == [2]


def test_the_living_are_counted_and_placed() -> None:
    live = begin()
    for _ in range(3):
        look(live)
        step(live, 6)

    found = look(live)
    assert found.figures == {"costars": 0, "extras": 0}
    assert found.people == ["@:3,0"]


def test_a_game_is_begun_anew_on_a_large_map_and_nobody_notices() -> None:
    large = draw("S" + "." * 39, *["." * 40] * 39)
    rules = GameRules("search_party", Changes(constants=(("sight", "700"),)))
    live = Live(rules.program(PLAY), large.facts(), renewal=1)
    assert len(look(live).searched) > 500

    for turn in (1, 2):
        step(live, 6)
        found = look(live)
        assert 0 < len(found.searched) < 50
        assert found.people == [f"@:{turn},0"]
