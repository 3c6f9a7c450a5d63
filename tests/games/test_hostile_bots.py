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


@pytest.mark.parametrize("time_", ["nan", "inf", "-1"])
@pytest.mark.parametrize(
    "command",
    [
        ("play", "search-party", MEADOW, "--timeout"),
        ("play", "rabbits", STATION, "--answer-time"),
        ("play", "rabbits", STATION, "--start-time"),
    ],
    ids=lambda command: str(command[-1]),
)
def test_a_time_is_a_time(command: tuple[object, ...], time_: str) -> None:
    assert run(*command, time_, "--", "true").status == 2


def test_what_a_bot_prints_makes_no_record_that_cannot_be_read(tmp_path: Path) -> None:
    record = tmp_path / "record.txt"
    command = write_bot(tmp_path, "chr(0) + '4.'")
    assert run("play", "search-party", MEADOW, "--record", record, "--", *command).status == 1

    ran = run("check", "search-party", MEADOW, record, "--format", "json")

    assert ran.status == 1
    assert [v["code"] for v in ran.json[0]["violations"]] == ["unknown-person"]


@pytest.mark.parametrize("game", ["search-party", "rabbits"])
def test_a_program_that_is_not_there_leaves_nothing_on_standard_output(game: str) -> None:
    path = MEADOW if game == "search-party" else STATION

    ran = run("play", game, path, "--", "./no-such-program")

    assert (ran.status, ran.out) == (2, "")
    assert "cannot start './no-such-program'" in ran.err


@pytest.mark.parametrize("game", ["search-party", "rabbits", "slime"])
def test_what_a_bot_says_goes_to_the_folder_that_is_named(game: str, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "logs"
    shell = "echo why >&2; exit 3"
    words: dict[str, list[object]] = {
        "search-party": [MEADOW, "--bot-log", folder, "--", "sh", "-c", shell],
        "rabbits": [STATION, "--runs", 1, "--bot-log", folder, "--", "sh", "-c", shell],
        "slime": ["--const", "last_turn=1", *["--bot", shell] * 4, "--bot-log", folder],
    }

    ran = run("play", game, *words[game])

    log = folder / ("player-1.log" if game == "slime" else "bot.log")
    assert log.read_text() == "why\n"
    assert "ended with exit status 3" in ran.err
    assert f"\n    what it said is in {log}\n" in ran.err
    assert "why" not in ran.err.replace(str(tmp_path), "")


def test_no_folder_for_what_bots_say_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    ran = run("play", "rabbits", STATION, "--bot-log", tmp_path / "file", "--", "true")

    assert (ran.status, ran.out) == (2, "")
    assert "file: no folder can be made here: file exists" in ran.err


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
