"""Pools that run many tasks, in processes on this machine or on the workers of a cluster."""

from __future__ import annotations

import multiprocessing
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, ExitStack
from itertools import islice, takewhile
from multiprocessing.util import Finalize
from time import monotonic
from typing import Any, TypeVar

from kb_score.errors import KbScoreError, visible
from kb_score.shell.files import open_scratch_folder
from kb_score.shell.shutdown import end_with_parent, kill_children

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
# Runs in a worker and checks that it has everything tasks need; raises a `KbScoreError` if not.
Check = Callable[[], object]

# The number of tasks to submit per worker, so that no worker waits for work.
_TASKS_PER_WORKER = 3
_POLL_SECONDS = 2.0  # seconds to wait for a result before checking the pool again
_GRACE = 0.8  # seconds that processes have to end what they have started


class TaskLost(KbScoreError):
    """A task was abandoned because the processes that worked on it were killed."""


class Lost(BrokenExecutor):
    """A task was lost because every process that tried it died.

    Attributes:
        times: The number of processes that tried it.
    """

    def __init__(self, message: str, times: int) -> None:
        super().__init__(message)
        self.times = times


class Pool(ABC):
    """Runs tasks, several at a time.

    A task whose process is killed fails with a `concurrent.futures.BrokenExecutor`, and can be
    submitted again.
    """

    def __init__(self, slots: int) -> None:
        """Create a pool that runs ``slots`` tasks at a time."""
        self._slots = slots

    @property
    def slots(self) -> int:
        """The number of tasks that run at a time, which may change."""
        return self._slots

    @abstractmethod
    def submit(self, function: Callable[[Any], Any], item: object) -> Future[Any]:
        """Call a function with an item in a worker."""

    def require(self, check: Check) -> None:  # noqa: B027, local workers have what they need
        """Run a check in every worker before its first task; it raises a `KbScoreError`."""


class BorrowedPool(Pool):
    """A pool around a caller's executor, which the caller closes; its workers may be threads."""

    def __init__(self, executor: Executor, slots: int) -> None:
        """Create a pool; ``slots`` is an estimate of the tasks that the executor runs at a time."""
        super().__init__(slots)
        self._executor = executor

    def submit(self, function: Callable[[Any], Any], item: object) -> Future[Any]:
        """Call a function with an item; the future fails if the executor accepts no more work."""
        try:
            return self._executor.submit(function, item)
        except BrokenExecutor as error:
            future: Future[Any] = Future()
            future.set_exception(error)
            return future


class Workers(Pool, AbstractContextManager["Workers"]):
    """Processes on this machine, which are replaced after one of them is killed."""

    def __init__(self, jobs: int) -> None:
        super().__init__(jobs)
        # A killed process cannot remove its temporary folders, so all are created in this one.
        self._folders = ExitStack()
        self._temporary = str(self._folders.enter_context(open_scratch_folder()))
        self._executor = self._start_executor()

    def submit(self, function: Callable[[Any], Any], item: object) -> Future[Any]:
        """Call a function with an item in one of the processes."""
        try:
            return self._executor.submit(function, item)
        except BrokenExecutor:
            self._executor.shutdown(wait=True)
            self._executor = self._start_executor()
            return self._executor.submit(function, item)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            # The results are no longer needed. On SIGTERM, processes stop what they have started.
            processes = multiprocessing.active_children()
            for process in processes:
                process.terminate()
            deadline = monotonic() + _GRACE
            for process in processes:
                process.join(max(0.0, deadline - monotonic()))
                if process.is_alive():
                    kill_children(process.pid)
                    process.kill()
        # The executor's thread must end before the interpreter does, or they would interfere.
        self._executor.shutdown(cancel_futures=kind is not None)
        self._folders.close()

    def _start_executor(self) -> ProcessPoolExecutor:
        arguments = (self._temporary,)
        return ProcessPoolExecutor(self.slots, initializer=_init_worker, initargs=arguments)


def _init_worker(temporary: str) -> None:
    """Set up a worker process: its temporary folder, and the cleanup when it exits."""
    tempfile.tempdir = temporary
    Finalize(None, kill_children, exitpriority=0)  # bots may have hidden processes
    end_with_parent()


def run_tasks(
    pool: Pool,
    function: Callable[[_Item], _Result],
    items: Iterable[_Item],
    *,
    ordered: bool = True,
    ahead: int | None = None,
    name: Callable[[_Item], str] = str,
) -> Generator[tuple[_Item, _Result | TaskLost], None, None]:
    """Call a function for each item, and yield each with its result.

    Items are read from the iterable only when a worker will soon be free. If a worker is killed,
    all tasks of its pool are lost and are run again one at a time, so that a task that kills its
    worker does not cost the others their results.

    Args:
        pool: The workers.
        function: The function; its errors are raised here.
        items: The items.
        ordered: Whether results come in the order of the items; otherwise, as they are completed.
        ahead: The largest number of items in progress; None for three per slot of the pool.
        name: Returns the name of an item for messages.

    Yields:
        Each item, with its result, or with a `TaskLost` if its workers were killed.
    """
    waiting = iter(items)
    running: dict[Future[Any], _Item] = {}
    try:
        while True:
            usual = pool.slots * _TASKS_PER_WORKER  # raises an error if the cluster is gone
            room = max(1, usual if ahead is None else ahead)
            for item in islice(waiting, max(0, room - len(running))):
                running[pool.submit(function, item)] = item
            if not running:
                return
            awaited = islice(running, 1) if ordered else running
            wait(list(awaited), _POLL_SECONDS, FIRST_COMPLETED)
            is_done = Future[Any].done
            done = list(takewhile(is_done, running) if ordered else filter(is_done, running))
            if any(map(_is_lost, done)):
                wait(running)
                done = list(running)
            for future in done:
                item = running.pop(future)
                if _is_lost(future):
                    # Nothing else is running, so the item runs alone.
                    future = pool.submit(function, item)
                yield item, _find_result(future, name(item))
    finally:
        # Processes on this machine end with their pool, so their tasks need not be canceled.
        if not isinstance(pool, Workers):
            for future in running:
                future.cancel()


def _is_lost(future: Future[Any]) -> bool:
    """Return whether a task was lost with its pool; clusters retry tasks themselves."""
    error = future.exception()
    return isinstance(error, BrokenExecutor) and not isinstance(error, Lost)


def _find_result(future: Future[_Result], name: str) -> _Result | TaskLost:
    try:
        return future.result()
    except BrokenExecutor as error:
        killed = error.times if isinstance(error, Lost) else 2
        reason = f"given up: all processes that worked on it were killed ({killed})"
        return TaskLost(f"{visible(name)}: {reason}")
