"""Options that the commands share."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Iterable
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


def list_names(decorators: Iterable[_Decorator]) -> list[str]:
    """List the parameters that options hand to a command."""

    def probe() -> None:
        """Take options."""

    parameters = getattr(decorate(probe, *decorators), "__click_params__", [])
    return [cast(str, parameter.name) for parameter in parameters if parameter.expose_value]


def gather(name: str, make: _Function, *options: _Decorator) -> _Decorator:
    """Make what adds options to a command, which gets under one name what is made of them."""
    names = list_names(options)

    def add(function: _Function) -> _Function:
        @functools.wraps(function)
        def command(**given: Any) -> Any:
            made = make(**{one: given.pop(one) for one in names})
            return function(**{name: made}, **given)

        return decorate(command, *options)

    return add


def number_option(
    name: str, least: int, most: int | None, default: int | None, text: str, unit: str = "N"
) -> _Decorator:
    """Make an option for a whole number within limits; what is None is not there."""
    return click.option(
        name,
        type=click.IntRange(least, most),
        default=default,
        show_default=default is not None,
        metavar=unit,
        help=text,
    )


def _parse_constants(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    # Which names and values there are is for the rules to say.
    constants = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not (name.isidentifier() and equals and value):
            raise click.BadParameter(f"{word!r} is not NAME=VALUE", context, parameter)
        constants[name] = value
    return tuple(sorted(constants.items()))


# The options of all commands that ask rules: they change them, limit them, or keep them quiet.
RULES = (
    click.option(
        "--rules",
        "rule_folders",
        multiple=True,
        type=FolderName(),
        metavar="DIR|FILE",
        help="A folder of .lp files, or one, to add to the rules. Repeatable.",
    ),
    click.option(
        "--const",
        "constants",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_parse_constants,
        help="Set a ruling: see `kb-score rules list`. Repeatable.",
    ),
    click.option(
        "--limit-seconds",
        type=Seconds(),
        metavar="SECONDS",
        help="Stop the rules when one question takes them longer  [default: none, but 8 seconds of "
        "a processor for rules of yours that may grow without end].",
    ),
    number_option(
        "--limit-memory", 64, 2**20, 4096, "Stop the rules when they take more memory.", "MIB"
    ),
    click.option(
        "-q",
        "--quiet",
        is_flag=True,
        expose_value=False,
        callback=hush,
        help="Tell no warnings, notes and progress, but errors.",
    ),
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


# The options that bots are kept to, which are handed on together as ``bounds``.
bounds_options = gather(
    "bounds",
    _make_bounds,
    click.option(
        "--sandbox",
        is_flag=True,
        help="Run bots in bubblewrap: no network, and a system that is read-only but for their "
        "folder.",
    ),
    number_option(
        "--bot-memory", 1, 1 << 24, None,
        "Memory that each program of a bot may take  [default: no limit]", "MIB",
    ),
    number_option(
        "--bot-seconds", 1, 10**6, None,
        "Seconds that each program of a bot may keep a processor busy  [default: no limit]",
    ),
)  # fmt: skip


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
