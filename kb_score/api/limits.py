"""Calls with a time limit: each call runs in its own process, which can be killed.

clingo cannot be interrupted while it grounds, and a library must not kill its caller's process.
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

_MIN_SECONDS = 0.001
_MAX_SECONDS = 10**7  # about four months
_PROGRAM = "from kb_score.api.limits import answer_parent; answer_parent()"


def check_seconds(seconds: float | None) -> float | None:
    """Return a time limit; raise an InputError unless it is in the allowed range or None."""
    if seconds is None:
        return None
    if type(seconds) not in (int, float) or not _MIN_SECONDS <= seconds <= _MAX_SECONDS:
        raise wrong("limit_seconds", "a number of seconds, or None for no limit,", seconds)
    return seconds


def call(seconds: float | None, function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Call a function, in a child process if there is a time limit.

    Args:
        seconds: The time limit, including the time to start the process; None for no limit.
        function: The function. With a limit, the function, its arguments and its result must be
            picklable.

    Raises:
        LimitError: The call took longer than the limit, or the process exited without a result.
        InputError: An argument cannot be pickled.
    """
    if seconds is None:
        return function(*args, **options)
    try:
        request = pickle.dumps((function, args, options))
    except Exception as error:
        message = f"an argument cannot be passed to another process: {error}"
        raise InputError("limit_seconds", message) from error
    # The child imports modules from the same folders as its parent.
    path = os.pathsep.join(folder for folder in sys.path if folder)
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _PROGRAM],
            input=request,
            capture_output=True,
            timeout=seconds,
            env={**os.environ, "PYTHONPATH": path},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise LimitError(f"the rules were stopped after {seconds:g} s (limit_seconds)") from error
    if done.returncode:
        errors = done.stderr.decode(errors="replace").strip()
        _, _, last_line = errors.rpartition("\n")
        reason = last_line or f"its process ended with status {done.returncode}"
        raise LimitError(f"the question has no answer: {reason}")
    # Unpickling is safe here: `answer_parent` wrote the data.
    answer = pickle.loads(done.stdout)
    if isinstance(answer, KbScoreError):
        raise answer
    return cast("T", answer)


def answer_parent() -> None:
    """Run the call that is pickled on standard input, and pickle its result to standard output.

    This is the main function of the child process.
    """
    function, args, options = pickle.load(sys.stdin.buffer)
    answer: Any
    try:
        answer = function(*args, **options)
    except KbScoreError as error:
        answer = error
    pickle.dump(answer, sys.stdout.buffer)
