"""What the commands of all games share: how a game's data become options, files and help."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from inspect import cleandoc
from typing import Any

import click

from kb_score.errors import FileKind
from kb_score.games.game import Decorator, Game, Help, Option
from kb_score.games.verbs.run import RunCommand
from kb_score.shell.files import read_inputs
from kb_score.shell.options import Number, Seconds, make_parameters


def make_game_verb(
    verb: str,
    game: Game,
    function: Callable[..., Any],
    *options: Decorator,
    more: str = "",
    **attributes: Any,
) -> RunCommand:
    """Make a verb of a game.

    Args:
        verb: The verb.
        game: The game.
        function: What the verb does; see `RunCommand`.
        options: Its arguments and options, in order.
        more: What is added to its help.
        attributes: More of what `RunCommand` takes.
    """
    default = Help(f"{game.title}: {verb}.", "")
    shared = _read_helps("verbs").get(verb, default)
    example = f"{game.sample} {shared.example}".rstrip()
    own = _read_helps(game.name).get(verb, Help(shared.text, example))
    help_ = cleandoc(own.text)
    if more:
        help_ = f"{help_}\n\n{cleandoc(more)}"
    return RunCommand(
        game.title,
        game=game.name,
        callback=function,
        params=make_parameters(*options),
        help=help_,
        # The first line of the help stands in lists.
        short_help=help_.partition("\n")[0],
        epilog=f"Example: kb-score {verb} {game.title} {own.example}",
        **attributes,
    )


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
