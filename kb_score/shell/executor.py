"""What a crew is, whoever does its work."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any

from kb_score.shell.versions import Version


class Lost(BrokenExecutor):
    """A task is lost because the processes that it ran in ended: so many times, one by one."""

    def __init__(self, message: str, times: int) -> None:
        super().__init__(message)
        self.times = times


class Crew(Executor):
    """An executor that knows how many tasks it does at a time.

    A task whose process is killed fails with a `concurrent.futures.BrokenExecutor`, and can be
    submitted again.

    Attributes:
        version: What workers must be that may be of another kb-score; else None.
        is_far: Whether workers may have other files than this machine.
        packs: Whether tasks are packed by us; else they are handed on as they are.
    """

    version: Version | None = None
    is_far = False
    packs = True

    @property
    @abstractmethod
    def slots(self) -> int:
        """How many tasks run at a time; it may change."""

    def look(self) -> None:
        """Look whether there is still somebody at work; called when nothing comes for a while."""


class Borrowed(Crew):
    """Somebody's own executor, which may be of threads; whoever has opened it closes it."""

    packs = False

    def __init__(self, executor: Executor, slots: int) -> None:
        """Take an executor, and a guess of how many tasks it does at a time."""
        self._executor, self._slots = executor, slots

    @property
    def slots(self) -> int:
        """How many tasks run at a time, perhaps."""
        return self._slots

    def submit(self, task: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """Have a task done; it is lost at once where the executor takes no more work."""
        try:
            return self._executor.submit(task, *args, **options)
        except BrokenExecutor as error:
            future: Future[Any] = Future()
            future.set_exception(error)
            return future
