"""The command ``tournament slime``: all combinations of four bots, a contest with a plain table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from kb_score.contests.entrants import check_apart, read_entrants
from kb_score.contests.plan import NO_MAP, Plan, check_count, digest_rules, open_file, try_setup
from kb_score.contests.runner import Job, JobResult, Runner, explain_end, make_result
from kb_score.contests.schedule import Seating
from kb_score.contests.standings import ContestTally, rank, tally_games
from kb_score.contests.store import ResultsFile, Store, name_file, open_results
from kb_score.engine.rules import GameRules
from kb_score.games.slime.game import GAME
from kb_score.games.verbs.command import decorate, game_options, make_options, pop_options
from kb_score.shell.options import bot_log_option, jobs_option, sandbox_option
from kb_score.shell.output import Exit, Output, Table, Text, show

_MOST_WORDS = 1 << 24  # bytes of what a bot says that are kept
_COLUMNS = ("Name", "Avg Score", "Last Updated (UTC)")
_NAME_WIDTH = 24  # as in the challenge; longer names make it wider
# Written out, for strftime's month names depend on the reader's language.
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@click.command(
    "slime",
    short_help="All combinations of four bots.",
    epilog="Example: kb-score tournament slime bots.toml --jobs 4",
)
@click.argument("path", metavar="BOTS.toml", type=click.Path(path_type=Path))
@click.option(
    "--seatings",
    type=click.Choice(["file", "all"]),
    default="file",
    show_default=True,
    help="Seat each four in the order of the file, or once in every order.",
)
@jobs_option
@sandbox_option
@click.option(
    "--results",
    "results_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file of finished games  [default: BOTS.results.jsonl beside BOTS.toml]",
)
@bot_log_option
@lambda function: decorate(function, *make_options([*GAME.settings, *GAME.times]))
@game_options("slime")
def tournament(
    path: Path,
    seatings: Seating,
    jobs: int,
    results_path: Path | None,
    bot_log: Path | None,
    sandbox: Path | None,
    format_: str,
    rules: GameRules,
    **given: Any,
) -> int:
    """Let the bots of BOTS.toml play each other, and rank them.

    Finished games are kept in a file: an interrupted tournament goes on where it stopped. For
    ratings, samples of games and records see `kb-score contest`.
    """
    plan = _read_plan(
        path, pop_options(given, GAME.settings), pop_options(given, GAME.times), seatings
    )
    try_setup(plan, rules)
    results_path = results_path or _place_results(path)
    check_apart(plan.bots, results_path)
    keys = plan.identify(digest_rules(GAME, rules))
    store = Store(plan, keys, results_path)
    with open_results(results_path) as results, explain_end(store):
        add = TournamentStore(results, bot_log).add
        Runner(store, rules, jobs, None, add, sandbox is not None).play_left()
    show(report_leaderboard(tally_games(plan, store.read()), rules, format_), format_)
    return Exit.FINE


def _read_plan(
    path: Path, settings: Mapping[str, Any], times: Mapping[str, float], seatings: Seating
) -> Plan:
    file, home = open_file(path), path.resolve().parent
    for key in file.values:
        if key != "bot":
            raise file.top().error("a tournament has tables [[bot]] and nothing else", key)
    bots = read_entrants(file, GAME, home, times)
    least, _ = GAME.players
    if len(bots) < least:
        raise file.top().error(f"a tournament needs {least} bots, this file has {len(bots)}")
    plan = Plan(
        name=path.stem,
        game=GAME.name,
        home=home,
        bots=bots,
        maps=(NO_MAP,),
        players=least,
        seating=seatings,
        rounds=1,
        games=None,
        seed=1,
        metric=GAME.metrics[0],
        settings=settings,
        words={},
    )
    check_count(plan, file.top())
    return plan


@dataclass(frozen=True, slots=True)
class TournamentStore:
    """Results in a file, and what bots say in one for each, if that is wanted."""

    results: ResultsFile
    logs: Path | None

    def add(self, job: Job, played: JobResult, key: str) -> list[Path]:
        """Add a game that was played."""
        folder = self.logs
        logs = [folder / f"{name_file(bot.name)}.log" for bot in job.bots] if folder else []
        for log, said in zip(logs, played.logs, strict=False):
            # No game is lost for what is said beside it.
            with suppress(OSError), log.open("ab") as stream:
                stream.write(said[: max(0, _MOST_WORDS - stream.tell())])
        self.results.add(make_result(job, played, key))
        return logs


def _place_results(path: Path) -> Path:
    if str(path) == "-":
        raise click.UsageError("the bots come from standard input: name a file with --results")
    return path.with_suffix(".results.jsonl")


def report_leaderboard(tally: ContestTally, rules: GameRules, format_: str) -> Output:
    """Report a leaderboard, for people in the box that the challenge draws."""
    places = rank(tally, rules)
    rows, lines = [], []
    for number in sorted(places, key=lambda bot: (places[bot], bot)):
        name, bot = tally.plan.bots[number].name, tally.bots[number]
        games = sum(bot.scores.values())
        total = sum(squares * number for (_, (squares,)), number in bot.scores.items())
        average = total / games if games else 0.0
        rows.append((name, f"{average:.3f}", _write_time(bot.updated)))
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


COMMANDS = {"tournament": tournament}
