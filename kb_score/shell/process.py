"""Users' programs: finding them, limiting them, and ending all processes that they start."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from kb_score.errors import InputError, shorten
from kb_score.shell.sandbox import (
    SANDBOX,
    enter_sandbox,
    find_too_wide,
    is_hidden,
    list_needed,
    make_probe,
)
from kb_score.shell.shutdown import has_children

if TYPE_CHECKING:
    import psutil

# The environment variable that marks a program and everything that it starts; its value is our
# process ID and a number for the program.
MARK = "KB_SCORE_BOT"
# The name of a program; a command for the shell may also begin with other characters.
PROGRAM = re.compile(r"[\w./+-]+")
# The first line of a script: its interpreter, and an argument if there is one.
_INTERPRETER = re.compile(rb"#![ \t]*([^ \t\n]+)[ \t]*([^\n]*)")
# Programs that run a script, and the options of Python that have no value.
_RUNS_SCRIPT = re.compile(
    r"(.*/)?(python[\d.]*|pypy[\d.]*|node|ruby|perl|sh|bash|dash|zsh|lua[\d.]*|php|Rscript|julia)"
)
_FLAGS = re.compile(r"-[bBdEiIOPqsSuvx]+")
_EXPANDED = re.compile(r"[$*?`~#;&|<>()\[\]{}\\]")  # what the shell may replace or read itself
# A comment with words at the end of a shell command; a quote after it may show that it is none.
_COMMENT = re.compile(r"(^|\s)#[^'\"\n]*[^'\"\s]$")
_START = 256  # bytes of a program in which Linux looks for that line
_GRACE = 0.5  # seconds to wait for the end of processes that a program has left behind
_POLL = 0.002  # seconds between checks for their end
_PARENT_DEATH = 1  # PR_SET_PDEATHSIG of Linux
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of Linux

_numbers = count(1)
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def make_mark() -> str:
    """Return a mark for a new program, and adopt orphaned processes from now on."""
    if _libc is not None:
        _libc.prctl(_SUBREAPER, 1, 0, 0, 0)
    return f"{os.getpid()}.{next(_numbers)}"


def kill_with_parent() -> None:
    """Make the system kill the calling process when its parent ends."""
    if _libc is not None:
        _libc.prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)


def end_left(mark: str) -> None:
    """Kill the processes that a program with a mark, which has ended, has left behind."""
    deadline = time.monotonic() + _GRACE
    while has_children() and time.monotonic() < deadline:
        import psutil  # most programs leave nothing behind

        children = psutil.Process().children(recursive=True)
        left = [child for child in children if _is_left(child, mark)]
        if not left:
            return
        for child in left:
            with contextlib.suppress(psutil.Error):
                child.kill()
                child.wait(0)
        time.sleep(_POLL)


def _is_left(child: psutil.Process, mark: str) -> bool:
    """Return whether a process was started by the program with a mark, or is an orphaned zombie."""
    import psutil

    try:
        if child.status() != psutil.STATUS_ZOMBIE:
            return child.environ().get(MARK) == mark
        # Processes that we started have their own session or ours; their starters wait for them.
        session = os.getsid(child.pid)
        return child.ppid() == os.getpid() and session not in (child.pid, os.getsid(0))
    except (psutil.Error, OSError):
        return False


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of a program and of each program that it starts."""

    # The only folder that it can write to in a sandbox; None for no sandbox. A sandbox also has no
    # network, and ends all processes of the program with it.
    folder: Path | None = None
    memory: int | None = None  # MiB of address space
    seconds: int | None = None  # seconds of processor time


NO_BOUNDS = Bounds()


def confine(command: Sequence[str], bounds: Bounds, needed: Iterable[Path] = ()) -> list[str]:
    """Return a command that runs another command within bounds.

    ``needed`` are the files that it needs in a sandbox: see `kb_score.shell.sandbox.list_needed`.
    """
    limits = ""
    if bounds.memory:
        limits += f"ulimit -v {bounds.memory << 10} && "
    if bounds.seconds:
        limits += f"ulimit -t {bounds.seconds} && "
    if limits:
        command = ["/bin/sh", "-c", f'{limits}exec "$@"', "sh", *command]
    if bounds.folder is None:
        return [*command]
    return [*enter_sandbox(bounds.folder, needed), "--", *command]


def check_sandbox() -> None:
    """Check that programs can run in a sandbox.

    Raises an InputError if bubblewrap is not installed, or the system does not let it work.
    """
    if shutil.which(SANDBOX) is None:
        raise InputError("--sandbox", f"there is no program {SANDBOX!r}: install bubblewrap")
    _run_in_sandbox(["/bin/sh", "-c", ":"])


def _run_in_sandbox(command: Sequence[str], needed: Sequence[Path] = ()) -> str:
    """Run a command of ours in a sandbox, and return its output."""
    boxed = [*enter_sandbox(None, needed), "--", *command]
    ran = subprocess.run(boxed, capture_output=True, text=True, errors="replace", check=False)
    if ran.returncode:
        reason = ran.stderr.strip()
        raise InputError("--sandbox", f"this system forbids it: {reason}")
    return ran.stdout


