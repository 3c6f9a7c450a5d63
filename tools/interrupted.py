"""A tournament that signals end again and again, taken up each time, and one that nobody disturbs.

    python -m tools.interrupted [--games 300] [--stops 20] [--seed 1] [--contest]

With ``--contest`` the same bots play by ``contest`` instead of ``tournament``, which also keeps
records and rates the bots.

The signals are SIGINT, SIGTERM, SIGHUP and SIGKILL in turn, at random moments, to the process alone
or to its group. In the end both have the same table and the same results, each game once. After
each stop, but for SIGKILL, no process and no temporary folder is left. The exit status is 1 if
anything is not so.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from math import comb
from pathlib import Path
from random import Random

from tests.helpers import ROOT, listens

STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}
PROMISED = 5.0  # seconds from a signal to the end
_MARK = "KB_SCORE_INTERRUPTED"
_GRACE = 5.0  # seconds that the system has to end what a killed process has left
_SIZE = ("--size", "4", "--const", "last_turn=12", "--timeout", "20", "--grace", "1")
_HEAD = """game = "slime"
name = "bots"
[settings]
size = 4
[limits]
timeout = 20
grace = 1
[rules]
const = { last_turn = 12 }
"""
# What the shell makes of the corner of the player that is the beginning of its first argument.
_MOVE = "go() {{ p=${{1%%,*}}; r=$(((p-1)/2)); c=$(((p-1)%2)); {}; }}; go"
_BOTS = (
    "go() { cat answer; }; go",
    _MOVE.format("sleep 600 & echo $((r*3)) $((c*3)) $((r+1)) $((c+1))"),
    _MOVE.format("echo $((r*3)) $((c*3)) $((r*3)) $((2-c))"),
    "exit 1 #",
    _MOVE.format("echo $((r+1)) $((c+1)) $((2-r)) $((2-c))"),
)


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop.

    Attributes:
        signal: Which signal is sent.
        to_group: Whether the whole process group gets it.
        after: How many games are over then, at least.
        seconds: How long after that.
    """

    signal: signal.Signals
    to_group: bool
    after: int
    seconds: float


