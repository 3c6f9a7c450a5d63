"""The command ``tournament slime``: all combinations of four bots, a contest with a plain table."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb_score.contests.book import Book
from kb_score.contests.entrants import check_apart, read_entrants
from kb_score.contests.folder import make_result, name_file
from kb_score.contests.host import Host, explain_end
from kb_score.contests.leaderboard import report_leaderboard
from kb_score.contests.plan import Plan, digest_rules, find_arena, open_file
from kb_score.contests.results import open_results
from kb_score.contests.standings import take_down
from kb_score.games.command import game_options
from kb_score.games.sitting import NO_FIELD, Sitting
from kb_score.games.slime.options import live_options
from kb_score.shell.options import bot_log_option, jobs_option
from kb_score.shell.output import Exit, show

if TYPE_CHECKING:
    from kb_score.contests.results import ResultsFile
    from kb_score.contests.schedule import Seating
    from kb_score.contests.task import Played, Task
    from kb_score.engine.run import GameRules
    from kb_score.games.slime.bots import Patience

_MOST_WORDS = 1 << 24  # bytes of what a bot says that are kept


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
@click.option(
    "--results",
    "results_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file of finished games  [default: BOTS.results.jsonl beside BOTS.toml]",
)
@bot_log_option
@live_options
@game_options("slime")
def tournament(
    path: Path,
    seatings: Seating,
    jobs: int,
    results_path: Path | None,
    bot_log: Path | None,
    size: int,
    patience: Patience,
    format_: str,
    rules: GameRules,
) -> int:
    """Let the bots of BOTS.toml play each other, and rank them.

    Finished games are kept in a file: an interrupted tournament goes on where it stopped. For
    ratings, samples of games and records see `kb-score contest`.
    """
    plan = _read_plan(path, size, patience, seatings)
    plan.arena.prepare(Sitting((), NO_FIELD, 0, plan.settings, plan.words), rules)
    results_path = results_path or _place_results(path)
    check_apart(plan.bots, results_path)
    book = Book(plan, plan.schedule, plan.identify(digest_rules(plan.arena, rules)), results_path)
    with open_results(results_path) as results, explain_end(book):
        Host(book, rules, jobs, None, _Keep(results, bot_log)).play_left()
    show(report_leaderboard(take_down(plan, book.read()), rules, format_), format_)
    return Exit.FINE


def _read_plan(path: Path, size: int, patience: Patience, seatings: Seating) -> Plan:
    arena, file = find_arena("slime"), open_file(path)
    home = path.resolve().parent
    for key in file.values:
        if key != "bot":
            raise file.top().error("a tournament has tables [[bot]] and nothing else", key)
    bots = read_entrants(file, arena.form, home, limits=asdict(patience))
    least = arena.form.least
    if len(bots) < least:
        raise file.top().error(f"a tournament needs {least} bots, this file has {len(bots)}")
    return Plan(
        name=path.stem,
        game="slime",
        home=home,
        bots=bots,
        fields=(NO_FIELD,),
        table=least,
        seating=seatings,
        rounds=1,
        games=None,
        seed=1,
        measure=arena.form.measures[0],
        settings={"size": size},
        words={},
    )


@dataclass(frozen=True, slots=True)
class _Keep:
    """Keeps results in a file, and what bots say in one for each, if that is wanted."""

    results: ResultsFile
    logs: Path | None

    def __call__(self, task: Task, played: Played, key: str) -> list[Path]:
        folder = self.logs
        logs = [folder / f"{name_file(bot.name)}.log" for bot in task.bots] if folder else []
        for log, said in zip(logs, played.logs, strict=False):
            # No game is lost for what is said beside it.
            with suppress(OSError), log.open("ab") as stream:
                stream.write(said[: max(0, _MOST_WORDS - stream.tell())])
        self.results.add(make_result(task, played, key))
        return logs


def _place_results(path: Path) -> Path:
    if str(path) == "-":
        raise click.UsageError("the bots come from standard input: name a file with --results")
    return path.with_suffix(".results.jsonl")


COMMANDS = {"tournament": tournament}
