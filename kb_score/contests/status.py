"""How far a contest has come, for whoever looks while it runs."""

from __future__ import annotations

import fcntl
from collections import deque
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from kb_score.contests.progress import say_time
from kb_score.shell.output import Output, Table

if TYPE_CHECKING:
    from pathlib import Path

    from kb_score.contests.book import Book

_PAUSE = 60.0  # seconds without a game that are perhaps a pause
_LAST = 200  # games whose pace tells how long the others will take


def report_status(book: Book, folder: Path) -> Output:
    """Report how many games are played, and when all will be.

    Raises:
        InputError: The results cannot be read.
    """
    ended: deque[str] = deque(maxlen=_LAST)
    played = 0
    added = 0
    for entry in book.read():
        played += 1
        added += entry.match.added
        ended.append(entry.result.ended)
    count = book.games.count() + added
    running = is_open(book.path)
    seconds = _find_left(ended, count - played) if running else None
    game = book.plan.game.replace("_", "-")
    line = {
        "contest": book.plan.name,
        "game": game,
        "results": str(folder),
        "played": played,
        "games": count,
        "running": running,
        "seconds_left": None if seconds is None else round(seconds),
    }
    done = "yes" if running else "no"
    left = "-" if seconds is None else say_time(seconds)
    columns = ("contest", "game", "played", "games", "running", "time left")
    row = (book.plan.name, game, played, count, done, left)
    return Output([Table("", columns, (row,))], [line])


def _find_left(ended: deque[str], games: int) -> float | None:
    """Find out how many seconds some games will take, if they go on as those that ended."""
    if len(ended) < 2:
        return None
    moments = sorted(datetime.fromisoformat(moment).timestamp() for moment in ended)
    gaps = [after - before for before, after in pairwise(moments)]
    # While nobody plays, no game ends.
    longest = max(_PAUSE, 10 * median(gaps))
    usual = [gap for gap in gaps if gap <= longest]
    return sum(usual) / max(1, len(usual)) * games


def is_open(path: Path) -> bool:
    """Whether somebody has the results open to add to them."""
    try:
        with path.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
