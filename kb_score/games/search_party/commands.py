"""What the game adds to the command line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from kb_score.command import format_option, print_verdict, read_input, rules_options
from kb_score.games.search_party.check import check_record
from kb_score.games.search_party.maps import read_map
from kb_score.games.search_party.records import read_record


@click.command("search-party")
@click.argument("map_path", metavar="MAP")
@click.argument("record_path", metavar="RECORD")
@format_option
@rules_options
@click.pass_context
def check(
    context: click.Context,
    map_path: str,
    record_path: str,
    format_: str,
    rule_folders: tuple[Path, ...],
    constants: Mapping[str, str],
) -> None:
    """Cross-check a record of Horror Movie Search Party.

    RECORD is a plan (what a bot answers), a stream (what the controller sends) or a session (both
    in turn); "-" is standard input.
    """
    map_ = read_map(read_input(map_path), map_path)
    record = read_record(read_input(record_path), record_path, map_)
    verdict = check_record(map_, record, record_path, folders=rule_folders, constants=constants)
    context.exit(print_verdict(verdict, format_))


COMMANDS: Mapping[str, click.Command] = {"check": check}
