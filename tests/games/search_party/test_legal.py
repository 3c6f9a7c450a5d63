"""``kb-score legal search-party``: where people may go, and why not."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_score.engine.rules import GameRules
from kb_score.games import GameFolder
from tests.games.search_party.conftest import MEADOW
from tests.helpers import ROOT, Ran, add_rules, run
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
HOLLOW = ROOT / "boards" / "search_party" / "maps" / "hollow.txt"
BROKEN = ROOT / "boards" / "search_party" / "records" / "hollow" / "onto-obstacle-plan.txt"
LANE = "13 2 1 1\n....S..#.....\n.............\n"
# A goes away from the others and dies; they stand before an obstacle then.
PARTING = "@6 A4 a6.\n@6 A4 a6.\n"


def look(tmp_path: Path, map_: str, record: str | None, *options: object) -> Ran:
    paths = [tmp_path / "map.txt"]
    paths[0].write_text(map_)
    if record is not None:
        paths.append(tmp_path / "record.txt")
        paths[1].write_text(record)
    return run("legal", "search-party", *paths, "--format", "json", *options)


def judge(tmp_path: Path, record: str, move: str) -> dict[str, Any]:
    ran = look(tmp_path, LANE, record, "--move", move)
    assert ran.err == ""
    (line,) = ran.json
    assert ran.status == (0 if line["legal"] else 1)
    found: dict[str, Any] = line
    return found


def test_each_person_has_a_line_with_all_her_moves(tmp_path: Path) -> None:
    ran = look(tmp_path, LANE, "@6 A4 a6.\n")

    assert (ran.status, ran.err) == (0, "")
    assert ran.json == [
        {"game": "search-party", "turn": 2, "player": "@", "moves": [f"@{d}" for d in range(1, 7)]},
        {"game": "search-party", "turn": 2, "player": "A", "moves": [f"A{d}" for d in range(1, 7)]},
        {"game": "search-party", "turn": 2, "player": "a", "moves": [f"a{d}" for d in range(1, 7)]},
    ]


def test_the_dead_have_no_moves(tmp_path: Path) -> None:
    ran = look(tmp_path, LANE, PARTING)

    assert [line["player"] for line in ran.json] == ["@", "a"]


def test_people_read_the_moves_of_a_person_in_a_row() -> None:
    ran = run("legal", "search-party", HOLLOW, BROKEN, "--turn", 3)

    assert ran.out.splitlines() == [
        "turn 3: 22 legal moves",
        "",
        "person  moves",
        "----------------------------------",
        "@       @1 @2 @3 @4 @5 @6 @7 @8 @9",
        "A       A1 A4 A5 A6 A7 A8 A9",
        "a       a1 a2 a3 a4 a5 a6",
    ]


@pytest.mark.parametrize(
    ("move", "code", "places"),
    [
        pytest.param("@7", "off-map", [], id="off-the-map"),
        pytest.param("@0", "bad-direction", [], id="no-direction"),
        pytest.param("@x", "bad-direction", [], id="a-letter"),
        pytest.param("B5.", "unknown-person", [], id="nobody"),
        pytest.param("A5", "dead-person", [], id="dead"),
        pytest.param("@5 @5.", "moved-twice", [], id="twice"),
        pytest.param("@6", "onto-obstacle", [[7, 0]], id="onto-an-obstacle"),
    ],
)
def test_a_reason_is_told_with_code_person_and_place(
    tmp_path: Path, move: str, code: str, places: list[list[int]]
) -> None:
    line = judge(tmp_path, PARTING, move)

    assert line["code"] == code
    assert line["reasons"] == [
        {"who": move[0], "code": code, "detail": line["detail"], "places": places}
    ]


def test_all_reasons_of_a_line_are_told_by_person(tmp_path: Path) -> None:
    line = judge(tmp_path, PARTING, "a7 A5 Q5 @4.")

    assert [(r["who"], r["code"]) for r in line["reasons"]] == [
        ("A", "dead-person"),
        ("Q", "unknown-person"),
        ("a", "off-map"),
    ]


@pytest.mark.parametrize("move", ["@4 a4.", ".", " @5 ", "@2.."])
def test_a_legal_line_is_told_as_such(tmp_path: Path, move: str) -> None:
    assert judge(tmp_path, PARTING, move)["legal"] is True


def test_a_users_rule_that_forbids_more_is_heard(tmp_path: Path) -> None:
    rule = '#program step(t). illegal(t,"slow",P,("nobody stands still",)) :- move(P,5,t).'
    options = ("--rules", add_rules(tmp_path, rule))

    (line,) = look(tmp_path, MEADOW, None, *options).json
    (judged,) = look(tmp_path, MEADOW, None, *options, "--move", "@5").json

    assert line["moves"] == [f"@{direction}" for direction in (1, 2, 3, 4, 6, 7, 8, 9)]
    assert (judged["code"], judged["detail"]) == ("slow", "nobody stands still")


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
