"""Which games a contest has, and in which order."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_score.arena.contests.plan import Fixture, Seating, count_games, draw_games, list_games


def list_seats(games: list[Fixture]) -> list[tuple[int, ...]]:
    return [game.bots for game in games]


@given(st.integers(1, 4), st.integers(0, 4))
def test_each_table_comes_once_in_the_order_of_the_file(table: int, more: int) -> None:
    bots = table + more

    assert list_seats(list_games(bots, table, "file")) == list(combinations(range(bots), table))


def test_with_all_seatings_each_table_comes_in_every_order() -> None:
    wanted = [p for c in combinations(range(5), 3) for p in permutations(c)]

    assert list_seats(list_games(5, 3, "all")) == wanted


def test_by_rotation_each_bot_has_each_seat_equally_often() -> None:
    seats = list_seats(list_games(6, 4, "rotate"))

    assert len(seats) == 4 * 15
    assert set(Counter((bot, i) for four in seats for i, bot in enumerate(four)).values()) == {10}


@pytest.mark.parametrize("seating", ["file", "all", "rotate"])
def test_rounds_come_one_after_another_and_luck_is_the_same_for_all(seating: Seating) -> None:
    matches = list_games(4, 2, seating, maps=3, rounds=2, seed=9)

    assert [match.number for match in matches] == list(range(len(matches)))
    assert len(matches) == count_games(4, 2, seating, 3, 2)
    assert [match.round for match in matches] == sorted(match.round for match in matches)
    assert len({(m.bots, m.map, m.round) for m in matches}) == len(matches)
    seeds = {(m.map, m.round): m.seed for m in matches}
    assert all(seeds[m.map, m.round] == m.seed for m in matches)
    assert len(set(seeds.values())) == 6


def test_games_that_are_too_many_are_counted() -> None:
    assert count_games(2000, 4, "all", 1, 1) == 24 * 664_668_499_500


@given(st.integers(1, 5), st.integers(0, 20), st.integers(1, 200), st.integers(0, 5))
def test_in_a_sample_all_play_nearly_equally_often(
    table: int, more: int, games: int, seed: int
) -> None:
    bots = table + more
    seats = list_seats(draw_games(bots, table, games, seed=seed))

    assert all(len(set(one)) == table for one in seats)
    # Of a shuffle that is cut short, some have had their game and others have not.
    played = Counter(dict.fromkeys(range(bots), 0)) + Counter(b for one in seats for b in one)
    assert max(played.values()) - min(played[bot] for bot in range(bots)) <= 2


def test_where_no_bot_is_left_over_a_sample_differs_by_one_game_at_most() -> None:
    sample = draw_games(2000, 4, 1000, seed=3)

    assert set(Counter(bot for seats in list_seats(sample) for bot in seats).values()) == {2}
    assert list_seats(sample) != list_seats(draw_games(2000, 4, 1000, seed=4))


def test_a_bot_that_plays_alone_has_the_maps_and_the_luck_of_the_others() -> None:
    matches = draw_games(3, 1, 12, maps=2)

    given_ = {bot: [(m.map, m.seed) for m in matches if m.bots == (bot,)] for bot in range(3)}
    assert given_[0] == given_[1] == given_[2]
    assert len(set(given_[0])) == 4


def test_no_game_is_drawn_twice() -> None:
    drawn = draw_games(5, 2, 300, maps=3)

    assert len({(game.bots, game.map, game.round) for game in drawn}) == 300


def test_games_of_more_players_than_bots_are_refused() -> None:
    with pytest.raises(ValueError, match="3 bots are too few for a game of 4 players"):
        draw_games(3, 4, 10)
