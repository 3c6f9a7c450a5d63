"""What the commands of all games share: options, rules with a user's changes, help."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from importlib.resources import files
from inspect import cleandoc
from io import StringIO
from pathlib import Path
from typing import Any

import click

from kb_score.engine.changes import Changes
from kb_score.engine.program import error_at, plain_head
from kb_score.engine.rules import GameRules, Limits
from kb_score.errors import FileKind, InputError, RuleError, describe_list, visible
from kb_score.games import recognise
from kb_score.games.game import Decorator, Game, Help, Option
from kb_score.games.schema import DrawingError
from kb_score.resources import is_folder
from kb_score.shell.files import check_whole, read_inputs, read_overwritten, write_whole
from kb_score.shell.options import (
    RULES,
    Number,
    Seconds,
    decorate,
    format_option,
    gather,
    number_option,
    scheduler_option,
)
from kb_score.shell.output import complain

_Function = Callable[..., Any]


def game_options(game: str, *, with_format: bool = True) -> Callable[[_Function], _Function]:
    """Add ``--format``, ``--rules`` and its kin to a command of a game, by its folder in asp/.

    The command receives ``format_``, one of `kb_score.shell.output.FORMATS`, and ``rules``, the
    `GameRules`. What writes a file alone has no ``--format``.
    """

    def add(function: _Function) -> _Function:
        @functools.wraps(function)
        def command(*arguments: Any, rule_changes: Changes, **others: Any) -> Any:
            with use_rules(game, rule_changes) as rules:
                return function(*arguments, rules=rules, **others)

        return decorate(command, *([format_option] if with_format else []), changes_options)

    return add


# ``--rules`` and its kin, handed on together as ``rule_changes``.
changes_options = gather(
    "rule_changes",
    lambda rule_folders, constants, limit_seconds, limit_memory: Changes(
        rule_folders, constants, Limits(limit_seconds, limit_memory)
    ),
    *RULES,
)


@contextmanager
def use_rules(game: str, changes: Changes) -> Iterator[GameRules]:
    """Yield the rules of a game with a user's changes; at the end print notes and warnings on them.

    Raises:
        RuleError: Something is wrong with the user's rules, perhaps only with what they derive.
    """
    given = GameRules(game, changes)
    doubts = dict.fromkeys(given.find_warnings())
    rules = GameRules(game, changes, warn=doubts.setdefault)
    try:
        yield rules
        for note in given.find_notes():
            complain(note, kind="note")
        for doubt in doubts:
            complain(doubt, kind="warning")
    except DrawingError as error:
        raise _place_drawing(error, rules) from error
    except (LookupError, TypeError, ValueError, AssertionError) as error:
        if not given.has_user_files():
            raise
        # A user's rules can turn any part of an answer into something unexpected.
        names = ", ".join(map(visible, changes.list_folders()))
        raise RuleError(
            f"the rules in {names} derive an atom that kb-score cannot read, or leave out "
            f"one that it needs: {type(error).__name__}: {error}"
        ) from error


def _place_drawing(error: DrawingError, rules: GameRules) -> RuleError:
    """Return the error with the place of a rule that draws one of its symbols."""
    ours, users = rules.read_parts()
    for statement in (*users.statements, *ours.statements):
        head = plain_head(statement)
        if head is not None and any(f'"{symbol}"' in str(head) for symbol in error.symbols):
            return error_at(head.location, str(error))
    return error


def make_verb(
    verb: str, game: str, help_: str, example: str
) -> Callable[[_Function], click.Command]:
    """Make the decorator for a verb of a game: the first line of its help stands in lists."""
    short, _, _ = help_.partition("\n")
    epilog = f"Example: kb-score {verb} {example}"
    return click.command(game.replace("_", "-"), help=help_, short_help=short, epilog=epilog)


def make_game_verb(
    verb: str, game: Game, function: _Function, *decorators: Decorator, more: str = ""
) -> click.Command:
    """Make a verb of a game of a function and its options, in order; with ``more`` help."""
    shared = _read_helps("verbs").get(verb, Help(f"{game.title}: {verb}.", ""))
    default = Help(shared.text, f"{game.sample} {shared.example}".rstrip())
    said = _read_helps(game.name).get(verb, default)
    help_ = "\n\n".join(filter(None, map(cleandoc, (said.text, more))))
    command = decorate(function, *decorators)
    return make_verb(verb, game.title, help_, f"{game.title} {said.example}")(command)


@functools.cache
def _read_helps(game: str) -> dict[str, Help]:
    """Read what the file ``help.toml`` of a game, or of all games' verbs, says, if there is one."""
    file = files(f"kb_score.games.{game}") / "help.toml"
    found = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return {verb: Help(**said) for verb, said in found.items()}


def make_options(options: Iterable[Option]) -> list[Decorator]:
    """Make the options of the command line."""
    return [_make_option(option) for option in options]


