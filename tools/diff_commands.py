"""Compare what commands print in two working trees: `python -m tools.diff_commands BEFORE`.

    git worktree add ../before fffdfb29
    python -m tools.diff_commands ../before > differences.txt

All commands of transcripts, documents and goldens of BEFORE run with its kb-score and with that of
this working tree. Times, dates and temporary folders are left out. Each difference is printed as a
diff, after a table of how many there are in each file. With ``--only PART``, only the files whose
names contain PART are run.
"""

from __future__ import annotations

import argparse
import difflib
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, TypeAlias

ROOT = Path(__file__).resolve().parents[1]
# What cannot be the same twice.
_VOLATILE = re.compile(
    r"\d+(\.\d+)? m?s\b|\d+:\d\d(:\d\d)?\b|\d{4}-\d\d-\d\d|/tmp/[\w./-]*|0x[0-9a-f]+"
    r'|"(seconds\w*|ended|kb-score)": ("[^"]*"|[\d.e-]+)'
)
# The name of a command: that of its file and case, and the command itself.
Key: TypeAlias = tuple[str, str]


def main() -> None:
    """Run the commands, and print the differences."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("before", type=Path, help="the working tree of the commit before")
    parser.add_argument("--only", default="", help="a part of the names of files")
    parser.add_argument("--collect", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    before = given.before.resolve()
    if given.collect:
        for record in _collect(before, given.only):
            print(json.dumps(record), flush=True)
        return
    with ThreadPoolExecutor(2) as pool:
        outputs = list(pool.map(lambda tree: _run(tree, before, given.only), (before, ROOT)))
    _report(*outputs)


def _run(tree: Path, before: Path, only: str) -> dict[Key, str]:
    """Run all commands with the kb-score of a working tree; return what they print."""
    # The modules of the tree win over those that are installed, also in bots.
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONSAFEPATH": "1"}
    words = [sys.executable, str(Path(__file__)), str(before), "--collect", "--only", only]
    with TemporaryDirectory() as folder:
        # The commands that a shell starts find the tree by this variable, too.
        ran = subprocess.run(
            words, stdout=subprocess.PIPE, text=True, env=environment, cwd=folder, check=True
        )
    found: dict[Key, str] = {}
    for line in ran.stdout.splitlines():
        name, command, printed = json.loads(line)
        found[name, command] = printed
    return found


def _collect(before: Path, only: str) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the command and the output of each command, run in this process.

    The texts are those of the working tree before; the code that runs them is that of the tree in
    ``PYTHONPATH``.
    """
    os.environ["COLUMNS"] = "200"
    transcripts: Any = importlib.import_module("tests.transcripts")
    os.environ["PATH"] = transcripts.write_path()
    for path in sorted((before / "tests" / "transcripts").rglob("*.md")):
        name = str(path.relative_to(before))
        if only not in name:
            continue
        for case in transcripts.read_cases(path):
            commands = [command for command, _, _ in case.commands()]
            yield from _play(transcripts, f"{name}: {case.name}", case.prepare, commands)
    documents: Any = importlib.import_module("tests.docs.test_documents")
    for path in sorted(before.glob("*.md")) + sorted((before / "docs").glob("*.md")):
        name = str(path.relative_to(before))
        if only in name:
            blocks = transcripts.blocks(path.read_text(), "console")
            commands = [command for block in blocks for command, _ in transcripts.commands(block)]
            yield from _play(transcripts, name, documents.prepare, commands)
    yield from _play_goldens(before, only)


def _play(
    transcripts: Any, name: str, prepare: Callable[[Path], None], commands: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield the outputs of commands that run one after another in a folder."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder)
        prepare(path)
        status = 0
        for number, command in enumerate(commands, 1):
            try:
                printed, status = transcripts.run(command, path, status)
            except Exception as error:  # noqa: BLE001, a failure is an output
                printed = f"{type(error).__name__}: {error}\n"
            yield name, f"{number}: {command}", _clean(f"{printed}[{status}]\n", path)
        for written in path.glob("*.pid"):
            with suppress(ProcessLookupError, ValueError):
                os.kill(int(written.read_text()), 15)


def _play_goldens(before: Path, only: str) -> Iterator[tuple[str, str, str]]:
    """Yield the outputs of the sessions of the tree before, if it has such."""
    with suppress(ImportError):
        golden: Any = importlib.import_module("tests.golden.sessions")
        for name, session in _load(before / "tests/golden/sessions.py").SESSIONS.items():
            if only not in f"golden {name}":
                continue
            with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                try:
                    kept = golden.run_session(session, Path(folder))
                except Exception as error:  # noqa: BLE001, a failure is an output
                    kept = {"error": f"{type(error).__name__}: {error}"}
                text = json.dumps(kept, indent=1)
                yield f"golden {name}", "all", _clean(text, Path(folder))


def _load(path: Path) -> ModuleType:
    """Load a module from a file beside the one of its name that is imported."""
    spec = importlib.util.spec_from_file_location("sessions_before", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _clean(text: str, folder: Path) -> str:
    """Take out of an output what cannot be the same twice."""
    return _VOLATILE.sub("*", text.replace(str(folder), "FOLDER"))


def _report(before: dict[Key, str], after: dict[Key, str]) -> None:
    """Print the number of differences in each file, and each difference."""
    different = [key for key in before if before[key] != after.get(key, "")]
    print(f"{len(before)} commands, {len(different)} differences")
    files = Counter(name.partition(":")[0] for name, _ in different)
    for file, count in sorted(files.items()):
        print(f"{count:6} {file}")
    for name, command in different:
        print(f"\n=== {name}\n$ {command}")
        lines = before[name, command].splitlines()
        other = after.get((name, command), "").splitlines()
        for line in difflib.unified_diff(lines, other, lineterm="", n=1):
            if not line.startswith(("---", "+++")):
                print(line)


if __name__ == "__main__":
    main()
