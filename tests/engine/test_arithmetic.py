"""Arithmetic at which clingo would crash: what tests/transcripts/engine/mistakes.md cannot hold."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from clingo import Number, parse_term

import kb_score
from kb_score.engine.arithmetic import FUNCTIONS, guard_terms
from tests.helpers import EXAMPLE, add_rules

NUMBERS = [-(2**31), 1 - 2**31, -7, -2, -1, 1, 2, 7, 2**31 - 1]


@pytest.mark.parametrize("sign", ["/", "\\"])
def test_a_division_without_a_result_is_an_error(tmp_path: Path, sign: str) -> None:
    rules = f'card(zz,30,"p").\nn(1-2147483647).\ngold(zz,P,x,(N-2){sign}(0-1)) :- player(P), n(N).'
    folder = add_rules(tmp_path, rules)

    with pytest.raises(kb_score.RuleError, match="divided by -1 does not fit in 32") as caught:
        kb_score.score(EXAMPLE, rules=[folder])

    assert (caught.value.line, caught.value.path) == (3, str(folder / "mine.lp"))


@pytest.mark.parametrize(
    ("rule", "guarded"),
    [
        ("a(X) :- X = ((M-1)..M).", 'a(X) :- X = ((M-1)..@end\'(M,"",1,1)).'),
        ("a((N/2),(N/1)) :- b(N).", "a((N/2),(N/1)) :- b(N)."),
        (
            'y("a/b..c",((N/M)\\K)) :- b(N,M,K).',
            'y("a/b..c",(@remainder\'((@quotient\'(N,M,"",1,1)+0),K,"",1,1)+0)) :- b(N,M,K).',
        ),
    ],
)
def test_divisions_and_intervals_call_functions(rule: str, guarded: str) -> None:
    assert guard_terms(rule) == guarded


def test_other_divisions_are_those_of_clingo() -> None:
    for left, right in product(NUMBERS, NUMBERS):
        for name, sign in (("quotient'", "/"), ("remainder'", "\\")):
            if (left, right) != (NUMBERS[0], -1):
                term = f"({left + 1}-1){sign}{right}"
                found = FUNCTIONS[name](Number(left), Number(right))
                assert found == parse_term(term), term
