"""Options that the commands share."""

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
_Decorator: TypeAlias = Callable[[_Function], _Function]


# How deep and how wide trees of reasons are, if nothing is said.
DEPTH, WIDTH = 3, 3


class FolderName(click.Path):
    """The name of a folder on the command line, which is not empty."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Read a name; Python takes an empty one for the present folder."""
        if isinstance(value, str) and not value.strip():
            self.fail("the name of the folder is empty", param, ctx)
        return cast("Path", super().convert(value, param, ctx))


class Number(click.FloatRange):
    """A number on the command line."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read a number; no range keeps out nan."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


class Seconds(Number):
    """A time on the command line: a number of seconds, up to an hour."""

    def __init__(self, *, zero: bool = False) -> None:
        """Accept times from 0 on, or only times above 0."""
        super().__init__(0, 3600, min_open=not zero)


def decorate(function: _Function, *decorators: _Decorator) -> _Function:
    """Add options to a function, the first of which comes first."""
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def make_parameters(*decorators: _Decorator) -> list[click.Parameter]:
    """Make the parameters that some of click's decorators declare, in order."""

    def declared() -> None:
        """Carry the parameters."""

    decorate(declared, *decorators)
    return list(reversed(getattr(declared, "__click_params__", [])))


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """Options that a command receives as one value.

    Attributes:
        name: The parameter of the command.
        make: Makes the value from the values of the options, which it receives by their names.
    """

    name: str
    make: _Function

    def option(self, *words: str, **attributes: Any) -> _Decorator:
        """Declare an option of the group, as `click.option` does."""
        return click.option(*words, cls=GroupedOption, group=self, **attributes)


class GroupedOption(click.Option):
    """An option of an `OptionGroup`."""

    def __init__(self, words: Sequence[str], *, group: OptionGroup, **attributes: Any) -> None:
        super().__init__(words, **attributes)
        self.group = group


class LateChoice(click.Choice[str]):
    """A choice whose values are found when it is asked for, such as the games that there are."""

    def __init__(self, find: Callable[[], Iterable[str]], *, case_sensitive: bool = True) -> None:
        """Make the choice; ``find`` lists its values."""
        self._find = find
        super().__init__((), case_sensitive)

    @property
    def choices(self) -> tuple[str, ...]:
        """The values."""
        return tuple(self._find())

    @choices.setter
    def choices(self, _values: tuple[str, ...]) -> None:
        """Ignore what click sets."""


class GroupCommand(click.Command):
    """A command that receives each `OptionGroup` of its options as one value."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command's function."""
        assert self.callback is not None
        return context.invoke(self.callback, **self.make_values(context.params))

    def make_values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Make the values that the function receives from the values of the options."""
        grouped = defaultdict[OptionGroup, dict[str, Any]](dict)
        values = dict(given)
        for parameter in self.params:
            if isinstance(parameter, GroupedOption) and parameter.expose_value:
                grouped[parameter.group][parameter.name] = values.pop(parameter.name)
        for group, parts in grouped.items():
            values[group.name] = group.make(**parts)
        return values


class GroupOfCommands(click.Group):
    """A group whose commands are each a `GroupCommand`."""

    command_class = GroupCommand


def number_option(
    name: str,
    least: int,
    most: int | None,
    default: int | None,
    text: str,
    unit: str = "N",
    group: OptionGroup | None = None,
) -> _Decorator:
    """Make an option for a whole number within limits; what is None is not there."""
    declare = click.option if group is None else group.option
    return declare(
        name,
        type=click.IntRange(least, most),
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
    help="Tell no warnings, notes and progress, but errors.",
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
    """Make the folder that an option names, unless a shell only asks what may follow."""
    if folder is not None and not context.resilient_parsing:
        make_folder(folder)
    return folder


bot_log_option = click.option(
    "--bot-log",
    metavar="DIR",
    type=FolderName(),
    callback=_make_log_folder,
    help="Add what bots say on their error streams to files in DIR, one a bot.",
)


def _make_bounds(sandbox: bool, bot_memory: int | None, bot_seconds: int | None) -> Bounds:
    from kb_score.shell.process import Bounds, check_sandbox  # most commands start no program

    if sandbox:
        check_sandbox()
    return Bounds(Path.cwd() if sandbox else None, bot_memory, bot_seconds)


# The options that bots are kept to.
_BOUNDS = OptionGroup("bounds", _make_bounds)
_BOUNDS_OPTIONS = (
    _BOUNDS.option(
        "--sandbox",
        is_flag=True,
        help="Run bots in bubblewrap: no network, and a system that is read-only but for their "
        "folder.",
    ),
    number_option(
        "--bot-memory",
        1,
        1 << 24,
        None,
        "Memory that each program of a bot may take  [default: no limit]",
        "MIB",
        _BOUNDS,
    ),
    number_option(
        "--bot-seconds",
        1,
        10**6,
        None,
        "Seconds that each program of a bot may keep a processor busy  [default: no limit]",
        group=_BOUNDS,
    ),
)


def bounds_options(function: _Function) -> _Function:
    """Add the limits of bots, which a `GroupCommand` receives as ``bounds``."""
    return decorate(function, *_BOUNDS_OPTIONS)


def timeout_option(default: float, text: str, name: str = "--timeout") -> _Decorator:
    """Make an option for a time that a bot has, in seconds, such as ``--timeout``."""
    return click.option(
        name, type=Seconds(), default=default, show_default=True, metavar="SECONDS", help=text
    )


def make_jobs_option(text: str) -> _Decorator:
    """Make the option for how many processes work at a time."""
    return click.option(
        "--jobs",
        type=click.IntRange(1, 256),
        default=os.cpu_count() or 1,
        show_default="processors",
        metavar="N",
        help=text,
    )


jobs_option = make_jobs_option("How many games are played at a time.")
scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Leave the work to the workers of a Dask cluster, such as tcp://host:8786.",
)
