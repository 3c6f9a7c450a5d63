"""Cards on boards of which examples in the rule files say nothing; numbers by hand."""

from __future__ import annotations

import pytest

import kb_score
from tests.helpers import Hex, draw


def gold(text: str, card: str) -> tuple[int, ...]:
    return kb_score.score(text).gold[card]


def test_the_players_are_those_with_settlements_unless_given() -> None:
    text = "31\n3.\n"

    assert kb_score.score(text).players == (1, 3)
    assert kb_score.score(text).gold["discoverers"] == (1, 2)
    assert kb_score.score(text, players=4).gold["discoverers"] == (1, 0, 2, 0)


def test_a_player_without_settlements_is_paid_by_the_lords_alone() -> None:
    scores = kb_score.score("1TC.\nW.M.\n", players=2)
    ruled = kb_score.score("1TC.\nW.M.\n", players=2, constants={"lords_need_settlement": 1})

    nothing = dict.fromkeys(scores.gold, 0)
    # One quadrant where player 2 is second with no settlement, and three where nobody has any.
    assert {card: paid[1] for card, paid in scores.gold.items()} == {**nothing, "lords": 42}
    assert {card: paid[1] for card, paid in ruled.gold.items()} == nothing


LAWFUL: dict[Hex, str] = {
    (top + row, left + column): symbol
    for top in (0, 10)
    for left in (0, 10)
    for row, column, symbol in ((1, 1, "T"), (1, 5, "C"), (5, 1, "C"))
}
FORTY: dict[Hex, str] = {(row, column): "1" for row in (3, 8) for column in range(20)}
CROWDED: dict[Hex, str] = {(1, 5): ".", (1, 3): "C"}


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        pytest.param({}, [], id="one-town-and-two-castles"),
        pytest.param({(1, 5): "T"}, [], id="two-towns-and-one-castle"),
        pytest.param({(1, 5): "T", (5, 1): "T"}, ["quadrant-locations"], id="three-towns"),
        pytest.param({(1, 1): "C"}, ["quadrant-locations"], id="three-castles"),
        pytest.param({(1, 5): "."}, ["quadrant-locations"], id="two-locations"),
        pytest.param({(5, 5): "T"}, ["quadrant-locations"], id="four-locations"),
        pytest.param({(1, 1): ".", (11, 11): "."}, ["quadrant-locations"] * 2, id="two-quadrants"),
        pytest.param(FORTY, [], id="40-settlements"),
        pytest.param(FORTY | {(9, 0): "1"}, ["too-many-settlements"], id="41-settlements"),
        pytest.param(FORTY | {(9, 0): "2"}, [], id="41-settlements-of-two-players"),
        pytest.param(CROWDED, ["crowded-locations"], id="crowding-an-empty-hex"),
        pytest.param(CROWDED | {(1, 2): "1"}, ["crowded-locations"], id="crowding-a-settlement"),
        pytest.param(CROWDED | {(1, 2): "W"}, [], id="crowding-water"),
        pytest.param(CROWDED | {(1, 2): "M"}, [], id="crowding-a-mountain"),
    ],
)
def test_a_board_of_official_size_violates_what_was_changed(
    changes: dict[Hex, str], codes: list[str]
) -> None:
    found = kb_score.score(draw(LAWFUL | changes, height=20, width=20)).violations

    assert [violation.code for violation in found] == codes


@pytest.mark.parametrize(
    ("height", "width"),
    [
        pytest.param(20, 18, id="narrow"),
        pytest.param(18, 20, id="low"),
        pytest.param(20, 22, id="wide"),
        pytest.param(2, 2, id="tiny"),
    ],
)
def test_another_size_is_unofficial(height: int, width: int) -> None:
    codes = {v.code for v in kb_score.score(draw({}, height=height, width=width)).violations}

    assert "unofficial-size" in codes


def test_a_player_without_settlements_is_missed_only_where_players_are_given() -> None:
    text = draw(LAWFUL | {(8, 8): "1"}, height=20, width=20)

    assert kb_score.score(text).violations == ()
    assert kb_score.score(text, players=1).violations == ()
    assert [(v.code, v.detail) for v in kb_score.score(text, players=3).violations] == [
        ("no-settlement", "player 2 has no settlement"),
        ("no-settlement", "player 3 has no settlement"),
    ]


@pytest.mark.parametrize(
    ("text", "card", "paid"),
    [
        pytest.param("T 1 W1 1 T .\n. . . . . .\n", "merchants", 8, id="merchants-across-water"),
        pytest.param("G1 W1 M1 .\n. . . .\n", "hermits", 1, id="one-group"),
        pytest.param("G1 W1 M1 F1\n. . . .\n", "citizens", 2, id="of-four"),
        pytest.param("W1 C\n. .\n", "castles", 3, id="a-castle-on-the-shore"),
        pytest.param("M1 T\n. .\n", "workers", 1, id="a-town-below-the-mountain"),
        pytest.param("W1 M1 G1 .\n. . . .\n", "knights", 6, id="a-row-of-three"),
    ],
)
def test_a_settlement_counts_on_water_and_mountains_too(text: str, card: str, paid: int) -> None:
    assert gold(text, card) == (paid,)
