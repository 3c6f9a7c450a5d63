"""The recorded sessions: each does what it did before, and they are all there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.expected import find_expected, read_expected
from tests.golden.sessions import SESSIONS, run_session


@pytest.mark.slow
@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_does_what_it_did(name: str, tmp_path: Path) -> None:
    ran, expected = run_session(SESSIONS[name], tmp_path), read_expected(name)

    # Piece by piece, so that a difference is easy to read.
    for now, before in zip(ran["commands"], expected["commands"], strict=True):
        assert now == before
    assert list(ran["files"]) == list(expected["files"])
    for file, kept in expected["files"].items():
        assert ran["files"][file] == kept, file


def test_every_session_is_recorded_and_nothing_else() -> None:
    assert {path.stem for path in find_expected()} == set(SESSIONS)
