"""The plain scorer of Kingdom Builder against numbers counted by hand."""

from pathlib import Path

import pytest

from tests.helpers import EXAMPLE_GOLD
from tests.oracles.kingdom_builder import CARDS, parse, score, violations

EXAMPLE = Path(__file__).parents[3] / "shared" / "data" / "kingdom_builder" / "example.txt"


def with_symbols(
    symbols: dict[tuple[int, int], str], *, height: int = 4, width: int = 4
) -> list[str]:
    """Draw an empty board with symbols at some (row, column), both from 0."""
    return [
        "".join(symbols.get((row, column), ".") for column in range(width)) for row in range(height)
    ]


@pytest.fixture
def example() -> list[str]:
    if not EXAMPLE.exists():
        pytest.skip(f"the worked example is not at {EXAMPLE}")
    return parse(EXAMPLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("home", "neighbours"),
    [
        pytest.param(
            (2, 1), {(1, 0), (1, 1), (2, 0), (2, 2), (3, 0), (3, 1)}, id="row-not-shifted"
        ),
        pytest.param((1, 1), {(0, 1), (0, 2), (1, 0), (1, 2), (2, 1), (2, 2)}, id="row-shifted"),
        pytest.param((0, 0), {(0, 1), (1, 0)}, id="corner-of-two-neighbours"),
        pytest.param((3, 0), {(3, 1), (2, 0), (2, 1)}, id="corner-of-three-neighbours"),
    ],
)
def test_a_settlement_reaches_the_castles_on_neighbouring_hexes_only(
    home: tuple[int, int], neighbours: set[tuple[int, int]]
) -> None:
    others = {(row, column) for row in range(4) for column in range(4)} - {home}

    paying = {
        place for place in others if score(with_symbols({home: "1", place: "C"}))["castles"] == (3,)
    }

    assert paying == neighbours


def test_castles_pay_once_however_many_own_settlements_are_beside_them() -> None:
    assert score(["1C", "12"])["castles"] == (3, 3)


def test_castles_pay_for_no_town() -> None:
    assert score(["1T", ".."])["castles"] == (0,)


@pytest.mark.parametrize(
    ("rows", "discoverers", "knights"),
    [
        pytest.param(["111.", "...."], 1, 6, id="one-row"),
        pytest.param(["1.1.", ".1.1"], 2, 4, id="tied-rows-count-one-of-them"),
        pytest.param(["1...", "1.11"], 2, 6, id="gaps-in-a-row-do-not-matter"),
    ],
)
def test_discoverers_count_rows_and_knights_the_fullest_row(
    rows: list[str], discoverers: int, knights: int
) -> None:
    gold = score(rows)

    assert (gold["discoverers"], gold["knights"]) == ((discoverers,), (knights,))


@pytest.mark.parametrize(
    ("card", "symbols"),
    [
        pytest.param("fishermen", "WW", id="fishermen"),
        pytest.param("miners", "MM", id="miners"),
        pytest.param("workers", "TC", id="workers"),
    ],
)
def test_a_settlement_beside_two_such_hexes_pays_once_and_one_inland_nothing(
    card: str, symbols: str
) -> None:
    gold = score([f"{symbols}....", "1....1"])

    paying = {name for name in ("fishermen", "miners", "workers") if gold[name] != (0,)}
    assert (gold[card], paying) == ((1,), {card})


@pytest.mark.parametrize(
    ("north_west", "needed", "not_needed"),
    [
        pytest.param("1112", (12, 6, 0), (12, 6, 0), id="third-place-pays-nothing"),
        pytest.param("1122", (12, 12, 0), (12, 12, 6), id="tied-first-and-nobody-third"),
        pytest.param("1123", (12, 6, 6), (12, 6, 6), id="tied-second"),
        pytest.param("11..", (12, 0, 0), (12, 6, 6), id="second-highest-number-is-0"),
        pytest.param("....", (0, 0, 0), (12, 12, 12), id="nobody-there"),
    ],
)
def test_lords_pay_the_highest_and_second_highest_number_of_a_quadrant(
    north_west: str, needed: tuple[int, ...], not_needed: tuple[int, ...]
) -> None:
    # The other quadrants hold one settlement of each player, so each of them pays 12 to all.
    rows = [north_west[:2] + "12", north_west[2:] + "3.", "1212", "3.3."]

    assert score(rows)["lords"] == tuple(36 + gold for gold in needed)
    assert score(rows, lords_need_settlement=False)["lords"] == tuple(
        36 + gold for gold in not_needed
    )


