"""The verb ``contest``: many bots, any game."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import click

from kb_score.arena.contests.entrants import check_apart
from kb_score.arena.contests.plan import (
    digest_rules,
    read_changes,
    read_contest_file,
    read_game,
    read_plan,
)
from kb_score.arena.contests.standings import (
    ContestResults,
    ContestTally,
    check_library,
    find_standings,
    tally_games,
)
from kb_score.arena.contests.store import (
    MANIFEST,
    RESULTS,
    check_results_folder,
    is_open,
    open_folder,
)
from kb_score.cli.run import changes_options, force_option, use_rules
from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.errors import InputError
from kb_score.games import GameFolder
from kb_score.shell.options import (
    FolderName,
    GroupOfCommands,
    WholeNumber,
    bounds_options,
    decorate,
    format_option,
    jobs_option,
    make_jobs_option,
    scheduler_option,
)
from kb_score.shell.output import Block, Exit, Output, Table, Text, complain, show, with_progress
from kb_score.shell.process import Bounds
from kb_score.shell.target import Target

_Function: TypeAlias = Callable[..., Any]
_PLAY = "play"


class _ContestGroup(GroupOfCommands):
    """The command ``contest``; without a subcommand it plays the contest."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Add the subcommand ``play`` if the first argument is not a subcommand."""
        first = arguments[0] if arguments else "--help"
        if first not in self.commands and first not in context.help_option_names:
            arguments = [_PLAY, *arguments]
        return super().parse_args(context, arguments)


@click.group(
    cls=_ContestGroup, subcommand_metavar="[play|status|table|check|report] CONTEST.toml ..."
)
def contest() -> None:
    """Let many bots play a game, and rank them.

    CONTEST.toml names the game, the bots and the maps; `kb-score docs contests` describes all keys.
    Without status, table, check or report, the remaining games are played and the table is printed:
    a contest that was interrupted goes on where it stopped.
    """


@contextmanager
def _open(
    path: Path,
    folder: Path | None,
    games: int | None,
    rule_changes: Changes,
    *,
    will_play: bool = False,
) -> Iterator[tuple[ContestResults, GameRules]]:
    """Yield the results of a contest, and the rules of its game.

    The folder is by default the one beside the contest's file, and the number of games that in the
    file. Unless games will be played, a folder named by the user must exist.
    """
    if folder is None and str(path) == "-":
        raise click.UsageError("the contest is standard input: name a folder with --results")
    file = read_contest_file(path)
    is_named = folder is not None
    folder = folder or path.with_suffix(".results")
    game = GameFolder(read_game(file)).type
    changes = read_changes(file, path, rule_changes)
    with use_rules(game.name, changes) as rules:
        plan = read_plan(file, path, rules, games=games, will_play=will_play)
        check_apart(plan.bots, folder)
        # The folder may be new, but must not contain the results of another contest.
        check_results_folder(folder, plan, must_exist=is_named and not will_play)
        yield ContestResults(plan, digest_rules(rules), folder / RESULTS), rules


def _show_table(known: ContestResults, rules: GameRules, format_: str) -> None:
    """Print the table of the games that have been played."""
    from kb_score.arena.contests.report import report_table

    tally = tally_games(known)
    known.report_stale()
    standings = find_standings(tally, rules)
    table = report_table(tally, standings, format_)
    show(table, format_)


def _contest_options(function: _Function) -> _Function:
    """Add CONTEST.toml, ``--results``, ``--games`` and rule options: the parameters of `_open`."""
    return decorate(
        function,
        click.argument("path", metavar="CONTEST.toml", type=click.Path(path_type=Path)),
        click.option(
            "--results",
            "folder",
            type=FolderName(),
            metavar="DIR",
            help="The folder of results  [default: CONTEST.results beside CONTEST.toml]",
        ),
        click.option(
            "--games",
            type=WholeNumber(1),
            metavar="N",
            help="Play a sample of N games, in which all bots play about equally often.",
        ),
        changes_options,
    )


@contest.command(_PLAY, epilog="Example: kb-score contest contest.toml --jobs 4")
@jobs_option
@scheduler_option
@bounds_options
@format_option
@_contest_options
def play(jobs: int, scheduler: str | None, bounds: Bounds, format_: str, **contest_: Any) -> int:
    """Play the remaining games of a contest, and print the table."""
    from kb_score.arena.contests.runner import play_games

    check_library()  # before the first game
    with _open(**contest_, will_play=True) as (known, rules):
        home = known.path.parent
        with open_folder(home, known.plan, known.digest) as folder:
            play_games(
                known, rules.changes, folder.add_all, jobs=jobs, scheduler=scheduler, bounds=bounds
            )
        _show_table(known, rules, format_)
        return Exit.FINE


@contest.command(epilog="Example: kb-score contest status contest.toml")
@format_option
@_contest_options
def status(format_: str, **contest_: Any) -> None:
    """Show how many games have been played, and the remaining time while the contest runs."""
    from kb_score.arena.contests.runner import report_status

    with _open(**contest_) as (known, _):
        report = report_status(known)
        known.report_stale()
        show(report, format_)


