"""``kb-score playouts``: random legal games as records, by seed, in files or on standard output."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.helpers import MEADOW, ROOT, STATION, Ran, run

GAMES: dict[str, tuple[list[object], list[object]]] = {
    "search-party": ([MEADOW], []),
    "slime": ([], ["--size", 3]),
    "rabbits": ([STATION], ["--turns", 5]),
    "kingdom-builder": ([], ["--const", "most_settlements=5"]),
}
each_game = pytest.mark.parametrize("game", GAMES)


def play(game: str, *options: object) -> Ran:
    maps, usual = GAMES[game]
    return run("playouts", game, *maps, *usual, *options)


def check(game: str, record: Path | str) -> Ran:
    path, text = (record, None) if isinstance(record, Path) else ("-", record)
    starts, usual = GAMES[game]
    constants = usual if "--const" in usual else []
    return run("check", game, *starts, path, *constants, "--format", "json", given=text)


@pytest.mark.slow
@each_game
def test_a_game_on_standard_output_is_a_finished_record(game: str) -> None:
    ran = play(game)

    assert (ran.status, ran.err) == (0, "")
    (verdict,) = check(game, ran.out).json
    assert verdict["consistent"] is True
    assert verdict["result"]["finished"] is True
    assert verdict["claimed"] is not None


@pytest.mark.slow
@each_game
def test_the_same_seed_plays_the_same_game_alone_or_among_others(game: str, tmp_path: Path) -> None:
    ran = play(game, "--seed", 3, "--games", 2, "-o", tmp_path / "games")

    paths = [tmp_path / "games" / f"{game}-{seed}.txt" for seed in (3, 4)]
    assert (ran.status, ran.err) == (0, "")
    assert sorted((tmp_path / "games").iterdir()) == paths
    assert [play(game, "--seed", seed).out for seed in (3, 4)] == [p.read_text() for p in paths]
    assert paths[0].read_text() != paths[1].read_text()


@pytest.mark.slow
@each_game
def test_the_list_has_the_results_that_a_check_finds(game: str, tmp_path: Path) -> None:
    options = ("--seed", 3, "--games", 2, "-o", tmp_path)
    ran = play(game, *options, "--format", "json")

    for line, seed in zip(ran.json, (3, 4), strict=True):
        path = tmp_path / f"{game}-{seed}.txt"
        assert line == {"game": game, "seed": seed, "record": str(path), "result": line["result"]}
        assert check(game, path).json[0]["result"] == line["result"]
    rows = play(game, *options, "--format", "csv").csv
    assert [row["seed"] for row in rows] == ["3", "4"]
    assert list(rows[0]) == ["seed", "record", *ran.json[0]["result"]]


@pytest.mark.slow
def test_a_signal_leaves_whole_games(tmp_path: Path) -> None:
    words = ("playouts", "slime", "--size", "3", "--games", "100000", "-o", str(tmp_path))
    process = subprocess.Popen([sys.executable, "-m", "kb_score", *words], cwd=ROOT)
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("slime-*.txt"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)

    assert process.wait(30) == 143
    paths = sorted(tmp_path.iterdir())
    assert len(paths) >= 2
    assert all(path.name.startswith("slime-") for path in paths)
    assert all(check("slime", path).json[0]["result"]["finished"] for path in paths[:3])
