"""``kb-score rules``: what the rules are, one of them to read, all of them to edit."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from kb_score.command import format_option, rules_options
from kb_score.errors import RuleError
from kb_score.report import Table, print_tables, write_json
from kb_score.resources import find_folder
from kb_score.rulebook import RuleFile, list_game_folders, read_rule_files
from kb_score.rules import Rules, list_rule_files, load_rules


@click.group()
def rules() -> None:
    """List, show and export the rules."""


@rules.command("list")
@format_option
@rules_options
def list_(format_: str, rule_folders: tuple[Path, ...], constants: dict[str, str]) -> None:
    """List the scoring cards, the rulings and the predicates of all games."""
    loaded = load_rules(rule_folders, constants)
    files = {folder.name: _files_of(folder.name, ()) for folder in list_game_folders()}
    files["kingdom_builder"] = _files_of("kingdom_builder", rule_folders)
    found = [_cards(loaded), _rulings(files, constants), _predicates(files)]
    if format_ == "json":
        for table in found:
            for row in table.rows:
                cells = dict(zip(table.columns, row, strict=True))
                sys.stdout.write(write_json({"kind": table.title, **cells}))
        return
    print_tables(found, format_, sys.stdout)


@rules.command()
@click.argument("name")
@rules_options
def show(name: str, rule_folders: tuple[Path, ...], constants: dict[str, str]) -> None:
    """Show the file of the card, predicate, ruling or rule file NAME."""
    load_rules(rule_folders, constants)
    shown = [
        file.path
        for folder in list_game_folders()
        for file in _files_of(folder.name, rule_folders if folder.name == "kingdom_builder" else ())
        if name in _names_in(file)
    ]
    if not shown:
        raise RuleError(
            f"there is no card, predicate, ruling or rule file {name!r}: see rules list"
        )
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


def _files_of(game: str, folders: tuple[Path, ...]) -> tuple[RuleFile, ...]:
    ours, users = list_rule_files(game, folders)
    return read_rule_files([*ours, *users])


def _names_in(file: RuleFile) -> set[str]:
    names = {predicate.name for predicate in file.predicates}
    names |= {f"{name}/{arity}" for name, arity in (p.signature for p in file.predicates)}
    return names | {ruling.name for ruling in file.rulings} | {file.path.stem, file.path.name}


def _cards(loaded: Rules) -> Table:
    rows = tuple((card.number, card.name, card.text) for card in loaded.cards)
    return Table("cards", ("number", "card", "pays"), rows)


def _rulings(files: dict[str, tuple[RuleFile, ...]], constants: dict[str, str]) -> Table:
    rows = tuple(
        (ruling.name, constants.get(ruling.name, ruling.default), _title(game), ruling.text)
        for game, found in files.items()
        for file in found
        for ruling in file.rulings
    )
    return Table("rulings", ("ruling", "value", "game", "decides"), rows)


def _predicates(files: dict[str, tuple[RuleFile, ...]]) -> Table:
    rows = tuple(
        (str(predicate), _title(game), file.path.name, predicate.text)
        for game, found in files.items()
        for file in found
        for predicate in file.predicates
    )
    return Table("predicates", ("predicate", "game", "file", "means"), rows)


def _title(game: str) -> str:
    return game.replace("_", "-")
