"""Live play: rules grounded part after part, and begun anew now and then."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_score.errors import RuleError
from kb_score.live import LivePlay
from kb_score.program import parse_program
from kb_score.solve import solve_unique
from kb_score.terms import Row

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
"""


def begin(renewal: int) -> LivePlay:
    return LivePlay(
        parse_program(TOKEN),
        {"start": [()]},
        given=(("go", 2),),
        wanted=(("at", 2),),
        carried=(("at", 2),),
        kept=(("been", 1),),
        renewal=renewal,
    )


def play(steps: list[int], renewal: int) -> list[list[Row]]:
    live = begin(renewal)
    told = [live.news(("at", 2))]
    for step in steps:
        live.next_turn()
        live.play(["step"], {"go": [(step,)] if step else []})
        live.play(["mark"])
        told.append(live.news(("at", 2)))
    return told


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

    assert live.news(("at", 2)) == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert live.news(("at", 2)) == []


def choose(number: int) -> LivePlay:
    rules = """
    #program step(t).
    a(t) :- not b(t), go(1,t).
    b(t) :- not a(t), go(1,t).
    b(t) :- go(2,t).
    c(t) :- not d(t), not b(t).
    d(t) :- not c(t), b(t).
    """
    live = LivePlay(
        parse_program(rules),
        {},
        given=(("go", 2),),
        wanted=(("c", 1), ("d", 1)),
        carried=(),
        renewal=5,
    )
    live.next_turn()
    live.play(["step"], {"go": [(number,)]})
    return live


def test_what_grounding_cannot_tell_is_solved() -> None:
    live = choose(2)

    assert (live.news(("c", 1)), live.news(("d", 1))) == ([], [(1,)])


def test_rules_that_leave_something_open_are_an_error() -> None:
    with pytest.raises(RuleError, match="leave nothing open"):
        choose(1)


def test_facts_may_have_no_value_but_their_turn() -> None:
    live = LivePlay(
        parse_program("#program step(t).\ntold(t) :- peek(t)."),
        {},
        given=(("peek", 1),),
        wanted=(("told", 1),),
        carried=(),
        renewal=5,
    )
    for peeks in ([()], [], [()]):
        live.next_turn()
        live.play(["step"], {"peek": peeks})
    assert live.news(("told", 1)) == [(1,), (3,)]

    rules = parse_program("seen(T) :- look(T).")
    answer = solve_unique(rules, {}, [("seen", 1)], turns={"look": [(), [()], (), [()]]})
    assert sorted(answer["seen", 1]) == [(1,), (3,)]
