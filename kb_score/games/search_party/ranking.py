"""The ranking of entries as tables and as JSON."""

from __future__ import annotations

import sys

import click

from kb_score.command import complain
from kb_score.games.search_party.rank import Ranking
from kb_score.report import Table, print_tables, write_json
from kb_score.verdict import Verdict


def print_ranking(ranking: Ranking, format_: str, *, details: bool) -> None:
    """Print a ranking, and on standard error why some records and maps do not count."""
    for error in ranking.unreadable:
        complain(error)
    for verdict in ranking.rejected:
        complain(_explain(verdict), kind="note")
    for standing in ranking.standings:
        for name in ranking.maps:
            if name not in standing.best:
                complain(f"{standing.entry} has no legal record of map {name}", kind="note")
    if format_ == "json":
        for line in _list_json(ranking, details=details):
            click.echo(write_json(line), nl=False)
    else:
        tables = [_table(ranking), *([_details(ranking)] if details else [])]
        print_tables(tables, format_, sys.stdout)


def _explain(verdict: Verdict) -> str:
    if not verdict.violations:
        return f"{verdict.record} does not count: it is not played to the end"
    first = verdict.violations[0]
    who = f" ({first.who})" if first.who else ""
    return f"{verdict.record} does not count: turn {first.turn}: {first.code}{who}: {first.detail}"


def _list_json(ranking: Ranking, *, details: bool) -> list[dict[str, object]]:
    lines: list[dict[str, object]] = []
    for standing in ranking.standings:
        total = standing.total
        line: dict[str, object] = {
            "entry": standing.entry,
            "turns": total.turns,
            "costars": total.costars,
            "extras": total.extras,
            "maps": standing.maps,
        }
        if details:
            line["runs"] = [
                {
                    "map": name,
                    "record": record,
                    "turns": run.turns,
                    "costars": run.costars,
                    "extras": run.extras,
                }
                for name, (record, run) in standing.best.items()
            ]
        lines.append(line)
    return lines


def _table(ranking: Ranking) -> Table:
    rows = tuple(
        (s.rank, s.entry, s.total.turns, s.total.costars, s.total.extras, s.maps)
        for s in ranking.standings
    )
    return Table("", ("rank", "entry", "turns", "costars", "extras", "maps"), rows)


def _details(ranking: Ranking) -> Table:
    rows = tuple(
        (name, standing.entry, record, run.turns, run.costars, run.extras)
        for name in ranking.maps
        for standing in ranking.standings
        if name in standing.best
        for record, run in [standing.best[name]]
    )
    return Table("", ("map", "entry", "record", "turns", "costars", "extras"), rows)
