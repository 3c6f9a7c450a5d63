"""A crew of the workers of a Dask cluster, of this machine or of many."""

from __future__ import annotations

import asyncio
import logging
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

from kb_score.errors import InputError, visible
from kb_score.shell.executor import Crew, Lost
from kb_score.shell.output import complain
from kb_score.shell.versions import Version, find_version

try:
    from distributed import Client, KilledWorker, rpc
except ModuleNotFoundError as error:
    _missing = visible(str(error.name))
    raise InputError(
        "--scheduler", f"{_missing} is not installed: pip install 'kb-score[cluster]'"
    ) from error

_Result = TypeVar("_Result")

_CONNECT = 10.0  # seconds in which the scheduler is to answer, and in which a worker is to come
_ASK = 10.0  # seconds in which all workers are to say what they are
_CLOSE = 0.5  # seconds for a farewell: a signal is to end the command soon
_FRESH = 2.0  # seconds for which the number of slots is believed
_POLL = 0.1  # seconds between looks for the first worker
_PATIENCE = 6.0  # seconds without a worker until that is told
_SILENT = {"distributed", "dask", "tornado", "asyncio", "bokeh"}


class Cluster(Crew):
    """The workers of a Dask cluster; the scheduler gives tasks of a dead worker to others."""

    is_far = True

    def __init__(self, client: Client, address: str) -> None:
        """Take a client that is connected."""
        self.version = find_version()
        self._client, self._address = client, address
        self._executor = client.get_executor(pure=False)
        self._slots, self._asked = 0, -_FRESH
        self._deserted = 0.0  # since when there has been no worker
        self._told = False

    @property
    def slots(self) -> int:
        """How many tasks run at a time; workers come and go."""
        if (now := time.monotonic()) - self._asked >= _FRESH:
            self._slots = sum(self._count_threads().values())
            self._asked = now
        return self._slots

    def look(self) -> None:
        """Tell, once, that no worker is left; one that comes goes on with the work."""
        if self.slots:
            self._deserted, self._told = 0.0, False
            return
        self._deserted = self._deserted or time.monotonic()
        if not self._told and time.monotonic() - self._deserted >= _PATIENCE:
            self._told = True
            complain(f"{self._address}: no worker is left: waiting for one", kind="note")

    def submit(self, task: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """Have a task done by one of the workers."""
        future: Future[Any] = Future()
        theirs = self._executor.submit(task, *args, **options)
        future.add_done_callback(lambda ours: ours.cancelled() and theirs.cancel())
        theirs.add_done_callback(lambda theirs: self._hand_on(theirs, future))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take leave of the scheduler, which then forgets what is queued."""
        if wait and not cancel_futures:
            self._executor.shutdown()
        # Who takes leave says so to nobody who has gone.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._client.close(timeout=_CLOSE)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.shutdown(cancel_futures=kind is not None)

    def ask(self, function: Callable[..., _Result]) -> Mapping[str, _Result | BaseException]:
        """Have a function called in each worker, and list the results by the workers' addresses."""
        found: Mapping[str, _Result | BaseException] = self._call(
            lambda: self._client.run(function, on_error="return")
        )
        return found

    def wait_for_worker(self) -> None:
        """Wait until there is a worker.

        Raises:
            InputError: There is none within some seconds.
        """
        deadline = time.monotonic() + _CONNECT
        while not self._count_threads():
            if time.monotonic() > deadline:
                hint = f"start one with: dask worker {self._address}"
                raise InputError(self._address, f"the scheduler has no worker: {hint}")
            time.sleep(_POLL)

    def check_versions(self) -> None:
        """Check that all workers are of this kb-score.

        Raises:
            InputError: One is not; names both.
        """
        for worker, theirs in sorted(self.ask(find_version).items()):
            if not isinstance(theirs, Version):
                reason = f"has no kb-score that works for a cluster ({_say(theirs)})"
                message = f"the worker {worker} {reason}, but here is kb-score {self.version}"
                raise InputError(self._address, message)
            if theirs != self.version:
                message = f"runs kb-score {theirs}, but here is kb-score {self.version}"
                raise InputError(self._address, f"the worker {worker} {message}")

    def _count_threads(self) -> Mapping[str, int]:
        found: Mapping[str, int] = self._call(self._client.nthreads)
        return found

    def _call(self, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except (OSError, ValueError, RuntimeError) as error:
            raise self._gone() from error

    def _gone(self) -> InputError:
        return InputError(self._address, "the scheduler is gone, and what was under way with it")

    def _hand_on(self, theirs: Future[Any], future: Future[Any]) -> None:
        """Hand on what has become of a task."""
        if not future.set_running_or_notify_cancel():
            return
        if theirs.cancelled():
            future.set_exception(self._gone())
        elif isinstance(error := theirs.exception(), KilledWorker):
            future.set_exception(Lost(str(error), error.allowed_failures + 1))
        elif error is not None:
            future.set_exception(self._explain(error))
        else:
            future.set_result(theirs.result())

    def _explain(self, error: BaseException) -> BaseException:
        if isinstance(error, ImportError) or "deserializ" in str(error):
            reason = f"kb-score cannot be loaded there ({_say(error)})"
            return InputError(
                self._address, f"{reason}: the scheduler and all workers need kb-score, as here"
            )
        return error


def connect(address: str) -> Cluster:
    """Connect to the scheduler of a cluster.

    Raises:
        InputError: Nobody answers there, there is no worker, or one is of another kb-score.
    """
    for name, logger in logging.root.manager.loggerDict.items():
        # What is worth telling we tell ourselves.
        if name.split(".")[0] in _SILENT and isinstance(logger, logging.Logger):
            logger.disabled = True
    # Parcels may be large, and versions of Dask may differ: it warns of either.
    warnings.filterwarnings("ignore", message="Sending large graph|(?s:.*)Mismatched versions")
    try:
        # A client that has not found its scheduler would go on looking for it.
        kind = asyncio.run(_ask_kind(address))
        if kind != "Scheduler":
            raise InputError(address, f"a {kind.lower()} of Dask answers here, and no scheduler")
        client = Client(address, timeout=_CONNECT, set_as_default=False)
    except InputError:
        raise
    except Exception as error:  # whatever it is that answers there
        late = f"nothing within {_CONNECT:.0f} seconds"
        reason = late if isinstance(error, TimeoutError) and not str(error) else _say(error)
        message = f"no scheduler of Dask answers here: {reason}"
        raise InputError(address or "--scheduler", message) from error
    cluster = Cluster(client, address)
    try:
        cluster.wait_for_worker()
        cluster.check_versions()
    except BaseException:
        cluster.shutdown(cancel_futures=True)
        raise
    return cluster


async def _ask_kind(address: str) -> str:
    """Ask what answers at an address, such as "Scheduler" or "Worker"."""

    async def ask() -> str:
        async with rpc(address, timeout=_CONNECT) as other:
            return str((await other.identity())["type"])

    return await asyncio.wait_for(ask(), _CONNECT)


def _say(error: object) -> str:
    text = " ".join(str(error).split())
    return text or type(error).__name__
