"""``kb-score legal search-party``: where people may go, and why not."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kb_score.engine.rules import GameRules
from kb_score.games import GameFolder
from tests.games.search_party.conftest import MEADOW, PLAN
from tests.helpers import run
from tests.oracles.search_party import STEPS, Game, IllegalMove, Map, Moves, write_map, write_moves
from tests.oracles.search_party_bots import (
    random_game,
    random_map,
    write_plan,
    write_session,
    write_stream,
)

GAME = GameFolder("search_party").type
RULES = GameRules("search_party")


def test_a_map_is_recognised_and_a_record_is_none() -> None:
    texts = GameFolder("search_party").records

    assert texts.recognises(MEADOW)
    assert not texts.recognises(PLAN)


def test_a_no_break_space_separates_the_moves_of_an_answer(tmp_path: Path) -> None:
    (tmp_path / "map.txt").write_text(MEADOW)

    ran = run("legal", "search-party", tmp_path / "map.txt", "--move", "@4\u00a0@6")

    assert (ran.status, "moved-twice" in ran.out) == (1, True)


@st.composite
def games(draw: st.DrawFn) -> tuple[Map, list[dict[str, str]]]:
    rng = Random(draw(st.integers(0, 10**6)))
    size = draw(st.tuples(st.integers(1, 7), st.integers(1, 7)))
    cast = draw(st.tuples(st.integers(0, 3), st.integers(0, 4)))
    map_ = random_map(rng, *size, *cast, density=0.3)
    return map_, random_game(map_, rng, draw(st.integers(0, 6)))


def list_by_oracle(map_: Map, turns: list[dict[str, str]]) -> dict[str, list[str]]:
    game = play(map_, turns)
    return {
        person: [f"{person}{d}" for d in STEPS if not find_fault(map_, turns, {person: d})]
        for person in game.cells
    }


def play(map_: Map, turns: list[dict[str, str]]) -> Game:
    game = Game(map_)
    for moves in turns:
        game.step(moves)
    return game


def find_fault(map_: Map, turns: list[dict[str, str]], moves: Moves) -> str:
    try:
        play(map_, turns).step(moves)
    except IllegalMove as error:
        return error.code
    return ""


@given(games(), st.sampled_from([write_plan, write_session, write_stream]))
@settings(max_examples=12)
def test_the_legal_moves_are_those_of_the_oracle(
    game: tuple[Map, list[dict[str, str]]], write: Any
) -> None:
    map_, turns = game
    record = write(map_, turns) if write is not write_plan else write_plan(map_, turns, claim=False)
    files = [("map", write_map(map_))] + ([("record", record)] if record else [])
    position = GAME.position(RULES, files, None)

    assert position.turn == len(turns) + 1
    if position.over:
        assert play(map_, turns).finished
        return
    found = {one.player: list(one.moves) for one in position.moves()}
    assert found == {k: sorted(v) for k, v in list_by_oracle(map_, turns).items()}


@given(games(), st.dictionaries(st.sampled_from("@ABabQ"), st.sampled_from("0123456789x")))
@settings(max_examples=12)
def test_a_line_is_judged_as_the_oracle_judges_each_of_its_moves(
    game: tuple[Map, list[dict[str, str]]], moves: dict[str, str]
) -> None:
    map_, turns = game
    plan = write_plan(map_, turns, claim=False)
    files = [("map", write_map(map_)), *([("plan", plan)] if plan else [])]
    position = GAME.position(RULES, files, None)
    if position.over:
        return

    found = {reason.who: reason.code for reason in position.judge(write_moves(moves)).reasons}

    faults = {who: find_fault(map_, turns, {who: moves[who]}) for who in moves}
    assert found == {who: fault for who, fault in faults.items() if fault}
