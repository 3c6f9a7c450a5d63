"""How the command ends: with its exit status, on a signal, or after an internal failure."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from kb_score.shell.remove import remove_folder
from kb_score.shell.streams import ReaderGone, open_streams

if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

# Not every system has SIGHUP.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_SIGNALS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
_GRACE_SECONDS = (
    1.4  # seconds after a signal until the process ends even if the main thread is busy
)
_RETRY_SECONDS = 0.01  # seconds for an interrupted destructor to end

# The paths of temporary files and folders, which are removed when a signal ends the process.
SCRATCH: set[str] = set()
# The signals received so far.
_received: list[int] = []


class Ended(SystemExit):
    """A signal ends the command; ``with`` and ``finally`` clean up.

    Attributes:
        number: The number of the signal.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(128 + number)


class OwnProcess:
    """A context manager for a command that has a process to itself.

    It ends the process: with the command's exit status, on a signal, or after a failure.
    """

    def __enter__(self) -> None:
        open_streams()
        _start_watchdog()
        _handle_signals()

    def __exit__(self, _: object, error: BaseException | None, _trace: object) -> NoReturn:
        status = 0
        if not _received:
            with suppress(Ended):
                status = _finish(error)
        if _received:
            # Output that is still buffered is dropped.
            kill_children()
            leave(_received[0])
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        # A process that a bot detached became our child when its parent exited.
        kill_children()
        sys.stderr.flush()
        # Python would take a long time to free a large result, without handling signals.
        os._exit(status)


def end_with_parent() -> None:
    """Make a worker process end when its parent does, or on a signal.

    A signal raises `Ended`, so that the worker cleans up; the caller must catch it. A worker ends
    even if `concurrent.futures` catches it: after that it could wait for ever to send a result.
    """
    from multiprocessing import parent_process

    # A signal that is met in the start of a thread would leave as another error than `Ended`.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    _start_watchdog()  # the parent's watches only the parent
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
    _handle_signals()
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def leave(number: int) -> NoReturn:
    """Remove temporary files, and end the process with the exit status for a signal."""
    for path in tuple(SCRATCH):
        try:
            os.unlink(path)  # noqa: PTH108
        except IsADirectoryError:
            remove_folder(path)
        except OSError:
            continue  # it has not been created yet, or has been removed already
    os._exit(128 + number)


def _handle_signals() -> None:
    """Make signals raise `Ended`, except those that the process ignores."""
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    if _is_dropping(frame):
        return  # the error would be dropped again; `_send_again` sends the next signal
    _received.append(number)
    for other in _SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    sys.unraisablehook = _raise_again
    raise Ended(number)


def _raise_again(dropped: sys.UnraisableHookArgs) -> None:
    """Raise `Ended` again after a moment if Python has dropped it in a destructor."""
    error = dropped.exc_value
    if isinstance(error, Ended):
        signal.signal(error.number, _end)
        threading.Thread(target=_send_again, args=(error.number,), daemon=True).start()


def _send_again(number: int) -> None:
    """Keep sending this process a signal until `_end` raises `Ended` and ignores the signal."""
    while signal.getsignal(number) is _end:
        time.sleep(_RETRY_SECONDS)
        os.kill(os.getpid(), number)


def _is_dropping(frame: FrameType | None) -> bool:
    """Return whether the main thread is in `_raise_again`, where Python drops all errors."""
    while frame is not None and frame.f_code is not _raise_again.__code__:
        frame = frame.f_back
    return frame is not None


def _start_watchdog() -> None:
    """Start a thread that ends the process soon after a signal, even if the main thread is busy.

    Python handles signals only between its own instructions; a call to clingo may take minutes.
    """
    source, target = os.pipe()
    os.set_blocking(target, False)
    signal.set_wakeup_fd(target, warn_on_full_buffer=False)

    def wait() -> None:
        number = 0
        while number not in _SIGNALS:
            number = os.read(source, 1)[0]
        time.sleep(_GRACE_SECONDS)
        kill_children()
        leave(number)

    threading.Thread(target=wait, daemon=True).start()


def _finish(error: BaseException | None) -> int:
    """Flush standard output, report an error, and return the exit status."""
    if error is None or (isinstance(error, SystemExit) and not isinstance(error, ReaderGone)):
        try:
            sys.stdout.flush()
        except Ended:
            raise
        except BaseException as failure:  # noqa: BLE001, reported like an error of the command
            error = failure
    if isinstance(error, SystemExit):
        return int(error.code or 0)
    return 0 if error is None else _report(error)


def _report(error: BaseException) -> int:
    """Print a command's error without a traceback, and return the exit status."""
    from kb_score.errors import KbScoreError
    from kb_score.shell.output import Exit, complain

    if isinstance(error, KbScoreError):
        complain(error)
        return Exit.UNUSABLE
    if not _received:  # an interrupted command has not failed
        complain(_write_failure(error))
    return Exit.FAILED


def _write_failure(error: BaseException) -> str:
    """Write a report of a failure to a file, and return the message that names it."""
    import tempfile
    import traceback

    from kb_score.version import __version__

    failed = f"kb-score itself has failed ({type(error).__name__}): please report it"
    trace = "".join(traceback.format_exception(error))
    details = f"kb-score {__version__}\n{sys.argv!r}\n{sys.version}\n{trace}"
    try:
        fd, path = tempfile.mkstemp(prefix="kb-score-failure-", suffix=".txt")
        with open(fd, "w", encoding="utf-8", errors="backslashreplace") as stream:  # noqa: PTH123
            stream.write(details)
    except OSError:
        return failed
    return f"{failed}, with the file {path}"


def has_children() -> bool:
    """Return whether this process has children, including zombies."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT | os.WNOHANG)
    except ChildProcessError:
        return False
    return True


def kill_children(process: int | None = None) -> None:
    """Kill all descendants of a process.

    Args:
        process: The process ID; None for this process.
    """
    if process is None and not has_children():
        return
    import psutil

    try:
        for child in psutil.Process(process).children(recursive=True):
            child.kill()
    except psutil.Error:
        return  # it has just ended
