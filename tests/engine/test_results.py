"""Results of a user stand beside those of the game."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import MEADOW, ROOT, SAFE, SESSION, STATION, add_rules, run


@pytest.mark.parametrize(
    "words",
    [
        ("slime", ROOT / "boards/slime/session.txt"),
        ("search-party", MEADOW, SAFE),
        ("rabbits", STATION, SESSION),
        ("kingdom-builder", ROOT / "boards/kingdom_builder/games/base.txt"),
    ],
    ids=lambda words: words[0],
)
def test_a_result_of_a_user_stands_in_table_and_json(
    words: tuple[object, ...], tmp_path: Path
) -> None:
    folder = add_rules(tmp_path, "result(answer,42).\nresult(pair,(1,2)).")

    table = run("check", *words, "--rules", folder)
    (line,) = run("check", *words, "--rules", folder, "--format", "json").json

    assert (table.status, table.err) == (0, "")
    assert "answer" in table.out
    (plain,) = run("check", *words, "--format", "json").json
    assert line["result"] == {**plain["result"], "answer": 42, "pair": [1, 2]}
    assert list(line["result"]) == [*plain["result"], "answer", "pair"]
