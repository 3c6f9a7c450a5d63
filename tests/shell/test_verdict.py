"""How a verdict is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import CLAIMS, EXAMPLE, MEADOW, ROOT, STATION, run

BOARDS = ROOT / "boards"


@pytest.mark.parametrize(
    "words",
    [
        ("search-party", MEADOW, BOARDS / "search_party/records/meadow/sample-plan.txt"),
        ("rabbits", STATION, BOARDS / "rabbits/small.session"),
        ("rabbits", STATION, BOARDS / "rabbits/small-total.log"),
        ("slime", BOARDS / "slime/session.txt"),
        ("slime", BOARDS / "slime/wrong.txt"),
    ],
    ids=lambda words: Path(words[-1]).name,
)
def test_the_headings_of_violations_do_not_depend_on_them(words: tuple[object, ...]) -> None:
    assert run("check", *words, "--format", "csv").out.splitlines()[0] == "turn,code,who,detail"


def test_claims_have_no_turns() -> None:
    ran = run("check", "kingdom-builder", EXAMPLE, CLAIMS, "--format", "csv")

    assert ran.out.splitlines()[0] == "code,who,detail"
