"""The verb ``contest``: many bots, any game."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import click

from kb_score.contests.book import Book
from kb_score.contests.entrants import check_apart
from kb_score.contests.folder import (
    check_sign,
    find_results,
    list_own,
    open_folder,
    read_sign,
)
from kb_score.contests.host import Host, explain_end
from kb_score.contests.plan import digest_rules, open_file, read_changes, read_game, read_plan
from kb_score.contests.replays import Gallery, order_games
from kb_score.contests.report import Links, list_names, take_games, write_page
from kb_score.contests.schedule import Growing
from kb_score.contests.separate import play_until_separated
from kb_score.contests.standings import find_standings, take_down
from kb_score.contests.status import is_open, report_status
from kb_score.contests.table import report_table
from kb_score.engine.run import Changes, Limits
from kb_score.games.command import use_rules
from kb_score.games.pictures import check_ending
from kb_score.shell.files import check_whole, write_whole
from kb_score.shell.options import (
    FolderName,
    format_option,
    jobs_option,
    make_jobs_option,
    rules_options,
    scheduler_option,
)
from kb_score.shell.output import Exit, complain, show

if TYPE_CHECKING:
    from kb_score.contests.plan import Plan
    from kb_score.contests.standings import Sheets
    from kb_score.engine.run import GameRules

_Function = TypeVar("_Function", bound=Callable[..., Any])
_PLAY = "play"


class _Contest(click.Group):
    """``contest FILE`` plays; ``contest status FILE`` and its kin look at what has been played."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        first = arguments[0] if arguments else "--help"
        if first not in self.commands and first not in context.help_option_names:
            arguments = [_PLAY, *arguments]
        return super().parse_args(context, arguments)


@click.group(cls=_Contest, subcommand_metavar="[play|status|table|report] CONTEST.toml ...")
def contest() -> None:
    """Let many bots play a game, and rank them.

    CONTEST.toml names the game, the bots, and what they play on; docs/contests.md has all keys.
    Without status, table or report the games are played that are still to come, and the table is
    printed: a contest that was interrupted goes on where it stopped.
    """


@dataclass(frozen=True, slots=True)
class _Desk:
    """A contest that a command is about.

    Attributes:
        plan: What its file says.
        book: Its results.
        rules: The rules of its game.
        digest: What tells these from others.
        folder: The folder of its results.
    """

    plan: Plan
    book: Book
    rules: GameRules
    digest: str
    folder: Path

    def take_down(self) -> Sheets:
        """Take down the games that have been played."""
        sheets = take_down(self.plan, self.book.read())
        self.book.tell_stale()
        return sheets


@contextmanager
def _open(
    path: Path,
    folder: Path | None,
    games: int | None,
    rule_folders: Sequence[Path],
    constants: Sequence[tuple[str, str]],
    limits: tuple[float | None, int],
) -> Iterator[_Desk]:
    """Read all that a contest depends on."""
    if folder is None and str(path) == "-":
        raise click.UsageError("the contest comes from standard input: name a folder by --results")
    file = open_file(path)
    given = Changes(tuple(rule_folders), tuple(constants), Limits(*limits))
    with use_rules(read_game(file), read_changes(file, path, given)) as rules:
        plan = read_plan(file, path, rules, games=games)
        digest = digest_rules(plan.arena, rules)
        folder = folder or path.with_suffix(".results")
        check_apart(plan.bots, folder)
        book = Book(
            plan, Growing(plan.schedule, plan.seed), plan.identify(digest), find_results(folder)
        )
        yield _Desk(plan, book, rules, digest, folder)


def _contest_options(function: _Function) -> _Function:
    """Add CONTEST.toml, ``--results``, ``--games`` and the options of rules: the `_Desk`'s."""
    for option in (
        rules_options,
        click.option(
            "--games",
            type=click.IntRange(1),
            metavar="N",
            help="Play a sample of N games, in which all bots play about equally often.",
        ),
        click.option(
            "--results",
            "folder",
            type=FolderName(),
            metavar="DIR",
            help="The folder of results  [default: CONTEST.results beside CONTEST.toml]",
        ),
        click.argument("path", metavar="CONTEST.toml", type=click.Path(path_type=Path)),
    ):
        function = option(function)
    return function


