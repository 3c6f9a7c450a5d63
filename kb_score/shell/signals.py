"""Signals, heard of from the first moment on: what is imported here needs no time to load."""

import os

TYPE_CHECKING = False  # the typing module itself takes a while
if TYPE_CHECKING:
    import signal
else:
    # What is below the signal module: that one makes enumerations.
    import _signal as signal

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
SIGNALS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))


def listen() -> None:
    """Let signals end the process at once, while it loads; what is to be ignored still is."""
    for number in find_heard({signal.SIG_DFL, signal.default_int_handler}):
        signal.signal(number, leave)


def find_heard(handlers: set[object]) -> list[int]:
    """Find the signals that one of these handles."""
    return [number for number in SIGNALS if signal.getsignal(number) in handlers]


def leave(number: int, _: object) -> None:
    """End the process with the status that tells of a signal."""
    os._exit(128 + number)
