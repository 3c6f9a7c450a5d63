"""What the tests of rabbits and crusher-bots share: the command in this process, small stations."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from kb_score.cli import main

ROOT = Path(__file__).resolve().parents[2]
BOARDS = ROOT / "boards" / "rabbits"

# Until click 8.2 the runner mixed both outputs unless told not to.
_OPTIONS: dict[str, Any] = (
    {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}
)


def call(*words: str | Path) -> tuple[int, str, str]:
    """Run kb-score; return the exit status, standard output and standard error."""
    result = CliRunner(**_OPTIONS).invoke(main, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def write(folder: Path, station: str, record: str) -> tuple[Path, Path]:
    """Write a map and a record."""
    paths = folder / "station.map", folder / "record.txt"
    for path, text in zip(paths, (station, record), strict=True):
        path.write_text(text)
    return paths


def check(folder: Path, station: str, record: str, *options: str) -> dict[str, Any]:
    """Check a record; return its verdict."""
    paths = write(folder, station, record)
    status, output, _ = call("check", "rabbits", *paths, "--format", "json", *options)
    answer = json.loads(output)
    assert isinstance(answer, dict)
    assert status == (0 if answer["consistent"] else 1)
    return answer


def codes(answer: dict[str, Any]) -> list[tuple[int, str, str]]:
    """List turn, code and place of each violation."""
    return [(v["turn"], v["code"], v["who"]) for v in answer["violations"]]
