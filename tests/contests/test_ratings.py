"""Ratings: openskill's updates rest there, and their intervals are honest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from time import process_time

import pytest
from openskill.models import PlackettLuce

from kb_score.contests.ratings import (
    BETA,
    MEAN,
    SD,
    GameLog,
    RatedGames,
    Rating,
    find_mean,
    find_scale,
    find_separated,
    find_slope,
    rate_bots,
    settle,
)
from tests import ratings as simulated

SMALL = 1e-4  # a sigma so small that openskill's scale is that of beta alone
GAMES = (
    ((0, 1), (1, 2)),
    ((2, 0, 3), (1, 2, 3)),
    ((3, 1, 2, 0), (2, 4, 1, 3)),
    ((0, 1, 2, 3), (1, 1, 3, 3)),
    ((0, 1, 2), (1, 1, 1)),
    ((4, 3, 2, 1, 0), (5, 1, 1, 1, 4)),
)


def log(*games: tuple[Sequence[int], Sequence[int]]) -> GameLog:
    kept = GameLog()
    for bots, places in games:
        kept.add(bots, places)
    return kept


def moves(ratings: Sequence[float], bots: Sequence[int], places: Sequence[int]) -> dict[int, float]:
    """What openskill makes of a game, for each unit of variance."""
    model = PlackettLuce(tau=0.0)
    teams = [[model.create_rating([ratings[bot], SMALL])] for bot in bots]
    moved = model.rate(teams, ranks=list(places))
    return {
        bot: (team[0].mu - ratings[bot]) / SMALL**2 for bot, team in zip(bots, moved, strict=True)
    }


def held(rating: Rating, truth: float) -> bool:
    return rating.interval[0] <= truth <= rating.interval[1]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_slope_of_a_game_is_openskills_update(
    game: tuple[tuple[int, ...], tuple[int, ...]],
) -> None:
    ratings = [20.0, 31.0, 25.0, 17.5, 28.0]

    gradient = find_slope(log(game).read(), 1.0, ratings, ratings).gradient

    expected = moves(ratings, *game)
    assert gradient == pytest.approx([expected.get(bot, 0.0) for bot in range(5)], abs=1e-6)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_slope_is_openskills_formula_to_nine_places(
    game: tuple[tuple[int, ...], tuple[int, ...]],
) -> None:
    # A small sigma leaves few digits of a move. A large one widens the scale by its part in it,
    # which ratings nearer to the mean make up for.
    bots, places = game
    sigma = 2.0
    ratings = [20.0, 31.0, 25.0, 17.5, 28.0]
    model = PlackettLuce(tau=0.0)
    teams = [[model.create_rating([ratings[bot], sigma])] for bot in bots]
    moved = model.rate(teams, ranks=list(places))
    shrink = BETA / math.hypot(sigma, BETA)
    nearer = [MEAN + (rating - MEAN) * shrink for rating in ratings]

    gradient = find_slope(log(game).read(), 1.0, nearer, nearer).gradient

    for bot, team in zip(bots, moved, strict=True):
        mu = ratings[bot] + sigma**2 * shrink * gradient[bot]
        assert team[0].mu == pytest.approx(mu, abs=1e-9)


def test_at_the_ratings_openskills_updates_and_the_first_belief_cancel_out() -> None:
    ratings = [rating.rating for rating in rate_bots(log(*GAMES), 5, seed=1)]

    total = [(MEAN - rating) / SD**2 for rating in ratings]
    for bots, places in GAMES:
        for bot, move in moves(ratings, bots, places).items():
            total[bot] += move
    assert total == pytest.approx([0.0] * 5, abs=1e-5)
    assert sum(ratings) / 5 == pytest.approx(MEAN, abs=1e-9)


def test_the_bend_is_the_change_of_the_slope() -> None:
    games: RatedGames = log(*GAMES).read()
    ratings = [20.0, 31.0, 25.0, 17.5, 28.0]
    slope = find_slope(games, 2.0, ratings, ratings)
    for bot in range(5):
        change = [1e-5 if other == bot else 0.0 for other in range(5)]
        there = [x + y for x, y in zip(ratings, change, strict=True)]
        after = find_slope(games, 2.0, there, ratings).gradient

        taken = slope.turn([x / 1e-5 for x in change])
        found = [(x - y) / 1e-5 for x, y in zip(slope.gradient, after, strict=True)]
        assert taken == pytest.approx(found, abs=1e-6)
        assert slope.bend[bot] == pytest.approx(taken[bot])


def test_ratings_depend_neither_on_the_order_of_games_nor_on_that_of_seats() -> None:
    forth = rate_bots(log(*GAMES), 5, seed=1)
    back = rate_bots(log(*((b[::-1], p[::-1]) for b, p in GAMES[::-1])), 5, seed=1)

    assert [x.rating for x in back] == pytest.approx([x.rating for x in forth], abs=1e-3)


def test_the_same_games_and_seed_give_the_same_intervals() -> None:
    assert rate_bots(log(*GAMES), 5, seed=1) == rate_bots(log(*GAMES), 5, seed=1)
    assert rate_bots(log(*GAMES), 5, seed=1) != rate_bots(log(*GAMES), 5, seed=2)


def test_without_games_a_rating_is_the_first_belief() -> None:
    for rating in rate_bots(log(((0, 1), (1, 2))), 4, seed=1)[2:]:
        assert rating.rating == pytest.approx(MEAN)
        assert rating.sd >= SD
        assert rating.interval[0] < 10 < 40 < rating.interval[1]
    assert rate_bots(GameLog(), 0, seed=1) == []
    (alone,) = rate_bots(log(((0,), (1,))), 1, seed=1)
    assert alone.rating == MEAN
    assert alone.sd == pytest.approx(SD)


def test_a_bot_that_always_wins_is_far_ahead_and_unsure() -> None:
    random = Random(3)
    games = log(*(((0, *random.sample((1, 2, 3), 3)), (1, 2, 3, 4)) for _ in range(200)))

    first, *others = rate_bots(games, 4, seed=1)

    assert first.rating > max(other.interval[1] for other in others)
    assert first.sd > 1.2 * max(other.sd for other in others)
    assert all(math.isfinite(x) for x in (*first.interval, *first.together))


def test_twins_are_not_separated() -> None:
    random = Random(4)
    rows = [random.sample((0, 1, 2, 3), 4) for _ in range(400)]
    games = log(*((row, [2 if bot > 1 else 1 for bot in row]) for row in rows))

    ratings = rate_bots(games, 4, seed=1)

    assert ratings[0].rating == pytest.approx(ratings[1].rating, abs=1e-3)
    in_order = sorted(ratings, key=lambda rating: -rating.rating)
    assert find_separated(in_order) == [False, True, False]


def test_a_game_of_a_hundred_bots_has_the_scale_of_five() -> None:
    assert find_scale(2) == pytest.approx(BETA * math.sqrt(2))
    assert find_scale(100) == find_scale(5) == pytest.approx(BETA * math.sqrt(5))
    order = list(range(100))

    ratings = rate_bots(log(*[(order, order)] * 5), 100, seed=1)

    found = [rating.rating for rating in ratings]
    assert found == sorted(found, reverse=True)
    assert found[0] - found[-1] > 20


def test_draws_take_games_of_all_patterns_as_often_as_they_are_there() -> None:
    games = log(*GAMES, *[((0, 1), (1, 2))] * 6)

    drawn = [games.draw(12, Random(seed)) for seed in range(500)]

    pairs = [sum(len(list(rows)) for p, rows in draw if len(p) == 2) for draw in drawn]
    assert all(sum(len(list(rows)) for _, rows in draw) == 12 for draw in drawn)
    assert sum(pairs) / 500 == pytest.approx(7, abs=0.4)
    assert len(set(pairs)) > 5


@pytest.mark.parametrize(
    ("bots", "places"),
    [
        pytest.param((0, 0), (1, 2), id="a-bot-twice"),
        pytest.param((0, -1), (1, 2), id="a-negative-number"),
        pytest.param((0, 1), (1,), id="a-bot-without-a-place"),
    ],
)
def test_what_is_no_game_is_refused(bots: tuple[int, ...], places: tuple[int, ...]) -> None:
    games = GameLog()
    with pytest.raises(ValueError):  # noqa: PT011 - zip says its own
        games.add(bots, places)
    assert games.count == 0


def test_a_bot_that_is_not_there_cannot_be_rated() -> None:
    with pytest.raises(IndexError):
        rate_bots(log(((0, 7), (1, 2))), 2, seed=1)


def test_neighbours_are_separated_if_their_intervals_are_apart() -> None:
    spans = [(30.0, 34.0), (25.1, 29.0), (21.9, 25.0), (20.0, 22.0), (23.0, 26.0)]
    ratings = [Rating((low + high) / 2, 1.0, (low, high), (low, high)) for low, high in spans]

    assert find_separated(ratings) == [True, True, False, False]


def test_the_intervals_of_simulated_contests_hold_the_truth() -> None:
    tally = simulated.simulate(simulated.SETTINGS[0], contests=2, seed=7)
    few = simulated.simulate(simulated.SETTINGS[2], contests=12, seed=7)

    assert tally.ordered == 2
    assert tally.held >= 10
    # Three standard errors below 95 %: intervals of two thirds of their width hold 80 %.
    assert few.held >= 0.89 * few.intervals
    assert few.together >= 10
    assert tally.wrongly == few.wrongly == 0


def test_intervals_that_hold_together_are_as_wide_as_the_number_of_bots_demands() -> None:
    games, _ = simulated.play(
        simulated.Setting("eight", 8, 4, 100, simulated.scatter(3.0)), Random(6)
    )

    for rating in rate_bots(games, 8, seed=1):
        # Of eight independent normal deviations all are within 2.73 in 95 of 100 cases.
        width = (rating.together[1] - rating.together[0]) / (2 * rating.sd)
        assert width == pytest.approx(2.73, abs=0.35)


def test_three_hundred_games_are_rated_in_five_seconds() -> None:
    games, _ = simulated.play(
        simulated.Setting("timed", 8, 4, 300, simulated.scatter(5.0)), Random(1)
    )
    start = process_time()
    rate_bots(games, 8, seed=1)
    assert process_time() - start < 5


def test_many_games_are_as_sure_as_their_number_makes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    games, _ = simulated.play(
        simulated.Setting("many", 6, 4, 500, simulated.scatter(5.0)), Random(2)
    )
    whole = rate_bots(games, 6, seed=1)
    monkeypatch.setattr("kb_score.contests.ratings._DRAWN", 200)
    part = rate_bots(games, 6, seed=1)

    assert [x.rating for x in part] == [x.rating for x in whole]
    assert [x.sd for x in part] == pytest.approx([x.sd for x in whole], rel=0.25)


def test_ratings_rest_after_many_games_too() -> None:
    games = log(*[((0, 1), (1, 2))] * 3000)
    centres = [MEAN] * 2
    ratings, _ = settle(games.read(), 1.0, centres, centres, 1e-6)

    assert find_slope(games.read(), 1.0, ratings, centres).gradient == pytest.approx(
        [0.0, 0.0], abs=1e-7
    )


def test_the_interval_of_a_mean_is_students_for_values_without_skewness() -> None:
    found = find_mean({-1.0: 5, 1.0: 5})

    # s = 1.0541, t of 9 degrees of freedom = 2.2622.
    assert found.mean == 0.0
    assert found.interval == pytest.approx((-0.75405, 0.75405), abs=1e-3)


def test_the_interval_of_a_mean_reaches_farther_to_the_side_of_the_tail() -> None:
    found = find_mean({0.0: 90, 10.0: 10})

    assert found.mean == 1.0
    assert found.interval is not None
    low, high = found.interval
    assert 0 < low < 1
    assert high - 1 > 1.2 * (1 - low)


def test_the_interval_of_a_mean_holds_it_in_95_of_100_contests() -> None:
    random = Random(5)
    hits = 0
    for _ in range(1000):
        counts: dict[float, int] = {}
        for _ in range(25):
            value = float(math.floor(random.expovariate(0.1)))
            counts[value] = counts.get(value, 0) + 1
        interval = find_mean(counts).interval
        assert interval is not None
        hits += interval[0] <= 1 / (math.exp(0.1) - 1) <= interval[1]
    assert 925 <= hits <= 970


def test_a_mean_of_one_value_has_no_interval_and_one_of_equal_values_no_width() -> None:
    assert find_mean({7.0: 1}).interval is None
    assert find_mean({7.0: 3}).interval == (7.0, 7.0)
