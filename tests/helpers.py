"""What the tests share: the example board, boards drawn by hand, the command in this process."""

from __future__ import annotations

import csv
import inspect
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NoReturn

import pytest
from click.testing import CliRunner

from kb_score.cli import main
from kb_score.engine.changes import list_rule_files, list_wanted
from kb_score.engine.lift import lift_turns
from kb_score.engine.program import parse_program, read_program
from kb_score.engine.solve import only_one, solve_each
from kb_score.engine.terms import Facts
from kb_score.errors import InputError
from kb_score.shell.picture import Replay
from kb_score.shell.process import check_sandbox

ROOT = Path(__file__).resolve().parents[1]
ASP = ROOT / "asp"
# The challenges' own boards and maps, beside the project: tests that need them are marked.
SHARED = ROOT.parent / "shared" / "data"
EXAMPLE = ROOT / "boards" / "kingdom_builder" / "example.txt"
CLAIMS = ROOT / "boards" / "kingdom_builder" / "claims.txt"
MEADOW = ROOT / "boards" / "search_party" / "maps" / "meadow.txt"
SAFE = ROOT / "boards" / "search_party" / "records" / "meadow" / "safe-session.txt"
STATION = ROOT / "boards" / "rabbits" / "small.map"
SESSION = ROOT / "boards" / "rabbits" / "small.session"
LOG = ROOT / "boards" / "rabbits" / "small.log"

# A bot that ends at once and says nothing.
SILENT = ("--", sys.executable, "-c", "")

# Copied from the worked example of the rules, which leaves out merchants and workers.
EXAMPLE_GOLD = {
    "castles": (18, 0, 15, 12),
    "discoverers": (14, 20, 12, 16),
    "knights": (14, 8, 28, 10),
    "fishermen": (13, 21, 10, 5),
    "miners": (4, 12, 11, 4),
    "lords": (18, 36, 12, 18),
    "farmers": (18, 0, 15, 27),
    "hermits": (7, 5, 6, 29),
    "citizens": (4, 10, 8, 2),
}
CARDS = (*EXAMPLE_GOLD, "merchants", "workers")

# Player 1 has 2 settlements on one shore, player 2 has one; it lacks towns and castles.
SMALL = "1 W . .\n . 1 2 .\n"
SMALL_GOLD = {
    "castles": (0, 0),
    "discoverers": (2, 1),
    "knights": (2, 2),
    "fishermen": (2, 0),
    "miners": (0, 0),
    "lords": (42, 36),
    "farmers": (0, 0),
    "hermits": (2, 1),
    "citizens": (0, 0),
    "merchants": (0, 0),
    "workers": (0, 0),
}

Hex = tuple[int, int]

# Until click 8.2 the runner mixed both outputs unless told not to.
_RUNNER_OPTIONS: dict[str, Any] = (
    {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}
)


@dataclass(frozen=True)
class Ran:
    """What a run of the command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> list[Any]:
        """The values of the output's lines."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def csv(self) -> list[dict[str, str]]:
        """The rows of the output by their headings."""
        return list(csv.DictReader(io.StringIO(self.out)))


def slow_for(values: Iterable[str], *slow: str) -> list[Any]:
    """Mark a test as slow for some of its parameters."""
    return [pytest.param(one, marks=[pytest.mark.slow] * (one in slow)) for one in values]


def can_repeat_groups() -> bool:
    """Whether this Python matches ``(...)++`` as it should; that of Debian 12 does not."""
    found = re.match(r"(?:[a](?:,b)+;)++", "a,b;a,c")
    return found is not None and found.end() == 4


def leave_out(reason: str) -> NoReturn:
    """Skip a test that needs more than Python; fail where all is there, as .ci/run says."""
    if os.environ.get("KB_SCORE_EXTRAS"):
        pytest.fail(f"nothing may be left out here: {reason}")
    pytest.skip(reason)


def need_pictures() -> None:
    """Leave a test out where nothing makes PNG and GIF."""
    for module in ("resvg_py", "font_roboto", "PIL.Image"):
        try:
            import_module(module)
        except ImportError:
            leave_out(f"there is no {module}: pip install -e '.[pictures]' brings it")


def derive(
    game: str,
    files: str,
    facts: str | Facts,
    predicate: str,
    *,
    turns: str = "",
    rulings: Mapping[str, str] = MappingProxyType({}),
) -> set[tuple[object, ...]]:
    """Derive a predicate from facts by some rule files alone.

    Args:
        game: The folder in ``asp/``.
        files: Stems of its files, with blanks between them.
        facts: Facts as text or as the driver has them; they must leave one answer set.
        predicate: What to derive, as ``near/4``.
        turns: The parts that hold for all turns.
        rulings: Constants, by name.
    """
    name, _, arity = predicate.partition("/")
    names = list_wanted(game, files.split())
    paths = [path for path in list_rule_files(game)[0] if path.name in names]
    program = read_program(paths)
    unshown = tuple(s for s in program.statements if "#show" not in str(s.node))
    program = replace(program, statements=unshown)
    text = facts if isinstance(facts, str) else ""
    program += parse_program(f"#show {predicate}. #program base. {text}")
    lifted = lift_turns(program.with_constants(rulings), turns.split())
    given = {} if isinstance(facts, str) else facts
    answer = only_one(list(solve_each(lifted.without_unused(), given, ["--models=2"])))
    return set(answer.rows.get((name, int(arity)), ()))


