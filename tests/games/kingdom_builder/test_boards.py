"""What boards/ says of its boards is what the rules and the plain scorer say."""

import json

from tests.helpers import EXAMPLE, run
from tests.oracles import kingdom_builder as plain


def test_the_examples_expected_result_is_that_of_the_plain_scorer_and_of_the_rules() -> None:
    expected = json.loads(EXAMPLE.with_suffix(".json").read_text())
    oracle = plain.score(plain.parse(EXAMPLE.read_text()))

    assert expected["gold"] == {card: list(gold) for card, gold in oracle.items()}
    (scored,) = run("score", EXAMPLE, "--format", "json").json
    assert {**scored, "board": expected["board"]} == expected