@contest.command(epilog="Example: kb-score contest table contest.toml --format csv")
@format_option
@_contest_options
def table(format_: str, **contest_: Any) -> None:
    """Print the table of the games that have been played, also while more are being played."""
    with _open(**contest_) as (known, rules):
        _show_table(known, rules, format_)


@contest.command(epilog="Example: kb-score contest check contest.toml")
@make_jobs_option("Number of records to check at a time.")
@format_option
@_contest_options
def check(jobs: int, format_: str, **contest_: Any) -> int:
    """Compare each result that counts with what the rules derive from its record.

    Results that differ from their record, or have none, are listed, and the exit status is 1.
    """
    from kb_score.arena.contests.runner import StoredRecord, check_results

    with _open(**contest_) as (known, rules):
        lines: list[dict[str, Any]] = []
        count = 0
        folder = known.path.parent

        def list_records() -> Iterator[StoredRecord]:
            for game in known.read():
                setup = known.plan.setup(game.fixture)
                path = folder / game.result.record
                yield StoredRecord(game.result, setup, path)

        records = list_records()
        played = sum(1 for _ in known.read())
        checked = check_results(rules, records, jobs)
        rows = []
        numbers = set()
        for result, found in with_progress(checked, f"of {played} results"):
            count += 1
            for problem in found:
                number = result.number
                record = result.record
                lines.append({"number": number, "record": record, "problem": problem})
                rows.append((number, record, problem))
                numbers.add(number)
        known.report_stale()
        if not count:
            reason = "no game has been played yet"
            changes = known.describe_changes()
            if changes:
                reason = f"none of its results counts: {changes}"
            raise InputError(str(known.path), f"there is nothing to check: {reason}")
        text = Text(f"results checked: {count}; differing from their records: {len(numbers)}")
        table = Table("", ("number", "record", "problem"), tuple(rows))
        blocks: list[Block] = [text]
        if lines:
            blocks.append(table)
        show(Output(blocks, lines, table), format_)
        if lines:
            return Exit.DIFFERS
        return Exit.FINE


class _Replays(WholeNumber):
    """The number of games that get a replay: an integer, ``all`` or ``none``."""

    _WORDS: ClassVar = {"all": sys.maxsize, "none": 0}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        number = self._WORDS.get(value, value)
        try:
            return int(super().convert(number, param, ctx))
        except click.BadParameter:
            self.fail(f"{value!r} is not all, none or a number of games", param, ctx)


@contest.command(epilog="Example: kb-score contest report contest.toml -o page.html")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    help="The page to write, such as page.html; replays go to a folder beside it, page.games.",
)
@click.option(
    "--replays",
    type=_Replays(0),
    metavar="all|none|N",
    default=50,
    show_default=True,
    help="Number of games that have a replay, those with faults first.",
)
@make_jobs_option("Number of replays to draw at a time.")
@force_option
@_contest_options
def report(output: str, force: bool, replays: int, jobs: int, **contest_: Any) -> int:
    """Write a page: table, ratings, who beat whom, faults, and all games with their replays.

    The page needs no network. Existing replays are kept if they are up to date. The command may be
    run while the contest is running; the page then has the games played so far.
    """
    with _open(**contest_) as (known, rules):
        manifest = known.path.parent / MANIFEST
        own = (contest_["path"], known.path, manifest)
        inputs = [*map(str, own), *rules.changes.paths]
        page = Target(output, inputs, force)
        page.check((".html",))
        return _write_report(known, rules, page, replays, jobs)


def _write_report(
    known: ContestResults, rules: GameRules, target: Target, most: int, jobs: int
) -> int:
    """Write the page first with the existing replays, and again when the others have been drawn."""
    from kb_score.arena.contests import report as pages

    page = Path(str(target.path))
    plan = known.plan
    home = known.path.parent
    running = is_open(known.path)
    games = pages.PageGames(ContestTally(plan, known.find_repeats()))
    for game in known.read():
        games.add(game)
    known.report_stale()
    standings = find_standings(games.tally, rules)
    folder = page.with_suffix(".games")
    replays = pages.ReplayFolder(folder, plan, rules.changes, known.digest, home)
    records = pages.list_names(home / "games")
    results = [game.result for game in games.list_last()]
    there = replays.find_existing(results, records)

    def write(keys: set[str]) -> None:
        links = pages.Links(home, page, folder, records, keys)
        written = pages.write_page(games, standings, links, len(plan.schedule), running=running)
        target.write(written.encode(errors="replace"))

    write(there)
    drawable = pages.order_games(results, records)
    missing = [result for result in drawable[:most] if result.key not in there]
    if not missing:
        return Exit.FINE
    drawn: set[str] = set()
    try:
        replays.draw(missing, jobs, drawn)
    finally:
        # Even if a signal interrupts the drawing, the replays drawn so far are linked.
        write(there | drawn)
    count = len(there | drawn)
    if len(drawable) > count:
        complain(f"{count} of {len(drawable)} games have a replay; see --replays")
    if len(drawn) < len(missing):
        return Exit.UNUSABLE
    return Exit.FINE
