"""The leaderboard of a tournament, as the challenge prints it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from kb_score.games.slime.rules import RANK, RankedRow, TotalRow
from kb_score.shell.output import Output, Table, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb_score.contests.results import GameResult
    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Row

_COLUMNS = ("Name", "Avg Score", "Last Updated (UTC)")
_NAME_WIDTH = 24  # as in the challenge; longer names make it wider
# Written out, for strftime's month names depend on the reader's language.
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


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


def rank_bots(
    names: Sequence[str], results: Sequence[GameResult], rules: GameRules
) -> list[Standing]:
    """Rank bots by their mean number of squares, as ``asp/slime/rank.lp`` says.

    Args:
        names: The bots in the order of the tournament's file.
        results: The games.
        rules: The rules.
    """
    bots: list[Row] = [(bot,) for bot in range(len(names))]
    scored: list[Row] = [
        (names.index(name), game, squares)
        for game, result in enumerate(results)
        for name, squares in zip(result.bots, result.squares, strict=True)
    ]
    answer = rules.ask(RANK, {"bot": bots, "scored": scored})
    totals = {row.bot: row for row in answer.read(TotalRow)}
    standings = []
    for row in sorted(answer.read(RankedRow), key=lambda row: row.place):
        name, total = names[row.bot], totals[row.bot]
        average = total.sum_ / total.games if total.games else 0.0
        updated = max((r.ended for r in results if name in r.bots), default="")
        standings.append(Standing(name, average, total.games, updated))
    return standings


def report_leaderboard(standings: Sequence[Standing], format_: str) -> Output:
    """Report a leaderboard: for people in the box that the challenge draws."""
    rows = tuple((s.name, f"{s.average:.3f}", _write_time(s.updated)) for s in standings)
    box = Text(_draw_box([_COLUMNS, *rows]), "picture")
    lines = [{"name": s.name, "average": round(s.average, 3), "games": s.games} for s in standings]
    table = Table("", _COLUMNS, rows)
    return Output([box if format_ == "table" else table], lines, table)


def _draw_box(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    widths[0] = max(widths[0], _NAME_WIDTH)
    ruler = "+" + "+".join("-" * (width + 2) for width in widths) + "+\n"
    padded = ([c.ljust(width) for c, width in zip(row, widths, strict=True)] for row in rows)
    head, *lines = (f"| {' | '.join(cells)} |\n" for cells in padded)
    return ruler + head + ruler + "".join(lines) + ruler


def _write_time(moment: str) -> str:
    if not moment:
        return ""
    when = datetime.fromisoformat(moment)
    half = "AM" if when.hour < 12 else "PM"
    return f"{_MONTHS[when.month - 1]} {when.day} {when.hour % 12 or 12:02}:{when:%M} {half}"
