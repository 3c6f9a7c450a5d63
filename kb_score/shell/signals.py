"""Signals, heard of from the first moment on: what is imported here needs no time to load."""

from __future__ import annotations

import os

from kb_score.shell.remove import remove_folder

TYPE_CHECKING = False  # the typing module itself takes a while
if TYPE_CHECKING:
    import signal
    from typing import NoReturn
else:
    # What is below the signal module: that one makes enumerations.
    import _signal as signal

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
SIGNALS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))


def listen(first: object = signal.default_int_handler) -> None:
    """Let signals end the process at once, while it loads, in place of what was there ``first``."""
    # What is to be ignored still is.
    for number in find_heard({signal.SIG_DFL, signal.default_int_handler, first}):
        signal.signal(number, leave)


def find_heard(handlers: set[object]) -> list[int]:
    """Find the signals that one of these handles."""
    return [number for number in SIGNALS if signal.getsignal(number) in handlers]


# Files and folders that are there for a moment only: a signal that ends the process removes them.
SCRATCH = set[str]()


def leave(number: int, _: object = None) -> NoReturn:
    """End the process with the status that tells of a signal."""
    for path in tuple(SCRATCH):
        try:
            os.unlink(path)  # noqa: PTH108
        except IsADirectoryError:
            remove_folder(path)
        except OSError:
            continue  # it is not there yet, or no longer
    os._exit(128 + number)
