"""``kb-score score``: gold per card and player."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from kb_score.batch import Settings, make_scorer, score_boards
from kb_score.board import Board, read_boards
from kb_score.command import (
    FINE,
    UNUSABLE,
    complain,
    format_option,
    is_plain_file,
    list_inputs,
    players_option,
    read_input,
    rules_options,
)
from kb_score.errors import KbScoreError
from kb_score.report import Table, print_tables, write_csv, write_json
from kb_score.rules import Changes
from kb_score.scoring import Scores

if TYPE_CHECKING:
    from concurrent.futures import Executor


@click.command(epilog="Example: kb-score score game.txt --cards 1,3,7")
@click.argument("boards", nargs=-1, required=True)
@click.option("--cards", metavar="CARDS", help="The cards of the game, such as 1,3,miners.")
@click.option("--combinations", is_flag=True, help="Add the challenge's 16 games of three cards.")
@players_option
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="How many processes work.",
)
@format_option
@rules_options
@click.pass_context
def score(
    context: click.Context,
    boards: tuple[str, ...],
    cards: str | None,
    combinations: bool,
    players: int | None,
    jobs: int,
    format_: str,
    changes: Changes,
) -> None:
    """Score Kingdom Builder BOARDS: files, folders of .txt files, or "-" for standard input."""
    words = None if cards is None else tuple(word.strip() for word in cards.split(","))
    settings = Settings(changes, words, combinations, players)
    make_scorer(settings)  # What is wrong with the rules is told once, before any board.
    failed = False

    def report(error: KbScoreError) -> None:
        nonlocal failed
        failed = True
        complain(error)

    with _executor(jobs) as executor:
        scored = score_boards(_read_all(boards, report), settings, executor)
        for number, scores in enumerate(_with_progress(scored)):
            if isinstance(scores, KbScoreError):
                report(scores)
                continue
            for finding in scores.violations:
                complain(f"{finding.code}: {finding.detail}", kind=f"{scores.board}: warning")
            _print(scores, format_, is_first=number == 0)
    context.exit(UNUSABLE if failed else FINE)


def tables(scores: Scores) -> list[Table]:
    """Lay out the scores of a board: cards down, players across, castles first; then the games."""
    players = tuple(f"player {player}" for player in scores.players)
    rows: list[tuple[str | int, ...]] = [(card, *gold) for card, gold in scores.gold.items()]
    if scores.total is not None:
        rows.append(("total", *scores.total))
    footer = int(scores.total is not None)
    found = [Table(scores.board, ("card", *players), tuple(rows), footer)]
    if scores.combinations is not None:
        games: list[tuple[str | int, ...]] = [
            (" ".join(map(str, c.cards)), *c.total) for c in scores.combinations
        ]
        found.append(
            Table("games of the castles and three cards", ("cards", *players), tuple(games))
        )
    return found


def rows(scores: Scores) -> Table:
    """Lay out the scores of a board for a spreadsheet: a row a card and player."""
    lines: list[tuple[str, tuple[int, ...]]] = list(scores.gold.items())
    if scores.total is not None:
        lines.append(("total", scores.total))
    lines.extend((" ".join(map(str, c.cards)), c.total) for c in scores.combinations or ())
    return Table(
        "",
        ("board", "card", "player", "gold"),
        tuple(
            (scores.board, card, player, gold)
            for card, paid in lines
            for player, gold in zip(scores.players, paid, strict=True)
        ),
    )


def _print(scores: Scores, format_: str, *, is_first: bool) -> None:
    if format_ == "json":
        sys.stdout.write(write_json(scores.to_json()))
    elif format_ == "csv":
        sys.stdout.write(write_csv(rows(scores), header=is_first))
    else:
        sys.stdout.write("" if is_first else "\n")
        print_tables(tables(scores), format_, sys.stdout)
    # What reads this through a pipe shall see each board as it comes.
    sys.stdout.flush()


def _read_all(paths: Iterable[str], report: Callable[[KbScoreError], None]) -> Iterator[Board]:
    for given in paths:
        try:
            for path in list_inputs([given]):
                yield from _read_one(path, report)
        except KbScoreError as error:
            report(error)


def _read_one(path: str, report: Callable[[KbScoreError], None]) -> Iterator[Board]:
    try:
        for board in read_boards(read_input(path), name=path):
            if isinstance(board, Board):
                yield board
            else:
                report(board)
    except KbScoreError as error:
        report(error)


@contextmanager
def _executor(jobs: int) -> Iterator[Executor | None]:
    if jobs == 1:
        yield None
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs) as executor:
        yield executor


def _with_progress(
    scored: Iterable[Scores | KbScoreError],
) -> Iterator[Scores | KbScoreError]:
    # Wherever the results may be seen as they come, they are the progress.
    if not (sys.stderr.isatty() and is_plain_file(sys.stdout)):
        yield from scored
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed} boards"), TimeElapsedColumn())
    with Progress(
        *columns, console=Console(stderr=True), transient=True, redirect_stdout=False
    ) as progress:
        task = progress.add_task("boards", total=None)
        for scores in scored:
            progress.advance(task)
            yield scores
