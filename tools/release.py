"""Try a wheel far from the checkout: ``python -m tools.release WHEEL [--python PYTHON]...``

Each Python gets a new virtual environment with the wheel alone, installed without a compiler, and a
folder with a few files. What people try first is run there.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
BOARDS = ROOT / "boards"
FILES = {
    "board.txt": BOARDS / "kingdom_builder" / "example.txt",
    "claims.txt": BOARDS / "kingdom_builder" / "claims.txt",
    "game.txt": BOARDS / "kingdom_builder" / "games" / "base.txt",
    "session.txt": BOARDS / "slime" / "session.txt",
}
API = """
import kb_score
assert kb_score.score(open("board.txt").read(), cards=["miners"]).total == (22, 12, 26, 16)
match = kb_score.game("slime").new_match(seed=1)
match.apply("0 0 1 1")
print(match.position().why_illegal("0 7 3 3")[0].detail)
match.undo()
"""


@dataclass(frozen=True)
class Trial:
    """A command, and what it has to do.

    Attributes:
        words: The words after ``kb-score``, or the text of a Python program.
        status: The exit status that it has to end with.
        shows: A text that its output contains.
        writes: A file that it writes, or an empty text.
    """

    words: tuple[str, ...] | str
    status: int = 0
    shows: str = ""
    writes: str = ""


# The exported rules of boards and the facts of a board are a program for plain clingo.
CLINGO = """
import subprocess, sys
from pathlib import Path
home = Path("plain/kingdom_builder")
rules = [home / "board.lp", home / "score.lp", home / "valid.lp", *sorted(home.glob("cards/*.lp"))]
facts = subprocess.check_output([Path(sys.executable).parent / "kb-score", "facts", "board.txt"])
command = [sys.executable, "-m", "clingo", "-", *rules, "0"]
done = subprocess.run(command, input=facts, capture_output=True)
assert not done.stderr, done.stderr
print(done.stdout.decode())
"""

TRIALS = (
    Trial(("--version",)),
    Trial(("score", "board.txt", "--cards", "miners"), shows="player 3 wins with 26 gold"),
    Trial(("check", "kingdom-builder", "board.txt", "claims.txt"), 1, "8 claimed, 11 derived"),
    Trial(("check", "slime", "session.txt"), shows="consistent with the rules"),
    Trial(("legal", "kingdom-builder", "game.txt", "--turn", "2"), shows="moves"),
    Trial(("score", "board.txt", "board.txt", "--jobs", "2"), shows="miners"),
    Trial(("rules", "test", "miners"), shows="examples"),
    Trial(("rules", "export", "plain"), writes="plain/kingdom_builder/cards/miners.lp"),
    Trial(CLINGO, shows="score(miners,3,11)"),
    Trial(("score", "board.txt", "--rules", "plain/kingdom_builder"), shows="miners"),
    Trial(("new", "card", "mycards/crowd.lp"), writes="mycards/crowd.lp"),
    Trial(("score", "board.txt", "--rules", "mycards"), shows="crowd"),
    Trial(("new", "game", "three"), writes="three/rules.lp"),
    Trial(("check", "three", "three/game.txt", "--game-dir", "three"), shows="consistent"),
    Trial(("sheet", "-o", "sheet.html"), writes="sheet.html"),
    Trial(("playground", "board.txt", "-o", "page.html"), writes="page.html"),
    Trial(("tabletop", "-o", "table.html"), writes="table.html"),
    Trial(("draw", "board.txt", "-o", "board.svg"), writes="board.svg"),
    Trial(("docs", "tour"), shows="# "),
    Trial(API, shows="no move goes as far as 4 squares"),
)


def main() -> int:
    """Try the wheel with each Python; the exit status is 1 if something has failed."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", action="append", help="repeatable; by default this one")
    given = parser.parse_args()
    failures = 0
    for python in given.python or [sys.executable]:
        with tempfile.TemporaryDirectory() as folder:
            version, failed = try_wheel(given.wheel.resolve(), python, Path(folder))
        print(f"{version}: {len(TRIALS) - len(failed)} of {len(TRIALS)} trials passed", flush=True)
        for line in failed:
            print(line)
        failures += len(failed)
    return 1 if failures else 0


def try_wheel(wheel: Path, python: str, folder: Path) -> tuple[str, list[str]]:
    """Install a wheel into a new environment and run all trials.

    Returns:
        The version of Python, and a paragraph for each trial that has failed.
    """
    subprocess.run([python, "-m", "venv", folder / "environment"], check=True)
    programs = folder / "environment" / "bin"
    options = ["--quiet", "--disable-pip-version-check", "--only-binary=:all:"]
    subprocess.run([programs / "python", "-m", "pip", "install", *options, wheel], check=True)
    work = folder / "work"
    work.mkdir()
    (work / "mycards").mkdir()
    for name, path in FILES.items():
        shutil.copy(path, work / name)
    version = subprocess.run(
        [programs / "python", "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    return version, list(run_trials(programs, work))


def run_trials(programs: Path, work: Path) -> Iterator[str]:
    """Run all trials in a folder; yield a paragraph for each that has failed."""
    # Variables that point at the checkout must not help.
    environment = {name: value for name, value in os.environ.items() if "PYTHON" not in name}
    for trial in TRIALS:
        if isinstance(trial.words, str):
            command = [str(programs / "python"), "-c", trial.words]
        else:
            command = [str(programs / "kb-score"), *trial.words]
        done = subprocess.run(
            command, cwd=work, env=environment, capture_output=True, text=True, check=False
        )
        written = not trial.writes or (work / trial.writes).is_file()
        if done.returncode != trial.status or trial.shows not in done.stdout or not written:
            shown = f"{done.stdout[-500:]}{done.stderr[-1000:]}"
            yield f"  {trial.words} ends with {done.returncode} and prints:\n{shown}"


if __name__ == "__main__":
    sys.exit(main())
