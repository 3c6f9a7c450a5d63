"""The shared options of commands: rules, output, workers and reasons.

A command is a `RunCommand`, which adds these options to its own. Its function receives a `Run`
first, then the values of its own options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import click
from click.core import ParameterSource

from kb_score.cli.why import REASONS_OPTIONS, WhyRequest
from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules, Limits
from kb_score.errors import KbScoreError
from kb_score.games.blame import blame_rules
from kb_score.resources import is_folder
from kb_score.shell.files import list_inputs
from kb_score.shell.options import (
    FolderName,
    GroupCommand,
    OptionGroup,
    Seconds,
    decorate,
    format_option,
    make_number_option,
    make_parameters,
    quiet_option,
)
from kb_score.shell.output import Output, complain, show
from kb_score.shell.target import STANDARD_OUTPUT, Target

if TYPE_CHECKING:
    from kb_score.shell.pool import Pool

_Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
# Opens the workers for a ``with`` statement; it yields None if this process does all the work.
WorkersOpener: TypeAlias = Callable[[], AbstractContextManager["Pool | None"]]

# The format of results by the ending of the file for them.
_FORMATS = {
    ".txt": "table", ".md": "markdown", ".csv": "csv", ".json": "json", ".jsonl": "json",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Run:
    """The values of the shared options, for the function of a command.

    Attributes:
        format: One of `kb_score.shell.output.FORMATS`.
        target: The file that ``-o`` names, or standard output.
        open_workers: Opens the workers that share the work.
        reasons: The values of ``--why`` and the like; None without ``--why`` and ``--why-not``.
        stream: The stream for results; None for standard output.
    """

    rules: GameRules
    format: str = "table"
    target: Target = STANDARD_OUTPUT
    open_workers: WorkersOpener = nullcontext
    reasons: WhyRequest | None = None
    stream: IO[str] | None = None

    def show(self, output: Output, *, is_first: bool = True) -> None:
        """Print findings in the chosen format; see `kb_score.shell.output.show`."""
        show(output, self.format, is_first=is_first, stream=self.stream)

    def explain(
        self,
        names: Sequence[str],
        *,
        codes: Mapping[str, str] | None = None,
        is_first: bool = False,
    ) -> None:
        """Print the reasons that ``--why`` and ``--why-not`` ask for, if either is given.

        Args:
            names: The atoms to explain if the option names none; the first that exists is used.
            codes: Atoms to explain in place of the codes of violations.
            is_first: Whether no results were printed before.
        """
        if self.reasons is None:
            return
        trees = self.reasons.report(self.rules, names, codes or {}, self.format)
        self.show(trees, is_first=is_first)


def _parse_constants(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    # The names and values are checked later, against the rules.
    constants = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not (name.isidentifier() and equals and value):
            raise click.BadParameter(f"{word!r} is not NAME=VALUE", context, parameter)
        constants[name] = value
    return tuple(sorted(constants.items()))


def _make_changes(
    rule_folders: tuple[Path, ...],
    constants: tuple[tuple[str, str], ...],
    limit_seconds: float | None,
    limit_memory: int,
) -> Changes:
    return Changes(rule_folders, constants, Limits(limit_seconds, limit_memory))


_CHANGES = OptionGroup("rule_changes", _make_changes)
# The options of all commands that run rules: they change the rules, limit them, or silence notes.
_CHANGES_OPTIONS = (
    _CHANGES.option(
        "--rules",
        "rule_folders",
        multiple=True,
        type=FolderName(),
        metavar="DIR|FILE",
        help="Add a folder of .lp files, or a single file, to the rules. Repeatable.",
    ),
    _CHANGES.option(
        "--const",
        "constants",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_parse_constants,
        help="Set a ruling: see `kb-score rules list`. Repeatable.",
    ),
    _CHANGES.option(
        "--limit-seconds",
        type=Seconds(),
        metavar="SECONDS",
        help="Stop the rules if a query takes longer than this; advise, restore and solve stop "
        "after this time and show what they have found  [default: no limit, but 8 seconds of "
        "processor time for your rules if they may grow without end].",
    ),
    make_number_option(
        "--limit-memory",
        64,
        2**20,
        4096,
        "Stop the rules if they use more memory than this.",
        "MIB",
        _CHANGES,
    ),
    quiet_option,
)


def changes_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--rules`` and the like; a `GroupCommand` gets their values as ``rule_changes``."""
    return decorate(function, *_CHANGES_OPTIONS)


def _make_opener(jobs: int, scheduler: str | None) -> WorkersOpener:
    if scheduler is not None and jobs > 1:
        raise click.UsageError("--jobs applies to this machine: leave it out with --scheduler")
    if jobs == 1 and scheduler is None:
        return nullcontext
    from kb_score.shell.cluster import open_pool  # slow to import

    return partial(open_pool, jobs, scheduler)


