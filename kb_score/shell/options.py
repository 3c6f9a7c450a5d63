"""Command-line options that several commands share."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import click

from kb_score.shell.files import make_folder
from kb_score.shell.output import FORMATS, hush

if TYPE_CHECKING:
    from kb_score.shell.process import Bounds

_Function: TypeAlias = Callable[..., Any]
Decorator: TypeAlias = Callable[[_Function], _Function]


# The default depth and width of trees of reasons.
DEPTH = 3
WIDTH = 3


class FolderName(click.Path):
    """The nonempty name of a folder on the command line."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Read a name, and reject "-", and an empty one: for Python it is the current folder."""
        if isinstance(value, str) and not value.strip():
            self.fail("the name of the folder is empty", param, ctx)
        if value == "-":
            self.fail("'-' is not the name of a folder", param, ctx)
        return cast("Path", super().convert(value, param, ctx))


class WholeNumber(click.IntRange):
    """A whole number on the command line, from 0 or from more."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read a number, and say which are allowed if it is none."""
        try:
            int(value)
        except ValueError:
            expected = f"that is at least {self.min}"
            if self.max is not None:
                expected = f"from {self.min} to {self.max}"
            self.fail(f"expected a number {expected}, not {value!r}", param, ctx)
        return int(super().convert(value, param, ctx))


class Number(click.FloatRange):
    """A number on the command line."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read a number, and reject NaN, which every range accepts."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


class Seconds(Number):
    """A time on the command line: a number of seconds, up to an hour."""

    def __init__(self, *, zero: bool = False) -> None:
        """Create the type; ``zero`` says whether to accept 0."""
        super().__init__(0, 3600, min_open=not zero)


def decorate(function: _Function, *decorators: Decorator) -> _Function:
    """Apply click's decorators to a function so that its help lists them in this order."""
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def make_parameters(*decorators: Decorator) -> list[click.Parameter]:
    """Return the parameters that click's decorators declare, in order."""

    def declared() -> None:
        """Hold the parameters."""

    decorate(declared, *decorators)
    return list(reversed(getattr(declared, "__click_params__", [])))


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """Options that a command receives as one value.

    Attributes:
        name: The name of the command's parameter.
        make: Returns the value; it receives the values of the options as keyword arguments.
    """

    name: str
    make: _Function

    def option(self, *words: str, **attributes: Any) -> Decorator:
        """Return a decorator that declares an option of the group, as `click.option` does."""
        return click.option(*words, cls=GroupedOption, group=self, **attributes)


class GroupedOption(click.Option):
    """An option of an `OptionGroup`."""

    def __init__(self, words: Sequence[str], *, group: OptionGroup, **attributes: Any) -> None:
        super().__init__(words, **attributes)
        self.group = group


class GameChoice(click.Choice[str]):
    """A choice of games, which are looked up when they are needed."""

    def __init__(
        self,
        find: Callable[[], Iterable[str]],
        hint: str = "--game-dir DIR adds a game of your own",
        *,
        case_sensitive: bool = True,
    ) -> None:
        """Create the choice; the hint says what to do if a game is not among the names."""
        self._find = find
        self._hint = hint
        super().__init__((), case_sensitive)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Read the name of a game."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            message = error.message.rstrip(".")
            raise click.BadParameter(f"{message}; {self._hint}", ctx, param) from None

    @property
    def choices(self) -> tuple[str, ...]:
        """The values."""
        return tuple(self._find())

    @choices.setter
    def choices(self, _values: tuple[str, ...]) -> None:
        """Ignore the values that click sets."""


class GroupCommand(click.Command):
    """A command that receives each `OptionGroup` of its options as one value."""

    def invoke(self, context: click.Context) -> Any:
        """Call the command's function with the values of its options and groups."""
        assert self.callback is not None
        return context.invoke(self.callback, **self.make_values(context.params))

    def make_values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the command's function, from the values of all parameters."""
        grouped = defaultdict[OptionGroup, dict[str, Any]](dict)
        values = dict(given)
        for parameter in self.params:
            if isinstance(parameter, GroupedOption) and parameter.expose_value:
                grouped[parameter.group][parameter.name] = values.pop(parameter.name)
        for group, parts in grouped.items():
            values[group.name] = group.make(**parts)
        return values


