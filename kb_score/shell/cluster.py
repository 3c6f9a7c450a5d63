"""The pool of a command: processes on this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import logging
import pickle
import re
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager
from functools import cache, lru_cache, partial
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb_score.errors import InputError, KbScoreError, shorten
from kb_score.resources import find_folder, list_below
from kb_score.shell.pool import Check, Lost, Pool, Workers
from kb_score.version import __version__

if TYPE_CHECKING:
    from distributed import Client

_CONNECT_TIMEOUT = (
    10.0  # seconds to wait for an answer from the scheduler, and for the first worker
)
_CLOSE_TIMEOUT = 0.5  # seconds to wait for a clean close: a signal must end the command soon
_FRESH = 2.0  # seconds for which the number of slots is cached
_POLL_INTERVAL = 0.1  # seconds between checks for the first worker
_KEPT = 10  # messages of Dask that the client keeps
_ADDRESS = re.compile(r"((tcp|tls|ucx|wss?)://)?([^\s/:\[\]]+|\[[^\s\[\]]+\]):([0-9]{1,5})/?")
_MAX_PORT = 65535
_FORM = "tcp://host:8786 (tls://, ucx://, ws:// or wss:// in place of tcp://)"
_SILENT = {"distributed", "dask", "tornado", "asyncio", "bokeh"}


def open_pool(jobs: int, scheduler: str | None = None) -> AbstractContextManager[Pool]:
    """Open a pool of ``jobs`` processes, or of the workers of the Dask cluster with a scheduler.

    Raises an InputError if the cluster cannot be used.
    """
    if scheduler is None:
        return Workers(jobs)
    return connect(scheduler)


class Cluster(Pool):
    """The workers of a Dask cluster; the scheduler gives tasks of a dead worker to others."""

    def __init__(self, client: Client, address: str) -> None:
        super().__init__(0)
        self._client = client
        self._address = address
        self._check = _pack(_check_nothing)
        self._counted = -_FRESH  # when slots were counted

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # The scheduler drops queued tasks itself; Dask warns if it is gone already.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._client.close(timeout=_CLOSE_TIMEOUT)

    @property
    def slots(self) -> int:
        """The number of tasks that run at a time; it changes with the workers."""
        now = time.monotonic()
        if now - self._counted >= _FRESH:
            self._slots = sum(self._count_threads().values())
            self._counted = now
        return self._slots

    def submit(self, function: Callable[[Any], Any], item: object) -> Future[Any]:
        """Call a function for an item on one of the workers."""
        future: Future[Any] = Future()
        task = _pack((function, item))
        theirs = self._client.submit(_work, find_version(), self._check, task, pure=False)

        def cancel(ours: Future[Any]) -> None:
            if ours.cancelled():
                theirs.cancel()

        future.add_done_callback(cancel)
        self._client.loop.add_callback(self._forward_result, theirs, future)
        return future

    def require(self, check: Check) -> None:
        """Run a check on all present workers now, and on new ones before their first task.

        Raises an InputError if the check fails on a worker, or if one has another version of kb-
        score.
        """
        version = find_version()
        self._check = _pack(check)
        run = partial(self._client.run, _check, version, self._check, on_error="return")
        for worker, error in sorted(self._call(run).items()):
            if isinstance(error, KbScoreError):
                raise InputError(f"the worker {worker}", str(error))
            if error is not None:
                reason = f"has no kb-score that can work in a cluster ({_write_error(error)})"
                message = f"the worker {worker} {reason}: install kb-score {version} there"
                raise InputError(self._address, message)

    def wait_for_worker(self) -> None:
        """Wait for the first worker; raise an InputError after 10 seconds."""
        deadline = time.monotonic() + _CONNECT_TIMEOUT
        while not self._count_threads():
            if time.monotonic() > deadline:
                hint = f"start one with: dask worker {self._address}"
                raise InputError(self._address, f"the scheduler has no worker: {hint}")
            time.sleep(_POLL_INTERVAL)

    def _count_threads(self) -> Mapping[str, int]:
        found: Mapping[str, int] = self._call(self._client.nthreads)
        return found

    def _call(self, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except (OSError, ValueError, RuntimeError) as error:
            raise self._report_gone() from error

    def _report_gone(self) -> InputError:
        return InputError(self._address, "the scheduler is gone, and the running tasks are lost")

    async def _forward_result(self, theirs: Any, future: Future[Any]) -> None:
        """Set the result or the error of a task in our future.

        Dask's own executor checks the state of a task after its result has arrived. If the worker
        has died by then, the state has changed, and the result would be lost.
        """
        from distributed import CancelledError, KilledWorker
        from distributed.comm import CommClosedError

        result: Any = None
        error: BaseException | None = None
        try:
            result = await theirs
        except (CancelledError, CommClosedError):
            error = self._report_gone()
        except KilledWorker as killed:
            error = Lost(str(killed), killed.allowed_failures + 1)
        except Exception as other:  # noqa: BLE001, a task may raise anything
            error = self._explain(other)
        if not future.set_running_or_notify_cancel():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def _explain(self, error: BaseException) -> BaseException:
        """Return the error of a task, or a hint if its worker cannot load kb-score."""
        if isinstance(error, ImportError) or "deserializ" in str(error):
            reason = f"kb-score cannot be loaded there ({_write_error(error)})"
            hint = "the scheduler and all workers need the same kb-score as this machine"
            return InputError(self._address, f"{reason}: {hint}")
        return error


class _Packer(pickle.Pickler):
    """Pickles data for workers; paths become absolute, since workers run in other folders."""

    def reducer_override(self, value: object) -> Any:
        if isinstance(value, Path) and not value.is_absolute():
            return Path, (str(value.absolute()),)
        return NotImplemented


def _pack(value: object) -> bytes:
    stream = BytesIO()
    _Packer(stream, pickle.HIGHEST_PROTOCOL).dump(value)
    return stream.getvalue()


def _check_nothing() -> None:
    """Do nothing: the check for commands that require none."""


def _work(version: str, check: bytes, task: bytes) -> Any:
    """Run a task on a worker; the task is unpickled only if the worker passes the check."""
    from distributed import get_worker

    try:
        _check(version, check)
    except KbScoreError as error:
        raise InputError(f"the worker {get_worker().address}", str(error)) from error
    function, item = pickle.loads(task)
    return function(item)


@lru_cache(maxsize=16)
def _check(version: str, check: bytes) -> None:
    """Check that a worker has the same version of kb-score, and all that a command needs."""
    own_version = find_version()
    if own_version != version:
        difference = f"it runs kb-score {own_version}, but this machine runs kb-score {version}"
        raise KbScoreError(difference)
    pickle.loads(check)()


@cache
def find_version() -> str:
    """Return the version of this process, such as ``0.1.0 (ff883b9cb3aa)``.

    The parentheses contain a digest of the rules and the code, since a copy may have been changed.
    The version is cached, since the code of a running process does not change.
    """
    package = Path(__file__).resolve().parents[1]
    patterns = [(package, "*.py"), (find_folder("asp"), "*"), (find_folder("parsers"), "*")]
    digest = sha256()
    for root, pattern in patterns:
        for path in sorted(list_below(root)):
            name = path.relative_to(root).as_posix()
            if path.is_file() and path.match(pattern):
                data = path.read_bytes()
                header = f"{root.name}/{name} {len(data)}\n"
                digest.update(header.encode() + data)
    return f"{__version__} ({digest.hexdigest()[:12]})"


def connect(address: str) -> Cluster:
    """Connect to the scheduler of a cluster at an address such as ``tcp://host:8786``.

    Raises:
        InputError: It cannot be reached or has no worker, a worker has another version of kb-score,
            or Dask is not installed.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None or int(found[4]) > _MAX_PORT:
        message = f"the address of a scheduler looks like {_FORM}"
        raise InputError(shorten(address) or "--scheduler", message)
    try:
        import dask
        from distributed import Client
    except ModuleNotFoundError as error:
        message = f"{error.name} is not installed: run pip install 'kb-score[cluster]'"
        raise InputError("--scheduler", message) from error
    import asyncio

    _silence()
    try:
        # A client that finds no scheduler would keep trying, so the kind is queried without one.
        kind = asyncio.run(_ask_kind(address))
        if kind != "Scheduler":
            answering = f"a Dask {kind.lower()} answers here"
            raise InputError(address, f"{answering}: use the address of the scheduler")
        # The client logs the last messages with all their data: a few are enough.
        with dask.config.set({"distributed.admin.low-level-log-length": _KEPT}):
            client = Client(address, timeout=_CONNECT_TIMEOUT, set_as_default=False)
    except InputError:
        raise
    except Exception as error:  # any program may answer there
        message = f"no Dask scheduler answers here: {_explain_silence(address, error)}"
        raise InputError(address, message) from error
    cluster = Cluster(client, address)
    try:
        cluster.wait_for_worker()
        cluster.require(_check_nothing)
    except BaseException as error:
        cluster.__exit__(type(error))
        raise
    return cluster


