"""Bots that answer nonsense, or too much, or never begin."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.helpers import MEADOW, ROOT, STATION, remove, run, run_process, sandboxed, write_bot

BOARDS = ROOT / "boards"
# What starts a bot of the search party: a game, and the cases of `bot`.
STARTS = pytest.mark.parametrize(
    "command", [("play", "search-party", MEADOW), ("bot", "search-party")], ids=["play", "bot"]
)


def write_contest(folder: Path, more: str = "") -> Path:
    """Write a contest of one bot, ``bot.py``, on one map."""
    (folder / "lane.txt").write_text(MEADOW.read_text())
    contest = folder / "c.toml"
    contest.write_text(
        'game = "search-party"\nmaps = ["lane.txt"]\nrounds = 2\n'
        f'[[bot]]\nname = "A"\ncommand = "python3 bot.py"\n{more}'
    )
    return contest


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


@STARTS
def test_where_there_is_no_bubblewrap_no_bot_of_a_sandbox_is_started(
    command: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    ran = run(*command, "--sandbox", "--", "/bin/touch", tmp_path / "seen")

    assert ran.status == 2
    assert "--sandbox: there is no program 'bwrap': install bubblewrap" in ran.err
    assert not (tmp_path / "seen").exists()


@pytest.mark.slow
@sandboxed
def test_a_bot_in_a_sandbox_plays_as_it_does_without() -> None:
    command = ("play", "search-party", MEADOW, "--format", "json")
    walker = ("--", "python3", BOARDS / "search_party" / "bots" / "walker.py")

    confined = run(*command, "--sandbox", *walker)

    assert confined.status == 0
    assert confined.out == run(*command, *walker).out


@pytest.mark.slow
@sandboxed
def test_in_a_contest_a_bot_in_a_sandbox_cannot_write_to_the_folder_of_the_contest(
    tmp_path: Path,
) -> None:
    (tmp_path / "bot.py").write_text(
        "from pathlib import Path\n"
        "try: Path('seen').touch()\n"
        "except OSError: print('wait', flush=True)\n"
    )
    contest = write_contest(tmp_path)

    assert run("contest", contest, "--sandbox").status == 0
    assert not (tmp_path / "seen").exists()
    (tmp_path / "bot.py").write_text((tmp_path / "bot.py").read_text() + "# another version\n")
    assert run("contest", contest).status == 0
    assert (tmp_path / "seen").exists()


# Nests folders deeper than a function of Python may call itself.
NEST = """
import os
for _ in range(1100):
    os.mkdir("d")
    os.chdir("d")
"""
WAYS = pytest.mark.parametrize("options", [(), pytest.param(("--sandbox",), marks=sandboxed)])


def write_contest_of_a_nester(folder: Path, then: str) -> Path:
    """Write a contest of one bot, which nests folders in its own before it does something else."""
    (folder / "own").mkdir()
    (folder / "own" / "bot.py").write_text(f"{NEST}{then}")
    return write_contest(folder, 'folder = "own"\n')


@pytest.mark.slow
@WAYS
def test_a_bot_that_nests_folders_loses_no_game_and_leaves_no_folder(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contest = write_contest_of_a_nester(tmp_path, "print('wait', flush=True)")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))

    ran = run_process("contest", contest, *options, "--format", "json")

    assert ran.status == 0
    assert ran.json[0]["games"] == 1  # both are the same, so they count once
    assert "2 games" in ran.err
    assert "Traceback" not in ran.err
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.slow
@WAYS
def test_a_signal_removes_the_folders_that_a_bot_has_nested(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    contest = write_contest_of_a_nester(
        tmp_path, "import time\nos.mkdir('last')\ntime.sleep(300)\n"
    )
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
    command = [sys.executable, "-m", "kb_score", "contest", str(contest), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment) as process:
        deepest = "/".join(["d"] * 1100)
        deadline = time.monotonic() + 60
        while not any(
            map(os.path.exists, (f"{p}/{deepest}/last" for p in temporary.glob("*/*/bot")))
        ):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)

    assert process.returncode == 143
    assert b"Traceback" not in said
    assert list(temporary.iterdir()) == []


def test_a_bot_whose_folder_is_nested_too_deep_is_refused(tmp_path: Path) -> None:
    contest = write_contest_of_a_nester(tmp_path, "")
    subprocess.run([sys.executable, "bot.py"], cwd=tmp_path / "own", check=True)

    ran = run("contest", contest)
    remove(tmp_path / "own")

    assert ran.status == 2
    assert ran.err == (
        f"{tmp_path / 'own'}: folders are nested more than 100 deep in a bot's folder: "
        "each game gets a copy of it\n"
    )


@pytest.mark.slow
def test_a_bot_that_nests_folders_where_it_is_copied_from_is_named(tmp_path: Path) -> None:
    contest = write_contest_of_a_nester(tmp_path, "print('wait', flush=True)")
    own = tmp_path / "own"
    bot = own / "bot.py"
    bot.write_text(f"import os\nos.chdir({str(own)!r})\n{bot.read_text()}")

    ran = run_process("contest", contest, "--jobs", 1)
    remove(own)

    assert ran.status == 2
    copied = f"{own}: cannot be copied for a game: its folders are nested too deeply"
    assert ran.err.splitlines()[-1] == copied


@sandboxed
@STARTS
def test_a_bot_is_refused_whose_folder_a_sandbox_hides(
    command: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/tmp")

    ran = run(*command, "--sandbox", "--", sys.executable, "-c", "open('kb-score-seen', 'w')")

    assert ran.status == 2
    assert "in a sandbox: its own folder /tmp contains /tmp, which is hidden there" in ran.err
    assert not Path("/tmp/kb-score-seen").exists()


@sandboxed
def test_a_contest_is_refused_whose_folder_a_sandbox_hides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb_score.shell.sandbox._HIDDEN", ("/run", "/tmp", str(tmp_path)))
    contest = write_contest(tmp_path)
    (tmp_path / "bot.py").touch()

    ran = run("contest", contest, "--sandbox")

    assert ran.status == 2
    assert ran.err.endswith(
        f"A: cannot run bot 'A' in a sandbox: {tmp_path} is empty there: run it in another folder\n"
    )
    assert run("contest", "status", contest, "--format", "json").json[0]["played"] == 0


@sandboxed
def test_a_bot_is_refused_in_a_sandbox_whose_program_is_not_there() -> None:
    ran = run("play", "search-party", MEADOW, "--sandbox", "--", "no-such-program")

    assert ran.status == 2
    assert ran.err == "cannot run the bot: there is no program 'no-such-program'\n"


@sandboxed
@pytest.mark.parametrize("options", [(), ("--persistent", "1")], ids=["anew", "persistent"])
def test_bots_of_the_shell_play_in_a_sandbox_from_a_temporary_folder(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bot.py").write_text(
        "import os\nprint('0 0 0 1', len(os.listdir('/run')), os.path.exists('bot.py'))\n"
    )
    words = ("--const", "last_turn=1", "--timeout", 5, "--record", "record.txt", "--sandbox")
    bots = ("--bot", "python3 bot.py #", *["--bot", "echo 0 0 0 0 #"] * 3)

    ran = run("play", "slime", *words, *options, *bots)

    assert ran.status == 0
    assert "answered '0 0 0 1 0 True', not four numbers" in ran.err
