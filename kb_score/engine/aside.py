"""Long searches: their end, and clingo in a thread, so that every signal is heard at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Thread
from time import monotonic
from typing import TypeVar

_Result = TypeVar("_Result")

# Python hears of a signal this often while clingo is at work: a thread that is waited for without
# end would keep signals waiting on some systems.
PERIOD = 0.05


class TimeUp(Exception):
    """The time of a search is over; what was found until then still holds."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The end of a search, so many seconds after it begins; None for a search without end."""

    seconds: float | None
    start: float = field(default_factory=monotonic)

    @property
    def left(self) -> float | None:
        """The seconds that are left."""
        return None if self.seconds is None else self.start + self.seconds - monotonic()

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return self.left is not None and self.left <= 0

    def check(self) -> None:
        """Raise TimeUp when the time is over."""
        if self.is_over:
            raise TimeUp


def run_aside(work: Callable[[], _Result]) -> _Result:
    """Do some work in a thread, and return or raise what it does.

    What is raised in the main thread meanwhile, as by a signal, does not wait for the work. The
    process should then end: clingo cannot be told to stop while it grounds.
    """
    done: list[_Result] = []
    failed: list[BaseException] = []

    def attempt() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001
            failed.append(error)  # raised below

    thread = Thread(target=attempt, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(PERIOD)
    if failed:
        raise failed[0]
    return done[0]
