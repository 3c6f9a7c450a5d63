"""The commands ``check rabbits`` and ``play rabbits``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from kb_score.command import complain, format_option, print_verdict, read_input, rules_options
from kb_score.errors import BoardError
from kb_score.games.rabbits.check_session import check_session
from kb_score.games.rabbits.rules import Rules, find_cut_off
from kb_score.games.rabbits.session import read_session
from kb_score.games.rabbits.station import Station, read_station


@click.command()
@click.argument("map_", metavar="MAP")
@click.argument("record", metavar="RECORD")
@format_option
@rules_options
@click.pass_context
def check(
    context: click.Context,
    map_: str,
    record: str,
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
    verdict = check_session(read_session(text, station, record), station, rules, record)
    context.exit(print_verdict(verdict, format_))


def _read_map(path: str, rules: Rules) -> Station:
    station = read_station(read_input(path), path)
    for cell in find_cut_off(station, rules):
        place = station.say(cell)
        complain(f"{path}: from the rabbit start at {place} no exit can be reached", kind="warning")
    return station


COMMANDS = {"check": check}
