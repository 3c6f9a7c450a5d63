"""What a player of Slime may do, and what an answer counts as: as the oracle has it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.slime.games import find_position, games
from tests.oracles.slime import (
    PLAYERS,
    Turn,
    finished,
    legal_moves,
    move,
    parse_answer,
    random_game,
)
from tests.oracles.slime_records import write_session


@pytest.mark.slow
@given(games(), st.data())
@settings(max_examples=15)
def test_the_legal_moves_are_those_of_the_oracle(turns: list[Turn], data: st.DataObject) -> None:
    number = data.draw(st.integers(1, len(turns)))
    turn = turns[number - 1]

    board, position = find_position(write_session(turns, scores=False), number)
    (found,) = position.moves()

    assert (board, found.player) == (",".join(turn.before), turn.player)
    assert found.moves == tuple(
        " ".join(map(str, m)) for m in legal_moves(turn.before, turn.player)
    )
    kinds = tuple(move(turn.before, turn.player, parse_answer(m))[1] for m in found.moves)
    assert found.counts_as == kinds


@given(st.integers(0, 10**6), st.sampled_from(PLAYERS), st.tuples(*[st.integers(-1, 5)] * 4))
@settings(max_examples=30)
def test_each_answer_has_either_the_oracles_kind_or_one_reason(
    seed: int, player: int, answer: tuple[int, int, int, int]
) -> None:
    rng = Random(seed)
    board = random_game(rng, 5, rng.randint(1, 30), "mixed")[-1].before
    assert not finished(board, 0)
    _, position = find_position("\n".join(board), 1, player)

    judged = position.judge(" ".join(map(str, answer)))

    assert judged.counts_as == move(board, player, answer)[1]
    assert len(judged.reasons) == (judged.counts_as == "pass")