def plan_stops(games: int, number: int, random: Random) -> list[Stop]:
    """Choose the moments of stops, the earliest first."""
    signals = list(islice(cycle(STATUS), number))
    random.shuffle(signals)
    after = sorted(random.randrange(games * 3 // 4) for _ in signals)
    return [
        Stop(sent, random.random() < 0.5, done, random.uniform(0, 0.15))
        for sent, done in zip(signals, after, strict=True)
    ]


class Tournament:
    """A tournament in a folder of its own."""

    def __init__(self, folder: Path, games: int, *, contest: bool = False) -> None:
        """Write bots that play at least so many games: with files, with children, with faults."""
        self.folder, self.contest = folder, contest
        self.results = folder / ("bots.results/results.jsonl" if contest else "bots.results.jsonl")
        self.temporary = folder / "tmp"
        self.temporary.mkdir(parents=True)
        (folder / "keeps").mkdir()
        (folder / "keeps" / "answer").write_text("0 0 1 1\n")
        number = next(n for n in range(4, 100) if comb(n, 4) >= games)
        with (folder / "bots.toml").open("w") as stream:
            stream.write(_HEAD if contest else "")
            for i in range(number):
                command = _BOTS[i % len(_BOTS)]
                stream.write(f'[[bot]]\nname = "bot {i}"\ncommand = "{command}"\n')
                stream.write('folder = "keeps"\n' if "answer" in command else "")
        self.games = comb(number, 4)

    def start(self) -> subprocess.Popen[bytes]:
        """Start it, or take it up again."""
        words = ("contest",) if self.contest else ("tournament", "slime")
        size = () if self.contest else _SIZE
        format_ = "table" if self.contest else "json"
        command = (*words, "bots.toml", *size, "--jobs", "2", "--format", format_)
        return subprocess.Popen(
            [sys.executable, "-m", "kb_score", *command],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "TMPDIR": str(self.temporary),
                _MARK: str(self.folder),
            },
            start_new_session=True,
        )

    def count(self) -> int:
        """Count the games whose results are kept."""
        return self.results.read_bytes().count(b"\n") if self.results.exists() else 0

    def stop(self, stop: Stop) -> Iterator[str]:
        """Start it and stop it; yield what is wrong with how it ends."""
        before = self.results.read_bytes() if self.results.exists() else b""
        process = self.start()
        while process.poll() is None and not (self.count() >= stop.after and listens(process)):
            time.sleep(0.005)
        time.sleep(stop.seconds)
        if process.poll() is not None:
            yield f"it ended before, with status {process.returncode}"
        sent = time.monotonic()
        if process.poll() is None:
            (os.killpg if stop.to_group else os.kill)(process.pid, stop.signal)
        out, err = process.communicate()
        took = time.monotonic() - sent
        if process.returncode != STATUS[stop.signal]:
            yield f"status {process.returncode}: {err.decode(errors='replace')[-500:]}"
        if took > PROMISED:
            yield f"it ended after {took:.1f} s"
        if out or b"Traceback" in err:
            yield f"it printed {(out + err)[-500:]!r}"
        whole = before[: before.rfind(b"\n") + 1]
        if self.results.exists() and not self.results.read_bytes().startswith(whole):
            yield "results are lost"
        if stop.signal == signal.SIGKILL:
            self._clear()
        yield from self.find_left()

    def _clear(self) -> None:
        """Remove what a process that is killed cannot: its folders, and what bots have left."""
        # A process may start another one while this looks, so two looks in a row must find none.
        empty_looks = 0
        while empty_looks < 2:
            found = list(self._list_processes())
            for process in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(process.name), signal.SIGKILL)
            empty_looks = 0 if found else empty_looks + 1
            time.sleep(0.01)
        for folder in self.temporary.iterdir():
            shutil.rmtree(folder)

    def find_left(self) -> Iterator[str]:
        """Wait a moment, then list the processes and the temporary folders that are still there."""
        deadline = time.monotonic() + _GRACE
        while (left := [*self._list_left()]) and time.monotonic() < deadline:
            time.sleep(0.05)
        yield from left

    def _list_left(self) -> Iterator[str]:
        for process in self._list_processes():
            with contextlib.suppress(OSError):
                yield f"process {(process / 'cmdline').read_bytes()!r} is left"
        yield from (f"{path} is left" for path in self.temporary.rglob("*"))

    def _list_processes(self) -> Iterator[Path]:
        mark = f"{_MARK}={self.folder}".encode()
        for path in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if mark in path.read_bytes().split(b"\0"):
                    yield path.parent

    def finish(self) -> bytes:
        """Play it to its end; return its table."""
        out, err = self.start().communicate()
        if not out:
            raise RuntimeError(err.decode(errors="replace"))
        return out

    def read_results(self) -> list[str]:
        """Read the results of its games, sorted, without times and keys."""
        games = list(map(json.loads, self.results.read_text().splitlines()))
        for game in games:
            players = [player | {"seconds": 0} for player in game["players"]]
            game |= {"ended": "", "key": "", "players": players}
        return sorted(map(json.dumps, games))


def run(folder: Path, games: int, stops: int, seed: int, *, contest: bool = False) -> list[str]:
    """Play both tournaments; return what is wrong."""
    begin = time.monotonic()
    names = "calm", "disturbed"
    calm, disturbed = (Tournament(folder / name, games, contest=contest) for name in names)
    table = calm.finish()
    say(f"undisturbed: {calm.games} games in {time.monotonic() - begin:.1f} s")
    wrong = []
    for stop in plan_stops(disturbed.games, stops, Random(seed)):
        before = disturbed.count()
        found = list(disturbed.stop(stop))
        where = "group" if stop.to_group else "process"
        games_now = f"{before} to {disturbed.count()} games"
        say(f"{stop.signal.name} to the {where}, {games_now}: {'; '.join(found) or 'fine'}")
        wrong += found
    if disturbed.finish() != table:
        wrong.append("the tables differ")
    if disturbed.read_results() != calm.read_results():
        wrong.append("the results differ")
    played = set(disturbed.read_results())
    if not len(played) == disturbed.count() == disturbed.games:
        wrong.append(f"{disturbed.count()} results of {len(played)} games, not {disturbed.games}")
    wrong += disturbed.find_left()
    seconds = time.monotonic() - begin
    say(f"{disturbed.count()} results, {stops} stops, {seconds:.1f} s: {len(wrong)} defects")
    return wrong


def main(arguments: list[str] | None = None) -> int:
    """Print what was done and what is wrong; return 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python -m tools.interrupted", description=__doc__)
    parser.add_argument("--games", type=int, default=300, help="how many games, at least")
    parser.add_argument("--stops", type=int, default=20, help="how often it is stopped")
    parser.add_argument("--seed", type=int, default=1, help="what the moments depend on")
    parser.add_argument("--contest", action="store_true", help="play by the command contest")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="interrupted-") as name:
        wrong = run(Path(name), options.games, options.stops, options.seed, contest=options.contest)
    for line in wrong:
        say(line)
    return 1 if wrong else 0


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
