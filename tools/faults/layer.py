"""The layer: in a process that installs it, one operation on a file fails, or is the last.

It stands between Python and the system: ``open`` makes the files of `_pyio`, which are written in
Python and call ``os.read``, ``os.write`` and the like, and those are replaced. What C code opens by
itself (clingo, imports) passes by. Only the files below one folder count.
"""

from __future__ import annotations

import _pyio  # type: ignore[import-not-found]  # it has no stub
import builtins
import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Which operation, from 1, and how it fails; below which folder; where it is told that it failed.
NUMBER, FAULT, ROOT, LOG = (f"KB_SCORE_FAULT_{word}" for word in ("NUMBER", "FAULT", "ROOT", "LOG"))

# ``short``: half of the bytes, and the rest when asked again. ``kill``: before the operation.
# ``torn``: after half of the bytes are written, or after an operation without bytes. ``full``: the
# disk has room for half of the bytes, and for nothing from then on.
FAULTS = ("ENOSPC", "full", "EIO", "EINTR", "short", "kill", "torn")
_NEED_ROOM = ("write", "open", "mkdir", "link")

_PLAIN = ("fsync", "fdatasync", "rename", "replace", "ftruncate", "truncate", "mkdir", "link")
_real: dict[str, Callable[..., Any]] = {
    name: getattr(os, name) for name in (*_PLAIN, "read", "write", "sendfile", "open")
}


class Layer:
    """Counts operations, and lets one of them fail."""

    def __init__(self, number: int, fault: str, root: str, log: str) -> None:
        """Let the operation of this number fail; the arguments are those of the environment."""
        self._number = number
        self._fault = fault
        self._root = root
        self._log = log
        self._count = 0
        self._lock = threading.Lock()

    def meet(self, operation: str, target: int | str | bytes | os.PathLike[Any]) -> str:
        """Count an operation.

        Returns:
            ``short`` or ``torn`` if this one shall be so, else an empty text.

        Raises:
            OSError: This one fails.
        """
        path = self._find_path(target)
        if not path.startswith(self._root) or path.endswith("/err"):
            return ""
        with self._lock:
            self._count += 1
            if not self._is_met(operation):
                return ""
        self._tell(f"{operation} {Path(path).name}")
        if self._fault == "kill":
            end()
        if self._fault == "full":
            if operation == "write" and self._count == self._number:
                return "short"
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self._fault in ("short", "torn"):
            return self._fault
        code = getattr(errno, self._fault)
        raise OSError(code, os.strerror(code))

    def _is_met(self, operation: str) -> bool:
        if self._fault == "full":
            return self._count >= self._number and operation in _NEED_ROOM
        return self._count == self._number

    def _find_path(self, target: int | str | bytes | os.PathLike[Any]) -> str:
        if not isinstance(target, int):
            return str(Path(os.fsdecode(target)).absolute())
        try:
            return str(Path(f"/proc/self/fd/{target}").readlink())
        except OSError:
            return ""

    def _tell(self, text: str) -> None:
        handle = _real["open"](self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        _real["write"](handle, text.encode())
        os.close(handle)


def end() -> None:
    """Die at once, as if the power were cut."""
    os.kill(os.getpid(), signal.SIGKILL)


def install() -> None:
    """Put the layer between this process and its files, as the environment says."""
    environment = os.environ
    layer = Layer(int(environment[NUMBER]), environment[FAULT], environment[ROOT], environment[LOG])
    for name in _PLAIN:
        setattr(os, name, _plain(layer, name))
    _replace_data(layer)

    def open_(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if flags & os.O_CREAT and dir_fd is None and layer.meet("open", path) == "torn":
            _real["open"](path, flags, mode)
            end()
        handle: int = _real["open"](path, flags, mode, dir_fd=dir_fd)
        return handle

    os.open = open_
    builtins.open = io.open = _pyio.open
    results = _pyio.BufferedWriter(_pyio.FileIO(1, "wb", closefd=False))
    sys.stdout = _pyio.TextIOWrapper(results, "utf-8")


def _plain(layer: Layer, name: str) -> Callable[..., Any]:
    def operate(target: Any, *arguments: Any, **options: Any) -> Any:
        fault = layer.meet(name, target)
        result = _real[name](target, *arguments, **options)
        if fault == "torn":
            end()
        return result

    return operate


def _replace_data(layer: Layer) -> None:
    def write(handle: int, data: Any) -> int:
        fault = layer.meet("write", handle)
        view = memoryview(data).cast("B")
        written: int = _real["write"](handle, view[: max(1, len(view) // 2)] if fault else view)
        if fault == "torn":
            end()
        return written

    def read(handle: int, size: int) -> bytes:
        fault = layer.meet("read", handle)
        data: bytes = _real["read"](handle, size)
        if fault == "torn":
            end()
        if fault and len(data) > 1:
            half = len(data) // 2
            os.lseek(handle, half - len(data), os.SEEK_CUR)
            return data[:half]
        return data

    def sendfile(target: int, source: int, offset: int | None, count: int, *more: Any) -> int:
        fault = layer.meet("write", target)
        if fault:
            count = min(count, max(1, os.fstat(source).st_size // 2))
        sent: int = _real["sendfile"](target, source, offset, count, *more)
        if fault == "torn":
            end()
        return sent

    os.write, os.read, os.sendfile = write, read, sendfile  # type: ignore[assignment]
