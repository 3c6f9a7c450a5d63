"""Many files of a game, done by a crew: its options, and the user's rules on their way to it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb_score.shell.options import number_option, scheduler_option

if TYPE_CHECKING:
    from kb_score.engine.run import Changes
    from kb_score.shell.executor import Crew
    from kb_score.shell.parcels import Parcel

Opener = Callable[[], Any]


def crew_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--jobs`` and ``--scheduler``, handed on as ``crew``.

    That is a function that opens the crew for a ``with`` statement, and gives None where the
    present process is to do all.
    """

    @functools.wraps(function)
    def command(*arguments: Any, jobs: int, scheduler: str | None, **others: Any) -> Any:
        if scheduler is not None and jobs > 1:
            raise click.UsageError("--jobs is about this machine: leave it out with --scheduler")
        return function(*arguments, crew=lambda: _open(jobs, scheduler), **others)

    return number_option("--jobs", 1, None, 1, "The number of processes to use.")(
        scheduler_option(command)
    )


@contextmanager
def _open(jobs: int, scheduler: str | None) -> Iterator[Crew | None]:
    if jobs == 1 and scheduler is None:
        yield None
        return
    # Processes take a while to load.
    from kb_score.shell.crew import open_crew

    with open_crew(jobs, scheduler) as crew:
        yield crew


def pack_rules(changes: Changes) -> Mapping[Path, Parcel]:
    """Pack a user's folders of rules, which may not be there where the rules are wanted."""
    from kb_score.engine.changes import find_rule_files
    from kb_score.shell.parcels import pack_files

    return {folder: pack_files(folder, find_rule_files(folder)) for folder in changes.folders}
