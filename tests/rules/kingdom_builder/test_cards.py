"""Each card and each ruling on the smallest boards that show it; numbers by hand."""

from __future__ import annotations

import pytest

import kb_score
from tests.helpers import Hex, draw


def gold(text: str, card: str, **constants: int) -> tuple[int, ...]:
    return kb_score.score(text, constants=constants).gold[card]


@pytest.mark.parametrize(
    ("text", "paid"),
    [
        pytest.param("1C\n..\n", (3,), id="beside"),
        pytest.param("1.C.\n....\n", (0,), id="one-hex-away"),
        pytest.param("1C\n11\n", (3,), id="once-for-many-settlements"),
        pytest.param("1C..\n...2\n", (3, 0), id="not-for-others"),
        pytest.param("1C\n.2\n", (3, 3), id="every-player-beside-it"),
        pytest.param("C1C.\n....\n", (6,), id="one-settlement-beside-two"),
        pytest.param("1T\n..\n", (0,), id="no-town"),
        pytest.param("CC\n.1\n", (3,), id="one-of-two-neighbouring-castles"),
    ],
)
def test_castles_pay_3_for_each_castle_beside_an_own_settlement(
    text: str, paid: tuple[int, ...]
) -> None:
    assert gold(text, "castles") == paid


@pytest.mark.parametrize(
    ("text", "paid"),
    [
        pytest.param("11\n..\n", (1,), id="one-row"),
        pytest.param("1.\n.1\n", (2,), id="two-rows"),
        pytest.param("12\n2.\n", (1, 2), id="two-players"),
        pytest.param("..\n.1\n1.\n..\n", (2,), id="rows-in-between"),
    ],
)
def test_discoverers_pay_1_for_each_row(text: str, paid: tuple[int, ...]) -> None:
    assert gold(text, "discoverers") == paid


@pytest.mark.parametrize(
    ("text", "paid"),
    [
        pytest.param("1..1\n1...\n", (4,), id="fullest-row"),
        pytest.param("11\n11\n", (4,), id="ties-pay-one-row"),
        pytest.param("12\n22\n", (2, 4), id="two-players"),
        pytest.param("1.\n..\n", (2,), id="one-settlement"),
        pytest.param("1...\n.1..\n..11\n1...\n", (4,), id="neither-first-nor-last"),
    ],
)
def test_knights_pay_2_for_each_settlement_of_the_fullest_row(
    text: str, paid: tuple[int, ...]
) -> None:
    assert gold(text, "knights") == paid


# Terrain that pays, and cards that pay 1 for each settlement beside it.
BESIDE = [
    pytest.param("fishermen", "W", id="fishermen"),
    pytest.param("miners", "M", id="miners"),
    pytest.param("workers", "T", id="workers-town"),
    pytest.param("workers", "C", id="workers-castle"),
]


@pytest.mark.parametrize(("card", "symbol"), BESIDE)
@pytest.mark.parametrize(
    ("text", "paid"),
    [
        pytest.param("1X\n..\n", (1,), id="beside"),
        pytest.param("1.X.\n....\n", (0,), id="inland"),
        pytest.param("X1X.\n....\n", (1,), id="once-for-many-hexes"),
        pytest.param("1X1.\n...2\n", (2, 0), id="each-settlement"),
        pytest.param("12X.\n....\n", (0, 1), id="two-players"),
        pytest.param("1.\nX.\n", (1,), id="below-in-an-even-row"),
        pytest.param(".1\nX.\n", (1,), id="below-to-the-left-in-an-even-row"),
        pytest.param("1.\n.X\n", (0,), id="not-below-to-the-right-in-an-even-row"),
    ],
)
def test_a_settlement_beside_the_terrain_pays_once(
    card: str, symbol: str, text: str, paid: tuple[int, ...]
) -> None:
    assert gold(text.replace("X", symbol), card) == paid


@pytest.mark.parametrize(
    ("card", "symbols"),
    [
        pytest.param("fishermen", "MTC", id="fishermen"),
        pytest.param("miners", "WTC", id="miners"),
        pytest.param("workers", "WM", id="workers"),
    ],
)
def test_other_terrain_pays_nothing(card: str, symbols: str) -> None:
    for symbol in symbols:
        assert gold(f"1{symbol}\n..\n", card) == (0,)


