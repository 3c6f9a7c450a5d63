"""The leaderboard of a tournament, as the challenge prints it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from kb_score.games.slime.results import GameResult
from kb_score.report import Table

_COLUMNS = ("Name", "Avg Score", "Last Updated (UTC)")
_NAME_WIDTH = 24  # as in the challenge; longer names make it wider


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the leaderboard.

    Attributes:
        name: The bot.
        average: The mean of its squares over its games; 0 before the first.
        games: How many games it has played.
        updated: When the last of them ended, in ISO 8601; empty before the first.
    """

    name: str
    average: float
    games: int
    updated: str

    def to_json(self) -> dict[str, object]:
        """Make the object that ``--format json`` prints on one line."""
        return {"name": self.name, "average": round(self.average, 3), "games": self.games}


def rank_bots(names: Sequence[str], results: Iterable[GameResult]) -> list[Standing]:
    """Rank bots by their mean number of squares; equals stay in the order of the names."""
    scores: dict[str, list[int]] = {name: [] for name in names}
    updated = dict.fromkeys(names, "")
    for result in results:
        for name, squares in zip(result.bots, result.squares, strict=True):
            scores[name].append(squares)
            updated[name] = max(updated[name], result.ended)
    standings = [
        Standing(name, sum(own) / len(own) if own else 0.0, len(own), updated[name])
        for name, own in scores.items()
    ]
    return sorted(standings, key=lambda standing: -standing.average)


def make_table(standings: Sequence[Standing]) -> Table:
    """Make the leaderboard for Markdown and spreadsheets."""
    return Table("", _COLUMNS, tuple(_cells(standing) for standing in standings))


def draw_leaderboard(standings: Sequence[Standing]) -> str:
    """Draw the leaderboard as the challenge prints it."""
    rows = [_COLUMNS, *(_cells(standing) for standing in standings)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))]
    widths[0] = max(widths[0], _NAME_WIDTH)
    ruler = "+" + "+".join("-" * (width + 2) for width in widths) + "+\n"
    padded = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    lines = [f"| {' | '.join(cells)} |\n" for cells in padded]
    return ruler + lines[0] + ruler + "".join(lines[1:]) + ruler


def _cells(standing: Standing) -> tuple[str, str, str]:
    when = datetime.fromisoformat(standing.updated) if standing.updated else None
    # Written out, for strftime's month names depend on the reader's language.
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    updated = ""
    if when:
        half = "AM" if when.hour < 12 else "PM"
        updated = f"{months[when.month - 1]} {when.day} {when.hour % 12 or 12:02}:{when:%M} {half}"
    return standing.name, f"{standing.average:.3f}", updated
