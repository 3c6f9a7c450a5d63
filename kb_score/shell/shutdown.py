"""How the command ends: with its exit status, on a signal, or after an internal failure."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

# Not every system has SIGHUP.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_SIGNALS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
_READER_GONE = 141  # the exit status that shells report for a program killed by SIGPIPE


class Ended(SystemExit):
    """A signal ends the command; ``with`` and ``finally`` clean up.

    Attributes:
        number: The number of the signal.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(128 + number)


def run_process(command: Callable[[], int]) -> NoReturn:
    """Run a command that has a process to itself, and end the process with its exit status.

    A signal raises `Ended` in the command, and a second one ends the process at once.
    """
    received: list[int] = []
    lost: list[int] = []
    process = os.getpid()

    def end(number: int, _: object) -> None:
        # A forked worker inherits this handler and keeps it until it sets its own.
        if (received and not lost) or os.getpid() != process:
            leave(number)
        received.append(number)
        lost.clear()
        raise Ended(number)

    def raise_again(dropped: sys.UnraisableHookArgs) -> None:
        """Send the signal once more if Python has dropped `Ended`, as it does in destructors."""
        if not isinstance(dropped.exc_value, Ended):
            sys.__unraisablehook__(dropped)
            return
        lost.append(dropped.exc_value.number)
        # Python calls the handler in the main thread, once it has left the destructor.
        threading.Timer(0.01, signal.raise_signal, lost[-1:]).start()

    _open_streams()
    sys.unraisablehook = raise_again
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end)
    try:
        status = _run(command, received)
    except Ended:
        status = 0
    if received:
        status = 128 + received[0]
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    # A process that a bot detached became our child when its parent exited.
    kill_children()
    # Python would take a long time to free a large result, and would wait for threads of clingo.
    os._exit(status)


def end_with_parent() -> None:
    """Make a worker process end when its parent does, and at once on SIGTERM.

    An exception would not do: `concurrent.futures` catches it, and may wait for ever to send it.
    """
    from multiprocessing import parent_process

    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        leave(signal.SIGTERM)

    # The terminal sends the other signals to the parent, too.
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, _: leave(number))
    threading.Thread(target=wait, daemon=True).start()


def leave(number: int) -> NoReturn:
    """End the process and all that it has started, with the exit status for a signal."""
    kill_children()
    os._exit(128 + number)


def _open_streams() -> None:
    """Open the standard streams that are closed, and let standard output be UTF-8.

    A terminal gets what it can show.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # A file that is opened later must not become a standard stream. Results that nobody can
            # read are an error, so standard output does not take them; messages are dropped.
            os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
    sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")  # type: ignore[union-attr]


def _run(command: Callable[[], int], received: list[int]) -> int:
    """Run a command, print its error without a traceback, and return the exit status."""
    try:
        status = command()
        sys.stdout.flush()
    except SystemExit as error:
        return int(error.code or 0)
    except BrokenPipeError:
        return _READER_GONE
    except Exception as error:  # noqa: BLE001, each failure gets a report
        if received:
            return 0  # the signal is what ended the command: Python has replaced its `Ended`
        # Nobody may be there to read the message.
        with suppress(OSError):
            return _report(error)
        return 2
    return status


def _report(error: Exception) -> int:
    """Print an error, and return the exit status."""
    from kb_score.errors import KbScoreError, describe_failure
    from kb_score.shell.output import Exit, complain

    if isinstance(error, KbScoreError):
        complain(error)
        return Exit.UNUSABLE
    if isinstance(error, OSError):
        complain(f"cannot continue: {describe_failure(error)}")
        return Exit.UNUSABLE
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
    """Kill all descendants of a process; None for this process."""
    if process is None and not has_children():
        return
    import psutil

    try:
        for child in psutil.Process(process).children(recursive=True):
            child.kill()
    except psutil.Error:
        return  # it has just ended
