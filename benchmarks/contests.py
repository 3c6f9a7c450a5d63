"""What contests cost: two jobs against one, the start of a large one, tables and ratings.

    python -m benchmarks.contests

The bots of the first rows compute: each answer takes a bot's processor some hundredths of a second.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from benchmarks.measure import Row, best_of, print_rows
from kb_score.arena.contests.plan import digest_rules, read_changes, read_contest_file, read_plan
from kb_score.arena.contests.ratings import GameLog, rate_bots
from kb_score.arena.contests.store import RESULTS, GameResult, PlayerResult, open_folder, utc_now
from kb_score.engine.changes import NO_CHANGES
from kb_score.engine.rules import GameRules

_HEAD = """game = "slime"
seatings = "rotate"
[settings]
size = 4
[limits]
timeout = 60
[rules]
const = { last_turn = 16 }
"""
_BOT = '[[bot]]\nname = "bot {i}"\ncommand = "{python} bot.py"\nfolder = "{folder}"\n{more}'
_THINKER = """import sys, time
for line in sys.stdin:
    end = time.process_time() + 0.05
    while time.process_time() < end:
        pass
    print("0 0 0 0", flush=True)
"""
_QUICK = """import pathlib, sys
pathlib.Path({first!r}).touch()
print("0 0 0 0")
"""
_MANY, _SAMPLE, _LINES = 2000, 20, 50_000


def write_contest(folder: Path, bots: int, program: str, *, own: bool = False) -> Path:
    """Write a contest of bots with one program; each in a folder of its own, or all in one."""
    persistent = "persistent = true\n" if "stdin" in program else ""
    text = _HEAD
    for i in range(bots):
        name = f"bot{i if own else ''}"
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "bot.py").write_text(program)
        text += _BOT.format(i=i, python=sys.executable, folder=name, more=persistent)
    path = folder / "contest.toml"
    path.write_text(text)
    return path


def time_contest(path: Path, *options: str) -> float:
    """Time a contest from its start to its table, in a new folder of results."""
    with tempfile.TemporaryDirectory() as results:
        words = ("contest", str(path), "--results", f"{results}/new", *options)
        start = time.perf_counter()
        status = _call(words).wait()
        assert status == 0, status
        return time.perf_counter() - start


def _call(words: Sequence[str]) -> subprocess.Popen[bytes]:
    nothing = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-m", "kb_score", *words], stdout=nothing, stderr=nothing
    )


def measure_jobs(folder: Path) -> Row:
    """Measure one process against two."""
    path = write_contest(folder, 6, _THINKER)
    one, two = time_contest(path, "--jobs", "1"), time_contest(path, "--jobs", "2")
    return Row("60 games, two jobs against one", two, one, "1.8", f"{one / two:.2f} times as fast")


def measure_start(folder: Path) -> Row:
    """Measure the start of a contest of 2,000 bots: until the first bot runs."""
    first = folder / "first"
    path = write_contest(folder, _MANY, _QUICK.format(first=str(first)), own=True)
    words = ("contest", str(path), "--games", str(_SAMPLE), "--results", str(folder / "new"))
    start = time.perf_counter()
    process = _call(words)
    while not first.exists() and process.poll() is None:
        time.sleep(0.002)
    seconds = time.perf_counter() - start
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, _read_memory(process.pid))
        time.sleep(0.05)
    return Row(
        f"{_MANY:,} bots, until the first plays", seconds, None, "1 s", f"{peak:.0f} MB at most"
    )


def measure_table(folder: Path) -> Row:
    """Measure the table of a contest with 50,000 results that nobody has played."""
    path = write_contest(folder, 10, _QUICK.format(first=str(folder / "first")), own=True)
    text = path.read_text().replace('"rotate"', '"all"\nrounds = 10')
    path.write_text(text)
    rules = GameRules("slime", read_changes(read_contest_file(path), path, NO_CHANGES))
    plan = read_plan(read_contest_file(path), path, rules)
    rules_digest, random = digest_rules(rules), Random(1)
    find_key = plan.identify(rules_digest)
    with open_folder(folder / "contest.results", plan, rules_digest):
        pass
    with (folder / "contest.results" / RESULTS).open("w") as stream:
        for fixture in plan.schedule[:_LINES]:
            scores = [(bot + random.randrange(16),) for bot in fixture.bots]
            names = tuple(plan.bots[bot].name for bot in fixture.bots)
            players = tuple(PlayerResult(score, score) for score in scores)
            key = find_key(fixture)
            which = key.key, fixture.number + 1, names, "", fixture.round
            digest = str(fixture.number)
            result = GameResult(*which, players, 60, "", utc_now(), key.parts, digest)
            stream.write(result.write())
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert _call(("contest", "table", str(path))).wait() == 0
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return Row(f"the table of {_LINES:,} games", seconds, None, "3 s", "of a processor")


def measure_ratings(_folder: Path) -> Row:
    """Measure the ratings of many bots of which few have played, against those of these few."""
    random = Random(1)
    alone = GameLog()
    among_many = GameLog()
    places = (1, 2, 3, 4)
    for first in range(0, 4 * _SAMPLE, 4):
        bots = range(first, first + 4)
        alone.add(bots, places)
        among_many.add(random.sample(range(_MANY), 4), places)
    ours = best_of(lambda: rate_bots(among_many, _MANY, seed=1))
    theirs = best_of(lambda: rate_bots(alone, 4 * _SAMPLE, seed=1))
    what = f"ratings after {_SAMPLE} games, {_MANY:,} bots against {4 * _SAMPLE}"
    return Row(what, ours, theirs, "2")


def _read_memory(number: int) -> float:
    """Read the most memory that a process has held, in MB; 0 when it has ended."""
    try:
        words = Path(f"/proc/{number}/status").read_text().split()
        return int(words[words.index("VmHWM:") + 1]) / 1024
    except (OSError, ValueError):
        return 0.0


def main() -> None:
    """Print the table."""
    rows = []
    for measure in (measure_jobs, measure_start, measure_table, measure_ratings):
        with tempfile.TemporaryDirectory() as name:
            rows.append(measure(Path(name)))
    print_rows("contests", rows)


if __name__ == "__main__":
    main()
