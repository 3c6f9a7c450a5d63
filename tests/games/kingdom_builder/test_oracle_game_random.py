"""The plain-Python referee of the published game: random games, broken games, rulings."""

from functools import cache
from random import Random

import pytest

from tests.oracles import kingdom_builder
from tests.oracles.kingdom_builder_game import CODES, Rulings, check_game, check_record
from tests.oracles.kingdom_builder_game_broken import break_game
from tests.oracles.kingdom_builder_game_gold import pay
from tests.oracles.kingdom_builder_game_play import begin_turn
from tests.oracles.kingdom_builder_game_random import Habits, random_game
from tests.oracles.kingdom_builder_game_record import read_record, write_record
from tests.oracles.kingdom_builder_game_rulings import RECIPES, Recipe, ruled_by, ruling_pairs
from tests.oracles.kingdom_builder_game_targets import (
    IF_POSSIBLE,
    LOCATION_TILES,
    MANDATORY,
    NOMAD_TILES,
    legal_targets,
)


@cache
def games() -> tuple[str, ...]:
    """Play 200 games of 2 to 5 players, every second one with Nomads."""
    return tuple(
        random_game(Random(seed), 2 + seed // 2 % 4, nomads=seed % 2 == 1) for seed in range(200)
    )


def test_random_games_are_accepted_to_the_end_with_their_gold() -> None:
    results = [check_game(text) for text in games()]

    assert len(results) == 200
    assert [result.violations for result in results] == [()] * 200
    assert all(result.finished for result in results)


def test_random_games_use_every_tile_and_write_every_sort_of_note() -> None:
    actions = [
        action for text in games() for line in read_record(text).lines for action in line.actions
    ]

    assert {action.name for action in actions} == {MANDATORY, *LOCATION_TILES, *NOMAD_TILES}
    assert {sign for action in actions for sign, _, _ in action.notes} == {"+", "-"}


def test_a_record_is_written_as_it_was_read() -> None:
    for text in games()[:20]:
        heading = text.splitlines()[0].removeprefix("board ")
        assert write_record(heading, read_record(text)) == text


def test_every_player_has_had_equally_many_turns_and_somebody_has_no_settlement_left() -> None:
    for text in games()[::2]:  # without Nomads no settlement comes back
        record = read_record(text)
        state = check_record(record).position
        assert len(record.lines) % record.players == 0
        assert 0 in state.supply[1:]


def test_the_end_pays_what_the_scorer_of_finished_boards_pays() -> None:
    compared = 0
    for text in games()[::2]:
        state = check_game(text).position
        terrain, board = state.board.terrain, state.board
        on_water = any(terrain[place] == "W" for own in state.own for place in own)
        if state.players > 4 or on_water:  # that scorer knows neither
            continue
        symbols = "".join(
            str(owner) if owner else symbol if symbol in "WMTC" else "."
            for symbol, owner in zip(terrain, state.owner, strict=True)
        )
        rows = [symbols[start : start + board.width] for start in range(0, 400, board.width)]
        for card, gold in kingdom_builder.score(rows, state.players).items():
            assert gold == tuple(pay(state, card, player + 1) for player in range(state.players))
            compared += 1
    assert compared > 200


@pytest.mark.parametrize("code", CODES)
def test_a_broken_game_is_caught_at_the_turn_of_its_change(code: str) -> None:
    found = 0
    for seed, text in enumerate(games()[:10]):
        try:
            broken, (turn, wrong) = break_game(Random(seed), text, code=code)
        except LookupError:
            continue
        violations = check_game(broken).violations
        assert wrong == code
        assert [violation[:2] for violation in violations] == [(turn, code)]
        assert read_record(broken).lines[: turn - 1] == read_record(text).lines[: turn - 1]
        assert broken != text
        found += 1
    assert found >= 8


def test_adjacency_is_what_the_rule_says_word_for_word() -> None:
    compared = 0
    for seed in range(20):
        text = random_game(Random(seed), 2, nomads=True, most_turns=4 + seed)
        state = check_game(text).position
        begin_turn(state, ("D",))
        own, near = state.own[state.player], state.board.near
        for action in IF_POSSIBLE:
            state.pending = 1  # an outpost: nothing is missed but adjacency
            allowed = {place for (place, *_) in legal_targets(state, action)}
            state.pending = 0
            beside = {place for place in allowed if not own.isdisjoint(near[place])}
            assert legal_targets(state, action) == {(place,) for place in beside or allowed}
            compared += len(allowed)
    assert compared > 1000


def test_each_ruling_tells_a_record_apart() -> None:
    pairs = ruling_pairs()

    assert [pair.ruling for pair in pairs] == [recipe.ruling for recipe in RECIPES]
    assert {pair.ruling for pair in pairs} == set(Rulings.__dataclass_fields__)
    for pair in pairs:
        assert pair.by_default != pair.by_ruling, pair.ruling


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.ruling)
def test_random_games_by_a_ruling_are_accepted_by_it(recipe: Recipe) -> None:
    rulings = ruled_by(recipe)
    for seed in range(6):
        habits = Habits(extra=0.8, greed=0.6, terrains="GD" if seed % 3 == 0 else "GNDLF")
        text = random_game(
            Random(seed), 1 + seed % 5, nomads=seed % 2 == 1, rulings=rulings, habits=habits
        )
        result = check_game(text, rulings)
        assert (result.finished, result.violations) == (True, ())
