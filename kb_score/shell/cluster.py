"""The pool that a command asks for: processes of this machine, or the workers of a Dask cluster."""

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
from kb_score.resources import list_folders, list_user_folders
from kb_score.shell.pool import Check, Lost, Pool, Workers
from kb_score.version import __version__

if TYPE_CHECKING:
    from distributed import Client

_CONNECT = 10.0  # seconds in which the scheduler is to answer, and in which a worker is to come
_CLOSE = 0.5  # seconds for a farewell: a signal is to end the command soon
_FRESH = 2.0  # seconds for which the number of slots is believed
_POLL = 0.1  # seconds between looks for the first worker
_KEPT = 10  # so many messages
_ADDRESS = re.compile(r"((tcp|tls|ucx|wss?)://)?([^\s/:\[\]]+|\[[^\s\[\]]+\]):([0-9]{1,5})/?")
_MOST_PORT = 65535
_FORM = "tcp://host:8786 (tls://, ucx://, ws:// or wss:// in place of tcp://)"
_SILENT = {"distributed", "dask", "tornado", "asyncio", "bokeh"}


def open_pool(jobs: int, scheduler: str | None = None) -> AbstractContextManager[Pool]:
    """Open a pool: so many processes of this machine, or the workers of a Dask cluster."""
    return Workers(jobs) if scheduler is None else connect(scheduler)


class Cluster(Pool):
    """The workers of a Dask cluster; the scheduler gives tasks of a dead worker to others."""

    def __init__(self, client: Client, address: str) -> None:
        super().__init__(0)
        self._client, self._address = client, address
        self._check, self._asked = _pack(_check_nothing), -_FRESH

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # Who takes leave says so to nobody who has gone; the scheduler forgets what is queued.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._client.close(timeout=_CLOSE)

    @property
    def slots(self) -> int:
        """How many tasks run at a time; workers come and go."""
        if (now := time.monotonic()) - self._asked >= _FRESH:
            self._slots = sum(self._count_threads().values())
            self._asked = now
        return self._slots

    def submit(self, function: Callable[[Any], Any], item: object) -> Future[Any]:
        """Have a function called by one of the workers."""
        future: Future[Any] = Future()
        task = _pack((function, item))
        theirs = self._client.submit(_work, find_version(), self._check, task, pure=False)
        future.add_done_callback(lambda ours: ours.cancelled() and theirs.cancel())
        self._client.loop.add_callback(self._hand_on, theirs, future)
        return future

    def require(self, check: Check) -> None:
        """Have something checked by each worker before its first task, and by all that are there.

        An InputError names the worker on which it fails, or which is of another kb-score.
        """
        self._check = _pack(check)
        version, there = find_version(), self._check
        run = partial(self._client.run, _check, version, there, on_error="return")
        for worker, error in sorted(self._call(run).items()):
            if isinstance(error, KbScoreError):
                raise InputError(f"the worker {worker}", str(error))
            if error is not None:
                reason = f"has no kb-score that works for a cluster ({_say(error)})"
                message = f"the worker {worker} {reason}, but here is kb-score {version}"
                raise InputError(self._address, message)

    def wait_for_worker(self) -> None:
        """Wait until there is a worker."""
        deadline = time.monotonic() + _CONNECT
        while not self._count_threads():
            if time.monotonic() > deadline:
                hint = f"start one with: dask worker {self._address}"
                raise InputError(self._address, f"the scheduler has no worker: {hint}")
            time.sleep(_POLL)

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

    async def _hand_on(self, theirs: Any, future: Future[Any]) -> None:
        """Hand on what becomes of a task.

        Dask's own executor looks at the state of a task after its result has come. If the worker
        has died by then, the state is another one, and the result is lost.
        """
        from distributed import CancelledError, KilledWorker
        from distributed.comm import CommClosedError

        result: Any = None
        error: BaseException | None = None
        try:
            result = await theirs
        except (CancelledError, CommClosedError):
            error = self._gone()
        except KilledWorker as killed:
            error = Lost(str(killed), killed.allowed_failures + 1)
        except Exception as other:  # noqa: BLE001, whatever the task raises
            error = self._explain(other)
        if not future.set_running_or_notify_cancel():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def _explain(self, error: BaseException) -> BaseException:
        if isinstance(error, ImportError) or "deserializ" in str(error):
            reason = f"kb-score cannot be loaded there ({_say(error)})"
            return InputError(
                self._address, f"{reason}: the scheduler and all workers need kb-score, as here"
            )
        return error


