"""Games played side by side, until all are over or somebody interrupts."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

_Game = TypeVar("_Game")
_Result = TypeVar("_Result")

_LOOK = 0.1  # seconds between looks at whether all is to stop
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(Exception):
    """All is interrupted, and so is this game."""


def play_all(
    games: Iterable[_Game],
    play: Callable[[_Game], _Result],
    jobs: int,
    stop: Stop,
) -> Iterator[_Result]:
    """Play games side by side, and yield the result of each as soon as it is over.

    Args:
        games: The games.
        play: Plays one in a thread, and lets `Stop.look` end it.
        jobs: How many are played at a time.
        stop: Ends all games; it is also set if something fails.
    """
    waiting = iter(games)
    running: set[Future[_Result]] = set()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while running or not stop.event.is_set():
                for game in islice(waiting, 0 if stop.event.is_set() else jobs - len(running)):
                    running.add(pool.submit(play, game))
                if not running:
                    return
                finished, running = wait(running, _LOOK, FIRST_COMPLETED)
                for future in finished:
                    if not isinstance(future.exception(), Stopped):
                        yield future.result()
        finally:
            stop.event.set()


@dataclass(slots=True)
class Stop:
    """Whether all is to stop, and which signal says so, if it is one."""

    event: threading.Event = field(default_factory=threading.Event)
    signal: int = 0

    def look(self) -> None:
        """Raise `Stopped` if all is to stop."""
        if self.event.is_set():
            raise Stopped

    def take(self, number: int, _frame: object) -> None:
        """Take a signal; the first one counts."""
        self.signal = self.signal or number
        self.event.set()


@contextmanager
def interruptible() -> Iterator[Stop]:
    """Make a signal set an event: nothing is cut off in the middle, least of all a result.

    A signal that is ignored, such as that of a terminal that closes under ``nohup``, stays so.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop  # signals are the main thread's
        return
    numbers = [n for n in _SIGNALS if signal.getsignal(n) is not signal.SIG_IGN]
    before = [signal.signal(number, stop.take) for number in numbers]
    try:
        yield stop
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
