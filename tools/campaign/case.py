"""A case: a small folder, a command line that is run in it, and what may come of it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

# Where a case's standard output leads: to a file that is looked at, to a full device, nowhere, or
# to a pipe that nobody reads.
OUTPUTS = ("file", "full", "closed", "gone")


@dataclass(frozen=True, slots=True)
class Expected:
    """What has to come of a case, beyond what has to come of all.

    Attributes:
        statuses: The exit statuses that are right; empty if all of the table are.
        refusal: Regular expressions; standard error has to match each of them if the exit status is
            2.
        note: A regular expression that standard error has to match if the command has a result;
            empty if it need not say anything.
        plain: The words after ``kb-score`` of the same command without what was added. It has to
            give the same figures, unless a note tells that they differ.
        made: The files that the command makes if it has a result.
    """

    statuses: tuple[int, ...] = ()
    refusal: tuple[str, ...] = ()
    note: str = ""
    plain: tuple[str, ...] = ()
    made: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One case; file names are as in the command line, bytes that are no UTF-8 as surrogates.

    Attributes:
        kind: The row of the table that it counts in.
        arguments: The words after ``kb-score``; of a case with a script, nothing.
        files: The content of each file of the folder, by path.
        links: Where each symbolic link of the folder leads, by path.
        given: What standard input has.
        writes: The files and folders that the command may make or change.
        recheck: The words after ``kb-score`` of a command that must be able to read what was
            written, unless the first one was refused.
        stdout: One of `OUTPUTS`.
        script: A Python program that calls the package, which is run in place of the command.
        signal: A signal that is sent to the process, such as ``SIGTERM``, or an empty text.
        after: How many seconds after Python has begun to load the package it is sent.
        to_group: Whether the signal goes to all processes, as that of a terminal does.
        real: Whether it has to be run as a new process, and not as a fork.
        endless: Whether its rules have no end, so that it needs ``--limit-seconds``.
        expected: What has to come of it.
        environment: Variables that its process has in addition.
        patience: Seconds after which it counts as hung.
    """

    kind: str
    arguments: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    given: bytes = b""
    writes: tuple[str, ...] = ()
    recheck: tuple[str, ...] = ()
    stdout: str = "file"
    script: str = ""
    signal: str = ""
    after: float = 0.0
    to_group: bool = False
    real: bool = False
    endless: bool = False
    expected: Expected = Expected()
    environment: Mapping[str, str] = field(default_factory=dict)
    patience: float = 10.0

    @property
    def format(self) -> str:
        """What ``--format`` says of standard output, as far as can be seen without click."""
        options = self.arguments[: [*self.arguments, "--"].index("--")]
        pairs = list(pairwise(options))
        # An explained record takes the place of what has a format.
        if not {"-h", "--help"}.isdisjoint(options) or ("--explain", "-") in pairs:
            return ""
        found = [value for option, value in pairs if option == "--format"]
        return found[-1] if found else ""


def lay_out(case: Case, folder: Path) -> None:
    """Make the folders of a case: ``work`` to run in, ``tmp`` for temporary files."""
    work = folder / "work"
    (folder / "tmp").mkdir(parents=True)
    work.mkdir()
    for name, content in case.files.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.write_bytes(content)
            if content.startswith(b"#!"):
                path.chmod(0o755)
    for name, target in case.links.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
    (folder / "given").write_bytes(case.given)
    if case.script:
        (work / "call.py").write_text(case.script, encoding="utf-8")


def write_command(case: Case) -> str:
    """Write the command line as a shell takes it."""
    words = ["python", "call.py"] if case.script else ["kb-score", *case.arguments]
    redirected = {"file": "", "full": " > /dev/full", "closed": " >&-", "gone": " | true"}
    target = "group" if case.to_group else "process"
    sent = f"  # {case.signal} to the {target} after {case.after:.2f} s" if case.signal else ""
    given = " < ../given" if case.given else ""
    return f"{' '.join(map(_quote, words))}{given}{redirected[case.stdout]}{sent}"


def _quote(word: str) -> str:
    if word.isprintable():
        return shlex.quote(word)
    shown = "".join(
        chr(b) if 32 <= b < 127 and chr(b) not in "'\\" else f"\\x{b:02x}"
        for b in os.fsencode(word)
    )
    return f"$'{shown}'"
