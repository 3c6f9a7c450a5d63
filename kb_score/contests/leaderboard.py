"""The leaderboard of a tournament, as the challenge prints it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from kb_score.contests.standings import rank
from kb_score.shell.output import Output, Table, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb_score.contests.standings import Sheets
    from kb_score.engine.run import GameRules

_COLUMNS = ("Name", "Avg Score", "Last Updated (UTC)")
_NAME_WIDTH = 24  # as in the challenge; longer names make it wider
# Written out, for strftime's month names depend on the reader's language.
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def report_leaderboard(sheets: Sheets, rules: GameRules, format_: str) -> Output:
    """Report a leaderboard, for people in the box that the challenge draws.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    places = rank(sheets, rules)
    rows, lines = [], []
    for bot in sorted(places, key=lambda bot: (places[bot], bot)):
        name, sheet = sheets.plan.bots[bot].name, sheets.bots[bot]
        games = sum(sheet.scores.values())
        total = sum(squares * number for (_, (squares,)), number in sheet.scores.items())
        average = total / games if games else 0.0
        rows.append((name, f"{average:.3f}", _write_time(sheet.updated)))
        lines.append({"name": name, "average": round(average, 3), "games": games})
    box = Text(_draw_box([_COLUMNS, *rows]), "picture")
    table = Table("", _COLUMNS, tuple(rows))
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