def explain_unreachable(
    words: Iterable[str], folder: Path, own: Path | None = None, *, copied: bool = False
) -> str:
    """Return why a program cannot work in a sandbox; empty if it can.

    Args:
        words: The words of its command.
        folder: The folder that it runs in.
        own: The folder that it can write to; None if each game creates a new one.
        copied: Whether each game gets a copy of the folder that it runs in.
    """
    wide = None if own is None else find_too_wide(own)
    if wide is not None:
        reason = f"its own folder {own} contains {wide}, which is hidden there"
        return f"{reason}: run it in another folder"
    if is_hidden(folder) and not copied:
        return f"{folder} is empty there: run it in another folder"
    needed = list_needed(words, folder)
    if copied:
        needed = [path for path in needed if not path.is_relative_to(folder)]
    missing = _run_in_sandbox(make_probe(needed), needed)
    if not missing:
        return ""
    return f"{missing} cannot be reached there"


def read_program(command: str) -> str:
    """Return the program that a shell command begins with; empty if that is not obvious."""
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return ""
    return words[0] if words and PROGRAM.fullmatch(words[0]) else ""


@lru_cache(maxsize=256)
def list_words(command: str) -> tuple[str, ...]:
    """Return the words of a shell command, without the expansions of the shell."""
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    words.commenters = ""
    try:
        return tuple(words)
    except ValueError:
        return tuple(command.split())


def list_known(programs: Iterable[str]) -> set[str]:
    """Return the programs that the shell finds by name; one shell checks all of them."""
    tests = []
    for program in map(shlex.quote, programs):
        tests.append(f"command -v {program} >&2 && echo {program}")
    script = "; ".join(tests)
    command = ["/bin/sh", "-c", script or ":"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return set(ran.stdout.split())


def explain_missing(program: str, folder: Path, known: Container[str]) -> str:
    """Return why a program cannot be run in a folder; empty if it can.

    The program is a path, or one of the names that the shell finds: see `list_known`.
    """
    name = shorten(repr(program))
    path = folder / program
    has_path = "/" in program
    # `os.access` comes first: is_file raises for a name that is too long.
    exists = os.access(path, os.F_OK) and path.is_file() if has_path else program in known
    if not exists:
        return f"there is no program {name}"
    if has_path and not os.access(path, os.X_OK):
        return f"{name} is not executable"
    reason = explain_script(program, folder)
    return f"{name} cannot be run: {reason}" if reason else ""


def explain_no_script(words: Sequence[str], folder: Path) -> str:
    """Return why an interpreter cannot run a script; empty if it can, or if that is not obvious."""
    if not words or not _RUNS_SCRIPT.fullmatch(words[0]):
        return ""
    has_flags = "py" in Path(words[0]).name
    for word in words[1:]:
        if has_flags and _FLAGS.fullmatch(word):
            continue
        if word.startswith("-") or _EXPANDED.search(word):
            return ""  # such as -m and a module
        exists = os.access(folder / word, os.F_OK) or shutil.which(word)
        return "" if exists else f"there is no script {shorten(repr(word))}"
    return ""


@lru_cache(maxsize=256)
def explain_open_end(command: str) -> str:
    """Return why no argument can be put behind a shell command; empty if one can.

    The command has no blanks at its end.
    """
    if re.search(r"(?<!\\)(\\\\)*([;&|<>]|\\)$", command):
        return f"it ends in {command[-1]!r}, which no position can follow: leave that out"
    if _COMMENT.search(command):
        return "its comment would hide the position: leave it out, or end the command in # alone"
    try:
        shlex.split(command)
        is_suspect = re.search(r"([)}]|\b(done|fi|esac))$", command) is not None
    except ValueError:
        is_suspect = True
    if not is_suspect:
        return ""
    shell = ["/bin/sh", "-n", "-c", f"{command} position"]
    ran = subprocess.run(shell, capture_output=True, check=False)
    if ran.returncode == 0:
        return ""
    return "the shell cannot read it with the position behind it: put it into a script"


def explain_script(program: str, folder: Path) -> str:
    """Return why the system finds no interpreter for a script; empty if it does or needs none.

    The program is a path, or a name that the shell looks up.
    """
    path = str(folder / program) if "/" in program else shutil.which(program)
    found = _INTERPRETER.match(_read_start(path)) if path else None
    if found is None:
        return ""
    interpreter, argument = map(os.fsdecode, found.groups())
    is_env = Path(interpreter).name == "env" and argument[:1] not in ("", "-")
    if is_env:
        interpreter = argument
    if interpreter.endswith("\r"):
        return "its first line ends in a carriage return: save it with Unix line endings"
    exists = shutil.which(interpreter) if is_env else (folder / interpreter).exists()
    return "" if exists else f"its first line asks for {interpreter!r}, which does not exist"


def _read_start(path: str) -> bytes:
    """Return the part of a program in which the system looks for its interpreter."""
    try:
        # Reading from a pipe would block.
        if not Path(path).is_file():
            return b""
        with open(path, "rb") as stream:  # noqa: PTH123
            return stream.read(_START)
    except (OSError, ValueError):
        return b""  # running it will fail with a reason