@pytest.mark.parametrize(
    ("rows", "gold"),
    [
        pytest.param(["11", "11"], 3, id="one-in-each"),
        pytest.param(["11", "1."], 0, id="an-empty-quadrant"),
        pytest.param(["11.1", "1...", "1.1.", "1.1."], 3, id="3-1-2-2"),
        pytest.param(["1111", "1111", "1111", "1111"], 12, id="four-in-each"),
    ],
)
def test_farmers_pay_for_the_quadrant_with_fewest_settlements(rows: list[str], gold: int) -> None:
    assert score(rows)["farmers"] == (gold,)


@pytest.mark.parametrize(
    ("rows", "hermits", "citizens"),
    [
        pytest.param(["11", "11"], (1,), (2,), id="one-group-of-four"),
        pytest.param(["1.", ".1"], (2,), (0,), id="apart-where-the-lower-row-is-shifted"),
        pytest.param([".1", "1."], (1,), (1,), id="together-where-the-lower-row-is-shifted"),
        pytest.param(["111.1.", "......"], (2,), (1,), id="three-rounded-down"),
        pytest.param(["121.", "...."], (2, 1), (0, 0), id="split-by-another-player"),
    ],
)
def test_hermits_count_groups_and_citizens_half_of_the_largest(
    rows: list[str], hermits: tuple[int, ...], citizens: tuple[int, ...]
) -> None:
    gold = score(rows)

    assert (gold["hermits"], gold["citizens"]) == (hermits, citizens)


@pytest.mark.parametrize(
    ("row", "needed", "not_needed"),
    [
        pytest.param("T1C.", (8,), (8,), id="linked-by-one-settlement"),
        pytest.param("T11C", (8,), (8,), id="linked-by-a-group"),
        pytest.param("T1.1C.", (0,), (0,), id="gap"),
        pytest.param("T12C", (0, 0), (0, 0), id="another-player-in-the-gap"),
        pytest.param("T1C1T.", (12,), (12,), id="linked-on-both-sides-pays-once"),
        pytest.param("T1....", (0,), (0,), id="only-one-location"),
        pytest.param("TC...1", (0,), (8,), id="touching-far-from-settlements"),
        pytest.param("TC1.T.", (0,), (8,), id="touching-and-a-group-beside-one-of-them"),
        pytest.param("TC1T", (8,), (12,), id="touching-a-linked-location"),
    ],
)
def test_merchants_pay_each_linked_location_once(
    row: str, needed: tuple[int, ...], not_needed: tuple[int, ...]
) -> None:
    rows = [row, "." * len(row)]

    assert score(rows)["merchants"] == needed
    assert score(rows, merchants_need_settlement=False)["merchants"] == not_needed


@pytest.mark.parametrize(
    ("players", "discoverers"),
    [
        pytest.param(None, (1, 2), id="those-with-settlements"),
        pytest.param(4, (1, 0, 2, 0), id="four"),
        pytest.param(2, (1, 0), id="two-and-somebody-else"),
    ],
)
def test_gold_is_listed_for_the_players_of_the_game_in_ascending_order(
    players: int | None, discoverers: tuple[int, ...]
) -> None:
    assert score(["31", "3."], players)["discoverers"] == discoverers


def test_a_board_without_settlements_has_every_card_and_no_player() -> None:
    assert list(score(["..", ".."]).items()) == [(card, ()) for card in CARDS]


