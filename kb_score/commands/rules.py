"""``kb-score rules``: what the rules are, one of them to read, all of them to edit."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from kb_score.cards import Rules, load_rules
from kb_score.command import format_option, rules_options
from kb_score.errors import RuleError
from kb_score.program import read_program
from kb_score.report import Table, print_tables, write_json
from kb_score.resources import find_folder
from kb_score.rulebook import RuleFile, list_game_folders, read_rule_files
from kb_score.rules import Changes, list_rule_files, read_parts, read_rules

_CARDS = "kingdom-builder"


def _title(game: str) -> str:
    return game.replace("_", "-")


@click.group()
def rules() -> None:
    """List, show and export the rules."""


_SECTIONS = ("cards", "rulings", "predicates")


def _game_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--game",
        type=click.Choice([_title(folder.name) for folder in list_game_folders()]),
        help="Of this game alone; --rules is for it, else for kingdom-builder.",
    )(function)


@rules.command("list")
@click.argument("section", required=False, type=click.Choice(_SECTIONS))
@_game_option
@format_option
@rules_options
def list_(section: str | None, game: str | None, format_: str, changes: Changes) -> None:
    """List the scoring cards, the rulings and the predicates of the games.

    SECTION is one of cards, rulings and predicates; all of them without it.
    """
    files = _read_files(game, changes)
    found = [
        *([_cards(load_rules(Changes(changes.folders)))] if game in (None, _CARDS) else []),
        _rulings(files, dict(changes.constants)),
        _predicates(files),
    ]
    found = [table for table in found if section in (None, table.title)]
    if format_ == "json":
        for table in found:
            for row in table.rows:
                cells = dict(zip(table.columns, row, strict=True))
                sys.stdout.write(write_json({"kind": table.title, **cells}))
        return
    if game is not None:
        found = [_drop(table, "game") for table in found]
    print_tables([table for table in found if table.rows], format_, sys.stdout)


@rules.command()
@click.argument("name")
@_game_option
@rules_options
def show(name: str, game: str | None, changes: Changes) -> None:
    """Show the files in which the card, predicate, ruling or rule file NAME stands."""
    files = _read_files(game, changes)
    wanted = name.replace(" ", "")
    names = {file.path: _names_in(file) for found in files.values() for file in found}
    shown = [path for path, known in names.items() if wanted in known]
    if not shown:
        close = get_close_matches(name, sorted(set[str]().union(*names.values())), n=1)
        hint = f": did you mean {close[0]}?" if close else ": see kb-score rules list"
        raise RuleError(f"there is no card, predicate, ruling or rule file {name!r}{hint}")
    for path in shown:
        click.secho(f"% {path}", bold=True)
        click.echo(path.read_text(encoding="utf-8"), nl=False)


@rules.command()
@click.argument("folder", type=click.Path(path_type=Path))
def export(folder: Path) -> None:
    """Copy all rules to FOLDER, to be edited and used with --rules.

    A file there takes the place of ours if it has the same name:
    `kb-score score BOARD --rules FOLDER/kingdom_builder`.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RuleError(f"{folder} is there already: name a new or an empty folder")
    try:
        shutil.copytree(find_folder("asp"), folder, dirs_exist_ok=True)
    except (OSError, shutil.Error) as error:
        raise RuleError(f"cannot write {folder}: {error}") from error
    click.echo(f"copied {len(list(folder.rglob('*.lp')))} rule files to {folder}")


def _read_files(game: str | None, changes: Changes) -> dict[str, tuple[RuleFile, ...]]:
    """Read what the rule files of one game, or of all, say about themselves."""
    folders = [f.name for f in list_game_folders() if game in (None, _title(f.name))]
    _check_constants(folders, changes)
    extended = (game or _CARDS).replace("-", "_")
    read_parts(extended, changes)  # What is wrong with the user's rules is told here.
    return {
        folder: _files_of(folder, changes.folders if folder == extended else ())
        for folder in folders
    }


def _check_constants(folders: Sequence[str], changes: Changes) -> None:
    # A ruling belongs to a game, and a name is enough to know which.
    added = read_program(changes.files)
    whole = sum((read_rules(folder) for folder in folders), added)
    whole.with_constants(dict(changes.constants))


def _files_of(game: str, folders: tuple[Path, ...]) -> tuple[RuleFile, ...]:
    ours, users = list_rule_files(game, folders)
    return read_rule_files([*ours, *users])


def _names_in(file: RuleFile) -> set[str]:
    names = {predicate.name for predicate in file.predicates}
    names |= {f"{name}/{arity}" for name, arity in (p.signature for p in file.predicates)}
    names |= {str(predicate) for predicate in file.predicates}
    return names | {ruling.name for ruling in file.rulings} | {file.path.stem, file.path.name}


def _cards(loaded: Rules) -> Table:
    rows = tuple((card.number, card.name, card.text) for card in loaded.cards)
    return Table("cards", ("number", "card", "pays"), rows, code=("card",))


def _rulings(files: dict[str, tuple[RuleFile, ...]], constants: dict[str, str]) -> Table:
    rows = tuple(
        (ruling.name, constants.get(ruling.name, ruling.default), _title(game), ruling.text)
        for game, found in files.items()
        for file in found
        for ruling in file.rulings
    )
    return Table("rulings", ("ruling", "value", "game", "decides"), rows, code=("ruling", "value"))


def _predicates(files: dict[str, tuple[RuleFile, ...]]) -> Table:
    asp = find_folder("asp")
    rows = tuple(
        (str(predicate), _title(game), _name(file.path, asp / game), predicate.text)
        for game, found in files.items()
        for file in found
        for predicate in file.predicates
    )
    columns = ("predicate", "game", "file", "means")
    return Table("predicates", columns, rows, code=("predicate",))


def _name(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path)


def _drop(table: Table, column: str) -> Table:
    if column not in table.columns:
        return table
    place = table.columns.index(column)
    rows = tuple((*row[:place], *row[place + 1 :]) for row in table.rows)
    columns = tuple(c for c in table.columns if c != column)
    return replace(table, columns=columns, rows=rows)
