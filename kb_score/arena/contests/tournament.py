"""The command ``tournament slime``: a contest of all combinations of four bots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from kb_score.arena.contests.entrants import check_apart
from kb_score.arena.contests.plan import Plan, Seating, digest_rules, read_contest_file, read_plan
from kb_score.arena.contests.runner import append_logs, play_games
from kb_score.arena.contests.standings import ContestResults, ContestTally, rank, tally_games
from kb_score.arena.contests.store import GameResult, open_results
from kb_score.cli.command import make_options, pop_options
from kb_score.cli.run import Run, run_command
from kb_score.engine.rules import GameRules
from kb_score.games import GameFolder
from kb_score.shell.options import bot_log_option, bounds_options, decorate, jobs_option
from kb_score.shell.output import Block, Exit, Output, Table, Text
from kb_score.shell.process import Bounds

GAME = GameFolder("slime").type

_COLUMNS = ("Name", "Avg Score", "Last Updated (UTC)")
_NAME_WIDTH = 24  # as in the challenge; longer names make it wider


@run_command(
    "slime",
    "slime",
    short_help="Play all combinations of four bots.",
    epilog="Example: kb-score tournament slime bots.toml --jobs 4",
)
@click.argument("path", metavar="BOTS.toml", type=click.Path(path_type=Path))
@click.option(
    "--seatings",
    type=click.Choice(["file", "all"]),
    default="file",
    show_default=True,
    help="Seat each group of four in file order, or once in every order.",
)
@jobs_option
@bounds_options
@click.option(
    "--results",
    "results_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file of finished games  [default: BOTS.results.jsonl beside BOTS.toml]",
)
@bot_log_option
@lambda function: decorate(function, *make_options([*GAME.settings, *GAME.times]))
def tournament(
    run: Run,
    path: Path,
    seatings: Seating,
    jobs: int,
    results_path: Path | None,
    bot_log: Path | None,
    bounds: Bounds,
    **given: Any,
) -> int:
    """Let the bots of BOTS.toml play each other, and rank them.

    Finished games are kept in a file: an interrupted tournament goes on where it stopped. See
    `kb-score contest` for ratings, samples of games and records.
    """
    if results_path is None:
        if str(path) == "-":
            raise click.UsageError("the bots come from standard input: name a file with --results")
        results_path = path.with_suffix(".results.jsonl")
    times = pop_options(given, GAME.times)
    plan = _read_plan(path, run.rules, settings=given, limits=times, seatings=seatings)
    check_apart(plan.bots, results_path)
    known = ContestResults(plan, digest_rules(run.rules), results_path)
    with open_results(results_path) as results:

        def add(result: GameResult, _: str, words: Sequence[bytes]) -> list[Path]:
            logs = append_logs(bot_log, result.bots, words)
            results.add(result)
            return logs

        play_games(known, run.rules.changes, add, jobs=jobs, bounds=bounds)
    tally = tally_games(known)
    leaderboard = report_leaderboard(tally, run.rules, run.format)
    run.show(leaderboard)
    return Exit.FINE


def _read_plan(path: Path, rules: GameRules, **given: Any) -> Plan:
    """Return the plan of a tournament, given the other keys of a contest's file."""
    file = read_contest_file(path)
    for key in file.values:
        if key != "bot":
            raise file.error("a tournament file may contain only [[bot]] tables", key)
    values = {"game": GAME.title, **given, **file.values}
    return read_plan(replace(file, values=values), path, rules)


def report_leaderboard(tally: ContestTally, rules: GameRules, format_: str) -> Output:
    """Return the leaderboard; as a table it is drawn in a box, as in the challenge."""
    places = rank(tally, rules)
    rows = []
    lines = []
    for number in sorted(places, key=lambda bot: (places[bot], bot)):
        name = tally.plan.bots[number].name
        bot = tally.bots[number]
        games = sum(bot.scores.values())
        counts = bot.scores.items()
        squares = sum(score * count for (_, (score,)), count in counts)
        average = squares / games if games else 0.0
        updated = _write_time(bot.updated)
        rows.append((name, f"{average:.3f}", updated))
        lines.append({"name": name, "average": round(average, 3), "games": games})
    table = Table("", _COLUMNS, tuple(rows))
    shown: Block = table
    if format_ == "table":
        drawn = _draw_box([_COLUMNS, *rows])
        shown = Text(drawn, "picture")
    return Output([shown], lines, table)


def _write_time(updated: str) -> str:
    """Return an ISO 8601 time in the form ``Jan 2 03:04 AM``, for people; empty for no time."""
    if not updated:
        return ""
    time = datetime.fromisoformat(updated)
    return f"{time:%b} {time.day} {time:%I:%M %p}"


def _draw_box(rows: Sequence[tuple[str, ...]]) -> str:
    """Draw a table in a box, with its first row as the heading."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    widths[0] = max(widths[0], _NAME_WIDTH)
    segments = ["-" * (width + 2) for width in widths]
    ruler = f"+{'+'.join(segments)}+\n"
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append(f"| {' | '.join(cells)} |\n")
    return "".join([ruler, lines[0], ruler, *lines[1:], ruler])


COMMANDS = {"tournament": tournament}
