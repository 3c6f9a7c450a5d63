"""Starts for files of one's own: each is used as its user would."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import ROOT, run

pytestmark = pytest.mark.usefixtures("folder")

GAMES = ("kingdom-builder", "rabbits", "search-party", "slime")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def new(*words: str) -> None:
    ran = run("new", *words)

    assert (ran.status, ran.out, ran.err) == (0, "", "")


def test_a_game_has_a_record_and_bots_that_play_it_to_its_end() -> None:
    new("game", "mine")
    bots = ("--bot", f"{sys.executable} mine/bot.py") * 2

    checked = run("check", "mine", "mine/game.txt", "--game-dir", "mine")
    played = run("play", "mine", *bots, "--record", "played.txt", "--game-dir", "mine")

    assert (checked.status, checked.err) == (0, "")
    assert (played.status, played.err) == (0, "")
    assert run("check", "mine", "played.txt", "--game-dir", "mine").status == 0
    assert Path("played.txt").read_text().endswith("X wins\n")


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_bot_keeps_to_its_protocol(game: str) -> None:
    new("bot", "--game", game, "bot.py")
    cases = ("--case", "first-turn", "--case", "middle", "--case", "nothing-to-do")
    patient = ("--timeout", "20") if game == "slime" else ()

    ran = run("bot", game, *cases, *patient, "--", sys.executable, "bot.py")

    assert ran.status == 0, ran.out + ran.err


@pytest.mark.slow
def test_a_contest_plays_with_the_bot(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # `python3` in the file is the one that kb-score runs in.
    (folder / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (folder / "python3").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    new("bot", "bot.py")
    new("contest", "contest.toml")

    words = ("--games", 2, "--const", "most_settlements=3", "--format", "csv")
    ran = run("contest", "contest.toml", *words)

    assert ran.status == 0, ran.err
    _, *rows = csv.reader(ran.out.splitlines())
    assert {row[1] for row in rows} == {"First", "Second"}


@pytest.mark.parametrize("kind", ["card", "rules"])
def test_a_start_is_written_whole_or_not_at_all(kind: str, folder: Path) -> None:
    script = 'ulimit -f 0; exec "$0" -m kb_score new "$1" start'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for left in (set(), {"start"}):
        command = ["sh", "-c", script if not left else script.partition("; ")[2]]
        done = subprocess.run(
            [*command, sys.executable, kind], env=environment, capture_output=True, check=False
        )

        assert done.returncode == (0 if left else 2), done.stderr
        assert {path.name for path in folder.iterdir()} == left


def test_a_file_is_new_where_there_are_no_hard_links(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    (folder / "there").write_text("mine")

    new("card", "card.lp")

    assert run("new", "card", "there").status == 2
    assert (folder / "there").read_text() == "mine"
    assert (folder / "card.lp").read_text() == run("new", "card").out
    assert {path.name for path in folder.iterdir()} == {"there", "card.lp"}
