"""Processes that work for the command: they end with it, and one that is killed is replaced."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from time import monotonic
from typing import Any

from kb_score.shell.ends import end_with_parent
from kb_score.shell.executor import Crew

_GRACE = 1.0  # seconds that processes have to end what they have started


class Workers(Crew):
    """A crew of processes of this machine, replaced when one of them has been killed.

    What was under way then fails with a BrokenProcessPool, and can be submitted again.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._pool = self._begin()

    @property
    def slots(self) -> int:
        """How many tasks run at a time."""
        return self._jobs

    def submit(self, task: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """Have a task done by one of the processes."""
        try:
            return self._pool.submit(task, *args, **options)
        except BrokenProcessPool:
            self._pool.shutdown(wait=True)
            self._pool = self._begin()
            return self._pool.submit(task, *args, **options)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the processes end when their work is done."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.shutdown()
            return
        # Nobody will ask for what they are at; they end what they have started.
        processes = multiprocessing.active_children()
        for process in processes:
            process.terminate()
        deadline = monotonic() + _GRACE
        for process in processes:
            process.join(max(0.0, deadline - monotonic()))
            process.kill()
        # The thread that looks after them must be over before Python ends: they would get into each
        # other's way.
        self.shutdown(cancel_futures=True)

    def _begin(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._jobs, initializer=end_with_parent)
