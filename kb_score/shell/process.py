"""Other people's programs: found, kept in a sandbox, and ended with all that they have started."""

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

# In the environment of a program, and so of what it starts: our process, then which program it is.
MARK = "KB_SCORE_BOT"
# The name of a program; what else a command for the shell may begin with is for the shell.
PROGRAM = re.compile(r"[\w./+-]+")
# The first line of a script: its interpreter, and perhaps an argument.
_INTERPRETER = re.compile(rb"#![ \t]*([^ \t\n]+)[ \t]*([^\n]*)")
_START = 256  # bytes of a program that Linux looks at for that
_GRACE = 0.5  # seconds in which what is left behind is to end
_POLL = 0.002  # seconds between looks at whether it has
_PARENT_DEATH, _SUBREAPER = 1, 36  # PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER of Linux

_numbers = count(1)
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def make_mark() -> str:
    """Make a mark for a new program; what loses its parent is ours from now on."""
    if _libc is not None:
        _libc.prctl(_SUBREAPER, 1, 0, 0, 0)
    return f"{os.getpid()}.{next(_numbers)}"


def end_with_parent() -> None:
    """Have the system end this program when who has started it is gone; called by a new program."""
    if _libc is not None:
        _libc.prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)


def end_left(mark: str) -> None:
    """End what the program of a mark, which is over, has left behind."""
    deadline = time.monotonic() + _GRACE
    while has_children() and time.monotonic() < deadline:
        import psutil  # most programs leave nothing behind

        found = [
            child for child in psutil.Process().children(recursive=True) if _is_left(child, mark)
        ]
        if not found:
            return
        for child in found:
            with contextlib.suppress(psutil.Error):
                child.kill()
                child.wait(0)
        time.sleep(_POLL)


