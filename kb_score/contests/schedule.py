"""Games played side by side, until all are over or somebody interrupts."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

_Game = TypeVar("_Game")
_Result = TypeVar("_Result")

_LOOK = 0.1  # seconds between looks at whether all is to stop


class Stopped(Exception):
    """All is interrupted, and so is this game."""


def play_all(
    games: Iterable[_Game],
    play: Callable[[_Game], _Result],
    jobs: int,
    stop: threading.Event,
) -> Iterator[_Result]:
    """Play games side by side, and yield the result of each as soon as it is over.

    Args:
        games: The games.
        play: Plays one in a thread; if it finds `stop` set, it raises `Stopped`.
        jobs: How many are played at a time.
        stop: Ends all games; it is also set if something fails.
    """
    waiting = iter(games)
    running: set[Future[_Result]] = set()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while running or not stop.is_set():
                for game in islice(waiting, 0 if stop.is_set() else jobs - len(running)):
                    running.add(pool.submit(play, game))
                if not running:
                    return
                finished, running = wait(running, _LOOK, FIRST_COMPLETED)
                for future in finished:
                    if not isinstance(future.exception(), Stopped):
                        yield future.result()
        finally:
            stop.set()


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """Make an interrupt set an event: nothing is cut off in the middle, least of all a result."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop  # signals are the main thread's
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: stop.set()) for number in numbers]
    try:
        yield stop
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
