"""No answer set, or several: every command that uses rules names the rule that causes it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.helpers import CLAIMS, EXAMPLE, LOG, MEADOW, ROOT, SAFE, SESSION, STATION, add_rules, run

WALKER = ROOT / "boards/search_party/bots/walker.py"


@pytest.mark.parametrize(
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
    ],
)
@pytest.mark.parametrize(
    ("rules", "place", "hint"),
    [
        pytest.param(
            "% No way out.\na :- not a.",
            "2:1: the rules have no answer set",
            "a :- not a.",
            id="none",
        ),
        pytest.param(
            "a(1) :- not b(2).\nb(2) :- not a(1).",
            "1:1: the rules have more than one answer set",
            "mine.lp:2",
            id="several",
        ),
    ],
)
def test_every_command_names_the_cause(
    tmp_path: Path, words: tuple[object, ...], rules: str, place: str, hint: str
) -> None:
    folder = add_rules(tmp_path, rules)

    ran = run(*words, "--rules", folder)

    assert (ran.status, ran.out) == (2, "")
    assert f"{folder / 'mine.lp'}:{place}" in ran.err
    assert hint in ran.err


def test_live_play_names_the_rule_that_leaves_something_open(tmp_path: Path) -> None:
    rule = "#program step(t).\nlucky(t) :- not unlucky(t).\nunlucky(t) :- not lucky(t)."
    folder = add_rules(tmp_path, rule)

    ran = run("play", "search-party", MEADOW, "--rules", folder, "--", sys.executable, WALKER)

    assert ran.status == 2
    assert f"{folder / 'mine.lp'}:2:1: the rules have more than one answer set" in ran.err