def _is_left(child: psutil.Process, mark: str) -> bool:
    """Whether a process was started by the program of a mark, or by nobody who lives."""
    import psutil

    try:
        if child.status() != psutil.STATUS_ZOMBIE:
            return child.environ().get(MARK) == mark
        # What we start has a session of its own, or ours; who starts it waits for it.
        session = os.getsid(child.pid)
        return child.ppid() == os.getpid() and session not in (child.pid, os.getsid(0))
    except (psutil.Error, OSError):
        return False


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a program is kept to, and each that it starts."""

    # In a sandbox the only folder of ours that it can write to; its processes end with it, and it
    # reaches no network. None for no sandbox.
    folder: Path | None = None
    memory: int | None = None  # how many MiB of addresses it may have
    seconds: int | None = None  # how long it may keep a processor busy


NO_BOUNDS = Bounds()


def confine(command: Sequence[str], bounds: Bounds, needed: Iterable[Path] = ()) -> list[str]:
    """Make a command that runs another one within bounds.

    Args:
        command: The words of the other command.
        bounds: The bounds.
        needed: What it needs, in a sandbox, of the folders that are hidden there: see
            `kb_score.shell.sandbox.list_needed`.
    """
    limits = {"-v": bounds.memory and bounds.memory << 10, "-t": bounds.seconds}
    set_ = "".join(f"ulimit {key} {most} && " for key, most in limits.items() if most)
    if set_:
        command = ["/bin/sh", "-c", f'{set_}exec "$@"', "sh", *command]
    if bounds.folder is None:
        return [*command]
    return [*enter_sandbox(bounds.folder, needed), "--", *command]


def check_sandbox() -> None:
    """Check that programs can be kept in a sandbox; an InputError says why they cannot."""
    if shutil.which(SANDBOX) is None:
        raise InputError("--sandbox", f"there is no program {SANDBOX!r}: install bubblewrap")
    _run_in_sandbox(["/bin/sh", "-c", ":"])


def _run_in_sandbox(command: Sequence[str], needed: Sequence[Path] = ()) -> str:
    """Run a command of ours in a sandbox, and return what it prints."""
    boxed = [*enter_sandbox(None, needed), "--", *command]
    ran = subprocess.run(boxed, capture_output=True, text=True, errors="replace", check=False)
    if ran.returncode:
        raise InputError("--sandbox", f"this system forbids it: {ran.stderr.strip()}")
    return ran.stdout


def explain_unreachable(
    words: Iterable[str], folder: Path, own: Path | None = None, *, copied: bool = False
) -> str:
    """Explain why a program cannot do its work in a sandbox; empty if it can.

    Args:
        words: The words of its command.
        folder: The folder that it runs in.
        own: The folder that it can write to; None if each game makes a new one.
        copied: Whether each game gets a copy of the folder that it runs in.
    """
    wide = None if own is None else find_too_wide(own)
    if wide is not None:
        return f"its own folder {own} holds {wide}, which is hidden there: run it in another folder"
    if is_hidden(folder) and not copied:
        return f"{folder} is empty there: run it in another folder"
    needed = list_needed(words, folder)
    if copied:
        needed = [path for path in needed if not path.is_relative_to(folder)]
    missing = _run_in_sandbox(make_probe(needed), needed)
    return f"{missing} cannot be reached there" if missing else ""


def read_program(command: str) -> str:
    """Read which program a command for the shell begins with; empty if only the shell can tell."""
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return ""
    return words[0] if words and PROGRAM.fullmatch(words[0]) else ""


@lru_cache(maxsize=256)
def list_words(command: str) -> tuple[str, ...]:
    """List the words of a command for the shell, without what the shell makes of them."""
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    words.commenters = ""
    try:
        return tuple(words)
    except ValueError:
        return tuple(command.split())


def list_known(programs: Iterable[str]) -> set[str]:
    """List which programs the shell finds by their names alone; one look finds all of them."""
    each = (f"command -v {shlex.quote(p)} >&2 && echo {shlex.quote(p)}" for p in programs)
    look = ["/bin/sh", "-c", "; ".join(each) or ":"]
    return set(subprocess.run(look, capture_output=True, text=True, check=False).stdout.split())


def explain_missing(program: str, folder: Path, known: Container[str]) -> str:
    """Explain why a program cannot be run in a folder; empty if it can be."""
    path = folder / program
    # A name may be too long for a file.
    found = program in known if "/" not in program else os.access(path, os.F_OK) and path.is_file()
    if not found:
        return f"there is no program {shorten(repr(program))}"
    if "/" in program and not os.access(path, os.X_OK):
        return f"{shorten(repr(program))} is not a program that may be run"
    why = explain_script(program, folder)
    return f"{shorten(repr(program))} cannot be run: {why}" if why else ""


def explain_script(program: str, folder: Path) -> str:
    """Return why the system finds no interpreter for a script; empty if it does, or for no script.

    Args:
        program: A path, or a name that is looked for as the shell does.
        folder: The folder in which the program is to run.
    """
    path = str(folder / program) if "/" in program else shutil.which(program)
    found = _INTERPRETER.match(_read_start(path)) if path else None
    if found is None:
        return ""
    interpreter, argument = map(os.fsdecode, found.groups())
    is_env = Path(interpreter).name == "env" and argument[:1] not in ("", "-")
    asked = argument if is_env else interpreter
    if asked.endswith("\r"):
        return "its first line ends in a carriage return: save it with the line ends of Unix"
    is_there = shutil.which(asked) is not None if is_env else (folder / asked).exists()
    return "" if is_there else f"its first line asks for {asked!r}, which does not exist"


def _read_start(path: str) -> bytes:
    """Read as much of a program as the system looks at to find its interpreter."""
    try:
        # A pipe must not keep us waiting.
        if not Path(path).is_file():
            return b""
        with open(path, "rb") as stream:  # noqa: PTH123
            return stream.read(_START)
    except (OSError, ValueError):
        return b""  # whoever runs it will hear of that
