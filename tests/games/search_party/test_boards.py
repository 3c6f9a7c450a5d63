"""The maps and records of boards/search_party, each with its expected result."""

import json
from typing import Any

import pytest

from tests.helpers import ROOT, run
from tests.oracles.search_party import check_plan, parse_map

BOARDS = ROOT / "boards" / "search_party"
EXPECTED = [json.loads(line) for line in (BOARDS / "expected.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("expected", EXPECTED, ids=[line["record"] for line in EXPECTED])
def test_record_has_its_expected_result(expected: dict[str, Any]) -> None:
    paths = [BOARDS / expected[key] for key in ("map", "record")]

    (found,) = run("check", "search-party", *paths, "--format", "json").json

    assert found["result"] == expected["result"]
    short = [[v["turn"], v["code"], v["who"]] for v in found["violations"]]
    assert short == expected["violations"]


@pytest.mark.parametrize(
    "expected", [line for line in EXPECTED if line["record"].endswith("plan.txt")]
)
def test_expected_result_of_a_plan_is_that_of_the_plain_rules(expected: dict[str, Any]) -> None:
    map_ = parse_map((BOARDS / expected["map"]).read_text())

    plain = check_plan(map_, (BOARDS / expected["record"]).read_text())

    assert [*expected["result"].values()] == [*plain[:4]]
    assert plain.consistent is (not expected["violations"])


def test_every_record_has_an_expected_result() -> None:
    records = {str(path.relative_to(BOARDS)) for path in BOARDS.glob("records/*/*.txt")}

    assert records == {line["record"] for line in EXPECTED}
