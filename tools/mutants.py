"""What the tests notice: small changes of rules and of Python, each met by tests of its subject.

    python -m tools.mutants [--count 30] [--seed 1] [--tests DIR] [--jobs 2]

Each mutant changes one comparison, number, literal of a body, or line of asp/ or kb_score/ in a
copy of the project, and runs the tests of the folder that it is in until the first one fails.
``--tests`` takes another tests/ folder, such as that of an older commit, against the same mutants.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tests.helpers import ROOT

_SECONDS = 120  # that the tests have for a mutant
_LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info")
_FLIPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "!=", "==": "!=", "!=": "="}
_COMPARED = re.compile(r"(?<= )(?:<=|>=|!=|=|<|>)(?= )")
_NUMBER = re.compile(r"(?<![\w\"])\d+(?![\w\"])")
_LITERAL = re.compile(r", (?:not )?[a-z]\w*\([^()]*\)(?=[,.])")
_PYTHON_COMPARED = {"Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!="}


@dataclass(frozen=True)
class Mutant:
    """A change of one line: what stands there from one column to another becomes something else."""

    path: str
    line: int
    column: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.old.strip()!r} -> {self.new.strip()!r}"

    def apply(self, text: str) -> str:
        """Change a file's text."""
        lines = text.splitlines(keepends=True)
        row, end = lines[self.line - 1], self.column + len(self.old)
        assert row[self.column : end] == self.old
        lines[self.line - 1] = row[: self.column] + self.new + row[end:]
        return "".join(lines)


