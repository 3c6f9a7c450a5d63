"""Many tasks, done by processes of this machine or by the workers of a cluster, all in one way."""

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
from contextlib import AbstractContextManager
from itertools import islice, takewhile
from multiprocessing.util import Finalize
from time import monotonic
from typing import Any, TypeVar

from kb_score.errors import KbScoreError, visible
from kb_score.shell.remove import remove_folder
from kb_score.shell.shutdown import SCRATCH, Ended, end_children, end_with_parent, leave

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
# Checks, where tasks are done, that all is there; it raises a `KbScoreError` if not.
Check = Callable[[], object]

# The number of tasks for each worker that are under way, so that none waits for work.
_AHEAD = 3
_LOOK = 2.0  # seconds between looks at a pool that is silent
_GRACE = 0.8  # seconds that processes have to end what they have started


class TaskLost(KbScoreError):
    """A task was given up, since whoever worked on it was killed."""


class Lost(BrokenExecutor):
    """A task is lost because the processes that it ran in ended: so many times, one by one."""

    def __init__(self, message: str, times: int) -> None:
        super().__init__(message)
        self.times = times


class Pool(ABC):
    """Does tasks, some at a time.

    A task whose process is killed fails with a `concurrent.futures.BrokenExecutor`, and can be
    submitted again.
    """

    def __init__(self, slots: int) -> None:
        """Take how many tasks run at a time."""
        self._slots = slots

    @property
    def slots(self) -> int:
        """How many tasks run at a time; it may change."""
        return self._slots

    @abstractmethod
    def submit(self, function: Callable[[Any], Any], item: object) -> Future[Any]:
        """Have a function called for an item."""

    def require(self, check: Check) -> None:  # noqa: B027, nothing is elsewhere on one machine
        """Have something checked wherever tasks are done, before the first of them."""


class BorrowedPool(Pool):
    """Somebody's own executor, which may be of threads; whoever has opened it closes it."""

    def __init__(self, executor: Executor, slots: int) -> None:
        """Take an executor, and a guess of how many tasks it does at a time."""
        super().__init__(slots)
        self._executor = executor

    def submit(self, function: Callable[[Any], Any], item: object) -> Future[Any]:
        """Have a function called; it is lost at once where the executor takes no more work."""
        try:
            return self._executor.submit(function, item)
        except BrokenExecutor as error:
            future: Future[Any] = Future()
            future.set_exception(error)
            return future


class Workers(Pool, AbstractContextManager["Workers"]):
    """Processes of this machine, replaced when one of them has been killed."""

    def __init__(self, jobs: int) -> None:
        super().__init__(jobs)
        # A process that is killed cannot remove the folders that it has made.
        self._temporary = tempfile.mkdtemp(prefix="kb-score-")
        SCRATCH.add(self._temporary)
        self._executor = self._begin()

    def submit(self, function: Callable[[Any], Any], item: object) -> Future[Any]:
        """Have a function called by one of the processes."""
        try:
            return self._executor.submit(_work, function, item)
        except BrokenExecutor:
            self._executor.shutdown(wait=True)
            self._executor = self._begin()
            return self._executor.submit(_work, function, item)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            # Nobody will ask for what they are at; they end what they have started.
            processes = multiprocessing.active_children()
            for process in processes:
                process.terminate()
            deadline = monotonic() + _GRACE
            for process in processes:
                process.join(max(0.0, deadline - monotonic()))
                if process.is_alive():
                    end_children(process.pid)
                    process.kill()
        # The thread that looks after them must be over before Python ends: they would get into each
        # other's way.
        self._executor.shutdown(cancel_futures=kind is not None)
        remove_folder(self._temporary)
        SCRATCH.discard(self._temporary)

    def _begin(self) -> ProcessPoolExecutor:
        given = (self._temporary,)
        return ProcessPoolExecutor(self.slots, initializer=_begin_work, initargs=given)


def _begin_work(temporary: str) -> None:
    tempfile.tempdir = temporary
    SCRATCH.discard(temporary)  # it is the pool's
    Finalize(None, end_children, exitpriority=0)  # where bots have hidden what they have started
    try:
        end_with_parent()
    except Ended as ended:  # concurrent.futures would print it
        leave(ended.number)


def _work(function: Callable[[_Item], _Result], item: _Item) -> _Result:
    try:
        return function(item)
    except Ended as ended:
        # Nobody waits for another task. A program that was just being started is nobody's yet.
        end_children()
        leave(ended.number)


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

    Items are drawn when there is room for them, and nothing is kept of those that are done. If a
    worker is killed, all tasks of its pool are lost: they run again one at a time. So a task that
    kills its worker loses no other result.

    Args:
        pool: The workers.
        function: The function; its errors are raised here.
        items: The items.
        ordered: Whether results come in the order of the items, or as soon as they are there.
        ahead: The number of items that may be under way; None for some for each worker.
        name: Names an item in messages.
    """
    waiting = iter(items)
    running: dict[Future[Any], _Item] = {}
    try:
        while True:
            usual = pool.slots * _AHEAD  # an error if a cluster has gone
            room = max(1, usual if ahead is None else ahead)
            for item in islice(waiting, max(0, room - len(running))):
                running[pool.submit(function, item)] = item
            if not running:
                return
            awaited = islice(running, 1) if ordered else running
            wait(list(awaited), _LOOK, FIRST_COMPLETED)
            is_done = Future[Any].done
            done = list(takewhile(is_done, running) if ordered else filter(is_done, running))
            if any(map(_is_lost, done)):
                wait(running)
                done = list(running)
            for future in done:
                item = running.pop(future)
                if _is_lost(future):
                    # Nothing else is running now.
                    future = pool.submit(function, item)
                yield item, _find_result(future, name(item))
    finally:
        # Processes of this machine end with their pool.
        for future in () if isinstance(pool, Workers) else running:
            future.cancel()


def _is_lost(future: Future[Any]) -> bool:
    """Return whether a task was lost with its pool; a cluster tries tasks again by itself."""
    error = future.exception()
    return isinstance(error, BrokenExecutor) and not isinstance(error, Lost)


def _find_result(future: Future[_Result], name: str) -> _Result | TaskLost:
    try:
        return future.result()
    except BrokenExecutor as error:
        killed = error.times if isinstance(error, Lost) else 2
        reason = f"given up: the processes at work on it were killed, {killed} in all"
        return TaskLost(f"{visible(name)}: {reason}")
