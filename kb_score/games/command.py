"""The common parts of all games' commands: options, and the whole of a plain check."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb_score.engine.run import Changes, GameRules, Limits
from kb_score.errors import RuleError, visible
from kb_score.games import Game
from kb_score.shell.files import read_inputs
from kb_score.shell.options import format_option, rules_options
from kb_score.shell.output import complain
from kb_score.shell.verdict import Verdict, show_verdict

if TYPE_CHECKING:
    from kb_score.errors import FileKind
    from kb_score.shell.output import Exit


def game_options(
    game: str, *, with_format: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add ``--format``, ``--rules`` and its kin to a command of a game, by its folder in asp/.

    The command receives ``format_``, one of `kb_score.shell.output.FORMATS`, and ``rules``, the
    `GameRules`. What writes a file alone has no ``--format``.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def command(
            *arguments: Any,
            rule_folders: tuple[Path, ...],
            constants: tuple[tuple[str, str], ...],
            limits: tuple[float | None, int],
            **others: Any,
        ) -> Any:
            with use_rules(game, Changes(rule_folders, constants, Limits(*limits))) as rules:
                return function(*arguments, rules=rules, **others)

        return format_option(rules_options(command)) if with_format else rules_options(command)

    return decorate


@contextmanager
def use_rules(game: str, changes: Changes) -> Iterator[GameRules]:
    """Give the rules of a game, changed as a user wants, and tell what is doubtful about them.

    Raises:
        RuleError: Something is wrong with the user's rules, perhaps only with what comes of them.
    """
    rules = GameRules(game, changes)
    for doubt in rules.find_doubts():
        complain(doubt, kind="warning")
    try:
        yield rules
    except (LookupError, TypeError, ValueError, AssertionError) as error:
        if not changes.folders:
            raise
        # A user's rules can turn any part of an answer into something unexpected.
        names = ", ".join(visible(str(folder)) for folder in changes.folders)
        raise RuleError(
            f"the rules in {names} derive an atom that kb-score cannot read, or leave out "
            f"one that it needs: {type(error).__name__}: {error}"
        ) from error


def make_verb(
    verb: str, game: str, help_: str, example: str
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make the decorator for a verb of a game: the first line of its help stands in lists."""
    short, _, _ = help_.partition("\n")
    epilog = f"Example: kb-score {verb} {example}"
    return click.command(game.replace("_", "-"), help=help_, short_help=short, epilog=epilog)


def show_check(
    verdict: Verdict, format_: str, rules: GameRules, *paths: str, options: Sequence[str] = ()
) -> Exit:
    """Print the verdict on a record, and which command shows its first violation.

    Args:
        verdict: The verdict.
        format_: One of `kb_score.shell.output.FORMATS`.
        rules: The rules, whose changes the command repeats.
        paths: The files, the record last.
        options: More of the command line that the game's ``check`` and ``replay`` share.
    """
    turn = verdict.violations[0].turn if verdict.violations else None
    hint = ""
    if turn is not None and "-" not in paths and "replay" in Game(rules.game).commands:
        changes = rules.changes.words()
        words = "kb-score", "replay", verdict.game, *paths, *options, *changes, "-o", "replay.html"
        hint = f"see turn {turn}: {shlex.join(words)}"
    return show_verdict(verdict, format_, hint)


def make_check(
    game: str, check_files: Callable[..., Verdict], *kinds: FileKind, help_: str, example: str
) -> click.Command:
    """Make the command ``check`` of a game that takes files and no options of its own.

    The files are named after their kinds, as in the help, such as MAP and RECORD, whose first line
    says what a record is; the example goes on after ``kb-score check``.
    """

    def check(format_: str, rules: GameRules, **paths: str) -> Exit:
        texts = read_inputs(*zip(paths.values(), kinds, strict=True))
        verdict = check_files(rules, *zip(paths.values(), texts, strict=True))
        return show_check(verdict, format_, rules, *paths.values())

    command: Callable[..., Any] = game_options(game)(check)
    for name in (kind.words.split()[-1] for kind in reversed(kinds)):
        command = click.argument(name, metavar=name.upper())(command)
    return make_verb("check", game, help_, example)(command)
