"""What a crew is, whoever does its work."""

from __future__ import annotations

from abc import abstractmethod
from concurrent.futures import BrokenExecutor, Executor

from kb_score.shell.versions import Version


class Lost(BrokenExecutor):
    """A task is lost because the processes that it ran in ended: so many times, one by one."""

    def __init__(self, message: str, times: int) -> None:
        super().__init__(message)
        self.times = times


class Crew(Executor):
    """An executor that knows how many tasks it does at a time.

    A task whose process is killed fails with a `concurrent.futures.BrokenExecutor`, and can be
    submitted again.

    Attributes:
        version: What workers must be that may be of another kb-score; else None.
        is_far: Whether workers may have other files than this machine.
    """

    version: Version | None = None
    is_far = False

    @property
    @abstractmethod
    def slots(self) -> int:
        """How many tasks run at a time; it may change."""

    def look(self) -> None:
        """Look whether there is still somebody at work; called when nothing comes for a while."""
