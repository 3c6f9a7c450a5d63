"""The commands ``check rabbits`` and ``play rabbits``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from kb_score.command import (
    FINE,
    complain,
    format_option,
    print_verdict,
    read_input,
    rules_options,
)
from kb_score.errors import BoardError
from kb_score.games.rabbits.check_run_log import check_run_log
from kb_score.games.rabbits.check_session import check_session
from kb_score.games.rabbits.records import recognise_record
from kb_score.games.rabbits.rules import Rules, find_cut_off
from kb_score.games.rabbits.run_log import read_run_log
from kb_score.games.rabbits.session import Run, read_session, write_session
from kb_score.games.rabbits.station import Station, read_station
from kb_score.games.rabbits.table import check_table


@click.command()
@click.argument("map_", metavar="MAP")
@click.argument("record", metavar="RECORD")
@click.option(
    "--explain",
    metavar="FILE",
    help="Write choices that explain a run log to FILE, as a session; - is standard output.",
)
@format_option
@rules_options
@click.pass_context
def check(
    context: click.Context,
    map_: str,
    record: str,
    explain: str | None,
    format_: str,
    rule_folders: tuple[Path, ...],
    constants: Mapping[str, str],
) -> None:
    """Check a session, a run log or a score table against the rules.

    MAP is the drawing of the station, RECORD what came of it; which kind it is its contents show.
    """
    if map_ == record == "-":
        raise BoardError("-", "the map and the record cannot both be standard input")
    rules = Rules(rule_folders, constants)
    station = _read_map(map_, rules)
    text = read_input(record)
    kind = recognise_record(text, record)
    if explain is not None and kind != "log":
        raise click.UsageError("--explain is for run logs: other records have no choices to find")
    runs: tuple[Run, ...] = ()
    if kind == "session":
        verdict = check_session(read_session(text, station, record), station, rules, record)
    elif kind == "table":
        verdict = check_table(text, rules, record)
    else:
        log = read_run_log(text, station, record)
        verdict, runs = check_run_log(log, station, rules, record, explain=explain is not None)
    if explain == "-" and runs:
        # Where the session goes to standard output, it shall be all that does.
        click.echo(write_session(runs, station), nl=False)
        context.exit(FINE)
    if explain is not None and runs:
        write_file(explain, write_session(runs, station))
    context.exit(print_verdict(verdict, format_))


def write_file(path: str, text: str) -> None:
    """Write a file that the user named.

    Raises:
        BoardError: It cannot be written.
    """
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BoardError(path, (error.strerror or str(error)).lower()) from error


def _read_map(path: str, rules: Rules) -> Station:
    station = read_station(read_input(path), path)
    for cell in find_cut_off(station, rules):
        place = station.say(cell)
        complain(f"{path}: from the rabbit start at {place} no exit can be reached", kind="warning")
    return station


COMMANDS = {"check": check}
