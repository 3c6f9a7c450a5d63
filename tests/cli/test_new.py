"""Starts for files of one's own: each is used as its user would."""

from __future__ import annotations

import csv
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
