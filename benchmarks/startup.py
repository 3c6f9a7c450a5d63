"""What it costs to start: processor time beside that of importing what kb-score builds on.

Run: ``python -m benchmarks.startup``.

Each command is a process of its own; the time is that of the user and of the system together, the
median of several runs, with the yardstick between them.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.measure import Row, print_rows

_BOARDS = Path(__file__).parent.parent / "boards"
_YARDSTICK = "import clingo, click, lark"
_START = "import sys; sys.argv[0] = 'kb-score'; from kb_score.__main__ import main; main()"
_RUNS = 11
# Modules are compiled once, as for everybody who has installed them.
_COMPILED = TemporaryDirectory()
# A folder with a card and many other files, such as one in which people also keep their web pages.
_CROWDED = TemporaryDirectory()
_CARD = 'card(mine, 11, "1 gold").\ngold(mine,P,hex(R,C),1) :- settlement(P,R,C).\n'
_EXAMPLE = str(_BOARDS / "kingdom_builder" / "example.txt")
# Words, what completes them, how often the yardstick they may take, how many modules of ours.
_COMMANDS = (
    (["--help"], False, 0.9, 14),
    (["chekc"], False, 0.9, 14),
    (["check", "slimy"], False, 0.9, 16),
    (["sc"], True, 1.0, 16),
    (["check", "s"], True, 1.0, 16),
    (["score", _EXAMPLE], False, 2.5, 45),
    (["score", _EXAMPLE, "--rules", _CROWDED.name], False, 20, 45),
    (["check", "slime", str(_BOARDS / "slime" / "frames.txt")], False, 2.2, 60),
    (["check", "slime", str(_BOARDS / "slime" / "session.txt")], False, 2.2, 60),
)


def run(code: str, words: list[str], *options: str, completes: bool = False) -> tuple[float, str]:
    """Run Python code in a process of its own: the seconds that it takes, and its messages."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": _COMPILED.name}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if completes:
        last = {"COMP_WORDS": " ".join(["kb-score", *words]), "COMP_CWORD": str(len(words))}
        environment |= {"_KB_SCORE_COMPLETE": "bash_complete", **last}
    before = getrusage(RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *options, "-c", code, *([] if completes else words)],
        env=environment,
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    after = getrusage(RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, done.stderr


def fill(folder: Path) -> None:
    """Write a card into a folder, and 200 folders with 100 other files each."""
    (folder / "mine.lp").write_text(_CARD)
    for number in range(200):
        below = folder / str(number)
        below.mkdir()
        for page in range(100):
            (below / f"{page}.js").touch()


def main() -> None:
    """Measure and print the table."""
    rows = list[Row]()
    fill(Path(_CROWDED.name))
    for words, completes, most, modules in _COMMANDS:
        ours, theirs = list[float](), list[float]()
        run(_YARDSTICK, [])  # what is kept for the next run is written
        run(_START, words, completes=completes)
        for _ in range(_RUNS):
            theirs.append(run(_YARDSTICK, [])[0])
            ours.append(run(_START, words, completes=completes)[0])
        _, told = run(_START, words, "-X", "importtime", completes=completes)
        loaded = len(re.findall(r"^import time:.*\bkb_score(?:\.|$)", told, re.MULTILINE))
        what = " ".join(Path(word).name for word in words) + (" <Tab>" if completes else "")
        target = f"<= {most}, <= {modules} modules"
        rows.append(Row(what, median(ours), median(theirs), target, f"{loaded} modules"))
    print_rows("Start: processor time", rows)


if __name__ == "__main__":
    main()
