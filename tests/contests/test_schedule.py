"""Which games a contest has: each is computed from its number."""

from __future__ import annotations

import time
import tracemalloc
from collections import Counter
from dataclasses import replace
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_score.contests.schedule import Sample, Schedule, Seating


def list_seats(schedule: Schedule | Sample) -> list[tuple[int, ...]]:
    return [schedule.fixture(number).bots for number in range(schedule.count())]


@given(st.integers(1, 4), st.integers(0, 4))
def test_each_table_comes_once_in_the_order_of_the_file(table: int, more: int) -> None:
    bots = table + more

    assert list_seats(Schedule(bots, table)) == list(combinations(range(bots), table))


def test_with_all_seatings_each_table_comes_in_every_order() -> None:
    wanted = [p for c in combinations(range(5), 3) for p in permutations(c)]

    assert list_seats(Schedule(5, 3, "all")) == wanted


def test_by_rotation_each_bot_has_each_seat_equally_often() -> None:
    seats = list_seats(Schedule(6, 4, "rotate"))

    assert len(seats) == 4 * 15
    assert set(Counter((bot, i) for four in seats for i, bot in enumerate(four)).values()) == {10}


@pytest.mark.parametrize("seating", ["file", "all", "rotate"])
def test_rounds_come_one_after_another_and_luck_is_the_same_for_all(seating: Seating) -> None:
    schedule = Schedule(4, 2, seating, maps=3, rounds=2, seed=9)
    matches = [schedule.fixture(number) for number in range(schedule.count())]

    assert [match.round for match in matches] == sorted(match.round for match in matches)
    assert len({(m.bots, m.map, m.round) for m in matches}) == len(matches)
    seeds = {(m.map, m.round): m.seed for m in matches}
    assert all(seeds[m.map, m.round] == m.seed for m in matches)
    assert len(set(seeds.values())) == 6


def test_no_game_is_listed() -> None:
    schedule = Schedule(2000, 4, "all")
    tracemalloc.start()
    begin = time.monotonic()

    last = schedule.fixture(schedule.count() - 1)

    assert last.bots == (1999, 1998, 1997, 1996)
    assert schedule.count() == 24 * 664_668_499_500
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    assert time.monotonic() - begin < 10
    tracemalloc.stop()


@given(st.integers(1, 5), st.integers(0, 20), st.integers(1, 200), st.integers(0, 5))
def test_in_a_sample_all_play_nearly_equally_often(
    table: int, more: int, games: int, seed: int
) -> None:
    bots = table + more
    seats = list_seats(Sample(bots, table, games, seed=seed))

    assert all(len(set(one)) == table for one in seats)
    # Of a shuffle that is cut short, some have had their game and others have not.
    played = Counter(dict.fromkeys(range(bots), 0)) + Counter(b for one in seats for b in one)
    assert max(played.values()) - min(played[bot] for bot in range(bots)) <= 2


def test_where_no_bot_is_left_over_a_sample_differs_by_one_game_at_most() -> None:
    sample = Sample(2000, 4, 1000, seed=3)

    assert set(Counter(bot for seats in list_seats(sample) for bot in seats).values()) == {2}
    assert list_seats(sample) != list_seats(Sample(2000, 4, 1000, seed=4))


def test_a_bot_that_plays_alone_has_the_maps_and_the_luck_of_the_others() -> None:
    sample = Sample(3, 1, 12, maps=2)
    matches = [sample.fixture(number) for number in range(12)]

    given_ = {bot: [(m.map, m.seed) for m in matches if m.bots == (bot,)] for bot in range(3)}
    assert given_[0] == given_[1] == given_[2]
    assert len(set(given_[0])) == 4


@given(
    st.integers(1, 3),
    st.integers(0, 3),
    st.sampled_from(["file", "all", "rotate"]),
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(0, 2),
    st.data(),
)
def test_a_game_is_found_again_when_bots_are_added(
    table: int, more: int, seating: Seating, maps: int, rounds: int, added: int, data: st.DataObject
) -> None:
    before = Schedule(table + more, table, seating, maps, rounds)
    after = Schedule(table + more + added, table, seating, maps, rounds)
    number = data.draw(st.integers(0, before.count() - 1))
    match = before.fixture(number)

    assert before.find(match) == match
    found = after.find(match)
    assert found is not None
    assert found.is_like(match)
    assert found.seed == match.seed
    assert after.fixture(found.number) == found


def test_what_is_no_game_is_not_found() -> None:
    schedule = Schedule(5, 3, "rotate")
    match = schedule.fixture(4)

    for seats in ((0, 0, 1), (0, 1, 5), (-1, 0, 1), (0, 1), (0, 2, 1)):
        assert schedule.find(replace(match, bots=seats)) is None
    assert schedule.find(replace(match, map=1)) is None
    assert schedule.find(replace(match, round=1)) is None


@pytest.mark.parametrize("number", [-1, 5])
def test_a_number_that_is_none_is_an_error(number: int) -> None:
    with pytest.raises(IndexError):
        Schedule(5, 4).fixture(number)
    with pytest.raises(IndexError):
        Sample(5, 4, 5).fixture(number)