def test_workers_are_paid_once_between_a_town_and_a_castle() -> None:
    assert gold("T1C.\n....\n", "workers") == (1,)


# The north-western quadrant of a board on which every other quadrant has one of each player, and
# so pays 12 to each of them. Named are the numbers of players 1, 2 and 3.
LORDS = [
    pytest.param("1112", (12, 6, 0), (12, 6, 0), id="3-1-0"),
    pytest.param("1122", (12, 12, 0), (12, 12, 6), id="2-2-0"),
    pytest.param("1123", (12, 6, 6), (12, 6, 6), id="2-1-1"),
    pytest.param("11..", (12, 0, 0), (12, 6, 6), id="2-0-0"),
    pytest.param("123.", (12, 12, 12), (12, 12, 12), id="1-1-1"),
    pytest.param("....", (0, 0, 0), (12, 12, 12), id="0-0-0"),
]


@pytest.mark.parametrize(("corner", "needed", "not_needed"), LORDS)
def test_lords_pay_most_and_second_most_in_each_quadrant(
    corner: str, needed: tuple[int, ...], not_needed: tuple[int, ...]
) -> None:
    text = "\n".join([corner[:2] + "12", corner[2:] + "3.", "1212", "3.3."])

    assert gold(text, "lords") == tuple(36 + paid for paid in needed)
    assert gold(text, "lords", lords_need_settlement=1) == gold(text, "lords")
    assert gold(text, "lords", lords_need_settlement=0) == tuple(36 + p for p in not_needed)


def test_third_most_of_four_pays_nothing_to_lords() -> None:
    # North-west 4, 3, 2, 1 settlements; elsewhere nobody.
    board = draw(
        {
            **{(0, c): "1" for c in range(4)},
            **{(1, c): "2" for c in range(3)},
            **{(2, c): "3" for c in range(2)},
            (3, 0): "4",
        },
        height=8,
        width=8,
    )

    assert gold(board, "lords") == (12, 6, 0, 0)


@pytest.mark.parametrize(
    ("text", "paid"),
    [
        pytest.param("11\n11\n", (3,), id="one-in-each"),
        pytest.param("11\n1.\n", (0,), id="one-quadrant-empty"),
        pytest.param("11.1\n1...\n1.1.\n1.1.\n", (3,), id="3-1-2-2"),
        pytest.param("1111\n1111\n1111\n1111\n", (12,), id="four-in-each"),
        pytest.param("12\n21\n", (0, 0), id="two-players"),
    ],
)
def test_farmers_pay_3_for_each_settlement_of_the_emptiest_quadrant(
    text: str, paid: tuple[int, ...]
) -> None:
    assert gold(text, "farmers") == paid


@pytest.mark.parametrize(
    ("text", "hermits", "citizens"),
    [
        pytest.param("1.\n..\n", (1,), (0,), id="one-settlement"),
        pytest.param("11\n..\n", (1,), (1,), id="pair"),
        pytest.param("111.\n....\n", (1,), (1,), id="three-rounded-down"),
        pytest.param("11\n11\n", (1,), (2,), id="four"),
        pytest.param("11.1\n...1\n", (2,), (1,), id="two-pairs"),
        pytest.param("1.\n.1\n", (2,), (0,), id="apart-where-the-lower-row-is-shifted"),
        pytest.param(".1\n1.\n", (1,), (1,), id="together-where-the-lower-row-is-shifted"),
        pytest.param("121.\n....\n", (2, 1), (0, 0), id="split-by-another-player"),
        pytest.param("12\n21\n", (2, 1), (0, 1), id="diagonals-cross"),
    ],
)
def test_hermits_count_groups_and_citizens_half_of_the_largest(
    text: str, hermits: tuple[int, ...], citizens: tuple[int, ...]
) -> None:
    assert gold(text, "hermits") == hermits
    assert gold(text, "citizens") == citizens


