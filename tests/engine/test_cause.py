"""No answer set, or several: the rule that brings it about is named, in every command."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.helpers import CLAIMS, EXAMPLE, LOG, MEADOW, ROOT, SAFE, SESSION, STATION, add_rules, run

WALKER = ROOT / "boards/search_party/bots/walker.py"
NONE = "the rules have no answer set"
SEVERAL = "the rules have more than one answer set"
PAYS = 'card(zz,12,"x"). gold(zz,P,x,5) :- a, player(P). gold(zz,P,x,7) :- b, player(P).\n'
EVERY_COMMAND = pytest.mark.parametrize(
    "words",
    [
        pytest.param(("score", EXAMPLE), id="score"),
        pytest.param(("score", EXAMPLE, EXAMPLE), id="score-two"),
        pytest.param(("score", EXAMPLE, "--cards", "1,4,7"), id="score-cards"),
        pytest.param(("explain", EXAMPLE), id="explain"),
        pytest.param(("check", "kingdom-builder", EXAMPLE, CLAIMS), id="check-claims"),
        pytest.param(("check", "search-party", MEADOW, SAFE), id="check-search-party"),
        pytest.param(("check", "slime", ROOT / "boards/slime/session.txt"), id="check-slime"),
        pytest.param(("check", "rabbits", STATION, SESSION), id="check-rabbits"),
        pytest.param(("check", "rabbits", STATION, LOG), id="check-run-log"),
        pytest.param(("facts", "--program", EXAMPLE), id="facts"),
        pytest.param(("rules", "list"), id="rules-list"),
        pytest.param(("rules", "show", "miners"), id="rules-show"),
        pytest.param(("play", "slime", *("--bot", "true") * 4), id="play-slime"),
    ],
)


@EVERY_COMMAND
def test_a_loop_that_has_no_answer_is_told_in_every_command(
    tmp_path: Path, words: tuple[object, ...]
) -> None:
    folder = add_rules(tmp_path, "% No way out.\na :- not a.")

    ran = run(*words, "--rules", folder)

    assert (ran.status, ran.out) == (2, "")
    assert f"{folder / 'mine.lp'}:2:1: {NONE}" in ran.err
    assert "a/0 depends on its own absence" in ran.err


@EVERY_COMMAND
def test_a_loop_that_has_two_answers_is_told_in_every_command(
    tmp_path: Path, words: tuple[object, ...]
) -> None:
    folder = add_rules(tmp_path, "a(1) :- not b(2).\nb(2) :- not a(1).")

    ran = run(*words, "--rules", folder)

    assert (ran.status, ran.out) == (2, "")
    assert f"{folder / 'mine.lp'}:1:1: {SEVERAL}" in ran.err
    assert "one answer set has b(2), another has a(1)" in ran.err


@pytest.mark.parametrize("options", [(), ("--cards", "1,4,7")])
@pytest.mark.parametrize(
    ("rules", "place", "message", "hint"),
    [
        pytest.param(
            "a :- not b.\nb :- not a.\n" + PAYS, "1:1", SEVERAL, "has b, another has a", id="pays"
        ),
        pytest.param(
            "c(P) :- player(P).\nl(P) :- c(P), not s(P).\ns(P) :- c(P), not l(P).",
            "2:1",
            SEVERAL,
            "one answer set has s(4), another has l(4)",
            id="of-a-board",
        ),
        pytest.param(
            "b :- player(1), not c.\nc :- player(9), not b.\ne(P) :- player(P), b, not e(P).",
            "3:1",
            NONE,
            "e/1 depends on its own absence",
            id="the-right-one-of-two-loops",
        ),
        pytest.param(
            "ok.\n:- settlement(P,R,C), ok.", "2:1", NONE, "forbids holds", id="constraint"
        ),
        pytest.param(
            "{ l(P) : player(P), P = 4 }.", "1:1", SEVERAL, "l(4), another does not", id="choice"
        ),
    ],
)
def test_the_cause_is_named(
    tmp_path: Path, rules: str, place: str, message: str, hint: str, options: tuple[str, ...]
) -> None:
    folder = add_rules(tmp_path, rules)

    ran = run("score", EXAMPLE, *options, "--rules", folder)

    assert (ran.status, ran.out) == (2, "")
    assert f"{folder / 'mine.lp'}:{place}: {message}" in ran.err
    assert hint in ran.err


def test_a_loop_that_the_board_decides_is_no_mistake(tmp_path: Path) -> None:
    folder = add_rules(tmp_path, "a :- player(1), not b. b :- player(9), not a.")

    assert run("score", EXAMPLE, "--rules", folder).status == 0


def test_live_play_names_the_rule_that_leaves_something_open(tmp_path: Path) -> None:
    rule = "#program step(t).\nlucky(t) :- not unlucky(t).\nunlucky(t) :- not lucky(t)."
    folder = add_rules(tmp_path, rule)

    ran = run("play", "search-party", MEADOW, "--rules", folder, "--", sys.executable, WALKER)

    assert ran.status == 2
    assert f"{folder / 'mine.lp'}:2:1: live play needs rules that leave nothing open" in ran.err
