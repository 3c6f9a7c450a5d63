"""Rules that no fact can make derive anything are left out, and nothing else is."""

from __future__ import annotations

import pytest
from clingo import Control

from kb_score.engine.program import Program, parse_program

RULES = """
#defined a/1. #defined b/1.
c(X) :- a(X).
d(X) :- c(X), b(X).
e(X) :- d(X).
ring(X) :- c(X), back(X).
back(X) :- ring(X), not d(X).
f(N) :- N = #count { X : d(X) }.
kind(small,X) :- a(X).
kind(large,X) :- b(X).
h(X) :- kind(large,X).
g(X) :- c(X), not e(X).
:- g(3).
#show f/1. #show g/1. #show h/1.
"""


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"a", "b"}, {"c", "d", "e", "f", "g", "h", "kind"}),
        ({"a"}, {"c", "f", "g", "h", "kind"}),
        ({"b"}, {"f", "h", "kind"}),
        (set[str](), {"f"}),
    ],
    ids=["all", "a", "b", "none"],
)
def test_rules_that_need_what_nothing_gives_are_left_out(given: set[str], left: set[str]) -> None:
    idle = parse_program(RULES).without_idle(given)

    assert {name for name, _ in idle.derived} == left


@pytest.mark.parametrize("facts", ["a(1). a(2). b(2).", "a(1).", "b(1).", ""])
def test_what_is_shown_stays_the_same_without_them(facts: str) -> None:
    whole = parse_program(RULES)
    given = {name for name in "ab" if f"{name}(" in facts}

    assert answer(whole.without_idle(given), facts) == answer(whole, facts)


def answer(rules: Program, facts: str) -> set[str]:
    """Solve rules and facts; a message of clingo is an error, unless a shown predicate is empty."""
    messages = list[str]()
    control = Control(logger=lambda _, text: messages.append(text))
    control.add(f"{rules.declarations}{rules}{facts}")
    control.ground()
    with control.solve(yield_=True) as models:
        (found,) = (set(map(str, model.symbols(shown=True))) for model in models)
    assert [text for text in messages if "no atoms over signature" not in text] == []
    return found
