"""How far a contest has come, for whoever looks while it runs."""

from __future__ import annotations

import fcntl
from collections import deque
from datetime import datetime
from typing import TYPE_CHECKING

from kb_score.contests.progress import say_time
from kb_score.shell.output import Output, Table

if TYPE_CHECKING:
    from pathlib import Path

    from kb_score.contests.book import Book

_LAST = 200  # games whose pace tells how long the others will take


def report_status(book: Book, folder: Path) -> Output:
    """Report how many games are played, and when all will be.

    Raises:
        InputError: The results cannot be read.
    """
    ended: deque[str] = deque(maxlen=_LAST)
    played = 0
    for entry in book.read():
        played += 1
        ended.append(entry.result.ended)
    count = max(played, book.games.count())
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
    first, last = datetime.fromisoformat(min(ended)), datetime.fromisoformat(max(ended))
    return (last - first).total_seconds() / (len(ended) - 1) * games


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
