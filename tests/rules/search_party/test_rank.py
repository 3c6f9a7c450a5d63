"""Entries ranked by their best attempts."""

from __future__ import annotations

import pytest

from kb_score.arena.contests.standings import find_places
from tests.helpers import derive

# Entry 1 plays both maps, entry 2 one of them twice.
FACTS = """
entry(1..2). map(1..2).
attempt(1,1,10,5,0,0). attempt(1,2,11,9,2,1).
attempt(2,1,20,4,1,0). attempt(2,1,21,4,1,1).
"""


def rank(facts: str, predicate: str) -> set[tuple[object, ...]]:
    return derive("search_party", "rank", facts, predicate)


def place(facts: str) -> dict[int, int]:
    return find_places(dict(rank(facts, "standing/2")))  # type: ignore[arg-type]


def test_the_best_attempt_of_a_map_counts() -> None:
    assert {row[2] for row in rank(FACTS, "best/6")} == {10, 11, 21}


@pytest.mark.parametrize("fact", ["incomplete(21).", "inconsistent(21)."])
def test_an_attempt_that_is_illegal_or_not_finished_does_not_count(fact: str) -> None:
    assert {row[2] for row in rank(FACTS + fact, "best/6")} == {10, 11, 20}
    assert rank(FACTS + fact, "rejected/1") == {(21,)}


def test_more_maps_come_before_fewer_turns() -> None:
    assert rank(FACTS, "sums/5") == {(1, 14, 2, 1, 2), (2, 4, 1, 1, 1)}
    assert place(FACTS) == {1: 1, 2: 2}


def test_a_map_without_an_attempt_that_counts_is_told() -> None:
    assert rank(FACTS, "lacks/2") == {(2, 2)}


@pytest.mark.parametrize(
    ("first", "second", "ranks"),
    [
        pytest.param((4, 0, 0), (5, 9, 9), [1, 2], id="turns"),
        pytest.param((4, 1, 0), (4, 2, 0), [2, 1], id="costars"),
        pytest.param((4, 1, 3), (4, 1, 2), [1, 2], id="extras"),
        pytest.param((4, 1, 3), (4, 1, 3), [1, 1], id="equal"),
    ],
)
def test_turns_come_before_costars_and_extras(
    first: tuple[int, ...], second: tuple[int, ...], ranks: list[int]
) -> None:
    facts = "".join(
        f"entry({e}). attempt({e},1,{e},{','.join(map(str, counts))})."
        for e, counts in enumerate((first, second))
    )

    found = place(f"map(1). {facts}")

    assert [found[0], found[1]] == ranks
