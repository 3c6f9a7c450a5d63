"""The verb ``rules``: list the rules, show some of them, or copy all of them for editing."""

from __future__ import annotations

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
from kb_score.cli.run import changes_options, force_option
from kb_score.engine.changes import NO_CHANGES, Changes, list_rule_files
from kb_score.engine.docs import RuleFile, read_contract, read_rule_files
from kb_score.engine.loading import check_constants
from kb_score.engine.program import read_program
from kb_score.engine.rule_text import read_rule_text
from kb_score.engine.rules import GameRules
from kb_score.errors import visible
from kb_score.games.kingdom_builder.rules import load_rules
from kb_score.resources import COMMON, find_folder, list_below
from kb_score.shell.options import FolderName, GroupOfCommands, format_option, keep_help
from kb_score.shell.output import Block, Exit, Output, Table, complain
from kb_score.shell.output import show as print_output
from kb_score.shell.target import write_folder

_SECTIONS = ("cards", "rulings", "extension-points", "predicates")

# The verbs of the part ``lab``, which is loaded when one of them is called.
_LAB = ("compare", "test", "coverage", "mutate")

# The name of the folder of a game, and a rule file of the game.
_FileInFolder: TypeAlias = tuple[str, RuleFile]


class _RulesGroup(GroupOfCommands):
    """The verbs of ``rules``, some of which belong to the part ``lab``."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all verbs in alphabetical order."""
        return sorted({*super().list_commands(context), *_LAB})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Load a verb, and return its command; None if there is no such verb."""
        if name not in _LAB:
            return super().get_command(context, name)
        laboratory = import_module("kb_score.lab.commands")
        return keep_help(cast("click.Command", getattr(laboratory, name)))


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

    Extension points are the predicates that your rules may derive. To list only one section, name
    it.
    """
    files = _read_files(game, rule_changes)
    tables = []
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
    """Show the files that contain the card, predicate, ruling or rule file NAME."""
    files = _read_files(game, rule_changes)
    wanted = name.replace(" ", "")
    shown = []
    known: set[str] = set()
    agreed = {p.signature for p in read_contract().predicates}
    for _, file in files:
        names = _names_in(file)
        # The predicates that all games share are documented in a file of their own.
        program = read_program([file.path])
        for predicate, arity in program.derived & agreed:
            names |= {predicate, f"{predicate}/{arity}"}
        known |= names
        if wanted in names:
            shown.append(file.path)
    if not shown:
        raise explain_unknown("card, predicate, ruling or rule file", name, known)
    for path in dict.fromkeys(shown):
        text = read_rule_text(path)
        click.secho(f"% {visible(str(path))}", bold=True)
        click.echo(visible(text, keep="\n\t"), nl=False)
    return Exit.FINE


@rules.command()
@click.argument("folder", type=FolderName())
@force_option
def export(folder: Path, force: bool) -> Exit:
    """Copy all rules to FOLDER, where you can edit them and use them with --rules.

    A file there replaces the original file of the same name:
    `kb-score score BOARD --rules FOLDER/kingdom_builder`.
    """
    home = find_folder("asp")
    files = {
        path.relative_to(home): path.read_bytes() for path in list_below(home) if path.is_file()
    }
    write_folder(folder, files, force=force)
    number = sum(path.suffix == ".lp" for path in files)
    click.echo(f"copied {number} rule files to {visible(str(folder))}")
    return Exit.FINE


def _read_files(game: str | None, changes: Changes) -> list[_FileInFolder]:
    """Return the rule files of one game, or of all games, each with the folder of its game."""
    # Rulings may be set for any of these games: their names tell them apart.
    folders = [folder for folder in list_folders() if game in (None, title_of(folder))]
    check_constants(folders, changes)
    changed_folder = folder_of(game)
    changed_rules = GameRules(changed_folder, changes)
    for note in changed_rules.find_notes():
        complain(note, kind="note")
    for doubt in changed_rules.find_warnings():
        complain(doubt, kind="warning")
    files = []
    for folder in folders:
        own_changes = changes if folder == changed_folder else NO_CHANGES
        ours, users = list_rule_files(folder, own_changes)
        if folder != COMMON:
            # Files that games share are listed once, as a game of their own, except the contract.
            ours = [path for path in ours if path.parent.name != COMMON]
            contract = read_contract()
            program = read_program([*ours, *users])
            known = program.derived | program.used
            kept = tuple(p for p in contract.predicates if p.signature in known)
            files.append((folder, replace(contract, predicates=kept)))
        files += [(folder, file) for file in read_rule_files([*ours, *users])]
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
    """Return a table of the scoring cards."""
    game = GameRules(folder_of(DEFAULT_GAME), replace(changes, constants=()))
    rows = [(card.number, card.name, card.text) for card in load_rules(game).cards]
    return Table("cards", ("number", "card", "pays"), tuple(rows), code=("card",))


def _list_rulings(files: Sequence[_FileInFolder], changes: Changes) -> Table:
    """Return a table of the rulings, with the values that the user has set."""
    constants = dict(changes.constants)
    rows = []
    for folder, file in files:
        for ruling in file.rulings:
            value = constants.get(ruling.name, ruling.default)
            allowed = ruling.allowed.short if ruling.allowed is not None else ""
            game = title_of(folder)
            rows.append((ruling.name, value, allowed, game, ruling.text))
    columns = ("ruling", "value", "allowed", "game", "decides")
    return Table("rulings", columns, tuple(rows), code=("ruling", "value"), is_prose=True)


def _list_extension_points(files: Sequence[_FileInFolder]) -> Table:
    """Return a table of the predicates that users' rules may derive, and their files."""
    places = defaultdict[tuple[str, str], list[str]](list)
    for folder, file in files:
        name = name_file(folder, file.path)
        for predicate in file.predicates:
            if predicate.is_extension_point:
                places[str(predicate), title_of(folder)].append(name)
    rows = [(point, game, ", ".join(names)) for (point, game), names in places.items()]
    columns = ("predicate", "game", "file")
    return Table("extension-points", columns, tuple(rows), code=("predicate",))


def _list_predicates(files: Sequence[_FileInFolder]) -> Table:
    """Return a table of the documented predicates."""
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
    index = table.columns.index("game")
    columns = table.columns[:index] + table.columns[index + 1 :]
    rows = tuple(row[:index] + row[index + 1 :] for row in table.rows)
    return replace(table, columns=columns, rows=rows)
