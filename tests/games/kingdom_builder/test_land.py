"""Which rules tell one kind of land from another: a search tries all kinds for these alone."""

from __future__ import annotations

import pytest

from kb_score.engine.program import parse_program
from kb_score.engine.rules import GameRules, Use
from kb_score.games.kingdom_builder.land import find_asked

LAND = ("grass", "swamp")


def test_shipped_rules_of_boards_tell_no_kind_of_land_from_another() -> None:
    use = Use(("board", "score", "valid", "claims", "restore", "open", "cards/*", "deeds/*"))

    asked = find_asked(GameRules("kingdom_builder").whole_program(use), LAND)

    assert "land" not in asked
    assert {"terrain", "settlement"} <= asked


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        pytest.param("a(R,C) :- terrain(water,R,C).", False, id="water"),
        pytest.param("a(R,C) :- terrain((water;town),R,C).", False, id="a-pool"),
        pytest.param("a(R,C) :- terrain(K,R,C), location(K).", False, id="a-location"),
        pytest.param("a(R,C) :- K = (town;castle), terrain(K,R,C).", False, id="one-of-two"),
        pytest.param("a(R,C) :- settlement(_,R,C), not terrain(water,R,C).", False, id="not-water"),
        pytest.param("a(R,C) :- land(_,R,C).", True, id="any-land"),
        pytest.param("a(R,C) :- terrain(grass,R,C).", True, id="grass"),
        pytest.param("a(R,C) :- terrain((water;swamp),R,C).", True, id="a-pool-with-land"),
        pytest.param("#const kind = swamp. a(R,C) :- terrain(kind,R,C).", True, id="a-constant"),
        pytest.param("a(R,C) :- beside(R,C,swamp).", True, id="beside"),
        pytest.param("a(R,C) :- beside_after(R,C,swamp).", True, id="a-second-version"),
        pytest.param("a(R,C,K) :- terrain(K,R,C).", True, id="a-variable"),
        pytest.param("a(R,C) :- terrain(K,R,C), not location(K).", True, id="no-location"),
        pytest.param("a(R,C) :- terrain(K,R,C), not K = water.", True, id="a-kind-but-water"),
        pytest.param("a(R,C) :- terrain(K,R,C), K = grass.", True, id="named-grass"),
        pytest.param("a(R,C) :- terrain(K,R,C), K = K.", True, id="itself"),
        pytest.param("a(N) :- N = #count { R,C : terrain(grass,R,C) }.", True, id="counted"),
    ],
)
def test_a_rule_tells_land_apart_by_name_or_by_any_kind(rule: str, expected: bool) -> None:
    program = parse_program(f"{rule} #show a/1. #show a/2. #show a/3.")

    assert ("land" in find_asked(program, LAND)) == expected
