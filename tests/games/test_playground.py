"""The facts of a playground: a short text that says what the facts say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import clingo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_score.engine.terms import Facts, Name, write_facts
from kb_score.web.playground import write_pooled
from tests.helpers import ROOT, run

SESSION = ROOT / "boards" / "slime" / "session.txt"
VALUES = st.recursive(
    st.one_of(
        *(st.integers(-4, 9), st.builds(Name, st.sampled_from(["a", "no"]))),
        st.text('x "\\\n;)', max_size=3),
    ),
    lambda values: st.tuples(values, values),
    max_leaves=4,
)
ROWS: st.SearchStrategy[Any] = st.one_of(
    *(st.lists(st.tuples(*[VALUES] * length), max_size=12) for length in range(4))
)


def ground(text: str) -> list[str]:
    control = clingo.Control()
    control.add("base", [], text)
    control.ground([("base", [])])
    return sorted(str(atom.symbol) for atom in control.symbolic_atoms)


@pytest.mark.slow
@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from(["p", "q"]), ROWS))
def test_pooled_facts_are_the_facts(facts: Facts) -> None:
    text = write_pooled(facts)

    assert "\n" not in text
    assert ground(text) == ground(write_facts(facts))


def test_numbers_in_a_row_are_an_interval() -> None:
    facts: Facts = {"p": [(1, 3), (1, 1), (2, 7), (1, 2), (1, 9)], "q": [()]}

    assert write_pooled(facts) == "p(1,(1..3;9)). p(2,(7)). q."


def test_a_record_too_long_for_clingo_in_a_page_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb_score.web.playground._MAX_TEXT", 1000)

    ran = run("playground", "slime", SESSION, "-o", tmp_path / "a.html")

    assert (ran.status, ran.out) == (2, "")
    assert "session.txt: its facts are" in ran.err
    assert "1000 is the limit" in ran.err
