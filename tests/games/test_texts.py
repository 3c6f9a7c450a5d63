"""Texts to facts by a grammar alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_score.errors import FormatError
from kb_score.games.texts import TextFormat

GRAMMAR = r"""
start: MAP? (walk | swap)
walk: turn* RESULT?
swap: "swap\n" turn*
turn: MOVE _NL SHOWN?
answer: MOVE _NL

//! MAP the rows of a map
MAP: /(?:[.#0-9]+\n)+/
//! MOVE who goes where, such as "ann to 3"
MOVE: /(?P<who>[a-z]+) to (?P<where>[+-]?[0-9]+)(?: (?P<why>[a-z]+))?/
//! SHOWN the rows of a map, between commas
SHOWN: /[.#0-9]+(?:,[.#0-9]+)*\n/
//! RESULT the result
RESULT: /result (?P<first>\w+) (?P<second>\w+)\n/
//! _NL the end of the line
_NL: /\n/
"""
GRIDS = frozenset(["map", "shown"])
TOY = TextFormat("toy_of_texts", grids=GRIDS, series=frozenset(["shown"]), side=(1, 9))


@pytest.fixture(autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home: Path = tmp_path_factory.mktemp("home") / "toy_of_texts"
    write_game(home, GRAMMAR)
    monkeypatch.setenv("KB_SCORE_GAMES", str(home))


def write_game(folder: Path, grammar: str) -> None:
    folder.mkdir()
    (folder / "game.toml").touch()
    (folder / "texts.lark").write_text(grammar)


def read(text: str) -> dict[str, list[tuple[object, ...]]]:
    return {name: list(rows) for name, rows in TOY.read(text, "toy").facts.items()}


def test_terminals_rules_and_grids_are_facts() -> None:
    found = read(".#\n.2\nann to 3\nbob to -1 because\nresult 7 none\n")

    assert found["size"] == [(2, 2)]
    assert found["map_cell"] == [(0, 0, "."), (0, 1, "#"), (1, 0, "."), (1, 1, 2)]
    assert found["move"] == [("ann", 3, "", 1), ("bob", -1, "because", 2)]
    assert found["result"] == [(7, "none", 2)]
    assert found["turn"] == [(1,), (2,)]
    assert found["walk"] == [(0,)]


def test_the_first_rule_says_what_kind_of_text_it_is_and_an_answer_has_a_rule_of_its_own() -> None:
    assert TOY.read("ann to 3\n", "toy").kind == "walk"
    assert TOY.read("swap\nann to 3\n", "toy").kind == "swap"
    assert TOY.read("ann to 3\n", "toy", start="answer").facts == {"move": [("ann", 3, "", 0)]}


def test_a_grid_of_a_series_gives_what_stays_as_intervals() -> None:
    found = read("ann to 3\n..,..\nann to 3\nann to 4\n#.,..\n")

    assert found["shown"] == [(1,), (3,)]
    assert sorted(found["shown_cell"], key=str) == [
        (0, 0, "#", 3, 3),
        (0, 0, ".", 1, 2),
        (0, 1, ".", 1, 3),
        (1, 0, ".", 1, 3),
        (1, 1, ".", 1, 3),
    ]


grids = st.lists(st.text(st.sampled_from(".#1"), min_size=3, max_size=3), min_size=2, max_size=2)


@settings(max_examples=50, deadline=None)
@given(st.lists(grids, min_size=1, max_size=8))
def test_intervals_are_the_grids_that_were_printed(boards: list[list[str]]) -> None:
    text = "".join(f"ann to 3\n{','.join(rows)}\n" for rows in boards)

    cells = read(text)["shown_cell"]

    for turn, rows in enumerate(boards, 1):
        there = {(r, c): str(x) for r, c, x, first, last in cells if first <= turn <= last}  # type: ignore[operator]
        assert there == {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row)}


@pytest.mark.parametrize(
    ("text", "turns", "is_cut"),
    [
        ("ann to 3\nbob to 4\n", 2, False),
        ("ann to 3\nbob to 4", 2, True),
        ("ann to 3\nbob t", 1, True),
        ("ann to 3\nbob to 4\n..,..\nresu", 2, True),
    ],
)
def test_the_line_that_was_being_written_may_be_cut_off(
    text: str, turns: int, is_cut: bool
) -> None:
    found = TOY.read(text, "toy", may_be_cut=True).facts

    assert len(found["turn"]) == turns
    assert ("cut" in found) is is_cut


SQUARE = TextFormat("toy_of_texts", grids=GRIDS, is_square=True)


@pytest.mark.parametrize(
    ("text", "format_", "messages"),
    [
        # Only the last line of a text may be cut off, and only where a rule asks for it.
        ("an to\nbob to", TOY, ["expected"]),
        ("an", TOY, ["expected"]),
        ("ann to 3\nan to\nbob to 3", TOY, ["expected"]),
        ("ann to 3\nbob t", TOY, ["expected"]),
        ("ann to 3\nann to 99999999999\n", TOY, ["toy:2:8: 99999999999 is too large"]),
        ("..........\nann to 3\n", TOY, ["toy:1:1: a grid has 1 to 9 rows and columns"]),
        (
            "...\n...\nann to 3\n",
            SQUARE,
            ["toy:1:1: a grid must have as many rows as columns, not"],
        ),
        (
            ".#\n..\nann to 3\n..,...\nann to 3\n..,..\nann to 3\n..\n",
            TOY,
            [
                "toy:4:6: this row has 3 cells: expected 2",
                "toy:8:1: the grid has 1 rows: expected 2",
            ],
        ),
    ],
)
def test_mistakes_are_reported_each_at_its_place(
    text: str, format_: TextFormat, messages: list[str]
) -> None:
    with pytest.raises(FormatError) as raised:
        format_.read(text, "toy")

    assert all(message in str(raised.value) for message in messages)
    assert "toy:6" not in str(raised.value)


def test_a_map_of_another_file_says_how_large_grids_are() -> None:
    size = TOY.read("..\n..\nann to 3\n", "toy").size

    with pytest.raises(FormatError, match="toy:2:3: this row has 3 cells: expected 2"):
        TOY.read("ann to 3\n...\n", "toy", size=size)


PARK = r"""
start: turn*
map: HEADER "\n" ROWS
turn: ORDER* "\n"
answer: turn
HEADER: /(?P<columns>[0-9]+) (?P<rows>[0-9]+)/
//! ROWS rows of . and #
//= ROWS [.#]
ROWS: /(?:[^\s]+\n)+/
ORDER: /(?P<who>[a-z])(?P<way>[0-9])(?= |\n) ?/
"""


@pytest.fixture
def park(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TextFormat:
    home = tmp_path / "park_of_texts"
    write_game(home, PARK)
    monkeypatch.setenv("KB_SCORE_GAMES", str(home))
    return TextFormat("park_of_texts", grids=frozenset(["rows"]), ordered=frozenset(["order"]))


def test_words_whose_order_matters_have_a_number(park: TextFormat) -> None:
    facts = park.read("a1 b2 a3\n\nb4\n", "text").facts

    assert facts["order"] == [("a", 1, 1, 1), ("b", 2, 2, 1), ("a", 3, 3, 1), ("b", 4, 1, 3)]
    assert park.list_predicates()["order", 4] == "the terminal ORDER"


def test_a_first_line_may_say_how_large_a_grid_is(park: TextFormat) -> None:
    assert park.read("2 1\n.#\n", "text", start="map").facts["size"] == [(1, 2)]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("2 1\n.#\n.\n", ["3:2: this row has 1 cells: expected 2"]),
        (
            "2 x\n.x\n##\ny#\n",
            [
                "1:3: unexpected 'x'",
                "2:2: unexpected 'x': expected rows of . and #",
                "4:1: unexpected 'y': expected rows of . and #",
            ],
        ),
    ],
)
def test_all_mistakes_of_a_grid_and_above_it_are_reported_at_once(
    park: TextFormat, text: str, places: list[str]
) -> None:
    with pytest.raises(FormatError) as raised:
        park.read(text, "text", start="map")

    assert all(f"text:{place}" in str(raised.value) for place in places)
