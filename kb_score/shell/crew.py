"""Many tasks, done by processes of this machine or by the workers of a cluster, all in one way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from kb_score.errors import InputError, KbScoreError, visible
from kb_score.shell.executor import Crew, Lost
from kb_score.shell.orders import Done, Lacking, Order, OtherVersion, pack, work
from kb_score.shell.parcels import Parcel
from kb_score.shell.versions import Version

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

# So many tasks for each slot are under way, so that nobody waits for work.
_AHEAD = 3
# A task that has lost its process so often is given up.
_TRIES = 3
_LOOK = 2.0  # seconds between looks at a crew that is silent
_NO_FOLDERS: Mapping[Path, Parcel] = {}


class TaskLost(KbScoreError):
    """A task was given up, since whoever worked on it was killed."""


@contextmanager
def open_crew(jobs: int, scheduler: str | None = None) -> Iterator[Crew]:
    """Open a crew: so many processes of this machine, or the workers of a Dask cluster.

    Args:
        jobs: How many processes; a cluster says itself how many tasks it does at a time.
        scheduler: The address of the cluster's scheduler; None for this machine.

    Raises:
        InputError: Nobody answers at the address, there is no worker, or one is of another
            kb-score; or what talks to clusters is not installed.
    """
    # Either takes a while to load.
    if scheduler is None:
        from kb_score.shell.workers import Workers

        crew: Crew = Workers(jobs)
    else:
        from kb_score.shell.cluster import connect

        crew = connect(scheduler)
    with crew:
        yield crew


def run_unordered(
    crew: Crew,
    function: Callable[[_Item], _Result],
    items: Iterable[_Item],
    ahead: int | None = None,
    *,
    name: Callable[[_Item], str] = str,
    folders: Mapping[Path, Parcel] = _NO_FOLDERS,
) -> Generator[tuple[_Item, _Result | TaskLost], None, None]:
    """Have a function called for each item, and yield each with its result as soon as it is there.

    What a killed worker took with it is done again. Items are drawn when there is room for them,
    and nothing is kept of those that are done.

    Args:
        crew: Who does it.
        function: It must be found by its name in its module; a `KbScoreError` of it is raised.
        items: What it is called with.
        ahead: How many items are drawn and not yet yielded, at most; by default three a slot.
        name: What messages call an item.
        folders: Folders that go to far workers by content, wherever their paths are in an item.

    Raises:
        InputError: A worker is of another kb-score, or the cluster is gone.
    """
    run: _Run[_Item, _Result] = _Run(crew, function, name, folders)
    waiting = iter(items)
    try:
        while True:
            for item in islice(waiting, run.room(ahead)):
                run.add(item)
            if not run.left:
                return
            for task in run.finish():
                yield task.item, cast("_Result | TaskLost", task.result)
    finally:
        run.cancel()


def run_ordered(
    crew: Crew,
    function: Callable[[_Item], _Result],
    items: Iterable[_Item],
    ahead: int | None = None,
    *,
    name: Callable[[_Item], str] = str,
    folders: Mapping[Path, Parcel] = _NO_FOLDERS,
) -> Generator[tuple[_Item, _Result | TaskLost], None, None]:
    """Do as `run_unordered`, but yield the results in the order of the items."""
    run: _Run[_Item, _Result] = _Run(crew, function, name, folders)
    waiting = iter(items)
    queue: deque[_Task[_Item]] = deque()
    try:
        while True:
            for item in islice(waiting, run.room(ahead, len(queue))):
                queue.append(run.add(item))
            if not queue:
                return
            while not queue[0].is_done:
                run.finish()
            task = queue.popleft()
            yield task.item, cast("_Result | TaskLost", task.result)
    finally:
        run.cancel()


@dataclass(slots=True)
class _Task(Generic[_Item]):
    """An item that is under way."""

    item: _Item
    order: Order
    parcels: Mapping[str, Parcel]
    sent: tuple[Parcel, ...] = ()  # those that a worker has asked for
    lost: int = 0  # how many processes it has lost
    is_done: bool = False
    result: Any = None

    @property
    def is_suspect(self) -> bool:
        """Whether it has to run alone, so that it shows whether the losses are its fault."""
        return self.lost >= _TRIES - 1


@dataclass(slots=True)
class _Run(Generic[_Item, _Result]):
    """Tasks under way, and what becomes of them."""

    crew: Crew
    function: Callable[[_Item], _Result]
    name: Callable[[_Item], str]
    folders: Mapping[Path, Parcel]
    ready: deque[_Task[_Item]] = field(default_factory=deque)
    suspects: deque[_Task[_Item]] = field(default_factory=deque)
    running: dict[Future[Any], _Task[_Item]] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """How many tasks are not done."""
        return len(self.ready) + len(self.suspects) + len(self.running)

    def room(self, ahead: int | None, taken: int | None = None) -> int:
        """How many more tasks may be added, with so many taken."""
        most = self.crew.slots * _AHEAD if ahead is None else ahead
        return max(0, max(1, most) - (self.left if taken is None else taken))

    def add(self, item: _Item) -> _Task[_Item]:
        """Begin with an item."""
        folders = self.folders if self.crew.is_far else _NO_FOLDERS
        order, parcels = pack(self.function, item, self.crew.version, folders)
        task = _Task(item, order, parcels)
        self.ready.append(task)
        self._send()
        return task

    def finish(self) -> list[_Task[_Item]]:
        """Wait until something happens; return the tasks that are done now, if any are."""
        self._send()
        ended, _ = wait(self.running, _LOOK, FIRST_COMPLETED)
        if not ended:
            self.crew.look()
        tasks = [(future, self.running.pop(future)) for future in ended]
        for future, task in tasks:
            self._settle(future, task)
        return [task for _, task in tasks if task.is_done]

    def cancel(self) -> None:
        """Give up what is under way; processes of this machine end with their crew."""
        for future in self.running if self.crew.is_far else ():
            future.cancel()

    def _send(self) -> None:
        """Have done what may be done now."""
        if self.suspects and not self.running:
            self._submit(self.suspects.popleft())
        elif not (self.suspects or any(task.is_suspect for task in self.running.values())):
            while self.ready:
                self._submit(self.ready.popleft())

    def _submit(self, task: _Task[_Item]) -> None:
        self.running[self.crew.submit(work, task.order, task.sent)] = task

    def _put_back(self, task: _Task[_Item]) -> None:
        (self.suspects if task.is_suspect else self.ready).append(task)

    def _settle(self, future: Future[Any], task: _Task[_Item]) -> None:
        try:
            outcome = future.result()
        except BrokenExecutor as error:
            was_alone = task.is_suspect
            task.lost += error.times if isinstance(error, Lost) else 1
            if was_alone:
                task.is_done, task.result = True, self._give_up(task)
            else:
                self._put_back(task)
            return
        if isinstance(outcome, OtherVersion):
            raise InputError("a worker", f"it runs {_say_versions(outcome.version, task)}")
        if isinstance(outcome, Lacking):
            task.sent = tuple(task.parcels[digest] for digest in outcome.digests)
            self._put_back(task)
            return
        assert isinstance(outcome, Done)
        task.is_done, task.result = True, outcome.read()

    def _give_up(self, task: _Task[_Item]) -> TaskLost:
        reason = f"given up: the processes at work on it were killed, {task.lost} in all"
        return TaskLost(f"{visible(self.name(task.item))}: {reason}")


def _say_versions(theirs: Version, task: _Task[Any]) -> str:
    return f"kb-score {theirs}, but here is kb-score {task.order.version}"


__all__ = ["Crew", "TaskLost", "open_crew", "run_ordered", "run_unordered"]
