"""What the commands share: options, reading of inputs, exit status, output."""

from __future__ import annotations

import functools
import math
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from kb_score.errors import BoardError, FormatError, KbScoreError, RuleError
from kb_score.report import FORMATS, Table, print_tables, write_csv, write_json
from kb_score.resources import is_folder
from kb_score.rules import Changes
from kb_score.text import decode

if TYPE_CHECKING:
    from kb_score.verdict import Verdict

# Exit status: fine; the record breaks the rules or claims differ; the input cannot be used.
FINE, DIFFERS, UNUSABLE = 0, 1, 2


class Seconds(click.FloatRange):
    """A time on the command line: a number of seconds, up to an hour."""

    def __init__(self, *, zero: bool = False) -> None:
        """Take times from 0 on, or from above it."""
        super().__init__(0, 3600, min_open=not zero)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read a time; what is no number is none that a range could keep out."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail(f"{value!r} is no time", param, ctx)
        return seconds


_Function = TypeVar("_Function", bound=Callable[..., Any])


def format_option(function: _Function) -> _Function:
    """Add ``--format``."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="How results are written; json is one object a line.",
    )(function)


def rules_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--rules`` and ``--const``, and hand them on as one `kb_score.rules.Changes`."""

    @functools.wraps(function)
    def with_changes(
        *arguments: Any,
        rule_folders: tuple[Path, ...],
        constants: tuple[tuple[str, str], ...],
        **others: Any,
    ) -> Any:
        changes = Changes(rule_folders, constants)
        try:
            return function(*arguments, changes=changes, **others)
        except (LookupError, TypeError, ValueError, AssertionError) as error:
            if not rule_folders:
                raise
            # Whatever is read out of an answer, a user's rules can make it something else.
            names = ", ".join(map(str, rule_folders))
            raise RuleError(
                f"the rules of {names} derive what nobody can read, or lack what is read: "
                f"{type(error).__name__}: {error}"
            ) from error

    with_const = click.option(
        "--const",
        "constants",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_parse_constants,
        help="Decide a ruling: see `kb-score rules list`. Repeatable.",
    )(with_changes)
    with_both: Callable[..., Any] = click.option(
        "--rules",
        "rule_folders",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="A folder of .lp files to add to the rules. Repeatable.",
    )(with_const)
    return with_both


def players_option(function: _Function) -> _Function:
    """Add ``--players``, of Kingdom Builder."""
    return click.option(
        "--players",
        type=click.IntRange(1, 4),
        metavar="N",
        help="How many players there are; else those with a settlement.",
    )(function)


def record_option(function: _Function) -> _Function:
    """Add ``--record``."""
    return click.option(
        "--record",
        metavar="FILE",
        help="Write the session to FILE, which `kb-score check` accepts.",
    )(function)


@contextmanager
def open_output(path: str | None, inputs: Iterable[str] = ()) -> Iterator[Callable[[str], object]]:
    """Open a file that the user named.

    Args:
        path: The file; None if nothing shall be written.
        inputs: The files that the command reads; to write over one of them is a slip.

    Yields:
        What writes a piece of text. Each is on the disk at once, whatever happens then.

    Raises:
        BoardError: It is one of the inputs, or cannot be written.
    """
    if path is None:
        yield lambda _: None
        return
    if path == "-":
        raise BoardError(path, "standard output has the result: name a file")
    if any(_is_one_file(path, name) for name in inputs):
        raise BoardError(path, "this file has another use here: name another one to write to")
    try:
        # What is in it is kept until there is something to write.
        file = Path(path)
        stream = file.open("ab", buffering=0)
    except OSError as error:
        raise BoardError(path, (error.strerror or str(error)).lower()) from error
    with stream:
        is_first = True

        def write(text: str) -> None:
            nonlocal is_first
            try:
                if is_first and is_plain_file(stream):
                    stream.truncate(0)
                is_first = False
                stream.write(text.encode(errors="replace"))
            except OSError as error:
                raise BoardError(path, (error.strerror or str(error)).lower()) from error

        yield write


