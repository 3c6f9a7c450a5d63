"""Bots that answer nonsense, or too much, or never begin."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.helpers import MEADOW, ROOT, STATION, run, sandboxed, write_bot

BOARDS = ROOT / "boards"


@pytest.mark.parametrize(
    ("game", "path", "answer"),
    [
        ("rabbits", STATION, "'move ' + '1' * 60000"),
        ("rabbits", STATION, "'move ' + '1,1 ' * 15000"),
        ("search-party", MEADOW, "'@4' + ' ' * 60000 + 'x'"),
        ("search-party", MEADOW, "'@4 ' * 20000 + 'x'"),
    ],
)
def test_no_answer_freezes_the_referee(game: str, path: Path, answer: str, tmp_path: Path) -> None:
    options = ["--turns", 1, "--runs", 1] if game == "rabbits" else []
    began = time.monotonic()

    run("play", game, path, *options, "--", *write_bot(tmp_path, answer))

    assert time.monotonic() - began < 20


def test_what_a_bot_prints_makes_no_record_that_cannot_be_read(tmp_path: Path) -> None:
    record = tmp_path / "record.txt"
    command = write_bot(tmp_path, "chr(0) + '4.'")
    assert run("play", "search-party", MEADOW, "--record", record, "--", *command).status == 1

    ran = run("check", "search-party", MEADOW, record, "--format", "json")

    assert ran.status == 1
    assert [v["code"] for v in ran.json[0]["violations"]] == ["unknown-person"]


@pytest.mark.parametrize(
    "command", [("play", "search-party", MEADOW), ("bot", "search-party")], ids=["play", "bot"]
)
def test_where_there_is_no_bubblewrap_no_bot_of_a_sandbox_is_started(
    command: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    ran = run(*command, "--sandbox", "--", "/bin/touch", tmp_path / "seen")

    assert ran.status == 2
    assert "--sandbox: there is no program 'bwrap': install bubblewrap" in ran.err
    assert not (tmp_path / "seen").exists()


@sandboxed
def test_a_bot_in_a_sandbox_plays_as_it_does_without() -> None:
    command = ("play", "search-party", MEADOW, "--format", "json")
    walker = ("--", "python3", BOARDS / "search_party" / "bots" / "walker.py")

    confined = run(*command, "--sandbox", *walker)

    assert confined.status == 0
    assert confined.out == run(*command, *walker).out


@sandboxed
def test_in_a_contest_a_bot_in_a_sandbox_cannot_write_to_the_folder_of_the_contest(
    tmp_path: Path,
) -> None:
    (tmp_path / "bot.py").write_text(
        "from pathlib import Path\n"
        "try: Path('seen').touch()\n"
        "except OSError: print('wait', flush=True)\n"
    )
    (tmp_path / "lane.txt").write_text(MEADOW.read_text())
    (tmp_path / "c.toml").write_text(
        'game = "search-party"\nmaps = ["lane.txt"]\n'
        '[[bot]]\nname = "A"\ncommand = "python3 bot.py"\n'
    )
    contest = tmp_path / "c.toml"

    assert run("contest", contest, "--sandbox").status == 0
    assert not (tmp_path / "seen").exists()
    (tmp_path / "bot.py").write_text((tmp_path / "bot.py").read_text() + "# another version\n")
    assert run("contest", contest).status == 0
    assert (tmp_path / "seen").exists()
