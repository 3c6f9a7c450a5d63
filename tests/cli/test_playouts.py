"""``kb-score playouts``: random legal games as records, by seed, in files or on standard output."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.helpers import MEADOW, ROOT, STATION, Ran, add_rules, run

HOLLOW = ROOT / "boards" / "search_party" / "maps" / "hollow.txt"
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


@pytest.mark.parametrize("game", ["search-party", "slime"])
def test_a_game_that_is_cut_off_is_told_and_consistent(game: str) -> None:
    ran = play(game, "--most-turns", 1)

    assert (ran.status, ran.err) == (0, "note: seed 1: the game is not over after 1 turns\n")
    (verdict,) = check(game, ran.out).json
    assert (verdict["consistent"], verdict["claimed"]) == (True, None)
    assert (verdict["result"]["turns"], verdict["result"]["finished"]) == (1, False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(["--games", 2], "several games need a folder: name one with -o", id="games"),
        pytest.param(["--format", "json"], "a list of games needs a folder", id="format"),
        pytest.param(["--seed", -1], "--seed", id="seed"),
        pytest.param(["--most-turns", 0], "--most-turns", id="no-turn"),
    ],
)
def test_what_cannot_be_played_is_said(options: list[object], message: str) -> None:
    ran = play("slime", *options)

    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")

    ran = play("slime", "-o", tmp_path / "file")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"{tmp_path / 'file'}: the folder cannot be created: file exists\n"
    assert (tmp_path / "file").read_text() == "mine"


def test_the_map_is_not_overwritten(tmp_path: Path) -> None:
    map_ = tmp_path / "search-party-1.txt"
    map_.write_text(MEADOW.read_text())

    ran = run("playouts", "search-party", map_, "-o", tmp_path)

    assert (ran.status, ran.out) == (2, "")
    assert "this command already uses this file" in ran.err
    assert map_.read_text() == MEADOW.read_text()


def test_a_game_stops_where_a_users_rule_calls_each_move_illegal(tmp_path: Path) -> None:
    rule = '#program step(t). illegal(t,"tired",P,("nobody moves",)) :- move(P,_,t).'

    ran = play("search-party", "--rules", add_rules(tmp_path, rule))

    message = "turn 1: no answer is legal (legal_text/3), and the game goes on"
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


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


@pytest.mark.parametrize(
    "words",
    [
        ("playouts", "slime", "--size", 3, "-o", ""),
        ("play", "slime", *("--bot", "true") * 4, "--bot-log", ""),
        ("check", "slime", ROOT / "boards" / "slime" / "session.txt", "--rules", ""),
        ("rules", "export", " "),
    ],
    ids=lambda words: f"{words[0]} {words[1]}",
)
def test_a_folder_without_a_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...]
) -> None:
    monkeypatch.chdir(tmp_path)

    ran = run(*words)

    assert (ran.status, ran.out) == (2, "")
    assert "the name of the folder is empty" in ran.err
    assert list(tmp_path.iterdir()) == []
