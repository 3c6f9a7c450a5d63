"""Many records against the rules: each on its own, by whatever crew, in order."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import click

from kb_score.errors import InputError, KbScoreError
from kb_score.games import Game
from kb_score.games.crews import Opener, pack_rules
from kb_score.resources import is_folder
from kb_score.shell.files import list_inputs, read_input
from kb_score.shell.output import Exit, complain, with_progress
from kb_score.shell.verdict import Verdict, show_verdict

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.errors import FileKind
    from kb_score.shell.executor import Crew

# A name and a text, or why there is none.
Record: TypeAlias = tuple[str, str | KbScoreError]
# Judges a text of a name.
Check: TypeAlias = Callable[[str, str], Verdict]


@dataclass(frozen=True)
class Records:
    """The records that a user has named, read one by one.

    Attributes:
        paths: Their paths, or why there are none.
        kind: What they are.
        alone: Whether the user has named one record, and no folder.
    """

    paths: tuple[str | KbScoreError, ...]
    kind: FileKind
    alone: bool

    def __iter__(self) -> Iterator[Record]:
        for path in self.paths:
            if isinstance(path, KbScoreError):
                yield "", path
                continue
            try:
                yield path, read_input(path, self.kind)
            except KbScoreError as error:
                yield path, error


def find_records(named: Sequence[str], kind: FileKind, *beside: str) -> Records:
    """Find the records that a user means: a folder stands for its .txt files, by name.

    Args:
        named: Files and folders; one may be "-", standard input.
        kind: What they are.
        beside: The other files of the command.

    Raises:
        InputError: Several files are to be standard input.
    """
    if [*named, *beside].count("-") > 1:
        raise InputError("-", "only one of the files can be standard input")
    paths: list[str | KbScoreError] = []
    for path in named:
        try:
            paths += list_inputs([path])
        except KbScoreError as error:
            paths.append(error)
    return Records(tuple(paths), kind, len(named) == 1 and not is_folder(named[0]))


@dataclass(frozen=True)
class Teller:
    """Prints the verdicts of a command, one after another.

    Attributes:
        rules: The rules, whose changes are repeated in commands that it proposes.
        format_: One of `kb_score.shell.output.FORMATS`.
        before: The files that come before a record on the command line.
        options: More of the command line that the game's ``check`` and ``replay`` share.
    """

    rules: GameRules
    format_: str
    before: Sequence[str] = ()
    options: Sequence[str] = ()
    _shown: list[Exit] = field(default_factory=list)

    def tell(self, verdict: Verdict, path: str, *, alone: bool = True) -> Exit:
        """Print the verdict on a record, and which command shows its first violation."""
        is_first = not self._shown
        hint = self._find_hint(verdict, path)
        status = show_verdict(verdict, self.format_, hint, alone=alone, is_first=is_first)
        self._shown.append(status)
        return status

    def _find_hint(self, verdict: Verdict, path: str) -> str:
        turn = verdict.violations[0].turn if verdict.violations else None
        paths = *self.before, path
        if turn is None or "-" in paths or "replay" not in Game(self.rules.game).commands:
            return ""
        changes = self.rules.changes.words()
        words = "kb-score", "replay", verdict.game, *paths, *self.options, *changes
        return f"see turn {turn}: {shlex.join((*words, '-o', 'replay.html'))}"


def tell_all(
    records: Records,
    check: Check,
    teller: Teller,
    crew: Opener,
    texts: Iterable[Record] | None = None,
) -> Exit:
    """Check records and print the verdicts in order; a bad record does not lose the others.

    Args:
        records: The records.
        check: It must be found by its name in its module, perhaps as a `functools.partial`.
        teller: Prints the verdicts.
        crew: Opens whoever does the work, as `kb_score.games.crews.crew_options` hands it on.
        texts: What is in the records, if reading them has begun.

    Returns:
        UNUSABLE if one of the records is, else DIFFERS if one is inconsistent, else FINE.
    """
    status, said = Exit.FINE, ""
    if teller.rules.listener is not None:
        if not records.alone:
            raise click.UsageError("--why is about one record: name one, and no folder")
        # Other processes could not tell what they ask the rules.
        crew = nullcontext
    with crew() as workers:
        found = _check_each(texts or records, partial(_judge, check), teller.rules, workers)
        if not records.alone:
            found = with_progress(found, "records")
        for path, verdict in found:
            if isinstance(verdict, Verdict):
                told = teller.tell(verdict, path, alone=records.alone)
                status = max(status, told)
                continue
            status = Exit.UNUSABLE
            # A mistake in a map is told once, and not for each record on it.
            if str(verdict) != said:
                complain(verdict)
            said = str(verdict)
    return status


def _judge(check: Check, record: Record) -> Verdict | KbScoreError:
    name, text = record
    if isinstance(text, KbScoreError):
        return text
    try:
        return check(name, text)
    except KbScoreError as error:
        return error


def _check_each(
    records: Iterable[Record],
    judge: Callable[[Record], Verdict | KbScoreError],
    rules: GameRules,
    crew: Crew | None,
) -> Iterator[tuple[str, Verdict | KbScoreError]]:
    if crew is None:
        for record in records:
            yield record[0], judge(record)
        return
    from kb_score.shell.crew import run_ordered

    folders = pack_rules(rules.changes) if crew.is_far else {}
    for record, verdict in run_ordered(
        crew, judge, records, name=lambda record: record[0], folders=folders
    ):
        yield record[0], verdict