def main() -> int:
    """Draw mutants, and tell which of them no test notices."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument(
        "--count", type=int, default=30, help="mutants of asp/ and of kb_score/ each"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", type=Path, default=ROOT / "tests")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    mutants = [*draw("asp", given.count, given.seed), *draw("kb_score", given.count, given.seed)]
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        ways = list(_run(mutants, given.tests, Path(name), given.jobs))
    for kind in ("asp", "kb_score"):
        own = [
            way for mutant, way in zip(mutants, ways, strict=True) if mutant.path.startswith(kind)
        ]
        print(f"{kind}: {own.count('noticed')} of {len(own)} noticed")
    return 0


def draw(folder: str, count: int, seed: int) -> list[Mutant]:
    """Draw mutants of a folder, each of another line; no file has many."""
    rng = random.Random(f"{folder}:{seed}")
    suffix = {"asp": ".lp", "kb_score": ".py"}[folder]
    found = {
        (mutant.path, mutant.line): mutant
        for path in sorted((ROOT / folder).rglob(f"*{suffix}"))
        for mutant in _shuffle(rng, list(find_mutants(path)))
    }
    return _shuffle(rng, list(found.values()))[:count]


def _shuffle(rng: random.Random, mutants: list[Mutant]) -> list[Mutant]:
    return rng.sample(mutants, len(mutants))


def find_mutants(path: Path) -> Iterator[Mutant]:
    """Find the mutants of a file of rules or of Python."""
    name, text = str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    for line, column, old, new in (_in_rules if path.suffix == ".lp" else _in_python)(text):
        yield Mutant(name, line, column, old, new)


Change = tuple[int, int, str, str]


def _in_rules(text: str) -> Iterator[Change]:
    bare = re.sub(r"%\*.*?\*%", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    for number, (row, whole) in enumerate(
        zip(bare.splitlines(), text.splitlines(), strict=True), 1
    ):
        code = row.split("%")[0]
        if not code.strip() or code.startswith("#") or not whole.startswith(code):
            continue
        for found in _COMPARED.finditer(code):
            yield number, found.start(), found[0], _FLIPPED[found[0]]
        for found in _NUMBER.finditer(code):
            yield number, found.start(), found[0], str(int(found[0]) + 1)
        for found in _LITERAL.finditer(code):
            yield number, found.start(), found[0], ""
        if code.rstrip().endswith(".") and not code.startswith(" ") and ":-" in code:
            yield number, 0, code, ""


def _in_python(text: str) -> Iterator[Change]:
    rows = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value < 1000:
            old = rows[node.lineno - 1].encode()[node.col_offset : node.end_col_offset].decode()
            yield node.lineno, node.col_offset, old, str(node.value + 1)
        elif isinstance(node, ast.Compare) and type(node.ops[0]).__name__ in _PYTHON_COMPARED:
            sign = _PYTHON_COMPARED[type(node.ops[0]).__name__]
            row, start = rows[node.lineno - 1], node.left.end_col_offset or 0
            if node.left.end_lineno == node.lineno and (at := row.find(f" {sign} ", start)) >= 0:
                flipped = {"==": "!=", "!=": "=="}.get(sign, _FLIPPED[sign])
                yield node.lineno, at, f" {sign} ", f" {flipped} "
        elif isinstance(node, ast.Expr | ast.Assign | ast.AugAssign | ast.Raise):
            is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if node.lineno == node.end_lineno and node.col_offset and not is_text:
                old = rows[node.lineno - 1][node.col_offset : node.end_col_offset]
                yield node.lineno, node.col_offset, old, "pass"


def list_tests(path: str) -> list[str]:
    """List the folders of tests that are about a file."""
    parts = Path(path).parts
    if parts[0] == "asp":
        return [f"tests/rules/{parts[1]}", f"tests/games/{parts[1]}"]
    if parts[1] == "games" and len(parts) > 3 and parts[2] != "verbs":
        return [f"tests/games/{parts[2]}", "tests/games"]
    return {
        "games": ["tests/games", "tests/cli"],
        "engine": ["tests/engine"],
        "shell": ["tests/shell"],
        "contests": ["tests/arena/contests"],
        "search": ["tests/search"],
        "cli": ["tests/cli", "tests/arena/contests"],
    }.get(parts[1], ["tests/test_api.py", "tests/test_notebook.py", "tests/cli", "tests/games"])


def list_transcripts(path: str) -> list[str]:
    """List the folders of tests/transcripts that are about a file."""
    parts = Path(path).parts
    if parts[0] == "asp":
        return [parts[1]] if parts[1] != "common" else ["slime", "rabbits", "kingdom_builder"]
    if parts[1] == "games" and len(parts) > 3:
        return [parts[2]]
    return {
        "games": ["games", "cli"],
        "api": ["kingdom_builder"],
        "reasons": ["why"],
        "web": ["cli"],
        "grammar.py": ["cli", "games"],
    }.get(parts[1], [parts[1]])


def _run(mutants: list[Mutant], tests: Path, folder: Path, jobs: int) -> Iterator[str]:
    free: SimpleQueue[Path] = SimpleQueue()
    for job in range(jobs):
        copy = folder / str(job)
        shutil.copytree(ROOT, copy, ignore=_LEFT_OUT)
        shutil.rmtree(copy / "tests")
        shutil.copytree(tests, copy / "tests", ignore=_LEFT_OUT)
        free.put(copy)

    def run(mutant: Mutant) -> str:
        copy = free.get()
        try:
            return _meet(mutant, copy)
        finally:
            free.put(copy)

    with ThreadPoolExecutor(jobs) as pool:
        for mutant, way in zip(mutants, pool.map(run, mutants), strict=True):
            print(f"{way:9} {mutant}", flush=True)
            yield way


def _meet(mutant: Mutant, copy: Path) -> str:
    """Run the tests of a mutant's subject: it is noticed, lives, or they take too long."""
    path = copy / mutant.path
    sound = path.read_text(encoding="utf-8")
    path.write_text(mutant.apply(sound), encoding="utf-8")
    folders = [folder for folder in list_tests(mutant.path) if (copy / folder).exists()]
    runs = [folders]
    if (copy / "tests" / "transcripts").is_dir():
        runs.append(["tests/transcripts", "-k", " or ".join(list_transcripts(mutant.path))])
    try:
        if any(_fails(copy, words) for words in runs):
            return "noticed"
        return "lives"
    except subprocess.TimeoutExpired:
        return "too long"
    finally:
        path.write_text(sound, encoding="utf-8")


def _fails(copy: Path, words: list[str]) -> bool:
    """Return whether one of some tests fails in a copy of the project."""
    pytest = ["-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        [sys.executable, *pytest, *words],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        timeout=_SECONDS,
        check=False,
    )
    return ran.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
