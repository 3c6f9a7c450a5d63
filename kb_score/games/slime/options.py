"""Options that the live commands of Slime share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from kb_score.games.slime.bots import Patience
from kb_score.games.slime.records import MAX_SIZE, MIN_SIZE
from kb_score.shell.options import number_option, timeout_option

size_option = number_option("--size", MIN_SIZE, MAX_SIZE, 8, "Rows and columns of the board.")


def live_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--size``, and ``--timeout``, ``--grace`` and ``--kill``, handed on as a `Patience`."""

    @size_option
    @timeout_option(0.1, "How long a bot should take for a turn at the most.")
    @click.option(
        "--grace",
        type=click.FloatRange(1, 1000),
        default=5.0,
        show_default=True,
        metavar="TIMES",
        help="An answer counts up to this many times the timeout: the machine may be busy.",
    )
    @timeout_option(2.0, "The time after which a late bot is ended.", "--kill")
    @functools.wraps(function)
    def command(timeout: float, grace: float, kill: float, **others: Any) -> Any:
        return function(patience=Patience(timeout, grace, kill), **others)

    return command
