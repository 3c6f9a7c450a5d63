"""Whole games of the search party and of the rabbits, played by their bots; each record is checked.

    python -m tests.long_games [FOLDER]

Maps are those of ``boards/`` and of FOLDER, by default ``../shared/data``, which may be absent.
This takes minutes, so it is no part of the test run. The exit status is 1 if a game fails.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tests.helpers import ROOT, run_process

BOARDS = ROOT / "boards"
SECONDS = 1800.0


def main() -> int:
    shared = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "data"
    failed = 0
    for maps in (BOARDS / "search_party" / "maps", shared / "search_party"):
        if not maps.is_dir():
            say(f"skipped: there is no folder {maps}")
        for path in sorted(maps.glob("*.txt")):
            bot = [sys.executable, BOARDS / "search_party" / "bots" / "walker.py"]
            failed += not play("search-party", [path], "--", *bot)
    for path in sorted((BOARDS / "rabbits").glob("*.map")):
        bot = [sys.executable, BOARDS / "rabbits" / "pathfinder.py"]
        failed += not play("rabbits", [path], "--turns", 500, "--runs", 5, "--", *bot)
    say(f"{failed} games failed")
    return min(failed, 1)


def play(game: str, maps: list[Path], *options: object) -> bool:
    """Play a game and check its record; print the seconds that each took."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "record.txt")
        begin = time.monotonic()
        played = run_process("play", game, *maps, "--record", record, *options, timeout=SECONDS)
        middle = time.monotonic()
        checked = run_process("check", game, *maps, record, timeout=SECONDS)
    end = time.monotonic()
    good = not played.status and not checked.status
    verdict = "fine" if good else f"FAILED: {played.err or checked.out or checked.err}"
    times = f"played {middle - begin:.1f} s, checked {end - middle:.1f} s"
    say(f"{game} {maps[-1].name}: {times}, {verdict}")
    return good


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
