"""What a command runs with: rules, where results go, workers, and reasons.

A command declares its options with click's decorators and these, and is made by `RunCommand`. Its
function receives a `Run` first, then the values of its own options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import click

from kb_score.cli.why import REASONS_OPTIONS, WhyRequest
from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules, Limits
from kb_score.games.blame import blame_rules
from kb_score.resources import is_folder
from kb_score.shell.options import (
    FolderName,
    GroupCommand,
    OptionGroup,
    Seconds,
    decorate,
    format_option,
    make_parameters,
    number_option,
    quiet_option,
)
from kb_score.shell.output import Output, complain, show
from kb_score.shell.target import STANDARD_OUTPUT, Target

if TYPE_CHECKING:
    from kb_score.shell.pool import Pool

_Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
# Opens the workers for a ``with`` statement; they are None where this process does all itself.
WorkersOpener: TypeAlias = Callable[[], AbstractContextManager["Pool | None"]]

# The endings of the files for results that are printed otherwise.
RESULTS = (".txt", ".md", ".csv", ".json", ".jsonl")


@dataclass(frozen=True, slots=True)
class Run:
    """What a command runs with.

    Attributes:
        rules: The rules of the game, with the user's changes.
        format: The format of results, one of `kb_score.shell.output.FORMATS`.
        target: The file that ``-o`` names, or standard output.
        open_workers: Opens the processes that share the work.
        reasons: What ``--why`` and ``--why-not`` ask about; None without them.
        stream: Where results are printed; None for standard output.
    """

    rules: GameRules
    format: str = "table"
    target: Target = STANDARD_OUTPUT
    open_workers: WorkersOpener = nullcontext
    reasons: WhyRequest | None = None
    stream: IO[str] | None = None

    def show(self, output: Output, *, is_first: bool = True) -> None:
        """Print findings in the format, as `kb_score.shell.output.show` does."""
        show(output, self.format, is_first=is_first, stream=self.stream)

    def explain(
        self,
        names: Sequence[str],
        *,
        codes: Mapping[str, str] | None = None,
        is_first: bool = False,
    ) -> None:
        """Print the reasons that are asked for, after the other results.

        Args:
            names: What may be asked about if the option names nothing; of several the first that
                there is.
            codes: Atoms by the codes of violations that stand for them.
            is_first: Whether nothing was printed before.
        """
        if self.reasons is None:
            return
        trees = self.reasons.report(self.rules, names, codes or {}, self.format)
        self.show(trees, is_first=is_first)


def _parse_constants(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    # The rules say which names and values there are.
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
# The options of all commands that ask rules: they change them, limit them, or keep them quiet.
_CHANGES_OPTIONS = (
    _CHANGES.option(
        "--rules",
        "rule_folders",
        multiple=True,
        type=FolderName(),
        metavar="DIR|FILE",
        help="A folder of .lp files, or one, to add to the rules. Repeatable.",
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
        help="Stop the rules when one question takes them longer  [default: none, but 8 seconds of "
        "a processor for rules of yours that may grow without end].",
    ),
    number_option(
        "--limit-memory",
        64,
        2**20,
        4096,
        "Stop the rules when they take more memory.",
        "MIB",
        _CHANGES,
    ),
    quiet_option,
)


def changes_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--rules`` and its kin, which a `GroupCommand` receives as ``rule_changes``."""
    return decorate(function, *_CHANGES_OPTIONS)


def _make_opener(jobs: int, scheduler: str | None) -> WorkersOpener:
    if scheduler is not None and jobs > 1:
        raise click.UsageError("--jobs is about this machine: leave it out with --scheduler")
    if jobs == 1 and scheduler is None:
        return nullcontext
    from kb_score.shell.cluster import open_pool  # imported late: processes take a while to load

    return partial(open_pool, jobs, scheduler)


_WORKERS = OptionGroup("open_workers", _make_opener)
_WORKERS_OPTIONS = (
    number_option("--jobs", 1, None, 1, "The number of processes to use.", group=_WORKERS),
    _WORKERS.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Leave the work to the workers of a Dask cluster, such as tcp://host:8786.",
    ),
)


def output_option(text: str) -> _Decorator:
    """Make the option for the file to write."""
    return click.option("-o", "--output", metavar="FILE", help=text)


force_option = click.option(
    "--force", is_flag=True, help="With -o: write over a file that kb-score did not write."
)


class RunCommand(GroupCommand):
    """A command whose function receives a `Run`, and then the values of its options."""

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
        """Make a command.

        Args:
            name: As for `click.Command`.
            game: The game, by its folder in asp/.
            params: Its own arguments and options.
            has_format: Whether it has ``--format``.
            has_workers: Whether it has ``--jobs`` and ``--scheduler``.
            has_reasons: Whether it has ``--why`` and its kin.
            saves_results: Whether ``-o`` names a file for what it prints otherwise.
            writes: The endings of the file that it writes, which ``-o`` names.
            attributes: As for `click.Command`.
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
            self._endings = RESULTS
            kinds = ", ".join(RESULTS)
            text = f"The file for the results: {kinds}  [default: standard output]"
            options += [output_option(text), force_option]
        self._saves_results = saves_results
        if has_reasons:
            options += REASONS_OPTIONS
        super().__init__(name, params=[*params, *make_parameters(*options)], **attributes)

    def invoke(self, context: click.Context) -> Any:
        """Run the command's function with a `Run`."""
        assert self.callback is not None
        values = self.make_values(context.params)
        changes: Changes = values.pop("rule_changes")
        target = STANDARD_OUTPUT
        if self._endings:
            inputs = [*self._list_inputs(context.params), *changes.paths]
            target = Target(values.pop("output"), inputs, values.pop("force"))
            target.check(self._endings)
        reasons: WhyRequest | None = values.pop("reasons", None)
        format_ = values.pop("format_", "table")
        if reasons is not None and format_ == "csv":
            raise click.UsageError("trees are no rows: use --format json with --why")
        stream = StringIO() if self._saves_results and target.path is not None else None
        with use_rules(self._game, changes) as rules:
            if reasons is not None:
                rules = replace(rules, listener=reasons.solved.append)
            open_workers = values.pop("open_workers", nullcontext)
            run = Run(rules, format_, target, open_workers, reasons, stream)
            status = context.invoke(self.callback, run, **values)
            if stream is not None and (text := stream.getvalue()):
                target.write(text.encode(errors="replace"))
        return status

    def _list_inputs(self, given: Mapping[str, Any]) -> Iterator[str]:
        """List the files that the arguments name, and the records and boards in folders."""
        for parameter in self.params:
            if not isinstance(parameter, click.Argument):
                continue
            value = given[parameter.name]
            for path in [value] if isinstance(value, str) else value or ():
                yield str(path)
                if is_folder(str(path)):
                    yield from map(str, Path(path).glob("*.txt"))


def run_command(
    game: str, name: str | None = None, **attributes: Any
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make the decorator that makes a `RunCommand` from a function, as `click.command` does."""
    return click.command(name, cls=RunCommand, game=game, **attributes)


@contextmanager
def use_rules(game: str, changes: Changes) -> Iterator[GameRules]:
    """Yield the rules of a game with a user's changes; at the end print notes and warnings on them.

    Raises:
        RuleError: Something is wrong with the user's rules, perhaps only with what they derive.
    """
    given = GameRules(game, changes)
    doubts = dict.fromkeys(given.find_warnings())
    rules = GameRules(game, changes, warn=doubts.setdefault)
    with blame_rules(rules):
        yield rules
        for note in given.find_notes():
            complain(note, kind="note")
        for doubt in doubts:
            complain(doubt, kind="warning")
