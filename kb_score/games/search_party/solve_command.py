"""The command ``solve search-party``: what is known when the search is over, or is ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb_score.engine.aside import run_aside
from kb_score.games.command import game_options, make_verb
from kb_score.games.referee import show_progress
from kb_score.games.search_party.maps import MAP_FILE
from kb_score.games.search_party.rules import GAME
from kb_score.games.search_party.solve import Finding, Search
from kb_score.shell.files import check_whole, read_input, write_whole
from kb_score.shell.output import Exit, Output, Table, Text, complain, say, show

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules

_HELP = """The fewest turns of a search that everybody survives.

Prints a plan that `kb-score check search-party` accepts, and a bound: no plan in which nobody dies
has fewer turns. If the two meet, the plan is proved to be the best. With --limit-seconds, or when
it is interrupted, the command prints the best plan and the best bound so far.
"""


@make_verb("solve", GAME, _HELP, "search-party map.txt --record plan.txt")
@click.argument("map_path", metavar="MAP")
@click.option("--record", metavar="FILE", help="Write the plan to FILE, too.")
@game_options(GAME)
def solve(map_path: str, record: str | None, format_: str, rules: GameRules) -> Exit:
    """Search for the best plan on a map."""
    text = read_input(map_path, MAP_FILE)
    inputs = [map_path, *rules.changes.paths]
    if record is not None:
        check_whole(record, inputs)
    search = Search(rules, text, map_path, lambda found: show_progress(_say(found)))
    try:
        run_aside(search.run)
    finally:
        # At a signal, too, what has been found is told.
        show_progress("")
        found = search.finding
        if found.plan is not None and record is not None:
            write_whole(record, found.plan.text.encode(), inputs)
        if found.bound is not None:
            show(_write(found), format_)
    if found.stopped:
        complain(found.stopped, kind="note")
    return Exit.UNUSABLE if found.plan is None else Exit.FINE


def _say(found: Finding) -> str:
    """Say in a line how far the search is."""
    plan = "no plan yet" if found.plan is None else f"best plan so far: {found.plan.turns} turns"
    return plan if found.bound is None else f"at least {found.bound} turns; {plan}"


def _write(found: Finding) -> Output:
    """Write what is known of a map."""
    plan = found.plan
    values = (plan.turns, plan.costars, plan.extras) if plan else (None, None, None)
    columns = ("map", "turns", "at least", "proved", "costars", "extras")
    row = (found.map_, values[0], found.bound, found.proved, *values[1:])
    table = Table("", columns, (tuple(map(say, row)),))
    blocks: list[Table | Text] = [table]
    if plan is not None:
        blocks.append(Text(plan.text, "picture"))
    return Output(blocks, [found.to_json()], table)