def is_plain_file(stream: IO[Any]) -> bool:
    """Whether a stream leads to a file, and not to a terminal, a pipe or a device."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False  # it is no stream of the system's


def _is_one_file(path: str, other: str) -> bool:
    try:
        return Path(path).samefile(other)
    except (OSError, ValueError):
        # One of them is not there yet, or is no file at all.
        return Path(path).absolute() == Path(other).absolute()


def read_inputs(*paths: str) -> list[str]:
    """Read the files that a command needs together; see `read_input`.

    Raises:
        BoardError: As for `read_input`, or more than one is standard input.
        FormatError: One is no text.
    """
    if paths.count("-") > 1:
        raise BoardError("-", "only one of the files can be standard input")
    return [read_input(path) for path in paths]


@contextmanager
def in_order(*, swapped: bool) -> Iterator[None]:
    """Read a file that comes first on the command line.

    Args:
        swapped: Whether the other file looks as this one should: then an error says so.
    """
    try:
        yield
    except FormatError as error:
        if swapped:
            hint = "the second file looks as the first should: are they in the wrong order?"
            raise FormatError(error.place, f"{error.message}; {hint}") from None
        raise


def read_input(path: str) -> str:
    """Read a file that the user named; "-" is standard input.

    Raises:
        BoardError: It cannot be read, or is empty.
        FormatError: It is no text.
    """
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise BoardError(path, (error.strerror or str(error)).lower()) from error
    return decode(data, path)


def list_inputs(paths: Iterable[str]) -> Iterator[str]:
    """Yield the files that the user means: a folder is all its .txt files, in order of name.

    Raises:
        BoardError: A folder has no such file.
    """
    for path in paths:
        if path != "-" and is_folder(path):
            found = sorted(str(p) for p in Path(path).glob("*.txt") if p.is_file())
            if not found:
                raise BoardError(path, "the folder has no .txt file")
            yield from found
        else:
            yield path


def complain(error: KbScoreError | str, *, kind: str = "") -> None:
    """Print a message on standard error."""
    prefix = click.style(f"{kind}: ", fg="yellow") if kind else ""
    click.echo(f"{prefix}{error}", err=True)


def print_verdict(verdict: Verdict, format_: str) -> int:
    """Print a verdict, its notes on standard error; return the exit status."""
    for note in verdict.notes:
        complain(note, kind="note")
    if format_ == "json":
        click.echo(write_json(verdict.to_json()), nl=False)
    elif format_ == "csv":
        click.echo(write_csv(_violation_table(verdict, turns=verdict.in_turns)), nl=False)
    else:
        _print_verdict_for_people(verdict, format_)
    return FINE if verdict.consistent else DIFFERS


def print_played(
    game: str,
    result: Mapping[str, object],
    tables: Sequence[Table],
    format_: str,
    runs: Sequence[Mapping[str, object]] | None = None,
) -> None:
    """Print what came of a live game.

    Args:
        game: The game's name on the command line.
        result: The outcome, with the keys that ``check`` uses.
        tables: The outcome for people and for spreadsheets.
        format_: One of `kb_score.report.FORMATS`.
        runs: The outcome of each run, where a game has several.
    """
    if format_ == "json":
        line = {"game": game, "result": dict(result), "runs": runs}
        click.echo(write_json(line), nl=False)
    else:
        print_tables(tables, format_, sys.stdout)


def _print_verdict_for_people(verdict: Verdict, format_: str) -> None:
    word = "consistent with the rules" if verdict.consistent else "not consistent with the rules"
    colour = "green" if verdict.consistent else "red"
    click.echo(f"{verdict.record}: {click.style(word, fg=colour, bold=True)}")
    claimed = verdict.claimed or {}
    columns = ("result", "derived", *(["claimed"] if claimed else []))
    rows = tuple(
        (key, _show(value), *([_show(claimed.get(key, ""))] if claimed else []))
        for key, value in verdict.result.items()
    )
    click.echo()
    print_tables([Table("", columns, rows), *verdict.tables], format_, sys.stdout)
    if verdict.picture:
        fence = "```\n" if format_ == "markdown" else ""
        click.echo(f"\n{fence}{verdict.picture.rstrip()}\n{fence}", nl=False)
    if verdict.violations:
        click.echo()
        turns = any(v.turn is not None for v in verdict.violations)
        print_tables([_violation_table(verdict, turns=turns)], format_, sys.stdout)


def _violation_table(verdict: Verdict, *, turns: bool) -> Table:
    rows = tuple(
        (*([v.turn if v.turn is not None else ""] if turns else []), v.code, v.who, v.detail)
        for v in verdict.violations
    )
    return Table("", (*(["turn"] if turns else []), "code", "who", "detail"), rows)


def _show(value: object) -> str | int:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return value if isinstance(value, int) else str(value)


def _parse_constants(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    constants = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not (name.isidentifier() and equals and value.lstrip("-").isalnum()):
            raise click.BadParameter(f"{word!r} is not NAME=VALUE", context, parameter)
        constants[name] = value
    return tuple(sorted(constants.items()))
