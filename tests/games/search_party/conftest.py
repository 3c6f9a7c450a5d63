"""What the tests of the search party share: a small map, its plan, and a check of texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import Ran, run

MEADOW = "6 5 0 0\n......\n......\n..S...\n......\n......\n"
PLAN = "@4.\n@6.\n@6.\n@6.\n4 0 0\n"
BLOCK = f"Turn 1\n@:2,2.\n.ooo..\nooooo.\nooooo.\nooooo.\n.ooo..\n{'-' * 40}\n"


@pytest.fixture
def check(tmp_path: Path) -> Callable[..., Ran]:
    """Run ``kb-score check search-party`` on a map and a record given as text."""

    def run_check(map_: str, record: str, *options: object) -> Ran:
        paths = tmp_path / "map.txt", tmp_path / "record.txt"
        for path, text in zip(paths, (map_, record), strict=True):
            path.write_bytes(text.encode())
        return run("check", "search-party", *paths, *options)

    return run_check


@pytest.fixture
def verdict(check: Callable[..., Ran]) -> Callable[..., dict[str, Any]]:
    """Check a record and give the verdict's JSON, whose consistency is the exit status."""

    def run_check(map_: str, record: str, *options: object) -> dict[str, Any]:
        ran = check(map_, record, "--format", "json", *options)
        assert ran.status in (0, 1), ran.err
        found: dict[str, Any] = ran.json[0]
        assert found["consistent"] is (ran.status == 0)
        assert found["consistent"] is not found["violations"]
        return found

    return run_check
