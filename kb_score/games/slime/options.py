"""Options that the live commands of Slime share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from kb_score.command import Seconds
from kb_score.games.slime.bot import Patience

_Function = TypeVar("_Function", bound=Callable[..., Any])


def size_option(function: _Function) -> _Function:
    """Add ``--size``."""
    return click.option(
        "--size",
        type=click.IntRange(2, 100),
        default=8,
        show_default=True,
        metavar="N",
        help="Rows and columns of the board.",
    )(function)


def patience_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--timeout``, ``--grace`` and ``--kill``, and hand them on as one `Patience`."""

    @functools.wraps(function)
    def with_patience(timeout: float, grace: float, kill: float, **others: Any) -> Any:
        return function(patience=Patience(timeout, grace, kill), **others)

    for name, metavar, type_, default, text in (
        (
            "--kill",
            "SECONDS",
            Seconds(),
            2.0,
            "After so long a bot is ended, if it is late.",
        ),
        (
            "--grace",
            "TIMES",
            click.FloatRange(min=1, max=1000),
            5.0,
            "An answer counts until so many times the timeout: the machine may be busy.",
        ),
        (
            "--timeout",
            "SECONDS",
            Seconds(),
            0.1,
            "How long a bot should take for a turn at the most.",
        ),
    ):
        with_patience = click.option(
            name, type=type_, default=default, show_default=True, metavar=metavar, help=text
        )(with_patience)
    return with_patience