def add_rules(tmp_path: Path, rules: str) -> Path:
    """Write a rule file into a folder of its own, and return the folder."""
    folder = tmp_path / "rules"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mine.lp").write_text(rules + "\n")
    return folder


def write_copy(folder: Path, name: str, text: str) -> Path:
    """Write a changed copy of one of our files where it replaces that file; return its path.

    Args:
        folder: What ``--rules`` names.
        name: The path of our file below ``asp/``, such as ``slime/rules/rules.lp``.
        text: The whole text of the copy.
    """
    assert (ASP / name).is_file()
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def write_bot(tmp_path: Path, answer: str) -> tuple[str, ...]:
    """Write a bot that prints one answer, a Python expression; return its command."""
    path = tmp_path / "bot.py"
    path.write_text(f"import sys\nprint({answer}, flush=True)\nsys.stdin.read()\n")
    return sys.executable, str(path)


def nest(folder: Path, levels: int, name: str) -> None:
    """Nest folders, each in the one before it, however long their paths become."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


def remove(folder: Path) -> None:
    """Remove a folder in which folders are nested too deep for Python."""
    subprocess.run(["rm", "-rf", folder], check=True)


def _has_sandbox() -> bool:
    try:
        check_sandbox()
    except InputError:
        return False
    return True


sandboxed = pytest.mark.skipif(
    not _has_sandbox(), reason="needs bubblewrap, on a system that allows it"
)


def run(*arguments: object, given: bytes | str | None = None) -> Ran:
    """Run the command in this process; an exception that would be a traceback is raised."""
    runner = CliRunner(**_RUNNER_OPTIONS)
    result = runner.invoke(
        main, list(map(str, arguments)), input=given, catch_exceptions=False, prog_name="kb-score"
    )
    return Ran(result.exit_code, result.stdout, result.stderr)


def run_process(
    *arguments: object, given: bytes = b"", folder: Path | None = None, timeout: float = 60
) -> Ran:
    """Run the command as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "kb_score", *map(str, arguments)],
        input=given,
        capture_output=True,
        cwd=folder or ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=timeout,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def new_seconds() -> str:
    """Seconds for a program to sleep that nothing else sleeps: its process is found by them."""
    return f"60.{time.time_ns()}"


def runs(marker: str) -> bool:
    """Whether a process runs that has a word in its command."""
    found = subprocess.run(["ps", "-eo", "stat=,args="], capture_output=True, text=True, check=True)
    return any(marker in line and line[0] != "Z" for line in found.stdout.splitlines())


_SOON = """
from kb_score.shell import output
output._DELAY = 0
from kb_score.__main__ import main
main()
"""


def run_on_terminal(
    *arguments: object,
    out: IO[bytes] | None = None,
    width: int = 80,
    status: int = 0,
    soon: bool = False,
) -> str:
    """Run the command with a terminal for its outputs, or for its messages alone.

    Args:
        arguments: The words after ``kb-score``.
        out: Where standard output goes; None for the terminal.
        width: The columns of the terminal.
        status: The exit status that it has to end with.
        soon: Whether the command tells at once how far it is, and not after 2 seconds.

    Returns:
        What the terminal got, colours taken out.
    """
    ours, theirs = os.openpty()
    start = ["-c", _SOON] if soon else ["-m", "kb_score"]
    process = subprocess.Popen(
        [sys.executable, *start, *map(str, arguments)],
        stdout=theirs if out is None else out,
        stderr=theirs,
        env={
            **os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLUMNS": str(width)
        },
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            some = os.read(ours, 65536)
        except OSError:  # Linux says so when the other end is closed.
            break
        if not some:
            break
        shown += some
    os.close(ours)
    assert process.wait() == status
    return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown.decode())


def draw(symbols: Mapping[Hex, str], *, height: int = 4, width: int = 4) -> str:
    """Draw an empty board with symbols at some (row, column), both from 0."""
    lines = (
        " " * (row % 2) + " ".join(symbols.get((row, column), ".") for column in range(width))
        for row in range(height)
    )
    return "\n".join(lines) + "\n"


def half_turned(rows: tuple[str | tuple[str, ...], ...]) -> tuple[str | tuple[str, ...], ...]:
    """Turn a board by half: an even number of rows, so shifted rows become unshifted ones."""
    return tuple(row[::-1] for row in reversed(rows))


def listens(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process hears of signals; what happens before is up to Python."""
    with Path(f"/proc/{process.pid}/status").open() as lines:
        caught = next(line for line in lines if line.startswith("SigCgt"))
    return bool(int(caught.split()[1], 16) & 1 << (signal.SIGTERM - 1))


def tally_at(replay: Replay, turn: int) -> dict[str, str]:
    """Put together what stands beside the board in the picture of a turn."""
    steps = replay.steps[: turn - replay.first + 1]
    return {label: value for step in steps for label, value in step.tally.items()}
