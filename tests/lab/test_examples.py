"""Which examples a user's rules may affect."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_score.lab.examples import Assertion, Example, choose_affected

CARD = 'card(beekeepers, 31, "1 gold").\ngold(beekeepers, P, P, 1) :- player(P).\n'


@pytest.mark.parametrize(
    ("inputs", "label"),
    [
        ("1.\n.1\n", "beekeepers"),
        ("beekeepers: 1\n", "status"),
        ("cards miners\nbeekeepers: 1\n", "status"),
    ],
    ids=["label", "first-line", "later-line"],
)
def test_an_example_that_names_a_card_is_affected_by_it(
    inputs: str, label: str, tmp_path: Path
) -> None:
    path = tmp_path / "beekeepers.lp"
    path.write_text(CARD)
    ours = tmp_path / "ours.lp"
    named = Example(
        ours, "kingdom_builder", "named", 1, ((2, inputs),), (Assertion(label, "1", 5),)
    )
    other = Example(ours, "kingdom_builder", "other", 9, ((10, "1.\n.1\n"),))

    assert choose_affected([named, other], [path]) == [named]