def _explain_silence(address: str, error: Exception) -> str:
    """Return why no scheduler answers at an address; for TLS this is the text of Dask's error."""
    if address.startswith("tls:"):
        return f"{_write_error(error)} (see docs/cluster.md for the certificates)"
    if isinstance(error, TimeoutError) or "timed out" in str(error).lower():
        return f"nothing within {_CONNECT_TIMEOUT:.0f} seconds"
    # Dask misreads the answers of other programs as sizes, counts and names.
    return "the program there does not speak its protocol"


def _silence() -> None:
    """Silence Dask's messages and warnings: commands print their own."""
    for name, logger in logging.root.manager.loggerDict.items():
        if name.split(".")[0] in _SILENT and isinstance(logger, logging.Logger):
            logger.disabled = True
    # Dask warns of large boards and of different versions of itself.
    warnings.filterwarnings("ignore", message="Sending large graph|(?s:.*)Mismatched versions")


async def _ask_kind(address: str) -> str:
    """Return the kind of server at an address, such as "Scheduler" or "Worker"."""
    import asyncio

    from distributed import Security, rpc

    keys = Security().get_connection_args("client")
    async with (
        asyncio.timeout(_CONNECT_TIMEOUT),
        rpc(address, timeout=_CONNECT_TIMEOUT, connection_args=keys) as other,
    ):
        identity = await other.identity()
    return str(identity["type"])


def _write_error(error: object) -> str:
    """Return the text of an error on one line, or its class if it has none."""
    text = " ".join(str(error).split())
    return text or type(error).__name__