def _make_option(option: Option) -> Decorator:
    words = [option.name]
    if option.also:
        words.append(f"--{option.also}")
    words.append(f"--{option.flag or option.name.replace('_', '-')}")
    if option.default is False:
        return click.option(*words, is_flag=True, help=option.help)
    return click.option(
        *words,
        type=_type_of(option),
        default=None if option.default == "" else option.default,
        show_default=option.default not in (None, ""),
        multiple=option.is_repeatable,
        metavar=option.unit,
        help=option.help,
    )


def _type_of(option: Option) -> Any:
    if option.unit == "SECONDS":
        return Seconds(zero=option.least == 0)
    if isinstance(option.default, float):
        return Number(option.least, option.most)
    if isinstance(option.default, int) or option.most is not None:
        return click.IntRange(int(option.least), None if option.most is None else int(option.most))
    return str


def pop_options(given: dict[str, Any], options: Iterable[Option]) -> dict[str, Any]:
    """Take the values of some options out of what a command was given."""
    return {option.name: given.pop(option.name) for option in options}


def name_files(kinds: Iterable[FileKind]) -> list[str]:
    """Name files after their kinds, such as ``map`` for "a map"."""
    return [kind.words.split()[-1] for kind in kinds]


def take_files(given: Mapping[str, Any], kinds: Iterable[FileKind]) -> list[str]:
    """List the paths that a command was given for some kinds of files."""
    return [given[name] for name in name_files(kinds)]


def files_argument(game: Game) -> Any:
    """Make the argument for the maps of a game and a record, which may be left out after a map."""
    return click.argument("paths", nargs=-1, required=True, metavar=say_files(game))


def say_files(game: Game) -> str:
    """Write which files a game takes, such as ``MAP [RECORD]``."""
    *maps, record = (name.upper() for name in name_files((*game.maps, game.record)))
    return f"{' '.join(maps)} [{record}]" if maps else record


def read_named(game: Game, paths: Sequence[str]) -> list[tuple[str, str]]:
    """Read the files that are named, each a name and a text."""
    kinds = (*game.maps, game.record)
    if not max(1, len(game.maps)) <= len(paths) <= len(kinds):
        raise click.UsageError(f"expected {say_files(game)}, not {len(paths)} files")
    return list(zip(paths, read_inputs(*zip(paths, kinds, strict=False)), strict=True))


turn_option = click.option("--turn", type=int, metavar="N", help="The turn to draw.")


def output_option(kinds: str) -> Decorator:
    """Make the option for the file to write, which standard output stands in for."""
    text = f"The file to write: {kinds}  [default: standard output]"
    return click.option("-o", "--output", metavar="FILE", help=text)


def save_option(*names: str) -> Decorator:
    """Add ``-o`` for what a command prints; parameters of these names are its files."""

    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def command(*, output: str | None, **others: Any) -> Any:
            if output is None:
                return function(**others)
            given = [path for name in names for path in _list_paths(others[name])]
            _check_output(output, inputs := [*given, *others["rules"].changes.paths])
            with redirect_stdout(StringIO()) as printed:
                status = function(**others)
            if text := printed.getvalue():
                write_whole(output, text.encode(errors="replace"), inputs)
            return status

        text = f"The file for the results: {', '.join(_ENDINGS)}  [default: standard output]"
        return click.option("-o", "--output", metavar="FILE", help=text)(command)

    return decorate


_ENDINGS = ".txt", ".md", ".csv", ".json", ".jsonl"


def _list_paths(named: str | Sequence[str]) -> Iterator[str]:
    """List what is named, and the records and boards in folders."""
    for path in [named] if isinstance(named, str) else named:
        yield path
        if is_folder(path):
            yield from map(str, Path(path).glob("*.txt"))


def _check_output(path: str, inputs: Sequence[str]) -> None:
    """Check that a file can be written, and that no board or record is lost by that."""
    from kb_score.shell.pages import check_ending  # most results are printed

    check_ending(path, *_ENDINGS)
    check_whole(path, inputs)
    text = read_overwritten(path)
    found = recognise(text) if text else []
    if found:
        owner = f"this looks like a file of {describe_list(found)}"
        raise InputError(path, f"{owner}: name another one to write to")


# Opens the pool for a ``with`` statement; gives None where the present process is to do all.
PoolOpener = Callable[[], Any]


def _make_opener(jobs: int, scheduler: str | None) -> PoolOpener:
    if scheduler is not None and jobs > 1:
        raise click.UsageError("--jobs is about this machine: leave it out with --scheduler")
    if jobs == 1 and scheduler is None:
        return nullcontext
    # Processes take a while to load.
    from kb_score.shell.cluster import open_pool

    return functools.partial(open_pool, jobs, scheduler)


_jobs_option = number_option("--jobs", 1, None, 1, "The number of processes to use.")
# Both are handed on as ``pool``, a `PoolOpener`.
pool_options = gather("pool", _make_opener, _jobs_option, scheduler_option)
