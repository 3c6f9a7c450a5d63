"""Live play: rules grounded part after part, and begun anew now and then."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_score.engine.live import Live
from kb_score.engine.program import parse_program
from kb_score.errors import RuleError


class At(NamedTuple):
    cell: int
    turn: int


class C(NamedTuple):
    turn: int


class D(NamedTuple):
    turn: int


class Told(NamedTuple):
    turn: int


class Mode(NamedTuple):
    name: str
    turn: int


# A token goes where it is told on a line of ten; it may not come where it has been.
TOKEN = """
at(0,0). been(0) :- start.
#program step(t).
at(X+D,t) :- at(X,t-1), go(D,t), not been(X+D), 0 <= X+D < 10.
at(X,t) :- at(X,t-1), go(D,t), been(X+D).
at(X,t) :- at(X,t-1), go(D,t), not 0 <= X+D < 10.
at(X,t) :- at(X,t-1), not go(1,t), not go(-1,t).
#program mark(t).
been(X) :- at(X,t).
#show at/2.
"""


def begin(renewal: int) -> Live:
    return Live(parse_program(TOKEN), {"start": [()]}, renewal=renewal)


def play(steps: list[int], renewal: int) -> list[list[At]]:
    live = begin(renewal)
    told = [live.news(At)]
    for step in steps:
        live.next_turn()
        live.play(["step"], {"go": [(step,)] if step else []})
        live.play(["mark"])
        told.append(live.news(At))
    return told


@pytest.mark.slow
@given(st.lists(st.sampled_from([-1, 0, 1]), max_size=15), st.integers(1, 4))
def test_beginning_anew_changes_nothing(steps: list[int], renewal: int) -> None:
    place, been, expected = 0, {0}, [[(0, 0)]]
    for turn, step in enumerate(steps, 1):
        if step and 0 <= place + step < 10 and place + step not in been:
            place += step
        been.add(place)
        expected.append([(place, turn)])

    assert play(steps, renewal) == expected


def test_news_that_nobody_asked_for_are_kept_when_all_is_begun_anew() -> None:
    live = begin(renewal=1)
    for _ in range(3):
        live.next_turn()
        live.play(["step"], {"go": [(1,)]})
        live.play(["mark"])

    assert live.news(At) == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert live.news(At) == []


def choose(number: int) -> Live:
    rules = """
    #program step(t).
    a(t) :- not b(t), go(1,t).
    b(t) :- not a(t), go(1,t).
    b(t) :- go(2,t).
    c(t) :- not d(t), not b(t).
    d(t) :- not c(t), b(t).
    #show c/1.
    #show d/1.
    """
    live = Live(parse_program(rules), {}, renewal=5)
    live.next_turn()
    live.play(["step"], {"go": [(number,)]})
    return live


def test_what_grounding_cannot_tell_is_solved() -> None:
    live = choose(2)

    assert (live.news(C), live.news(D)) == ([], [(1,)])


def test_rules_that_leave_something_open_are_an_error() -> None:
    with pytest.raises(RuleError, match="more than one answer set"):
        choose(1)


def test_facts_may_have_no_value_but_their_turn() -> None:
    rules = "#program step(t).\ntold(t) :- peek(t).\n#show told/1."
    live = Live(parse_program(rules), {}, renewal=5)
    for peeks in ([()], [], [()]):
        live.next_turn()
        live.play(["step"], {"peek": peeks})
    assert live.news(Told) == [(1,), (3,)]


def test_a_live_game_keeps_its_constants_when_all_is_begun_anew() -> None:
    rules = (
        "mode(on,0).\n#program step(t).\nmode(off,t) :- mode(on,t-1). mode(on,t) :- mode(off,t-1)."
        "\n#show mode/2."
    )
    live = Live(parse_program(rules), {}, renewal=1)
    for _ in range(4):
        live.next_turn()
        live.play(["step"])

    assert [mode for mode, _ in live.news(Mode)] == ["on", "off", "on", "off", "on"]


def test_a_turn_may_look_back_at_several_turns() -> None:
    rules = "at(1,0).\n#program step(t).\nat(X,t) :- at(X,t-3).\n#show at/2."
    live = Live(parse_program(rules), {}, renewal=2)
    for _ in range(7):
        live.next_turn()
        live.play(["step"])

    assert live.news(At) == [(1, 0), (1, 3), (1, 6)]


@pytest.mark.parametrize("later", ["t+1", "1+t", "t+2", "2*t"])
@pytest.mark.parametrize("renewal", [1, 2, 3])
def test_a_turn_may_say_what_holds_at_a_later_one(later: str, renewal: int) -> None:
    rules = f"""
    #program step(t).
    plan(7,{later}) :- go(t).
    at(X,t) :- plan(X,t).
    #show at/2.
    """
    given = [[()], [], [], [()], [], []]

    def play(renewal: int) -> list[At]:
        live = Live(parse_program(rules), {}, renewal=renewal)
        for goes in given:
            live.next_turn()
            live.play(["step"], {"go": goes})
        return live.news(At)

    assert play(100)
    assert play(renewal) == play(100)


def test_what_is_carried_over_may_be_of_any_size() -> None:
    rules = "at(1..2000,0).\n#program step(t).\nat(X,t) :- at(X,t-1).\n#show at/2."
    live = Live(parse_program(rules), {}, renewal=1)
    for _ in range(3):
        live.next_turn()
        live.play(["step"])

    assert len(live.news(At)) == 4 * 2000
