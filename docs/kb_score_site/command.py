"""What the command prints: the site shows this, and never a copy of it."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from kb_score.cli import main

ROOT = Path(__file__).resolve().parents[2]


def run_command(*words: object) -> str:
    """Run kb-score as one who stands in the checkout, and return what it prints."""
    with contextlib.chdir(ROOT):
        ran = CliRunner().invoke(
            main, list(map(str, words)), prog_name="kb-score", catch_exceptions=False
        )
    if ran.exit_code:
        raise RuntimeError(f"kb-score {' '.join(map(str, words))}: {ran.output}")
    return ran.stdout


def ask_command(*words: object) -> list[dict[str, Any]]:
    """Run kb-score, and return the objects that it prints as JSON."""
    return [json.loads(line) for line in run_command(*words, "--format", "json").splitlines()]


def draw(*words: object) -> bytes:
    """Draw a picture, as SVG."""
    return run_command("draw", *words).encode()