class _Packer(pickle.Pickler):
    """Packs what goes to workers; they have other present folders."""

    def reducer_override(self, value: object) -> Any:
        if isinstance(value, Path) and not value.is_absolute():
            return Path, (str(value.absolute()),)
        return NotImplemented


def _pack(value: object) -> bytes:
    stream = BytesIO()
    _Packer(stream, pickle.HIGHEST_PROTOCOL).dump(value)
    return stream.getvalue()


def _check_nothing() -> None:
    """Check what has to be there where nothing has."""


def _work(version: str, check: bytes, task: bytes) -> Any:
    """Do a task on a worker; it is unpacked when it is certain that it can be."""
    from distributed import get_worker

    try:
        _check(version, check)
    except KbScoreError as error:
        raise InputError(f"the worker {get_worker().address}", str(error)) from error
    function, item = pickle.loads(task)
    return function(item)


@lru_cache(maxsize=16)
def _check(version: str, check: bytes) -> None:
    """Check on a worker that it is of the same kb-score, and has all that is needed."""
    if (ours := find_version()) != version:
        raise KbScoreError(f"it runs kb-score {ours}, but here is kb-score {version}")
    pickle.loads(check)()


@cache
def find_version() -> str:
    """Find the version of this process, such as ``0.1.0 (ff883b9cb3aa)``.

    In brackets stands a digest of the rules and the code, which tells a changed copy from the one
    that was published. It stays while the process runs, as its code does.
    """
    package, hashed = Path(__file__).resolve().parents[1], sha256()
    files = (root for name in ("asp", "parsers") for root in list_folders(name))
    code = (package, *list_user_folders("kb_score"))
    for root, pattern in (*((root, "*.py") for root in code), *((root, "*") for root in files)):
        for path in sorted(root.rglob(pattern)):
            name = path.relative_to(root).as_posix()
            if path.is_file() and "__pycache__" not in name:
                data = path.read_bytes()
                hashed.update(f"{root.name}/{name} {len(data)}\n".encode() + data)
    return f"{__version__} ({hashed.hexdigest()[:12]})"


def connect(address: str) -> Cluster:
    """Connect to the scheduler of a cluster; an InputError says why that fails."""
    found = _ADDRESS.fullmatch(address)
    if found is None or int(found[4]) > _MOST_PORT:
        message = f"the address of a scheduler looks like {_FORM}"
        raise InputError(shorten(address) or "--scheduler", message)
    try:
        import dask
        from distributed import Client
    except ModuleNotFoundError as error:
        message = f"{error.name} is not installed: pip install 'kb-score[cluster]'"
        raise InputError("--scheduler", message) from error
    import asyncio

    _silence()
    try:
        # A client that has not found its scheduler would go on looking for it.
        kind = asyncio.run(_ask_kind(address))
        if kind != "Scheduler":
            raise InputError(address, f"a {kind.lower()} of Dask answers here, and no scheduler")
        # It keeps the last messages, with all that is in them: a few are enough.
        with dask.config.set({"distributed.admin.low-level-log-length": _KEPT}):
            client = Client(address, timeout=_CONNECT, set_as_default=False)
    except InputError:
        raise
    except Exception as error:  # whatever it is that answers there
        message = f"no scheduler of Dask answers here: {_explain_silence(address, error)}"
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
    """Explain why nothing at an address could be asked; of Dask's words those on TLS are kept."""
    if address.startswith("tls:"):
        return f"{_say(error)} (see docs/cluster.md for the certificates)"
    if isinstance(error, TimeoutError) or "timed out" in str(error).lower():
        return f"nothing within {_CONNECT:.0f} seconds"
    # Whatever else answers sends what Dask takes for sizes, counts and names.
    return "what answers does not speak its protocol"


def _silence() -> None:
    """Let Dask print nothing: what is worth telling we tell ourselves."""
    for name, logger in logging.root.manager.loggerDict.items():
        if name.split(".")[0] in _SILENT and isinstance(logger, logging.Logger):
            logger.disabled = True
    # Boards may be large, and versions of Dask may differ: it warns of either.
    warnings.filterwarnings("ignore", message="Sending large graph|(?s:.*)Mismatched versions")


async def _ask_kind(address: str) -> str:
    """Ask what answers at an address, such as "Scheduler" or "Worker"."""
    import asyncio

    from distributed import Security, rpc

    async def ask() -> str:
        keys = Security().get_connection_args("client")
        async with rpc(address, timeout=_CONNECT, connection_args=keys) as other:
            return str((await other.identity())["type"])

    return await asyncio.wait_for(ask(), _CONNECT)


def _say(error: object) -> str:
    text = " ".join(str(error).split())
    return text or type(error).__name__
