"""The host of a contest: has the games played that are still to come, and keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kb_score.contests.book import Numbers
from kb_score.contests.luggage import Luggage
from kb_score.contests.progress import Progress
from kb_score.contests.task import Played, make_task, play_task
from kb_score.errors import visible
from kb_score.shell.crew import TaskLost, open_crew, run_unordered
from kb_score.shell.ends import Ended
from kb_score.shell.output import complain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kb_score.contests.book import Book
    from kb_score.contests.task import Task
    from kb_score.engine.run import GameRules


@contextmanager
def explain_end(book: Book) -> Iterator[None]:
    """Tell how many games are kept when a signal ends the contest."""
    try:
        yield
    except Ended:
        played = Numbers()
        for _ in book.read(played):
            pass
        count = max(played.count, book.games.count())
        complain(f"interrupted: {played.count} of {count} games are kept; run it again to go on")
        raise


class Keep(Protocol):
    """Keeps a game that was played; when it returns, the game cannot be lost any more."""

    def __call__(self, task: Task, played: Played, key: str) -> Sequence[Path]:
        """Keep it; return the files of what the bots said, if there are any."""


@dataclass(frozen=True, slots=True)
class Host:
    """Who plays a contest's games.

    Attributes:
        book: The results that there are.
        rules: The rules.
        jobs: How many games are played at a time on this machine.
        scheduler: The address of a cluster that plays them instead; None if there is none.
        keep: Keeps a game.
    """

    book: Book
    rules: GameRules
    jobs: int
    scheduler: str | None
    keep: Keep

    def play_left(self) -> None:
        """Play all games that have no result that counts.

        Raises:
            KbScoreError: A game cannot be played, or not be kept; all others are, if they can be.
        """
        played, plan, lost = Numbers(), self.book.plan, 0
        for _ in self.book.read(played):
            pass
        self.book.tell_stale()
        count = self.book.games.count()
        if played.count:
            complain(f"{played.count} of {count} games were played before")
        if played.count == count:
            return
        tasks, folders = self._list_tasks(played), Luggage(plan, self.rules.changes)
        self._warn_of_far_bots()
        crew = open_crew(min(self.jobs, count - played.count), self.scheduler)
        with crew as open_, Progress(count - played.count) as progress:
            for task, outcome in run_unordered(open_, play_task, tasks, folders=folders):
                if isinstance(outcome, TaskLost):
                    complain(outcome)
                    lost += 1
                    continue
                logs = self.keep(task, outcome, self.book.keys.key(task.match))
                progress.tell(task, outcome, logs)
        if lost:
            raise TaskLost(f"{lost} of {count} games have no result; run it again to go on")

    def _warn_of_far_bots(self) -> None:
        """Tell which bots leave something behind on a cluster: those without a folder may."""
        bots = [bot.name for bot in self.book.plan.bots if bot.folder is None]
        if self.scheduler is not None and bots:
            said = "only the files that its command names go to the workers"
            more = f" (and {len(bots) - 1} more)" if len(bots) > 1 else ""
            complain(f"bot {visible(bots[0])}{more} has no folder: {said}", kind="warning")

    def _list_tasks(self, played: Numbers) -> Iterator[Task]:
        for match in self.book.list_left(played):
            yield make_task(self.book.plan, match, self.rules.changes)
