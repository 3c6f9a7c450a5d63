"""Rules of a user for the published game: what is wrong with them is told, and the rest counts."""

from __future__ import annotations

from pathlib import Path

from tests.helpers import ROOT, add_rules, run

BASE = ROOT / "boards" / "kingdom_builder" / "games" / "base.txt"


def test_a_fault_of_any_rank_makes_a_game_illegal(tmp_path: Path) -> None:
    for rank in (99, 100, 12_345):
        rules = add_rules(tmp_path, f'flaw(S,{rank},"my-rule",("never",)) :- opens(T,S), T = 2.\n')

        ran = run("check", "kingdom-builder", BASE, "--rules", rules, "--format", "json")

        (line,) = ran.json
        found = [(v["turn"], v["code"]) for v in line["violations"]]
        assert found == [(2, "my-rule")], rank
        assert line["result"]["finished"] is False
