"""The table of a contest, in the four formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kb_score.games.sitting import FAULTS
from kb_score.shell.output import Output, Table, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb_score.contests.plan import Plan
    from kb_score.contests.standings import Standing

_RANGES = "The ranges hold the true value in 95 of 100 contests."
NOTE = f"""\
{_RANGES} Neighbours are separated if the
range of the first one's rating is above that of the other; if not, their order may be luck."""


def report_table(plan: Plan, standings: Sequence[Standing], format_: str) -> Output:
    """Report the table of a contest, the best bot first."""
    lines = [to_json(plan, standing) for standing in standings]
    if format_ == "csv":
        columns = tuple(lines[0]) if lines else ()
        rows = tuple(tuple(_flat(value) for value in line.values()) for line in lines)
        return Output([Table("", columns, rows)], lines)
    title = f"{plan.name}: {plan.game.replace('_', '-')}"
    return Output(
        [Table(title, *list_rows(plan, standings)), Text(NOTE if len(standings) > 1 else _RANGES)],
        lines,
    )


def list_rows(
    plan: Plan, standings: Sequence[Standing]
) -> tuple[tuple[str, ...], tuple[tuple[str | int, ...], ...]]:
    """List the columns of the table for people, and its rows."""
    figures = plan.arena.form.figures
    others = [figure for figure in figures if figure != plan.measure or plan.table == 1]
    versions = any(bot.version for bot in plan.bots)
    faults = [fault for fault in FAULTS if any(s.faults[fault] for s in standings)]
    columns = ["", "bot", *["version"] * versions, "games", f"{plan.measure} a game", "95 %"]
    # Who has nobody to be compared with has no rating.
    rated = len(plan.bots) > 1
    columns += [*others, *["rating", "rating 95 %"] * rated, *faults, *["next"] * rated]
    rows = []
    for standing in standings:
        bot = plan.bots[standing.bot]
        row: list[str | int] = [standing.place, bot.name, *[bot.version] * versions, standing.games]
        row += [*_write_mean(standing), *(standing.sums[figure] for figure in others)]
        rating = standing.rating
        if rated:
            row += [f"{rating.rating:.1f}", "{:.1f} to {:.1f}".format(*rating.interval)]
        row += [standing.faults[fault] for fault in faults]
        row += [_say_apart(standing)] * rated
        rows.append(tuple(row))
    return tuple(columns), tuple(rows)


def _write_mean(standing: Standing) -> tuple[str, str]:
    mean = standing.mean
    if mean is None:
        return "-", ""
    written = "{:.2f} to {:.2f}".format(*mean.interval) if mean.interval else ""
    return f"{mean.mean:.2f}", written


def _say_apart(standing: Standing) -> str:
    if standing.separated is None:
        return ""
    return "separated" if standing.separated else "not separated"


def to_json(plan: Plan, standing: Standing) -> dict[str, Any]:
    """Make the object of a bot, as ``--format json`` prints it on one line."""
    bot, mean, rating = plan.bots[standing.bot], standing.mean, standing.rating
    interval = mean.interval if mean else None
    return {
        "place": standing.place,
        "name": bot.name,
        "version": bot.version,
        "games": standing.games,
        "average": round(mean.mean, 3) if mean else None,
        "interval": _round(interval) if interval else None,
        "rating": round(rating.rating, 2),
        "rating_sd": round(rating.sd, 2),
        "rating_interval": _round(rating.interval),
        "separated": standing.separated,
        **standing.faults,
        "seconds_median": round(standing.seconds[0], 4),
        "seconds_worst": round(standing.seconds[1], 4),
        **standing.sums,
    }


def _round(interval: tuple[float, float]) -> list[float]:
    return [round(bound, 3) for bound in interval]


def _flat(value: Any) -> str | int:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(map(str, value))
    if value is None:
        return ""
    return value if isinstance(value, int) else str(value)
