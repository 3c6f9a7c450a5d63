"""Helpers for the commands of all games: options, arguments and help from a game's data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import cleandoc
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import click

from kb_score.cli.run import RunCommand
from kb_score.errors import FileKind, InputError
from kb_score.games.game import Game
from kb_score.games.helps import Help, read_help_file, read_helps
from kb_score.games.options import Option
from kb_score.shell.files import read_inputs
from kb_score.shell.options import Decorator, Number, Seconds, WholeNumber, make_parameters

# The help of the verbs that all games share.
_HELPS = Path(__file__).with_name("help.toml")


def make_game_verb(
    verb: str,
    game: Game,
    function: Callable[..., Any],
    *options: Decorator,
    more: str = "",
    **attributes: Any,
) -> RunCommand:
    """Return the command of a verb for a game, with its options in the given order.

    The text ``more`` is added to its help. See `RunCommand` for the function and the attributes.
    """
    bare = Help(f"{game.title}: {verb}.", "")
    shared = read_help_file(_HELPS).get(verb, bare)
    default = Help(shared.text, _write_example(game, shared.example))
    own = read_helps(game.name).get(verb, default)
    help_ = cleandoc(own.text)
    if more:
        help_ = f"{help_}\n\n{cleandoc(more)}"
    return RunCommand(
        game.title,
        game=game.name,
        callback=function,
        params=make_parameters(*options),
        help=help_,
        # Lists of commands show the first line of the help.
        short_help=help_.partition("\n")[0],
        epilog=f"Example: kb-score {verb} {game.title} {own.example}",
        **attributes,
    )


def _write_example(game: Game, example: str) -> str:
    """Return the arguments of an example for one game, from the shared example of a verb."""
    words = [_write_word(game, word) for word in example.split()]
    return " ".join(filter(None, words))


def _write_word(game: Game, word: str) -> str:
    """Return a word of an example for a game; empty if the game has nothing to stand for it."""
    if word == "FILES":
        return "map.txt game.txt" if game.maps else "game.txt"
    if word == "MAP":
        return "map.txt" if game.match_maps else ""
    if word == "BOTS":
        players, _ = game.players
        bots = [f"--bot ./{letter}" for letter in ascii_lowercase[:players]]
        return " ".join(bots) if players > 1 else "-- ./bot"
    return word


def make_options(options: Iterable[Option]) -> list[Decorator]:
    """Return click's decorators for options of a game."""
    return [_make_option(option) for option in options]


def _make_option(option: Option) -> Decorator:
    names = [option.name]
    if option.also:
        names.append(f"--{option.also}")
    flag = option.flag or option.name.replace("_", "-")
    names.append(f"--{flag}")
    if option.kind == "flag":
        return click.option(*names, is_flag=True, help=option.help)
    default = None if option.default == "" else option.default
    return click.option(
        *names,
        type=_type_of(option),
        default=default,
        show_default=default is not None,
        multiple=option.is_repeatable,
        metavar=option.unit,
        help=option.help,
    )


def _type_of(option: Option) -> Any:
    """Return click's type for the values of an option."""
    if option.unit == "SECONDS":
        return Seconds(zero=option.least == 0)
    if option.kind == "fraction":
        return Number(option.least, option.most)
    if option.kind == "whole":
        most = None if option.most is None else int(option.most)
        return WholeNumber(int(option.least), most)
    return str


def pop_options(given: dict[str, Any], options: Iterable[Option]) -> dict[str, Any]:
    """Remove the values of a game's options from a command's arguments, and return them by name."""
    return {option.name: given.pop(option.name) for option in options}


def name_files(kinds: Iterable[FileKind]) -> list[str]:
    """Return the names of arguments for kinds of files, such as ``map`` for "a map"."""
    return [kind.words.split()[-1] for kind in kinds]


def take_files(given: Mapping[str, Any], kinds: Iterable[FileKind]) -> list[str]:
    """Return the paths of a command's arguments for kinds of files, in order."""
    return [given[name] for name in name_files(kinds)]


def files_argument(game: Game) -> Any:
    """Return the decorator of the argument for a game's maps and a record.

    The record may be omitted if there is a map, or if an empty record is the start.
    """
    shown = describe_files(game)
    return click.argument("paths", nargs=-1, required=shown[0] != "[", metavar=shown)


def describe_files(game: Game) -> str:
    """Return the names of a game's files for the help, such as ``MAP [RECORD]``."""
    maps = " ".join(name_files(game.maps)).upper()
    (record,) = name_files([game.record])
    record = record.upper()
    if maps:
        return f"{maps} [{record}]"
    return f"[{record}]" if game.has_empty_record else record


def read_named(game: Game, paths: Sequence[str]) -> list[tuple[str, str]]:
    """Read the maps and the record that a command line names, in this order."""
    kinds = (*game.maps, game.record)
    if not len(game.maps) <= len(paths) <= len(kinds):
        raise click.UsageError(f"expected {describe_files(game)}, not {len(paths)} files")
    if not paths:
        return [("the start", "")]
    texts = read_inputs(*zip(paths, kinds, strict=False), last_may_be_empty=True)
    if not texts[-1].strip() and (len(paths) < len(kinds) or not game.has_empty_record):
        raise InputError(paths[-1], "the file is empty")
    return list(zip(paths, texts, strict=True))


turn_option = click.option("--turn", type=int, metavar="N", help="The turn to draw.")
