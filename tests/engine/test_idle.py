"""Rules that rulings leave out."""

from __future__ import annotations

import pytest

from kb_score.engine.idle import without_idle
from kb_score.engine.program import parse_program


def left_out(rules: str) -> set[str]:
    """Name the predicates of which no rule is kept."""
    program = parse_program(rules)
    return {name for name, _ in program.derived - without_idle(program).derived}


@pytest.mark.parametrize(
    ("condition", "idle"),
    [
        ("ruling = 1", True),
        ("ruling = 8", False),
        ("ruling != 8", True),
        ("ruling > 9", True),
        ("ruling > 8", True),
        ("ruling >= 8", False),
        ("ruling < 10", False),
        ("ruling <= 7", True),
        ("ruling < word", False),
    ],
)
def test_a_rule_is_left_out_if_a_ruling_is_decided_in_another_way(
    condition: str, idle: bool
) -> None:
    rules = f"#const ruling = 8. a(X) :- b(X), {condition}."

    assert left_out(rules) == ({"a"} if idle else set())


def test_what_asks_for_a_rule_that_is_left_out_is_left_out_too() -> None:
    rules = "#const sight = 8. wide :- sight > 9. far(X) :- wide, x(X). seen(X) :- far(X)."

    assert left_out(rules) == {"wide", "far", "seen"}


@pytest.mark.parametrize(
    "kept",
    [
        pytest.param("far(X) :- x(X), not wide.", id="its-absence"),
        pytest.param("wide :- told. far(X) :- wide, x(X).", id="another-rule"),
        pytest.param("#defined wide/0. far(X) :- wide, x(X).", id="an-input"),
    ],
)
def test_what_may_hold_all_the_same_is_kept(kept: str) -> None:
    assert "far" not in left_out(f"#const sight = 8. wide :- sight > 9. {kept}")
