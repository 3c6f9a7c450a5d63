"""The tools that play random matches and environments."""

from __future__ import annotations

import pytest

from tools import environments, matches


def test_random_matches_agree_in_one_thread_and_in_eight(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert matches.main(["--games", "2", "search-party"]) == 0
    assert "2 matches by 8 threads at once are the same" in capsys.readouterr().out


def test_random_games_of_an_environment_are_consistent(capsys: pytest.CaptureFixture[str]) -> None:
    assert environments.main(["--games", "1", "konane"]) == 0
    assert capsys.readouterr().out.startswith("konane: 1 games")
