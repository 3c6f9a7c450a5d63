"""``kb-score explain``: the evidence for every score, against the oracle and ``check``.

tests/transcripts/kingdom_builder/explanations.md has what it prints.
"""

from __future__ import annotations

import pytest

from kb_score.api.boards import load_rules, parse_board
from kb_score.games.kingdom_builder.scoring import explain
from tests.helpers import EXAMPLE, ROOT, SMALL, run
from tests.oracles import kingdom_builder as oracle


def test_the_hexes_of_evidence_are_own_settlements_or_paying_locations() -> None:
    rows = oracle.parse(EXAMPLE.read_text())
    for explanation in run("explain", EXAMPLE, "--format", "json").json:
        paying = {"castles": "C", "merchants": "TC"}.get(
            explanation["card"], str(explanation["player"])
        )
        for piece in explanation["evidence"]:
            if piece["gold"]:
                assert piece["hexes"]
            assert {rows[row][column] for row, column in piece["hexes"]} <= set(paying)


@pytest.mark.parametrize("name", ["base", "nomads", "caves"])
def test_a_game_is_explained_as_it_is_checked(name: str) -> None:
    game = ROOT / "boards" / "kingdom_builder" / "games" / f"{name}.txt"
    (checked,) = run("check", game, "--format", "json").json
    gold = dict.fromkeys(range(1, checked["result"]["players"] + 1), 0)
    for found in run("explain", game, "--format", "json").json:
        assert found["gold"] == sum(piece["gold"] for piece in found["evidence"])
        gold[found["player"]] += found["gold"]
    assert [*gold.values()] == checked["result"]["gold"]


def test_the_cards_to_explain_may_come_one_by_one() -> None:
    rules = load_rules()
    board = parse_board(SMALL)

    found = explain(board, rules, cards=iter(("fishermen", "merchants")))

    assert {explanation.card.name for explanation in found} == {"fishermen", "merchants"}