@pytest.mark.parametrize(
    ("rows", "players", "message"),
    [
        pytest.param([], None, "empty", id="no-rows"),
        pytest.param(["..", "."], None, "differ in length", id="ragged"),
        pytest.param(["..", ".6"], None, "unknown symbols: \\['6'\\]", id="unknown-symbol"),
        pytest.param(["..."] * 2, None, "2x3 hexes", id="odd-width"),
        pytest.param([".."] * 3, None, "3x2 hexes", id="odd-height"),
        pytest.param([".."] * 2, 6, "6 players", id="too-many-players"),
    ],
)
def test_what_cannot_be_scored_is_refused(
    rows: list[str], players: int | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        score(rows, players)


# One town and two castles in each quadrant, none near another.
LAWFUL = {
    (top + row, left + column): symbol
    for top in (0, 10)
    for left in (0, 10)
    for row, column, symbol in ((1, 1, "T"), (1, 5, "C"), (5, 1, "C"))
}
FORTY = {(row, column): "1" for row in (3, 8) for column in range(20)}
CROWDED = {(1, 5): ".", (1, 3): "C"}


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        pytest.param({}, set(), id="one-town-and-two-castles"),
        pytest.param({(1, 5): "T"}, set(), id="two-towns-and-one-castle"),
        pytest.param({(1, 5): "T", (5, 1): "T"}, {"quadrant-locations"}, id="three-towns"),
        pytest.param({(1, 5): "."}, {"quadrant-locations"}, id="two-locations"),
        pytest.param({(5, 5): "T"}, {"quadrant-locations"}, id="four-locations"),
        pytest.param(FORTY, set(), id="40-settlements"),
        pytest.param(FORTY | {(9, 0): "1"}, {"too-many-settlements"}, id="41-settlements"),
        pytest.param(FORTY | {(9, 0): "2"}, set(), id="41-settlements-of-two-players"),
        pytest.param(CROWDED, {"crowded-locations"}, id="crowding-an-empty-hex"),
        pytest.param(CROWDED | {(1, 2): "1"}, {"crowded-locations"}, id="crowding-a-settlement"),
        pytest.param(CROWDED | {(1, 2): "W"}, set(), id="crowding-water"),
        pytest.param(CROWDED | {(1, 2): "M"}, set(), id="crowding-a-mountain"),
    ],
)
def test_a_board_of_official_size_violates_what_was_changed(
    changes: dict[tuple[int, int], str], codes: set[str]
) -> None:
    assert violations(with_symbols(LAWFUL | changes, height=20, width=20)) == codes


def test_a_board_of_another_size_is_unofficial() -> None:
    assert violations(with_symbols(LAWFUL, height=20, width=18)) == {"unofficial-size"}


def test_a_player_without_settlements_is_missed_only_where_players_are_given() -> None:
    rows = with_symbols(LAWFUL | {(8, 8): "1"}, height=20, width=20)

    assert (violations(rows), violations(rows, 1)) == (set(), set())
    assert violations(rows, 2) == {"no-settlement"}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(". W\n 1 T\n", id="leading-blank"),
        pytest.param(". W\n1 T", id="no-leading-blank"),
        pytest.param(".W\n1T\n", id="no-blanks"),
        pytest.param("\n\t.\tW \r\n 1 T\r\n\n", id="tabs-and-carriage-returns"),
    ],
)
def test_parse_drops_the_blanks(text: str) -> None:
    assert parse(text) == [".W", "1T"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(" \n", "empty", id="empty"),
        pytest.param(". .\n .", "differ in length", id="ragged"),
        pytest.param(". .\n\n. .", "differ in length", id="two-boards"),
        pytest.param(". x\n . .", "unknown symbols", id="unknown-symbol"),
    ],
)
def test_parse_refuses_what_is_unreadable(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)


@pytest.mark.parametrize("card", EXAMPLE_GOLD)
def test_the_worked_example_pays_what_the_rules_print(example: list[str], card: str) -> None:
    assert score(example)[card] == EXAMPLE_GOLD[card]
