"""Transcripts: commands with what they print, in the documents and in the folders of tests/edits.

They stand in blocks of Markdown that are marked ``console``. A command comes after ``$``, and below
it what it prints on both streams; a line ``...`` stands for any lines.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
from pathlib import Path

from click.testing import CliRunner

from kb_score.cli import main
from tests import helpers

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A call that needs no shell: what prints its input, its words, and perhaps a pipe or a file behind.
_PLAIN = r"""[^|&;<>()$*?~`{}\[\]\\'"]|'[^']*'|"[^"$`\\]*\""""
_INPUT = rf"(?:((?:echo|printf) (?:{_PLAIN})+?) \| )?"
_CALL = re.compile(rf"{_INPUT}kb-score ((?:{_PLAIN})+?)( 2>/dev/null)?(?: ([|>] .*))?", re.DOTALL)


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return [body for found, body in _FENCE.findall(text) if found == language]


def commands(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output that it shows."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    pairs = (part.partition("\n") for part in parts)
    return [(command, output) for command, _, output in pairs]


def run(command: str, folder: Path, status: int) -> tuple[str, int]:
    """Run a command; `status` is what ``$?`` was after the last one.

    ``kb-score`` runs in this process, which takes a tenth of the time, if it comes first or gets
    what ``echo`` or ``printf`` prints. The shell does that, and what stands behind, as ``| head``.
    """
    if not (call := _CALL.fullmatch(command.rstrip())):
        return run_in_shell(command, folder, status)
    source, words, quiet, rest = call.groups()
    given = run_in_shell(source, folder, status)[0] if source else ""
    with contextlib.chdir(folder):
        if not quiet and not rest:
            result = CliRunner().invoke(
                main, shlex.split(words), input=given, catch_exceptions=False
            )
            return result.output, result.exit_code
        ran = helpers.run(*shlex.split(words), given=given)
    told = "" if quiet else ran.err
    printed, status = run_in_shell(f"(cat; exit {ran.status}) {rest or ''}", folder, 0, ran.out)
    return told + printed, status


def run_in_shell(command: str, folder: Path, status: int, given: str = "") -> tuple[str, int]:
    """Run a command as a reader would."""
    done = subprocess.run(
        ["bash", "-c", f"(exit {status}); {command}"],
        input=given,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    return done.stdout, done.returncode


def matches(printed: str, shown: str) -> bool:
    """Whether an output is what a block shows."""
    pattern = "".join(
        "(?:.*\n)*" if line == "...\n" else re.escape(line)
        for line in shown.splitlines(keepends=True)
    )
    return re.fullmatch(pattern, printed) is not None
