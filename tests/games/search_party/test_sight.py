"""How far people see is a ruling, and holds forevery number that it allows."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.helpers import run, write_bot
from tests.oracles import search_party as plain
from tests.oracles.search_party_bots import (
    random_game,
    random_map,
    write_plan,
    write_session,
    write_stream,
)

WRITERS: dict[str, Callable[[plain.Map, Sequence[plain.Moves]], str]] = {
    "plan": partial(write_plan, claim=False),
    "stream": write_stream,
    "session": write_session,
}


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("sight", [1, 2, 9, 10, 17, 50, 1000])
def test_records_of_the_plain_rules_are_consistent_however_far_people_see(
    verdict: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, sight: int, kind: str
) -> None:
    reach = next(n for n in range(2, 100) if n * n >= sight)
    span = range(-reach, reach + 1)
    seen = frozenset((dx, dy) for dx in span for dy in span if dx * dx + dy * dy < sight)
    monkeypatch.setattr(plain, "REACH", reach)
    monkeypatch.setattr(plain, "SIGHT", seen)
    for seed in range(3):
        rng = Random(seed)
        map_ = random_map(rng, rng.randint(1, 12), rng.randint(1, 12), 3, 3, 0.3)
        turns = random_game(map_, rng, 12)
        # A plan without a line would be an empty file.
        record = WRITERS[kind](map_, turns) or "0 3 3\n"

        found = verdict(plain.write_map(map_), record, "--const", f"sight={sight}")

        assert found["consistent"], (seed, found["violations"])


@pytest.mark.parametrize(
    ("sight", "rows"),
    [
        (1, ".....o ...... ...... ...... ......"),
        (9, "...ooo ...ooo ...ooo ...... ......"),
        (10, "..oooo ...ooo ...ooo .....o ......"),
        (12, "..oooo ..oooo ...ooo ....oo ......"),
    ],
)
def test_nobody_sees_round_the_end_of_a_row(tmp_path: Path, sight: int, rows: str) -> None:
    path, record = tmp_path / "map.txt", tmp_path / "record.txt"
    path.write_text("6 5 0 0\n.....S\n" + "......\n" * 4)
    options = ("--const", f"sight={sight}", "--record", record, "--most-turns", 1)

    run("play", "search-party", path, *options, "--", *write_bot(tmp_path, "'.'"))

    assert record.read_text().split("\n")[3:8] == rows.split()
