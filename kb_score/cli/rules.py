"""``kb-score rules``: list the rules, show one of them, or copy all of them for editing."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, cast

import click

from kb_score.cli.rule_files import (
    DEFAULT_GAME,
    explain_unknown,
    folder_of,
    game_option,
    list_folders,
    name_file,
    title_of,
)
from kb_score.cli.run import changes_options
from kb_score.engine.changes import NO_CHANGES, Changes, list_rule_files
from kb_score.engine.docs import RuleFile, read_contract, read_rule_files
from kb_score.engine.loading import check_constants
from kb_score.engine.program import read_program
from kb_score.engine.rules import GameRules
from kb_score.errors import RuleError, say_failure, visible
from kb_score.games.kingdom_builder.rules import load_rules
from kb_score.resources import COMMON, find_folder
from kb_score.shell.options import FolderName, GroupOfCommands, format_option
from kb_score.shell.output import Block, Exit, Output, Table, complain
from kb_score.shell.output import show as print_output
from kb_score.shell.stage import clear_stages, write_below

_SECTIONS = ("cards", "rulings", "extension-points", "predicates")

# The verbs of the laboratory, which is loaded when one of them is called.
_LAB = ("compare", "test", "coverage", "mutate")

# A rule file, after the name of the folder of its game.
_FileInFolder: TypeAlias = tuple[str, RuleFile]


class _RulesGroup(GroupOfCommands):
    """The verbs of ``rules``, some of which are those of the laboratory."""

    def list_commands(self, context: click.Context) -> list[str]:
        """List all of them, in alphabetical order."""
        return sorted({*super().list_commands(context), *_LAB})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Load one of them."""
        if name not in _LAB:
            return super().get_command(context, name)
        laboratory = import_module("kb_score.lab.commands")
        return cast("click.Command", getattr(laboratory, name))


@click.group(cls=_RulesGroup)
def rules() -> None:
    """List, show, test and export the rules."""


@rules.command("list")
@click.argument("section", required=False, type=click.Choice(_SECTIONS))
@game_option
@format_option
@changes_options
def list_(section: str | None, game: str | None, format_: str, rule_changes: Changes) -> Exit:
    """List the scoring cards, the rulings and the predicates of the games.

    SECTION is one of cards, rulings, extension-points (the predicates of ours that your rules may
    derive) and predicates. Without it, all of them are listed.
    """
    files = _read_files(game, rule_changes)
    tables: list[Table] = []
    if game in (None, DEFAULT_GAME):
        tables.append(_list_cards(rule_changes))
    tables.append(_list_rulings(files, rule_changes))
    tables.append(_list_extension_points(files))
    tables.append(_list_predicates(files))
    blocks: list[Block] = []
    lines: list[dict[str, Any]] = []
    for table in tables:
        if section not in (None, table.title):
            continue
        for row in table.rows:
            line: dict[str, Any] = {"kind": table.title}
            line.update(zip(table.columns, row, strict=True))
            lines.append(line)
        if not table.rows:
            continue
        if game is not None:
            table = _drop_game(table)
        blocks.append(table)
    print_output(Output(blocks, lines), format_)
    return Exit.FINE


@rules.command()
@click.argument("name")
@game_option
@changes_options
def show(name: str, game: str | None, rule_changes: Changes) -> Exit:
    """Show the files in which the card, predicate, ruling or rule file NAME stands."""
    files = _read_files(game, rule_changes)
    wanted = name.replace(" ", "")
    shown: list[Path] = []
    known: set[str] = set()
    agreed = {p.signature for p in read_contract().predicates}
    for _, file in files:
        names = _names_in(file)
        # What all games agree on is documented elsewhere.
        for predicate, arity in read_program([file.path]).derived & agreed:
            names |= {predicate, f"{predicate}/{arity}"}
        known |= names
        if wanted in names:
            shown.append(file.path)
    if not shown:
        raise explain_unknown("card, predicate, ruling or rule file", name, known)
    for path in dict.fromkeys(shown):
        text = path.read_text(encoding="utf-8")
        click.secho(f"% {visible(str(path))}", bold=True)
        click.echo(visible(text, keep="\n\t"), nl=False)
    return Exit.FINE


@rules.command()
@click.argument("folder", type=FolderName())
def export(folder: Path) -> Exit:
    """Copy all rules to FOLDER, to be edited and used with --rules.

    A file there takes the place of ours if it has the same name:
    `kb-score score BOARD --rules FOLDER/kingdom_builder`.
    """
    name = visible(str(folder))
    try:
        target = Path(os.path.realpath(folder))
        parent = next(place for place in (target, *target.parents) if place.exists())
        # One that was killed may have stood beside a folder that is there only now.
        for place in (parent.parent, parent):
            clear_stages(place)
        if os.path.lexists(folder) and (not folder.is_dir() or any(folder.iterdir())):
            raise RuleError(f"{name} already exists: name a new or an empty folder")
        number = _copy_rules(target, parent)
    except OSError as error:
        raise RuleError(f"cannot write {name}: {say_failure(error)}") from error
    click.echo(f"copied {number} rule files to {name}")
    return Exit.FINE


