"""How the command ends: with a status, by a signal, without a reader, by a failure of its own.

Nothing but what every Python has loaded is imported here at once: signals are heard of before that.
"""

from __future__ import annotations

import io
import os
import sys

from kb_score.shell.signals import SIGNALS, find_heard, leave, listen

TYPE_CHECKING = False  # the typing module itself takes a while
if TYPE_CHECKING:
    import signal
    from types import FrameType
    from typing import NoReturn

    from _typeshed import ReadableBuffer
else:
    import _signal as signal  # as in signals.py

_READER_GONE = 141  # as a shell says it of a program that SIGPIPE has ended
_PATIENCE = 1.4  # seconds in which the main thread may end what it has begun
_LOOKS = 14  # how often it is seen meanwhile whether it has heard of the signal


class Ended(SystemExit):
    """A signal ends the command: what is open is closed on the way out."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(128 + number)


class _ReaderGone(SystemExit):
    """Whoever read standard output has read enough."""


class _Results(io.FileIO):
    """Standard output: it tells a reader who has gone from a disk that is full."""

    failed = False

    def write(self, data: ReadableBuffer, /) -> int:
        if self.failed:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except BrokenPipeError:
            self.failed = True
            raise _ReaderGone(_READER_GONE) from None
        except OSError as error:
            from kb_score.errors import InputError, say_failure

            self.failed = True
            raise InputError("standard output", say_failure(error)) from error


class _Messages(io.FileIO):
    """Standard error: where nobody can be told, the exit status says enough."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


class OwnProcess:
    """A ``with`` statement around a command as the process that it is.

    It ends the process with the command's exit status, by a signal that comes, or after a failure.
    """

    def __enter__(self) -> None:
        listen()
        _take_streams()
        _watch()
        self._heard = find_heard({leave})
        for number in self._heard:
            signal.signal(number, _end)

    def __exit__(self, _: object, error: BaseException | None, _trace: object) -> NoReturn:
        try:
            if isinstance(error, Ended):
                raise error
            status = _finish(error)
        except Ended as ended:
            # Standard output is not waited for, nor anything else. A program that was just being
            # started is nobody's yet.
            end_children()
            leave(ended.number)
        for number in _received:
            # What the signal raised was lost on the way, and a bot may have heard it too.
            leave(number)
        for number in self._heard:
            signal.signal(number, signal.SIG_IGN)
        # What a bot has started and hidden from us has been ours since it lost its parent.
        end_children()
        sys.stderr.flush()
        # Python would take long to free a large result, and hears of no signal meanwhile.
        os._exit(status)


def end_with_parent() -> None:
    """Make a process that works for another one end when that is gone, or at a signal.

    A signal is raised as `Ended`, so that it ends what it has started; who catches it leaves.
    """
    import threading
    from multiprocessing import parent_process

    signal.set_wakeup_fd(-1)
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
    for number in SIGNALS:
        # Whatever the other process does at a signal: what is to be ignored still is.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)


# The signals that end this process, and those whose exception Python has dropped.
_received: list[int] = []
_lost: list[int] = []


def _end(number: int, _: FrameType | None) -> None:
    _received.append(number)
    for other in find_heard({_end}):
        signal.signal(other, signal.SIG_IGN)
    # Python drops what is raised while it takes an object apart, and would print it.
    sys.unraisablehook = _lose
    raise Ended(number)


def _lose(dropped: sys.UnraisableHookArgs) -> None:
    if isinstance(dropped.exc_value, Ended):
        number = dropped.exc_value.number
        signal.signal(number, _end)
        _lost.append(number)


def _finish(error: BaseException | None) -> int:
    """Write what is left of standard output, report an error, and return the exit status."""
    if isinstance(error, SystemExit) and not isinstance(error, _ReaderGone):
        status = int(error.code or 0)
    elif error is not None:
        return _report(error)
    else:
        status = 0
    try:
        sys.stdout.flush()
    except Ended:
        raise
    except BaseException as failure:  # noqa: BLE001, as that of the command
        return _report(failure)
    return status


def _report(error: BaseException) -> int:
    """Report why a command could not go on, without a traceback; return the exit status."""
    from kb_score.errors import KbScoreError
    from kb_score.shell.output import Exit, complain

    if isinstance(error, _ReaderGone):
        return _READER_GONE
    if isinstance(error, KbScoreError):
        complain(error)
        return Exit.UNUSABLE
    # What a signal has broken off is no failure.
    if not _received:
        complain(_report_failure(error))
    return Exit.FAILED


def _report_failure(error: BaseException) -> str:
    """Write down what has failed, and say where that is to be read."""
    import tempfile
    import traceback

    from kb_score.version import __version__

    failed = f"kb-score itself has failed ({type(error).__name__}): please report it"
    trace = "".join(traceback.format_exception(error))
    details = f"kb-score {__version__}\n{sys.argv!r}\n{sys.version}\n{trace}"
    try:
        number, path = tempfile.mkstemp(prefix="kb-score-failure-", suffix=".txt")
        with open(number, "w", encoding="utf-8", errors="backslashreplace") as stream:  # noqa: PTH123
            stream.write(details)
    except OSError:
        return failed
    return f"{failed}, with the file {path}"


def _take_streams() -> None:
    """Take the standard streams into our hands, those too that are not there."""
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            # Nothing that is opened later shall be taken for a standard stream.
            os.open(os.devnull, mode)
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    sys.stdout = _wrap(_Results(1, "wb", closefd=False), getattr(sys.stdout, "encoding", None))
    sys.stderr = _wrap(_Messages(2, "wb", closefd=False), getattr(sys.stderr, "encoding", None))


def _wrap(raw: io.FileIO, encoding: str | None) -> io.TextIOWrapper:
    live = raw.isatty() or raw.fileno() == 2
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding or "utf-8", "backslashreplace", line_buffering=live
    )


def _watch() -> None:
    """End the process for certain, soon after a signal.

    Python hears of a signal only between its own steps: a picture may take longer than that.
    """
    import threading
    import time

    told, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)

    def wait() -> None:
        number = 0
        while number not in SIGNALS:
            number = os.read(told, 1)[0]
        for _ in range(_LOOKS):
            time.sleep(_PATIENCE / _LOOKS)
            if _lost:
                os.kill(os.getpid(), _lost.pop())
        end_children()
        leave(number)

    threading.Thread(target=wait, daemon=True).start()


def has_children() -> bool:
    """Whether this process has any, among them those that have ended unnoticed."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT | os.WNOHANG)
    except ChildProcessError:
        return False
    return True


def end_children(process: int | None = None) -> None:
    """End all that a process has started, and what that has started; this one if none is named."""
    if process is None and not has_children():
        return
    import psutil

    try:
        for child in psutil.Process(process).children(recursive=True):
            child.kill()
    except psutil.Error:
        return  # it has just ended
