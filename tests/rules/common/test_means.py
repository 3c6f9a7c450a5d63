"""The ranking by means, which are compared exactly, in all games."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_score.arena.contests.standings import find_places
from kb_score.engine.terms import Facts
from tests.helpers import derive


def rank(scores: list[list[int]]) -> list[int]:
    """Rank bots, numbered from 0, by the squares of their games."""
    facts: Facts = {
        "bot": [(bot,) for bot in range(len(scores))],
        "scored": [
            (bot, n, times) for bot, own in enumerate(scores) for n, times in Counter(own).items()
        ],
    }
    rows = derive("slime", "common/means common/points", facts, "standing/2")
    places = find_places(dict(rows))  # type: ignore[arg-type]
    return sorted(range(len(scores)), key=lambda bot: places[bot])


@pytest.mark.parametrize(
    ("scores", "order"),
    [
        pytest.param([[1, 2], [3, 1], [9]], [2, 1, 0], id="means"),
        pytest.param([[2], [1, 3], [2, 2]], [0, 1, 2], id="equals-in-the-order-of-the-file"),
        pytest.param([[], [0], [1]], [2, 1, 0], id="no-game-comes-last"),
        pytest.param([[1, 0, 0], [1, 0, 0, 1, 0]], [1, 0], id="fractions"),
        # As floating-point numbers with three decimals they are the same.
        pytest.param([[1] * 1999 + [0] * 4001, [1] * 1999 + [0] * 4000], [1, 0], id="close"),
        pytest.param([[10_000] * 30_000, [10_000] * 29_999 + [10_001]], [1, 0], id="large-sums"),
        pytest.param([[0] * 4, [10**9] * 3 + [0], [10**9] * 4], [2, 1, 0], id="beyond-32-bits"),
        pytest.param([[], [-94], [-(2**31) + 1, -94]], [1, 2, 0], id="below-0-and-no-game"),
    ],
)
def test_bots_are_ranked_by_their_means(scores: list[list[int]], order: list[int]) -> None:
    assert rank(scores) == order


@pytest.mark.slow
@given(
    st.lists(
        st.lists(st.integers(-3, 7) | st.integers(-(2**31) + 1, 2**31 - 1), max_size=9),
        min_size=1,
        max_size=6,
    )
)
def test_the_ranking_is_that_of_exact_fractions(scores: list[list[int]]) -> None:
    means = [Fraction(sum(own), len(own)) if own else Fraction(-(2**31)) for own in scores]

    assert rank(scores) == sorted(range(len(scores)), key=lambda bot: -means[bot])


@pytest.mark.parametrize("by_wins", [False, True])
def test_gold_and_wins_are_compared_as_exactly(by_wins: bool) -> None:
    # 1/6000 and 1/6001 have the same three digits after the point.
    facts: Facts = {
        "bot": [(0,), (1,)],
        "achieved": [(0, 1, 1, 1), (0, 0, 0, 6000), (1, 1, 1, 1), (1, 0, 0, 5999)],
        "by_second": [()] * by_wins,
    }
    rows = derive("kingdom_builder", "common/means common/figures", facts, "standing/2")
    places = find_places(dict(rows))  # type: ignore[arg-type]

    assert places[1] < places[0]
