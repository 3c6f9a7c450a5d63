"""A Dask cluster on loopback, of processes as its users start them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.helpers import ROOT

_DASK = (sys.executable, "-m", "dask")


@dataclass(frozen=True)
class Loopback:
    """A scheduler, and workers that can be started and killed."""

    address: str
    folder: Path
    stack: ExitStack
    scheduler: subprocess.Popen[bytes]

    def add_worker(
        self, *, nanny: bool = False, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a worker, in a folder of its own, with a nanny to start it again; it is there soon.

        A nanny is one more process, which takes a second to load.
        """
        options = "--nthreads", "1", "--no-dashboard", "--nanny" if nanny else "--no-nanny"
        words = *_DASK, "worker", self.address, *options
        return self.stack.enter_context(_started(words, self.folder, environment))


@contextmanager
def open_loopback(
    folder: Path,
    workers: int,
    protocol: str = "tcp",
    environment: Mapping[str, str] | None = None,
    *,
    nannies: bool = False,
) -> Iterator[Loopback]:
    """Start a scheduler and workers, perhaps with nannies; all end at the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    where = "--host", "127.0.0.1", "--port", str(port), "--protocol", protocol
    words = *_DASK, "scheduler", *where, "--no-dashboard"
    with ExitStack() as stack:
        scheduler = stack.enter_context(_started((*words, "--no-show"), folder, environment))
        loopback = Loopback(f"{protocol}://127.0.0.1:{port}", folder, stack, scheduler)
        for _ in range(workers):
            loopback.add_worker(nanny=nannies, environment=environment)
        yield loopback


@contextmanager
def _started(
    words: tuple[str, ...], folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
    with (folder / "dask.log").open("ab") as log:
        process = subprocess.Popen(
            words, cwd=folder, env=env, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield process
    finally:
        # A nanny has its worker in its group.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
