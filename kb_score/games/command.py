"""The common parts of all games' commands: options, and the whole of a plain check."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb_score.engine.run import Changes, GameRules, Limits
from kb_score.errors import RuleError, visible
from kb_score.games.checks import Teller, find_records, tell_all
from kb_score.games.crews import Opener, crew_options
from kb_score.games.why import why_options
from kb_score.shell.files import read_inputs
from kb_score.shell.options import format_option, rules_options
from kb_score.shell.output import complain

if TYPE_CHECKING:
    from kb_score.errors import FileKind
    from kb_score.shell.output import Exit
    from kb_score.shell.verdict import Verdict


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


def make_check(
    game: str, check_files: Callable[..., Verdict], *kinds: FileKind, help_: str, example: str
) -> click.Command:
    """Make the command ``check`` of a game that takes files and no options of its own.

    The files are named after their kinds, as in the help, such as MAP and RECORD, whose first line
    says what a record is; there may be many records. The example goes on after ``kb-score check``.
    """
    *other_kinds, record_kind = kinds
    *other_names, record_name = (kind.words.split()[-1] for kind in kinds)

    def check(format_: str, rules: GameRules, crew: Opener, **paths: Any) -> Exit:
        before = [paths[name] for name in other_names]
        records = find_records(paths[record_name], record_kind, *before)
        texts = read_inputs(*zip(before, other_kinds, strict=True))
        judge = partial(_check_last, check_files, rules, *zip(before, texts, strict=True))
        return tell_all(records, judge, Teller(rules, format_, before), crew)

    asking = why_options(("violation", "result"))(check)
    command: Callable[..., Any] = crew_options(game_options(game)(asking))
    record = click.argument(
        record_name, metavar=f"{record_name.upper()}...", nargs=-1, required=True
    )
    command = record(command)
    for name in reversed(other_names):
        command = click.argument(name, metavar=name.upper())(command)
    return make_verb("check", game, help_, example)(command)


def _check_last(check_files: Callable[..., Verdict], rules: GameRules, *files: Any) -> Verdict:
    """Check a record, whose name and text come last, after other files."""
    *before, name, text = files
    return check_files(rules, *before, (name, text))