def keep_help(command: click.Command | None) -> click.Command | None:
    """Give a command its help under ``python -OO``, which leaves out docstrings."""
    if command is not None and command.callback is not None and command.help is None:
        import ast
        from inspect import getsource
        from textwrap import dedent

        (function,) = ast.parse(dedent(getsource(command.callback))).body
        assert isinstance(function, ast.FunctionDef)
        command.help = ast.get_docstring(function)
    return command


class GroupOfCommands(click.Group):
    """A click group that makes each of its commands a `GroupCommand`."""

    command_class = GroupCommand

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command with its help; None if there is no such command."""
        return keep_help(super().get_command(context, name))


def make_number_option(
    name: str,
    least: int,
    most: int | None,
    default: int | None,
    text: str,
    unit: str = "N",
    group: OptionGroup | None = None,
) -> Decorator:
    """Return a decorator that declares an option for a whole number.

    There is no upper bound if ``most`` is None; ``unit`` is the name of the value in the help.
    """
    declare = click.option if group is None else group.option
    return declare(
        name,
        type=WholeNumber(least, most),
        default=default,
        show_default=default is not None,
        metavar=unit,
        help=text,
    )


quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=hush,
    help="Print errors only: no warnings, notes or progress.",
)
format_option = click.option(
    "-f",
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="The format of results; json has one object on each line.",
)


def _make_log_folder(
    context: click.Context, _parameter: click.Parameter, folder: Path | None
) -> Path | None:
    """Create the folder that an option names, except while a shell completes the command line."""
    if folder is not None and not context.resilient_parsing:
        make_folder(folder)
    return folder


bot_log_option = click.option(
    "--bot-log",
    metavar="DIR",
    type=FolderName(),
    callback=_make_log_folder,
    help="Append the error streams of bots to files in DIR, one for each bot.",
)


def _make_bounds(sandbox: bool, bot_memory: int | None, bot_seconds: int | None) -> Bounds:
    from kb_score.shell.process import Bounds, check_sandbox  # most commands start no program

    if sandbox:
        check_sandbox()
    folder = Path.cwd() if sandbox else None
    return Bounds(folder, bot_memory, bot_seconds)


# The options that limit bots.
_BOUNDS = OptionGroup("bounds", _make_bounds)
_BOUNDS_OPTIONS = (
    _BOUNDS.option(
        "--sandbox",
        is_flag=True,
        help="Run bots in bubblewrap: without a network, and with write access to their own folder "
        "only.",
    ),
    make_number_option(
        "--bot-memory",
        1,
        1 << 24,
        None,
        "Memory limit for each program of a bot  [default: no limit]",
        "MIB",
        _BOUNDS,
    ),
    make_number_option(
        "--bot-seconds",
        1,
        10**6,
        None,
        "Processor time limit for each program of a bot, in seconds  [default: no limit]",
        group=_BOUNDS,
    ),
)


def bounds_options(function: _Function) -> _Function:
    """Add the options that limit bots; a `GroupCommand` receives their values as ``bounds``."""
    return decorate(function, *_BOUNDS_OPTIONS)


def make_timeout_option(default: float, text: str, name: str = "--timeout") -> Decorator:
    """Return a decorator that declares an option for the seconds that a bot has."""
    return click.option(
        name, type=Seconds(), default=default, show_default=True, metavar="SECONDS", help=text
    )


def make_jobs_option(text: str) -> Decorator:
    """Return a decorator that declares ``--jobs``, the number of processes, with a help text."""
    return click.option(
        "--jobs",
        type=WholeNumber(1, 256),
        default=os.cpu_count() or 1,
        show_default="processors",
        metavar="N",
        help=text,
    )


jobs_option = make_jobs_option("Number of games to play at a time.")
scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Use the workers of the Dask cluster with this scheduler, such as tcp://host:8786.",
)
