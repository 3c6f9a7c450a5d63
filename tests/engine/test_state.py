"""The state before a turn: who hands it in, and of what."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest

from kb_score.engine.live import Live
from kb_score.engine.program import ASKS, Program, parse_program
from kb_score.engine.state import list_states, reads_anywhere
from kb_score.engine.turns import move_into_parts


class At(NamedTuple):
    place: int
    turn: int


class Seen(NamedTuple):
    place: int
    turn: int


WALK = """
at(1,0).
#program step(t).
at(X+D,t) :- before_at(X,t), go(D,t).
at(X,t) :- before_at(X,t), not go(_,t).
#show at/2.
"""
# A turn lights a lamp, or puts it out, and asks about it and the one beside it alone.
LAMPS = """
lamp(1..9). at(X,0) :- lamp(X).
#program step(t).
asks_lit(X,t) :- press(X,t).
asks_lit(X+1,t) :- press(X,t).
lit(X,on,t) :- press(X,t), not before_lit(X,on,t).
lit(X,off,t) :- press(X,t), before_lit(X,on,t).
seen(X,t) :- before_lit(X,on,t).
#show seen/2.
"""


def walk(steps: list[int], renewal: int, more: str = "") -> list[At]:
    live = Live(parse_program(WALK + more), {}, renewal=renewal)
    for step in steps:
        live.next_turn()
        live.play(["step"], {"go": [(step,)] if step else []})
    return live.news(At)


@pytest.mark.parametrize("renewal", [1, 2, 50])
def test_a_turn_reads_what_the_one_before_has_said(renewal: int) -> None:
    found = walk([1, 0, 2, -1], renewal)

    assert found == [(1, 0), (2, 1), (2, 2), (4, 3), (3, 4)]


def test_a_rule_that_looks_back_takes_the_place_of_the_driver() -> None:
    chain = "#program step(t).\nbefore_at(X,t) :- at(X,t-1).\n"

    assert list_states(parse_program(WALK + chain)) == []
    assert walk([1, 0, 2, -1], 2, chain) == walk([1, 0, 2, -1], 2)


@pytest.mark.parametrize("renewal", [1, 2, 50])
def test_of_what_is_asked_about_the_last_word_is_remembered(renewal: int) -> None:
    live = Live(parse_program(LAMPS), {}, renewal=renewal)
    for place in (3, 3, 3, 2, 8, 3):
        live.next_turn()
        live.play(["step"], {"press": [(place,)]})

    # Turn 4 presses 2 and asks about 3, which is on since turn 3; nobody asks about it at turn 5.
    assert live.news(Seen) == [(3, 2), (3, 4), (3, 6)]


def test_what_a_turn_asks_is_kept_though_no_rule_reads_it() -> None:
    program = parse_program(LAMPS).without_unused()

    assert any(name.startswith(ASKS) for name, _ in program.derived)
    (lit,) = list_states(program)
    assert (lit.signature, lit.key) == (("lit", 3), 1)


def test_several_parts_of_a_turn_share_the_state() -> None:
    rules = WALK + "#program look(t).\nseen(X,t) :- before_at(X,t).\n#show seen/2.\n"
    live = Live(parse_program(rules), {}, renewal=3)
    for step in (1, 1):
        live.next_turn()
        live.play(["step"], {"go": [(step,)]})
        live.play(["look"])

    assert live.news(Seen) == [(1, 1), (2, 2)]


def as_users(rule: str) -> Program:
    program = parse_program(f"#program base.\n{rule}")
    statements = [replace(statement, origin="user") for statement in program.statements]
    return replace(program, statements=tuple(statements))


@pytest.mark.parametrize(
    ("rule", "anywhere"),
    [
        ("bad(T) :- before_lit(1,on,T).", True),
        ("bad(T) :- lit(1,on,T).", True),
        ("press(X,T) :- touch(X,T).", True),
        ("bad(T) :- press(1,T).", False),
    ],
)
def test_rules_of_a_user_may_look_at_what_no_turn_asks_about(rule: str, anywhere: bool) -> None:
    assert reads_anywhere(parse_program(LAMPS) + as_users(rule)) is anywhere


def lower(rule: str) -> Program:
    return move_into_parts(parse_program(WALK) + as_users(rule))


@pytest.mark.parametrize(
    ("rule", "lowered"),
    [
        pytest.param("far(T) :- at(X,T), 5 < X.", "far(t) :- at(X,t); 5 < X.", id="a-turn"),
        pytest.param(
            "far(T) :- go(1,T), not at(1,T).", "far(t) :- go(1,t); not at(1,t).", id="two"
        ),
        pytest.param("b(T) :- at(X,T), at(X,T-1).", "b(t) :- at(X,t); at(X,(t-1)).", id="back"),
    ],
)
def test_a_rule_of_a_user_about_one_turn_belongs_to_its_part(rule: str, lowered: str) -> None:
    assert str(lower(rule)).endswith(f"#program step(t).\n{lowered}\n")


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param("same(X) :- at(X,T), at(X,U), T < U.", id="two-turns"),
        pytest.param("moves(N) :- N = #count { T : at(1,T) }.", id="a-count-of-turns"),
        pytest.param("start(X) :- at(X,0).", id="a-fixed-turn"),
    ],
)
def test_a_rule_about_several_turns_stays_where_it_is(rule: str) -> None:
    assert "#program step(t)." not in str(lower(rule)).partition("#show")[2]
