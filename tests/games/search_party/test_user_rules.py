"""What a user's rules can do to the search party."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.helpers import ROOT, run

BOARDS = ROOT / "boards"


def test_a_plan_leaves_nothing_to_choose(folder: Path) -> None:
    (folder / "luck.lp").write_text('{ luck }.\nviolation(1,"unlucky","","") :- not luck.\n')
    boards = ROOT / "boards" / "search_party"

    ran = run(
        "check", "search-party", boards / "maps/meadow.txt",
        boards / "records/meadow/sample-plan.txt", "--rules", folder,
    )  # fmt: skip

    assert (ran.status, ran.out) == (2, "")
    assert "more than one answer set" in ran.err


def test_rules_that_contradict_a_live_game_are_told(folder: Path) -> None:
    (folder / "no.lp").write_text("#program step(t).\n:- at(P,C,t), star(P), t > 0.\n")
    boards = ROOT / "boards" / "search_party"

    ran = run(
        "play", "search-party", boards / "maps/meadow.txt", "--rules", folder,
        "--", sys.executable, boards / "bots/walker.py",
    )  # fmt: skip

    assert (ran.status, ran.out) == (2, "")
    assert "the rules contradict themselves" in ran.err
