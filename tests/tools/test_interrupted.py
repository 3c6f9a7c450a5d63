"""A small part of ``python -m tools.interrupted``: one stop of each signal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import interrupted


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks into /proc")
def test_a_tournament_goes_on_after_every_signal_as_if_nothing_had_been(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = interrupted.run(tmp_path, games=12, stops=4, seed=5)

    assert wrong == []
    said = capsys.readouterr().out
    assert all(f"{number.name} to the " in said for number in interrupted.STATUS)
