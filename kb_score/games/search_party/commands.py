"""What the game adds to the command line."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import click

from kb_score.bots import Bot
from kb_score.command import (
    FINE,
    UNUSABLE,
    Seconds,
    format_option,
    in_order,
    open_output,
    print_verdict,
    read_input,
    read_inputs,
    record_option,
    rules_options,
)
from kb_score.games.search_party.check import check_record
from kb_score.games.search_party.facts import recognises
from kb_score.games.search_party.maps import read_map
from kb_score.games.search_party.outcome import Progress, print_outcome
from kb_score.games.search_party.play import Game, referee
from kb_score.games.search_party.rank import rank_entries
from kb_score.games.search_party.ranking import print_ranking
from kb_score.games.search_party.records import read_record
from kb_score.rules import Changes, read_rules


@click.command(
    "search-party",
    short_help="A plan, a stream or a session.",
    epilog="Example: kb-score check search-party map.txt plan.txt",
)
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
    changes: Changes,
) -> None:
    """Cross-check a record of Horror Movie Search Party.

    RECORD is a plan (what a bot answers), a stream (what the controller sends) or a session (both
    in turn): which, its contents show. One of the two files may be "-", standard input.
    """
    map_text, text = read_inputs(map_path, record_path)
    with in_order(swapped=recognises(text)):
        map_ = read_map(map_text, map_path)
    record = read_record(text, record_path, map_)
    verdict = check_record(map_, record, record_path, changes)
    context.exit(print_verdict(verdict, format_))


@click.command(
    "search-party",
    short_help="A bot that moves the whole cast.",
    epilog="Example: kb-score play search-party map.txt --record session.txt -- python3 bot.py",
)
@click.argument("map_path", metavar="MAP")
@click.argument("command", nargs=-1, required=True, metavar="-- COMMAND...")
@click.option(
    "--timeout",
    type=Seconds(),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long the bot may take for a turn.",
)
@record_option
@format_option
@rules_options
@click.pass_context
def play(
    context: click.Context,
    map_path: str,
    command: tuple[str, ...],
    timeout: float,
    record: str | None,
    format_: str,
    changes: Changes,
) -> None:
    """Referee a bot of Horror Movie Search Party live, as the challenge's controller does.

    COMMAND starts the bot; it is told every turn on its standard input and answers a line of moves.
    The exit status is 1 if it does not play to the end.
    """
    map_ = read_map(read_input(map_path), map_path)
    game = Game(map_, read_rules("search_party", ("map", "rules", "orders", "live"), changes))
    with ExitStack() as stack:
        write = stack.enter_context(open_output(record, [map_path, *command, *changes.paths]))
        # The bot is not even started when the record cannot be written.
        bot = stack.enter_context(Bot(command))
        progress = stack.enter_context(Progress(sys.stderr))
        outcome = referee(game, bot, timeout, write, progress.show)
    context.exit(print_outcome(outcome, map_path, format_))


@click.command(
    "search-party",
    short_help="Entries by their records on a set of maps.",
    epilog="Example: kb-score rank search-party entries/* --maps maps/",
)
@click.argument("entries", nargs=-1, required=True, metavar="ENTRY...")
@click.option(
    "--maps",
    "maps_folder",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="The folder of the maps: all its .txt files.",
)
@click.option("--details", is_flag=True, help="Show the run that counts on each map, too.")
@format_option
@rules_options
@click.pass_context
def rank(
    context: click.Context,
    entries: tuple[str, ...],
    maps_folder: Path,
    details: bool,
    format_: str,
    changes: Changes,
) -> None:
    """Rank entries by their records on a set of maps.

    ENTRY is a folder with a record <map>.txt for each map, or a folder <map> of several runs, of
    which the best legal one counts. Fewest turns win, then most living costars, then extras.
    """
    paths = [Path(entry) for entry in entries]
    ranking = rank_entries(paths, maps_folder, changes)
    print_ranking(ranking, format_, details=details)
    context.exit(UNUSABLE if ranking.unreadable else FINE)


COMMANDS: Mapping[str, click.Command] = {"check": check, "play": play, "rank": rank}