@pytest.mark.parametrize(
    ("row", "needed", "not_needed"),
    [
        pytest.param("T1C.", (8,), (8,), id="linked-by-one-settlement"),
        pytest.param("T1T.", (8,), (8,), id="two-towns"),
        pytest.param("T11C", (8,), (8,), id="linked-by-a-group"),
        pytest.param("T1.1C.", (0,), (0,), id="gap"),
        pytest.param("T12C", (0, 0), (0, 0), id="another-player-in-the-gap"),
        pytest.param("T1C1T.", (12,), (12,), id="in-the-middle-of-three-pays-once"),
        pytest.param("T1C.T1C.", (16,), (16,), id="two-pairs"),
        pytest.param("T1....", (0,), (0,), id="only-one-location"),
        pytest.param("W1M.", (0,), (0,), id="water-and-mountain-are-no-locations"),
        pytest.param("TC...1", (0,), (8,), id="touching-far-from-settlements"),
        pytest.param("TC1.T.", (0,), (8,), id="touching-and-a-group-beside-one-of-them"),
        pytest.param("TC1T", (8,), (12,), id="touching-a-linked-location"),
        pytest.param("TC..12", (0, 0), (8, 8), id="touching-pays-every-player"),
    ],
)
def test_merchants_pay_4_for_each_location_that_is_linked(
    row: str, needed: tuple[int, ...], not_needed: tuple[int, ...]
) -> None:
    text = f"{row}\n{'.' * len(row)}\n"

    assert gold(text, "merchants") == needed
    assert gold(text, "merchants", merchants_need_settlement=1) == needed
    assert gold(text, "merchants", merchants_need_settlement=0) == not_needed


def test_the_players_are_those_with_settlements_unless_given() -> None:
    text = "31\n3.\n"

    assert kb_score.score(text).players == (1, 3)
    assert kb_score.score(text).gold["discoverers"] == (1, 2)
    assert kb_score.score(text, players=4).gold["discoverers"] == (1, 0, 2, 0)


def test_a_player_without_settlements_is_paid_nothing_by_any_card() -> None:
    scores = kb_score.score("1TC.\nW.M.\n", players=2)

    assert {card: paid[1] for card, paid in scores.gold.items()} == dict.fromkeys(scores.gold, 0)


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


# A ruling, the value that it has unless it is set, a board, a card, what it pays by 0 and by 1.
RULINGS = [
    pytest.param("fishermen_on_water", 0, "W1 W\n. .\n", "fishermen", (0, 1), id="afloat"),
    pytest.param("fishermen_on_water", 0, "G1 W\n. .\n", "fishermen", (1, 1), id="ashore"),
    pytest.param("fishermen_on_water", 0, "W1 .\n. .\n", "fishermen", (0, 0), id="own-hex"),
    pytest.param("fishermen_on_water", 0, "M1 W\n. .\n", "fishermen", (1, 1), id="on-a-mountain"),
    pytest.param("miners_on_mountain", 0, "M1 M\n. .\n", "miners", (0, 1), id="on-top"),
    pytest.param("miners_on_mountain", 0, "G1 M\n. .\n", "miners", (1, 1), id="below"),
    pytest.param("miners_on_mountain", 0, "M1 .\n. .\n", "miners", (0, 0), id="own-mountain"),
    pytest.param("miners_on_mountain", 0, "W1 M\n. .\n", "miners", (1, 1), id="miners-afloat"),
    pytest.param("nomads_are_locations", 1, "1 O\n. .\n", "workers", (0, 1), id="workers"),
    pytest.param("nomads_are_locations", 1, "T 1 O .\n. . . .\n", "merchants", (0, 8), id="linked"),
    pytest.param("nomads_are_locations", 1, "1 O\n. .\n", "castles", (0, 0), id="no-castle"),
]


@pytest.mark.parametrize(("ruling", "default", "text", "card", "paid"), RULINGS)
def test_a_ruling_tells_what_a_card_pays(
    ruling: str, default: int, text: str, card: str, paid: tuple[int, int]
) -> None:
    assert [gold(text, card, **{ruling: value}) for value in (0, 1)] == [(p,) for p in paid]
    assert gold(text, card) == (paid[default],)


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