_WORKERS = OptionGroup("open_workers", _make_opener)
_WORKERS_OPTIONS = (
    make_number_option("--jobs", 1, None, 1, "The number of processes to use.", group=_WORKERS),
    _WORKERS.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Use the workers of the Dask cluster with this scheduler, such as tcp://host:8786.",
    ),
)


def output_option(text: str) -> _Decorator:
    """Return a decorator that declares ``-o``, the file to write, with a help text."""
    return click.option("-o", "--output", metavar="FILE", help=text)


force_option = click.option(
    "--force", is_flag=True, help="Replace existing files, whatever they contain."
)


class RunCommand(GroupCommand):
    """A command whose function receives a `Run` and the values of its own options."""

    def __init__(
        self,
        name: str | None,
        *,
        game: str,
        params: Sequence[click.Parameter] = (),
        has_format: bool = True,
        has_workers: bool = False,
        has_reasons: bool = False,
        saves_results: bool = False,
        writes: Sequence[str] = (),
        **attributes: Any,
    ) -> None:
        """Create a command for the rules of a game, by the game's folder in asp/.

        Args:
            params: The command's own arguments and options.
            has_format: Whether it has ``--format``.
            has_workers: Whether it has ``--jobs`` and ``--scheduler``.
            has_reasons: Whether it has ``--why`` and related options.
            saves_results: Whether ``-o`` names a file for results that are printed by default.
            writes: The extensions allowed for the file that ``-o`` names.
            name: As for `click.Command`, like the attributes.
        """
        self._game = game
        self._endings = tuple(writes)
        options: list[_Decorator] = []
        if has_workers:
            options += _WORKERS_OPTIONS
        if writes:
            kinds = " or ".join(writes)
            text = f"The file to write: {kinds}  [default: standard output]"
            options += [output_option(text), force_option]
        if has_format:
            options.append(format_option)
        options += _CHANGES_OPTIONS
        if saves_results:
            self._endings = tuple(_FORMATS)
            kinds = ", ".join(_FORMATS)
            text = (
                f"The file for the results: {kinds}; without --format, its ending chooses the "
                "format  [default: standard output]"
            )
            options += [output_option(text), force_option]
        self._saves_results = saves_results
        if has_reasons:
            options += REASONS_OPTIONS
        super().__init__(name, params=[*params, *make_parameters(*options)], **attributes)

    def invoke(self, context: click.Context) -> Any:
        """Call the command's function with a `Run`, and write the output file."""
        assert self.callback is not None
        values = self.make_values(context.params)
        changes: Changes = values.pop("rule_changes")
        target = STANDARD_OUTPUT
        if self._endings:
            inputs = [*self._list_inputs(context.params), *changes.paths]
            is_edited = self._endings == (".txt",)
            target = Target(values.pop("output"), inputs, values.pop("force"), is_edited)
            target.check(self._endings)
        reasons: WhyRequest | None = values.pop("reasons", None)
        format_ = values.pop("format_", "table")
        if context.get_parameter_source("format_") is ParameterSource.DEFAULT:
            format_ = _FORMATS.get(target.ending, format_)
        if reasons is not None and format_ == "csv":
            raise click.UsageError("csv cannot show trees: use --format json with --why")
        stream = StringIO() if self._saves_results and target.path is not None else None
        with use_rules(self._game, changes) as rules:
            if reasons is not None:
                rules = replace(rules, listener=reasons.solved.append)
            open_workers = values.pop("open_workers", nullcontext)
            run = Run(rules, format_, target, open_workers, reasons, stream)
            status = context.invoke(self.callback, run, **values)
            text = stream.getvalue() if stream is not None else ""
            if text:
                target.write(text.encode(errors="backslashreplace"))
        return status

    def _list_inputs(self, given: Mapping[str, Any]) -> Iterator[str]:
        """Yield the files and folders that the arguments name, and the .txt files in folders."""
        for parameter in self.params:
            if not isinstance(parameter, click.Argument):
                continue
            value = given[parameter.name]
            paths = [value] if isinstance(value, str) else value or ()
            for path in paths:
                yield str(path)
                if is_folder(str(path)):
                    with suppress(KbScoreError):  # the command reports it
                        yield from list_inputs([str(path)])


def run_command(
    game: str, name: str | None = None, **attributes: Any
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that turns a function into a `RunCommand`, as `click.command` does."""
    return click.command(name, cls=RunCommand, game=game, **attributes)


@contextmanager
def use_rules(game: str, changes: Changes) -> Iterator[GameRules]:
    """Yield the rules of a game with a user's changes, and print notes and warnings at the end.

    A Python error in the block becomes a RuleError if the user has added rules.
    """
    given = GameRules(game, changes)
    doubts = dict.fromkeys(given.find_warnings())
    rules = replace(given, warn=doubts.setdefault)
    with blame_rules(rules):
        yield rules
        for note in given.find_notes():
            complain(note, kind="note")
        for doubt in doubts:
            complain(doubt, kind="warning")
