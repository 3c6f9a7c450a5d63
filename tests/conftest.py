"""What all tests share with pytest: what to leave alone, and a folder for rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from tests.helpers import SMALL

# No test is timed: machines are busy at times.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# Its tests belong to a game that is not there: tests/test_fifth_game.py puts it there.
collect_ignore = ["fifth_game"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for rules, beside a small board."""
    (tmp_path / "board.txt").write_text(SMALL)
    rules = tmp_path / "rules"
    rules.mkdir()
    return rules
