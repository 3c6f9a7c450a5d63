"""One turn by asp/rabbits/rules/rules.lp, each rule on the smallest corridor that shows it."""

from __future__ import annotations

import pytest

from kb_score.engine.terms import Facts
from kb_score.games.rabbits.records import Station
from tests.helpers import derive

NORTH, EAST, SOUTH, WEST = range(4)


def situation(*rows: str, heading: int = EAST) -> tuple[Facts, int]:
    """Make the facts of a drawing with ``X`` and ``o`` in corridors; return the width, too."""
    width = len(rows[0])
    drawn = "#" * width + "".join(rows) + "#" * width
    crushers = [cell for cell, symbol in enumerate(drawn) if symbol == "X"]
    plan = drawn.replace("X", " ").replace("o", " ")
    lines = tuple(plan[at : at + width] for at in range(0, len(plan), width))
    return {
        **Station("map", lines).facts(),
        "turn": [(1,)],
        "remains": [(cell, 0) for cell, symbol in enumerate(drawn) if symbol == "o"],
        "ends": [(cell, 0) for cell in crushers],
        "heading": [(cell, heading, 0) for cell in crushers],
    }, width


def ask(facts: Facts, predicate: str) -> set[tuple[object, ...]]:
    """Derive what holds in turn 1; the turn is left out."""
    parts = "turn derived crush settled answer"
    found = derive("rabbits", "rules chain", facts, predicate, turns=parts)
    return {tuple(row[:-1]) for row in found if row[-1] == 1}


@pytest.mark.parametrize(
    ("row", "appears"),
    [
        pytest.param("#s  #", True, id="nobody-there"),
        pytest.param("#s X#", False, id="crusher-in-sight"),
        pytest.param("#soX#", False, id="a-rabbit-hides-no-crusher"),
        pytest.param("#s#X#", True, id="a-wall-hides-a-crusher"),
        pytest.param("#sXX#", False, id="crusher-behind-crusher"),
    ],
)
def test_a_rabbit_appears_on_a_start_unless_a_crusher_is_in_sight(row: str, appears: bool) -> None:
    facts, width = situation(row)

    assert ask(facts, "appears/2") == ({(width + 1,)} if appears else set())


@pytest.mark.parametrize(
    ("rows", "heading", "options"),
    [
        pytest.param(["#o  X o#"], WEST, {EAST}, id="the-nearest-rabbit"),
        pytest.param(["#o X o#"], WEST, {EAST, WEST}, id="either-of-two-as-near"),
        pytest.param(["#X#o#", "# ###"], NORTH, {SOUTH}, id="no-rabbit-behind-a-wall"),
        pytest.param(["#X #", "# ##"], SOUTH, {EAST, SOUTH}, id="forward-or-sideways"),
        pytest.param(["#  X#"], EAST, {WEST}, id="back-from-a-dead-end"),
        pytest.param(["##X##"], EAST, {WEST}, id="back-into-a-wall"),
    ],
)
def test_a_crusher_may_choose(rows: list[str], heading: int, options: set[int]) -> None:
    facts, _ = situation(*rows, heading=heading)

    assert {chosen for _, chosen in ask(facts, "option/3")} == options


@pytest.mark.parametrize(
    ("rows", "heading", "shunned", "options"),
    [
        pytest.param(["#o X o#"], WEST, {WEST}, {EAST}, id="one-of-two-as-near"),
        pytest.param(["#o  X o#"], WEST, {WEST}, {EAST}, id="not-the-nearest-anyway"),
        pytest.param(["#o X o#"], WEST, {WEST, EAST}, {EAST, WEST}, id="all-of-the-nearest"),
        pytest.param(["#X #", "# ##"], SOUTH, {EAST}, {SOUTH}, id="one-of-two-free-ways"),
        pytest.param(["# X #", "## ##"], SOUTH, {EAST, SOUTH}, {WEST}, id="two-of-three-free-ways"),
        pytest.param(["# X #"], EAST, {EAST}, {WEST}, id="all-free-ways"),
        pytest.param(["#  X#"], EAST, {WEST}, {WEST}, id="the-way-back"),
    ],
)
def test_a_crusher_does_not_choose_what_it_shuns_while_something_else_is_left(
    rows: list[str], heading: int, shunned: set[int], options: set[int]
) -> None:
    facts, _ = situation(*rows, heading=heading)
    shuns = [(cell, way, 1) for cell, _ in facts["ends"] for way in shunned]

    assert {chosen for _, chosen in ask({**facts, "shuns": shuns}, "option/3")} == options


def test_a_crusher_sees_no_rabbit_behind_another_crusher() -> None:
    # Each of the two crushers has the other on one side; only the right one sees the rabbit.
    facts, width = situation("#  X X o#", heading=EAST)

    assert ask(facts, "hunts/2") == {(width + 5,)}


def test_a_crusher_crushes_the_rabbit_that_it_moves_onto() -> None:
    facts, width = situation("# Xo o#")
    went = [(width + 2, width + 3, 1)]

    assert ask({**facts, "went": went}, "crushed/2") == {(width + 3,)}
    assert ask({**facts, "went": went}, "spared/2") == {(width + 5,)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "moves", "after", "outcome"),
    [
        pytest.param(["#o #"], [(1, 2)], {2}, set(), id="free-cell"),
        pytest.param(["#oe#"], [(1, 2)], set(), {"saved"}, id="exit-saves"),
        pytest.param(["#oX#"], [(1, 2)], set(), {"squished"}, id="onto-a-crusher"),
        pytest.param(["#oeo#"], [(1, 2), (3, 2)], set(), {"saved"}, id="two-into-an-exit"),
        pytest.param(["#oo#"], [(1, 2)], set(), set(), id="onto-one-that-stands-still"),
        pytest.param(["#oo#"], [(1, 2), (2, 1)], {1, 2}, set(), id="two-change-places"),
        pytest.param(["#oo #"], [(1, 2), (2, 3)], {2, 3}, set(), id="one-behind-another"),
        pytest.param(["#o o#"], [(1, 2), (3, 2)], set(), {"crowded"}, id="two-meet"),
        pytest.param(["#ooo#"], [(1, 2), (3, 2)], {2}, {"crowded"}, id="two-meet-over-a-third"),
        pytest.param(["#o  #"], [(1, 3)], {1}, set(), id="too-far"),
        pytest.param(["#o #"], [(1, 0)], {1}, set(), id="into-a-wall"),
        pytest.param(["#o  #"], [(1, 2), (1, 1)], {2}, set(), id="only-the-first-move-counts"),
        pytest.param(["#o #"], [(1, 0), (1, 2)], {2}, set(), id="a-move-into-a-wall-is-skipped"),
    ],
)
def test_rabbits_move(
    rows: list[str], moves: list[tuple[int, int]], after: set[int], outcome: set[str]
) -> None:
    facts, width = situation(*rows)
    requests = [(n, a + width, b + width, 1) for n, (a, b) in enumerate(moves)]
    asked: Facts = {**facts, "request": requests}

    assert ask(asked, "remains/2") == {(cell + width,) for cell in after}
    for what in ("saved", "squished", "crowded"):
        assert bool(ask(asked, f"{what}/2")) == (what in outcome)


def test_of_three_that_arrive_the_third_survives() -> None:
    facts, width = situation("##o##", "#o o#")
    middle = 2 * width + 2
    arrivals = [width + 2, middle - 1, middle + 1]
    requests = [(n, cell, middle, 1) for n, cell in enumerate(arrivals)]

    assert ask({**facts, "request": requests}, "remains/2") == {(middle,)}
