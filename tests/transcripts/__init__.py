"""Transcripts: commands with what they print, in documents and in the files of this folder.

They stand in blocks of Markdown that are marked ``console``. A command comes after ``$``, and below
it what it prints on both streams; a line ``...`` stands for any lines, and ``lords.lp:...`` for any
line of that file.

A file of this folder has a heading for each case. A case runs in a folder of its own, in which
``boards`` is the project's. A block that names a file, as in "```text board.txt", writes that file;
blocks above the first ``##`` heading belong to all cases. ``[2]`` below an output is the exit
status of a command that does not end with 0. A case with ``<!-- slow -->`` takes some seconds.
``python -m tests.transcripts FILE...`` updates the outputs.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from kb_score.cli import main
from tests import helpers

_FENCE = re.compile(r"^```(\w*)(?: [^\n`]+)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^```\w+ ([\w./-]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_STATUS = re.compile(r"^\[(\d+)\]\n\Z", re.MULTILINE)
# A call that needs no shell: what prints its input, its words, and perhaps a pipe or a file behind.
_PLAIN = r"""[^|&;<>()$*?~`{}\[\]\\'"]|'[^']*'|"[^"$`\\]*\""""
_INPUT = rf"(?:((?:echo|printf) (?:{_PLAIN})+?) \| )?"
_CALL = re.compile(rf"{_INPUT}kb-score ((?:{_PLAIN})+?)( 2>/dev/null)?(?: ([|>] .*))?", re.DOTALL)

# Calls one after the other, whose semicolons are no part of a word.
_SEQUENCE = re.compile(r"(?!.*\b(?:for|while|if|cd)\b)[^\"'{}()$`\\&]+(?:; [^\"'{}()$`\\&]+)+")


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
    if "kb-score" in command and _SEQUENCE.fullmatch(command.rstrip()):
        printed = ""
        for part in command.rstrip().split("; "):
            text, status = run(part, folder, status)
            printed += text
        return printed, status
    if not (call := _CALL.fullmatch(command.rstrip())):
        return run_in_shell(command, folder, status)
    source, words, quiet, rest = call.groups()
    given = run_in_shell(source, folder, status)[0] if source else ""
    with contextlib.chdir(folder):
        if not quiet and not rest:
            result = CliRunner().invoke(
                main, shlex.split(words), input=given, catch_exceptions=False, prog_name="kb-score"
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
    pattern = pattern.replace(re.escape(".lp:..."), r"\.lp:\d+")
    return re.fullmatch(pattern, printed) is not None


def write_path() -> str:
    """Return the PATH with which a shell finds the kb-score that is tested, before any other."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


@dataclass(frozen=True)
class Case:
    """A case of a transcript file: a heading, the files that are there, and its commands.

    Attributes:
        name: The text of its heading.
        files: Texts by the names of the files.
        text: The part of the transcript file below the heading.
    """

    name: str
    files: dict[str, str]
    text: str

    @property
    def is_slow(self) -> bool:
        """Whether it is left out where slow tests are."""
        return "<!-- slow -->" in self.text

    def prepare(self, folder: Path) -> None:
        """Write the files of the case into a folder."""
        (folder / "boards").symlink_to(helpers.ROOT / "boards")
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def commands(self) -> list[tuple[str, str, int]]:
        """List the commands, each with the output and the exit status that it shows."""
        found = []
        for block in blocks(self.text, "console"):
            for command, shown in commands(block):
                status = _STATUS.search(shown)
                output = shown[: status.start()] if status else shown
                found.append((command, output, int(status[1]) if status else 0))
        return found


def _split(text: str) -> list[str]:
    """Split a transcript file at its ``##`` headings; such lines in a block are no headings."""
    parts = [""]
    in_block = False
    for line in text.splitlines(keepends=True):
        if line.startswith("```"):
            in_block = not in_block
        if line.startswith("## ") and not in_block:
            parts.append(line.removeprefix("## "))
        else:
            parts[-1] += line
    return parts


def read_cases(path: Path) -> list[Case]:
    """Read the cases of a transcript file."""
    first, *parts = _split(path.read_text())
    shared = dict(_FILE.findall(first))
    cases = []
    for part in parts:
        name, _, text = part.partition("\n")
        cases.append(Case(name, shared | dict(_FILE.findall(text)), text))
    return cases
