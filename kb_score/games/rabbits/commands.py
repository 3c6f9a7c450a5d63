"""The commands ``check rabbits`` and ``play rabbits``."""

from __future__ import annotations

import click

from kb_score.command import (
    FINE,
    Seconds,
    complain,
    format_option,
    in_order,
    open_output,
    print_verdict,
    read_input,
    read_inputs,
    record_option,
    rules_options,
)
from kb_score.errors import BoardError
from kb_score.games.rabbits.check_run_log import check_run_log
from kb_score.games.rabbits.check_session import check_session
from kb_score.games.rabbits.facts import recognises
from kb_score.games.rabbits.printer import Printer
from kb_score.games.rabbits.records import recognise_record
from kb_score.games.rabbits.referee import Log, Match, play_match
from kb_score.games.rabbits.rules import find_cut_off
from kb_score.games.rabbits.run_log import read_run_log
from kb_score.games.rabbits.session import Run, read_session, write_session
from kb_score.games.rabbits.station import Station, read_station
from kb_score.games.rabbits.table import check_table
from kb_score.rules import Changes


@click.command(
    "rabbits",
    short_help="A session, a run log or a score table.",
    epilog="Example: kb-score check rabbits station.map run.log --explain session.txt",
)
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
    changes: Changes,
) -> None:
    """Cross-check a record of Rabbits and crusher-bots.

    MAP is the drawing of the station. RECORD is a session, a run log or a score table: which, its
    contents show. One of the two files may be "-", standard input.
    """
    map_text, text = read_inputs(map_, record)
    with in_order(swapped=recognises(text)):
        station = _read_map(map_text, map_, changes)
    kind = recognise_record(text, record)
    if explain is not None and kind != "log":
        raise click.UsageError("--explain is for run logs: other records have no choices to find")
    runs: tuple[Run, ...] = ()
    if kind == "session":
        verdict = check_session(read_session(text, station, record), station, changes, record)
    elif kind == "table":
        verdict = check_table(text, changes, record)
    else:
        log = read_run_log(text, station, record)
        verdict, runs = check_run_log(log, station, changes, record, explain=explain is not None)
    if explain == "-" and runs:
        # Where the session goes to standard output, it shall be all that does.
        click.echo(write_session(runs, station), nl=False)
        context.exit(FINE)
    if explain is not None and runs:
        with open_output(explain, [map_, record, *changes.paths]) as write:
            write(write_session(runs, station))
    elif explain is not None:
        complain(f"{explain}: not written, for nothing explains this log", kind="note")
    context.exit(print_verdict(verdict, format_))


def _read_map(text: str, path: str, changes: Changes) -> Station:
    station = read_station(text, path)
    for cell in find_cut_off(station, changes):
        place = station.say(cell)
        complain(f"{path}: from the rabbit start at {place} no exit can be reached", kind="warning")
    return station


@click.command(
    "rabbits",
    short_help="A program that moves the rabbits.",
    epilog="Example: kb-score play rabbits station.map -- python3 program.py",
)
@click.argument("map_", metavar="MAP")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.option(
    "--turns",
    type=click.IntRange(1, 10**6),
    default=500,
    show_default=True,
    metavar="N",
    help="The turns of a run.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 10**9),
    default=0,
    show_default=True,
    metavar="N",
    help="Of every run; 0 draws one from 1 to 1000 for each.",
)
@click.option(
    "--runs",
    type=click.IntRange(1, 10**6),
    default=5,
    show_default=True,
    metavar="N",
    help="How many runs are played.",
)
@click.option(
    "--start-time",
    type=Seconds(zero=True),
    default=2,
    show_default=True,
    metavar="SECONDS",
    help="How long the program may take to get ready.",
)
@click.option(
    "--answer-time",
    type=Seconds(),
    default=0.5,
    show_default=True,
    metavar="SECONDS",
    help="How long the program may take for each answer; a late one ends the run.",
)
@record_option
@click.option("--run-log", metavar="FILE", help="Write frames, as the controller does, to FILE.")
@format_option
@rules_options
def play(
    map_: str,
    command: tuple[str, ...],
    turns: int,
    seed: int,
    runs: int,
    start_time: float,
    answer_time: float,
    record: str | None,
    run_log: str | None,
    format_: str,
    changes: Changes,
) -> None:
    """Referee a program of Rabbits and crusher-bots live, as the challenge's controller does.

    COMMAND starts the program; the map's path and the run's seed are added to it. A late answer, or
    the end of the program, ends a run, and the points until then count.
    """
    if map_ == "-":
        raise BoardError(map_, "the program is given the path of the map: name a file")
    station = _read_map(read_input(map_), map_, changes)
    match = Match(station, changes, turns, seed, runs, command, start_time, answer_time)
    printer = Printer(match, format_)
    inputs = [map_, *command, *changes.paths]
    with (
        open_output(record, inputs) as session,
        open_output(run_log, [*inputs, record or map_]) as frames,
    ):
        played = play_match(match, Log(session, frames), printer.add)
    printer.end(played)


COMMANDS = {"check": check, "play": play}
