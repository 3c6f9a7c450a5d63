"""Questions with a limit of time: each is answered by a process of its own, which may be ended.

clingo cannot be interrupted while it grounds, and the library ends nothing of its caller's process.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from kb_score.api.arguments import wrong
from kb_score.engine.supervisor import LimitError
from kb_score.errors import InputError, KbScoreError

T = TypeVar("T")
P = ParamSpec("P")

_LEAST = 0.001
_MOST = 10**7  # about four months
_PROGRAM = "from kb_score.api.limits import answer_parent; answer_parent()"


def check_seconds(seconds: float | None) -> float | None:
    """Check a limit, and return it; raise an InputError if it is not a time."""
    if seconds is None:
        return None
    if type(seconds) not in (int, float) or not _LEAST <= seconds <= _MOST:
        raise wrong("limit_seconds", "a number of seconds, or None for no limit,", seconds)
    return seconds


def call(seconds: float | None, function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Call a function, in a child process if there is a limit.

    Args:
        seconds: The time limit, which includes the start of the process; None for no limit.
        function: The function; it, its arguments and what it returns can be pickled.
        args: Its arguments.
        options: More of them, by name.

    Raises:
        LimitError: The time is over, or the process has ended without an answer.
        KbScoreError: What the function raises.
    """
    if seconds is None:
        return function(*args, **options)
    try:
        question = pickle.dumps((function, args, options))
    except Exception as error:
        message = f"an argument cannot be handed to another process: {error}"
        raise InputError("limit_seconds", message) from error
    # The child finds what its parent has imported.
    path = os.pathsep.join(folder for folder in sys.path if folder)
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _PROGRAM],
            input=question,
            capture_output=True,
            timeout=seconds,
            env={**os.environ, "PYTHONPATH": path},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise LimitError(f"the rules were stopped after {seconds:g} s (limit_seconds)") from error
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        reason = words or f"its process ended with status {done.returncode}"
        raise LimitError(f"the question has no answer: {reason}")
    # What the child writes is what this module has written.
    answer = pickle.loads(done.stdout)
    if isinstance(answer, KbScoreError):
        raise answer
    return cast("T", answer)


def answer_parent() -> None:
    """Answer the question on standard input: what a child process does."""
    function, args, options = pickle.load(sys.stdin.buffer)
    answer: Any
    try:
        answer = function(*args, **options)
    except KbScoreError as error:
        answer = error
    pickle.dump(answer, sys.stdout.buffer)