def _copy_rules(folder: Path, parent: Path) -> int:
    """Copy our rules to a folder below an existing one, and return the number of rule files."""
    home = find_folder("asp")
    place = folder.relative_to(parent)
    files: dict[Path, bytes] = {}
    for path in home.rglob("*"):
        if path.is_file():
            files[place / path.relative_to(home)] = path.read_bytes()
    write_below(parent, files)
    return sum(path.suffix == ".lp" for path in files)


def _read_files(game: str | None, changes: Changes) -> list[_FileInFolder]:
    """Read the documentation of the rule files of one game, or of all.

    Returns:
        Each file with the name of its folder.
    """
    # A ruling belongs to a game, and its name is enough to find the game.
    folders = [folder for folder in list_folders() if game in (None, title_of(folder))]
    check_constants(folders, changes)
    changed_folder = folder_of(game)
    changed_rules = GameRules(changed_folder, changes)
    for note in changed_rules.find_notes():
        complain(note, kind="note")
    for doubt in changed_rules.find_warnings():
        complain(doubt, kind="warning")
    files: list[_FileInFolder] = []
    for folder in folders:
        ours, users = list_rule_files(folder, changes if folder == changed_folder else NO_CHANGES)
        if folder != COMMON:
            # The files that games share are listed by themselves, but for what all agree on.
            ours = [path for path in ours if path.parent.name != COMMON]
            contract = read_contract()
            program = read_program([*ours, *users])
            known = program.derived | program.used
            kept = tuple(p for p in contract.predicates if p.signature in known)
            files.append((folder, replace(contract, predicates=kept)))
        for file in read_rule_files([*ours, *users]):
            files.append((folder, file))
    return files


def _names_in(file: RuleFile) -> set[str]:
    """Return the names by which ``show`` finds a rule file."""
    names = {file.path.stem, file.path.name}
    names.update(ruling.name for ruling in file.rulings)
    for predicate in file.predicates:
        name, arity = predicate.signature
        names |= {name, f"{name}/{arity}", str(predicate)}
    return names


def _list_cards(changes: Changes) -> Table:
    """List the scoring cards."""
    game = GameRules(folder_of(DEFAULT_GAME), replace(changes, constants=()))
    rows = [(card.number, card.name, card.text) for card in load_rules(game).cards]
    return Table("cards", ("number", "card", "pays"), tuple(rows), code=("card",))


def _list_rulings(files: Sequence[_FileInFolder], changes: Changes) -> Table:
    """List the rulings, with the values that the user has set."""
    constants = dict(changes.constants)
    rows = []
    for folder, file in files:
        for ruling in file.rulings:
            value = constants.get(ruling.name, ruling.default)
            allowed = ruling.allowed.short if ruling.allowed is not None else ""
            rows.append((ruling.name, value, allowed, title_of(folder), ruling.text))
    columns = ("ruling", "value", "allowed", "game", "decides")
    return Table("rulings", columns, tuple(rows), code=("ruling", "value"))


def _list_extension_points(files: Sequence[_FileInFolder]) -> Table:
    """List the predicates that users' rules may derive, with the files that document them."""
    places = defaultdict[tuple[str, str], list[str]](list)
    for folder, file in files:
        name = name_file(folder, file.path)
        for predicate in file.predicates:
            if predicate.is_extension_point:
                places[str(predicate), title_of(folder)].append(name)
    rows = []
    for (point, game), names in places.items():
        rows.append((point, game, ", ".join(names)))
    columns = ("predicate", "game", "file")
    return Table("extension-points", columns, tuple(rows), code=("predicate",))


def _list_predicates(files: Sequence[_FileInFolder]) -> Table:
    """List the documented predicates."""
    rows = []
    for folder, file in files:
        game = title_of(folder)
        name = name_file(folder, file.path)
        for predicate in file.predicates:
            rows.append((str(predicate), game, name, predicate.text))
    columns = ("predicate", "game", "file", "means")
    return Table("predicates", columns, tuple(rows), code=("predicate",))


def _drop_game(table: Table) -> Table:
    """Return a table without its column for the game, if it has one."""
    if "game" not in table.columns:
        return table
    at = table.columns.index("game")
    columns = table.columns[:at] + table.columns[at + 1 :]
    rows = tuple(row[:at] + row[at + 1 :] for row in table.rows)
    return replace(table, columns=columns, rows=rows)
