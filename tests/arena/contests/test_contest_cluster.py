"""Contests on a Dask cluster: the games are those of one machine, whatever happens to workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.arena.contests.test_contest import SLIME, read_results, write_slime
from tests.helpers import ROOT, run_process
from tests.shell.dask import Loopback, open_loopback

if not os.environ.get("KB_SCORE_EXTRAS") and find_spec("distributed") is None:
    pytest.skip("needs the extra kb-score[cluster]", allow_module_level=True)

# A cluster takes a while to start.
pytestmark = pytest.mark.slow

OWN = (
    "[[bot]]\nname = 'own'\ncommand = 'sh move.sh'\nfolder = 'own'\n"
    "[[bot]]\nname = 'beside'\ncommand = 'sh beside.sh'\n"
)


def write_contest(folder: Path) -> Path:
    """Write a contest whose bots have files, in folders and beside the contest's file."""
    (folder / "own").mkdir(parents=True)
    # A late answer is none: so a game takes a moment, and a worker can be killed in its middle.
    (folder / "own" / "move.sh").write_text("sleep 0.05; cat answer\n")
    (folder / "own" / "answer").write_text("0 0 0 1\n")
    (folder / "beside.sh").write_text("echo 0 0 1 1\n")
    return write_slime(folder, 4, SLIME, OWN)


@pytest.fixture(scope="module")
def loopback(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loopback]:
    with open_loopback(tmp_path_factory.mktemp("dask"), 1) as found:
        yield found


def test_a_worker_that_is_killed_loses_no_game_and_none_counts_twice(
    loopback: Loopback, tmp_path: Path
) -> None:
    calm = write_contest(tmp_path / "calm")
    here = run_process("contest", calm, "--jobs", 2, timeout=120)
    path = write_contest(tmp_path / "far")
    second = loopback.add_worker()
    command = [sys.executable, "-m", "kb_score", "contest", str(path)]
    with subprocess.Popen(
        [*command, "--scheduler", loopback.address],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        results = path.with_suffix(".results") / "results.jsonl"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            if results.exists() and results.read_text().count("\n") >= 3:
                break
            time.sleep(0.01)
        os.killpg(second.pid, signal.SIGKILL)
        out, err = process.communicate(timeout=120)

    assert (process.returncode, here.status) == (0, 0), err
    assert out == here.out
    games = [(r["key"], r["bots"], [p["score"] for p in r["players"]]) for r in read_results(path)]
    assert len(games) == len({json.dumps(game) for game in games}) == 15
    # Neither the bots' paths nor the machine are part of what tells games apart.
    assert {g[0] for g in games} == {r["key"] for r in read_results(calm)}


def test_a_scheduler_that_does_not_answer_is_told_before_the_first_game(tmp_path: Path) -> None:
    path = write_contest(tmp_path / "home")

    ran = run_process("contest", path, "--scheduler", "tcp://127.0.0.1:9", timeout=60)

    assert (ran.status, ran.out) == (2, "")
    assert "tcp://127.0.0.1:9" in ran.err
    assert read_results(path) == []


def test_no_game_counts_of_a_worker_without_the_program_of_a_bot(
    loopback: Loopback, tmp_path: Path
) -> None:
    path, programs = write_contest(tmp_path / "home"), tmp_path / "programs"
    programs.mkdir()
    (programs / "mover").write_text("#!/bin/sh\necho 0 0 1 1\n")
    (programs / "mover").chmod(0o755)
    path.write_text(path.read_text().replace("sh beside.sh", "mover"))
    here = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{programs}:{os.environ['PATH']}"}

    command = [sys.executable, "-m", "kb_score", "contest", str(path)]
    ran = subprocess.run(
        [*command, "--scheduler", loopback.address],
        env=here, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert (ran.returncode, ran.stdout) == (2, "")
    assert "the worker tcp://127.0.0.1:" in ran.stderr
    assert "cannot run bot 'beside': there is no program 'mover'" in ran.stderr
    assert read_results(path) == []
