"""Ratings: they are where the likelihood is highest, and their intervals are honest."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from random import Random

import numpy
import pytest

from kb_score.arena.contests.ratings import (
    BETA,
    MEAN,
    SD,
    GameLog,
    Likelihood,
    Rating,
    find_mean,
    find_scale,
    find_separated,
    rate_bots,
)
from tests.arena.contests.contest import Game, write_contest
from tests.helpers import ROOT, run
from tools import ratings as simulated

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


def add_up(ratings: Sequence[float], bots: Sequence[int], places: Sequence[int]) -> float:
    """The logarithm of the chance of a game: stage by stage, with equal shares of a tie."""
    scale, left = BETA * math.sqrt(min(len(bots), 5)), set(bots)
    found = 0.0
    ordered = sorted(zip(places, bots, strict=True))
    for _, group in groupby(ordered, key=lambda one: one[0]):
        tied = [bot for _, bot in group]
        found += sum(ratings[bot] / scale for bot in tied) / len(tied)
        found -= math.log(sum(math.exp(ratings[bot] / scale) for bot in left))
        left -= set(tied)
    return found


def find_gradient(
    games: Sequence[tuple[Sequence[int], Sequence[int]]], ratings: Sequence[float]
) -> list[float]:
    """How the likelihood of games, and of the first belief, changes with each rating."""

    def add(at: Sequence[float]) -> float:
        belief = sum((rating - MEAN) ** 2 for rating in at) / (2 * SD**2)
        return sum(add_up(at, *game) for game in games) - belief

    step, found = 1e-4, []
    for bot in range(len(ratings)):
        up, down = ([*ratings[:bot], ratings[bot] + x, *ratings[bot + 1 :]] for x in (step, -step))
        found.append((add(up) - add(down)) / (2 * step))
    return found


def draw(
    random: Random, bots: int, players: int, games: int, levels: int
) -> list[tuple[list[int], list[int]]]:
    """Games with many ties: few different figures."""
    drawn = []
    for _ in range(games):
        row = random.sample(range(bots), players)
        figures = [bot * levels // bots + random.randrange(levels) for bot in row]
        drawn.append((row, [1 + sum(o > f for o in figures) for f in figures]))
    return drawn


def held(rating: Rating, truth: float) -> bool:
    return rating.interval[0] <= truth <= rating.interval[1]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_slope_of_a_game_is_that_of_its_chance(
    game: tuple[tuple[int, ...], tuple[int, ...]],
) -> None:
    ratings = [20.0, 31.0, 25.0, 17.5, 28.0]
    at = numpy.array(ratings)

    gradient, _ = Likelihood(log(game), 5).find_slope(numpy.ones(1), at, numpy.full(5, MEAN))

    assert gradient.tolist() == pytest.approx(find_gradient([game], ratings), abs=1e-7)


# What openskill 6.2 makes of each game with a sigma near 0, for each unit of variance.
MOVES = (
    [0.14698, -0.14698, 0.0, 0.0, 0.0],
    [0.02002, 0.0, 0.06382, -0.08384, 0.0],
    [0.0564, -0.23809, 0.09007, 0.09162, 0.0],
    [0.04358, -0.00148, -0.05524, 0.01315, 0.0],
    [0.02793, -0.03763, 0.00969, 0.0, 0.0],
    [0.06358, -0.00267, 0.01559, 0.02675, -0.10325],
)


@pytest.mark.parametrize(("game", "moves"), list(zip(GAMES, MOVES, strict=True)), ids=str)
def test_the_slope_of_a_game_is_openskills_update(
    game: tuple[tuple[int, ...], tuple[int, ...]], moves: list[float]
) -> None:
    at = numpy.array([20.0, 31.0, 25.0, 17.5, 28.0])

    gradient, _ = Likelihood(log(game), 5).find_slope(numpy.ones(1), at, at)

    assert gradient.tolist() == pytest.approx(moves, abs=1e-5)


def test_at_the_ratings_nothing_goes_up() -> None:
    ratings = [rating.rating for rating in rate_bots(log(*GAMES), 5, seed=1)]

    assert find_gradient(GAMES, ratings) == pytest.approx([0.0] * 5, abs=1e-5)
    assert sum(ratings) / 5 == pytest.approx(MEAN, abs=1e-9)


@pytest.mark.parametrize(
    "kind", [(2, 2, 30, 3), (6, 4, 60, 4), (9, 3, 12, 3), (7, 7, 8, 5)], ids=str
)
def test_at_the_ratings_of_games_with_ties_nothing_goes_up(kind: tuple[int, int, int, int]) -> None:
    games = draw(Random(1), *kind)

    found = rate_bots(log(*games), kind[0], seed=5)

    # The first belief bends the likelihood by 1 / SD^2 at least: a rating is 0.05 off at the most.
    slopes = find_gradient(games, [x.rating for x in found])
    assert slopes == pytest.approx([0.0] * kind[0], abs=5e-5)


@pytest.mark.parametrize("many", [0, 60], ids=["few-bots", "many-bots"])
def test_the_bend_is_the_change_of_the_slope(many: int) -> None:
    # Of many bots, few in a game, products are summed in another way.
    likelihood, counts = Likelihood(log(*GAMES), 5 + many), numpy.arange(1.0, 7.0)
    ratings = numpy.array([20.0, 31.0, 25.0, 17.5, 28.0] + [25.0] * many)
    gradient, bend = likelihood.find_slope(counts, ratings, ratings)

    for bot in range(5):
        change = numpy.zeros(5 + many)
        change[bot] = 1e-5
        after, _ = likelihood.find_slope(counts, ratings + change, ratings)
        assert ((gradient - after) / 1e-5).tolist() == pytest.approx(bend[bot].tolist(), abs=1e-6)


@pytest.mark.slow
def test_ratings_depend_neither_on_the_order_of_games_nor_on_that_of_seats() -> None:
    forth = rate_bots(log(*GAMES), 5, seed=1)
    back = rate_bots(log(*((b[::-1], p[::-1]) for b, p in GAMES[::-1])), 5, seed=1)

    assert [x.rating for x in back] == pytest.approx([x.rating for x in forth], abs=1e-3)


@pytest.mark.slow
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


def test_bots_without_games_change_no_other_rating() -> None:
    games = log(((0, 1500), (1, 2)), ((1500, 700), (1, 1)))
    alone = log(((0, 2), (1, 2)), ((2, 1), (1, 1)))

    ratings = rate_bots(games, 2000, seed=1)

    found = [ratings[bot].rating for bot in (0, 700, 1500)]
    assert found == [rating.rating for rating in rate_bots(alone, 3, seed=1)]


def test_a_bot_that_always_wins_is_far_ahead_and_unsure() -> None:
    random = Random(3)
    games = log(*(((0, *random.sample((1, 2, 3), 3)), (1, 2, 3, 4)) for _ in range(200)))

    first, *others = rate_bots(games, 4, seed=1)

    assert first.rating > max(other.interval[1] for other in others)
    assert first.sd > 1.2 * max(other.sd for other in others)
    assert all(math.isfinite(x) for x in (first.rating, *first.interval))


def test_twins_are_not_separated() -> None:
    random = Random(4)
    rows = [random.sample((0, 1, 2, 3), 4) for _ in range(400)]
    games = log(*((row, [2 if bot > 1 else 1 for bot in row]) for row in rows))

    ratings = rate_bots(games, 4, seed=1)

    assert ratings[0].rating == pytest.approx(ratings[1].rating, abs=1e-3)
    in_order = sorted(ratings, key=lambda rating: -rating.rating)
    assert find_separated(in_order) == [False, True, False]


@pytest.mark.slow
def test_a_game_of_many_bots_has_the_scale_of_five() -> None:
    assert find_scale(2) == pytest.approx(BETA * math.sqrt(2))
    assert find_scale(100) == find_scale(5) == pytest.approx(BETA * math.sqrt(5))
    order = list(range(30))

    ratings = rate_bots(log(*[(order, order)] * 5), 30, seed=1)

    found = [rating.rating for rating in ratings]
    assert found == sorted(found, reverse=True)
    assert found[0] - found[-1] > 20


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
    ratings = [Rating((low + high) / 2, 1.0, (low, high)) for low, high in spans]

    assert find_separated(ratings) == [True, True, False, False]


@pytest.mark.slow
def test_the_intervals_of_simulated_contests_hold_the_truth() -> None:
    tally = simulated.simulate(simulated.SETTINGS[0], contests=2, seed=7)
    few = simulated.simulate(simulated.SETTINGS[2], contests=12, seed=7)

    assert tally.ordered == 2
    assert tally.held >= 10
    # Three standard errors below 95 %: intervals of two thirds of their width hold 80 %.
    assert few.held >= 0.89 * few.intervals
    assert tally.wrongly == few.wrongly == 0


def test_many_games_are_as_sure_as_their_number_makes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    games, _ = simulated.play(
        simulated.Setting("many", 6, 4, 500, simulated.scatter(5.0)), Random(2)
    )
    whole = rate_bots(games, 6, seed=1)
    monkeypatch.setattr("kb_score.arena.contests.ratings._MAX_DRAWN", 200)
    part = rate_bots(games, 6, seed=1)

    assert [x.rating for x in part] == [x.rating for x in whole]
    assert [x.sd for x in part] == pytest.approx([x.sd for x in whole], rel=0.25)


def test_ratings_rest_after_many_games_too() -> None:
    likelihood = Likelihood(log(*[((0, 1), (1, 2))] * 3000), 2)
    counts, centres = numpy.ones(3000), numpy.full(2, MEAN)
    ratings, _ = likelihood.maximise(counts, centres, centres, 1e-6)

    gradient, _ = likelihood.find_slope(counts, ratings, centres)
    assert gradient.tolist() == pytest.approx([0.0, 0.0], abs=1e-7)


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
    assert find_mean({7.0: 5}).interval == (7.0, 7.0)


def test_few_values_have_no_interval_and_none_reaches_beyond_its_values() -> None:
    assert find_mean({0.0: 2, 16.0: 2}).interval is None
    assert find_mean({0.0: 3, 16.0: 2}).interval == (0.0, 16.0)


def test_without_numpy_a_contest_says_so_before_the_first_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_contest(tmp_path, "abcde", [Game((1, 2, 3, 4))] * 2)
    monkeypatch.setitem(sys.modules, "numpy", None)

    for words in ((), ("table",), ("report", "-o", tmp_path / "page.html")):
        ran = run("contest", *words[:1], path, *words[1:])

        assert (ran.status, ran.out) == (2, "")
        assert ran.err == (
            "ratings need a library that is not installed: run pip install 'kb-score[contest]'\n"
        )
    assert run("contest", "status", path).status == 0


@pytest.mark.parametrize(
    "words",
    ["--help", "score boards/kingdom_builder/example.txt", "check slime boards/slime/session.txt"],
)
def test_who_rates_nobody_does_not_import_numpy(words: str) -> None:
    script = (
        "import sys\nfrom kb_score.cli import main\nmain(sys.argv[1:], standalone_mode=False)\n"
    )
    script += "sys.exit('numpy' in sys.modules or 'kb_score' not in sys.modules)"

    ran = subprocess.run([sys.executable, "-c", script, *words.split()], cwd=ROOT)

    assert ran.returncode == 0