@contest.command(_PLAY, epilog="Example: kb-score contest contest.toml --jobs 4")
@click.option(
    "--until-separated",
    is_flag=True,
    help="Then play on, until the ratings of all neighbours in the table are separated.",
)
@click.option(
    "--most-games",
    type=click.IntRange(1),
    metavar="N",
    help="With --until-separated: the most games in all  [default: ten times as many]",
)
@jobs_option
@scheduler_option
@format_option
@_contest_options
def play(
    until_separated: bool,
    most_games: int | None,
    jobs: int,
    scheduler: str | None,
    format_: str,
    **contest_: Any,
) -> int:
    """Play the games of a contest that are still to come, and print the table."""
    with _open(**contest_) as desk:
        plan, book = desk.plan, replace(desk.book, games=desk.plan.schedule)
        with open_folder(desk.folder, plan, desk.digest) as folder:
            host = Host(book, desk.rules, jobs, scheduler, folder.keep)
            with explain_end(desk.book):
                host.play_left()
                if until_separated:
                    most = most_games or 10 * book.games.count()
                    book, reason = play_until_separated(host, most)
                    complain(reason, kind="note")
        # Games that were added before count too, as they do for who looks at the table later.
        standings = find_standings(desk.take_down(), desk.rules)
        show(report_table(plan, standings, format_), format_)
        return Exit.FINE


@contest.command(epilog="Example: kb-score contest status contest.toml")
@format_option
@_contest_options
def status(format_: str, **contest_: Any) -> None:
    """Tell how far a contest has come, and when it will be over, also while it runs."""
    with _open(**contest_) as desk:
        check_sign(desk.folder, desk.plan, read_sign(desk.folder))
        report = report_status(desk.book, desk.folder)
        desk.book.tell_stale()
        show(report, format_)


@contest.command(epilog="Example: kb-score contest table contest.toml --format csv")
@format_option
@_contest_options
def table(format_: str, **contest_: Any) -> None:
    """Print the table of the games that have been played, also while more are being played."""
    with _open(**contest_) as desk:
        check_sign(desk.folder, desk.plan, read_sign(desk.folder))
        standings = find_standings(desk.take_down(), desk.rules)
        show(report_table(desk.plan, standings, format_), format_)


class _Replays(click.IntRange):
    """How many games are to have a replay: a number, ``all`` or ``none``."""

    _WORDS: ClassVar = {"all": sys.maxsize, "none": 0}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the number."""
        try:
            return int(super().convert(self._WORDS.get(value, value), param, ctx))
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
    help="How many games have a replay, those with faults first.",
)
@make_jobs_option("How many replays are drawn at a time.")
@_contest_options
def report(output: str, replays: int, jobs: int, **contest_: Any) -> int:
    """Write a page: table, ratings, who beat whom, faults, and all games with their replays.

    It needs no network. Replays that are there already are kept, if nothing has changed that they
    show. The command may be run while the contest is, and tells what there is by then.
    """
    check_ending(output, ".html")
    with _open(**contest_) as desk:
        check_sign(desk.folder, desk.plan, read_sign(desk.folder))
        inputs = [str(contest_["path"]), *list_own(desk.folder), *desk.rules.changes.paths]
        check_whole(output, inputs)
        return _write_report(desk, Path(output), replays, jobs)


def _write_report(desk: _Desk, page: Path, most: int, jobs: int) -> int:
    """Write the page at once with the replays that there are, and again when others are drawn."""
    running = is_open(desk.book.path)
    games = take_games(desk.plan, desk.book.read())
    desk.book.tell_stale()
    standings = find_standings(games.sheets, desk.rules)
    folder = page.with_suffix(".games")
    gallery = Gallery(folder, desk.plan, desk.rules.changes, desk.digest, desk.folder)
    records = list_names(desk.folder / "games")
    results = [entry.result for entry in games.list_last()]
    there = gallery.find_there(results, records)

    def write(replays: set[str]) -> None:
        links = Links(desk.folder, page, folder, records, replays)
        count = desk.book.games.count()
        written = write_page(games, standings, links, count, running=running)
        write_whole(str(page), written.encode(errors="replace"))

    write(there)
    able = order_games(results, records)
    wanted = [result for result in able[:most] if result.key not in there]
    if not wanted:
        return Exit.FINE
    drawn = set[str]()
    try:
        gallery.draw(wanted, jobs, drawn)
    finally:
        # Also if a signal ends it: what has been drawn by then is linked.
        write(there | drawn)
    if len(able) > len(there | drawn):
        complain(f"{len(there | drawn)} of {len(able)} games have a replay; see --replays")
    return Exit.FINE if len(drawn) == len(wanted) else Exit.UNUSABLE
