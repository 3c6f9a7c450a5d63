"""``python -m tools.long_games`` on the smallest maps and boards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import EXAMPLE, MEADOW, STATION
from tools import long_games

SMALL = ("--turns", "6", "--runs", "2", "--size", "5", "--slime-turns", "8")
RUNS = {
    "search-party": ("play", "check session", "check stream", "check plan"),
    "rabbits": ("play", "check session", "check run log"),
    "kingdom-builder": ("score", "explain", "check claims"),
    "slime": ("play", "check session", "check frames"),
}


@pytest.fixture
def maps(tmp_path: Path) -> Path:
    small = {"search_party": MEADOW, "rabbits": STATION, "kingdom_builder": EXAMPLE}
    for game, path in small.items():
        (tmp_path / game).mkdir()
        (tmp_path / game / path.name).write_text(path.read_text())
    return tmp_path


@pytest.mark.slow
def test_every_game_is_played_and_every_kind_of_record_checked(
    maps: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = long_games.main([*SMALL, str(maps)])

    *lines, _, said = capsys.readouterr().out.splitlines()
    assert status == 0, lines
    done = [line.partition(": ")[0].split(", ") for line in lines if line.endswith(" s, fine")]
    for game, what in RUNS.items():
        assert tuple(did for board, did in done if board.startswith(game)) == what
    assert said == f"{len(done)} runs, 0 failed"


@pytest.mark.slow
def test_a_game_that_fails_is_told(maps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (maps / "search_party" / MEADOW.name).write_text("no map\n")
    for game in ("rabbits", "kingdom_builder"):
        for path in (maps / game).iterdir():
            path.unlink()

    assert long_games.main([*SMALL, str(maps)]) == 1
    out = capsys.readouterr().out
    assert "search-party meadow.txt, play: " in out
    assert "status 2" in out
