"""Long searches: clingo works in a thread, while the main thread hears of every signal at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

from kb_score.engine.limits import LimitError, Limits
from kb_score.engine.solve import solve_each

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules, Use
    from kb_score.engine.terms import Answer, Facts

_PERIOD = 0.05


def run_aside(work: Callable[[], object]) -> None:
    """Do some work in a thread, and raise what it raises.

    What is raised in the main thread meanwhile, as by a signal, does not wait for the work. The
    process should then end: clingo cannot be told to stop while it grounds.
    """
    failures: list[BaseException] = []
    done = Event()

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001
            failures.append(error)  # raised below
        finally:
            done.set()

    thread = Thread(target=run, daemon=True)
    thread.start()
    # An event that is waited for without end would keep signals waiting on some systems.
    while not done.wait(_PERIOD):
        pass
    thread.join()
    for error in failures:
        raise error


class Deadline:
    """The time that all questions of a search have together."""

    def __init__(self, rules: GameRules) -> None:
        """Begin now; the time and the memory are the limits that the user has set."""
        self._rules, self._limits, self._start = rules, rules.changes.limits, monotonic()

    def left(self) -> Limits:
        """Say what the next question may take.

        Raises:
            LimitError: No time is left.
        """
        if self._limits.seconds is None:
            return self._limits
        seconds = self._limits.seconds - (monotonic() - self._start)
        if seconds <= 0:
            raise LimitError("no time is left")
        return replace(self._limits, seconds=seconds)

    def find(self, use: Use, facts: Facts, options: Sequence[str] = ()) -> Answer | None:
        """Find the first answer set, in the time that is left; None if there is none.

        Raises:
            LimitError: The time is over, or the memory.
        """
        program = replace(self._rules.program(use), limits=self.left())
        return next(iter(solve_each(program, facts, ["--models=1", *options])), None)

    def explain(self) -> str:
        """Say at which limit a search has stopped."""
        seconds, memory = self._limits.seconds, self._limits.memory
        if seconds is not None and monotonic() - self._start >= seconds:
            return f"stopped after {seconds:g} seconds (--limit-seconds)"
        return f"stopped: the next step takes more than {memory} MiB of memory (--limit-memory)"


__all__ = ["Deadline", "LimitError", "run_aside"]
