"""``kb-score rules``: list the rules, show one of them, or copy all of them for editing."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import click

from kb_score.engine.changes import NO_CHANGES, Changes, find_rule_files, list_rule_files
from kb_score.engine.docs import RuleFile, read_contract, read_rule_files
from kb_score.engine.loading import check_constants
from kb_score.engine.program import read_program
from kb_score.engine.rules import GameRules
from kb_score.errors import KbScoreError, RuleError, describe_list, guess, say_failure, visible
from kb_score.games import list_games
from kb_score.games.game import File
from kb_score.games.kingdom_builder.rules import load_rules
from kb_score.games.verbs.run import changes_options, force_option, output_option, use_rules
from kb_score.resources import (
    COMMON,
    find_folder,
    find_rule_folder,
    is_folder,
    is_game,
    list_rule_folders,
    place_in_game,
)
from kb_score.shell.options import (
    FolderName,
    GroupOfCommands,
    LateChoice,
    format_option,
    number_option,
)
from kb_score.shell.output import Block, Exit, Messages, Output, Table, complain
from kb_score.shell.output import show as print_output
from kb_score.shell.stage import clear_stages, write_below
from kb_score.shell.target import Target

_CARDS = "kingdom-builder"
_NO_EXAMPLE = "no example stands in these files: see kb-score docs test-your-rules"
_OUTPUT = "A file for what is found: a board, or a record. A map before it has an -o of its own."
_SECTIONS = ("cards", "rulings", "extension-points", "predicates")

# A rule file, after the name of the folder of its game.
_FileInFolder: TypeAlias = tuple[str, RuleFile]


def _title(folder: str) -> str:
    """Return the name of the game whose rules are in a folder."""
    return folder.replace("_", "-")


def _folder_of(game: str | None) -> str:
    """Return the name of a game's folder of rules, by default that of kingdom-builder."""
    return (game or _CARDS).replace("-", "_")


def _list_folders() -> list[str]:
    """List the names of the folders of rules: one for each game, then the one that they share."""
    return [*sorted(list_rule_folders()), COMMON]


_game_option = click.option(
    "--game",
    type=LateChoice(lambda: map(_title, _list_folders())),
    help="Show this game only. --rules applies to this game, by default to kingdom-builder.",
)


@click.group(cls=GroupOfCommands)
def rules() -> None:
    """List, show, test and export the rules."""


@rules.command("list")
@click.argument("section", required=False, type=click.Choice(_SECTIONS))
@_game_option
@format_option
@changes_options
def list_(section: str | None, game: str | None, format_: str, rule_changes: Changes) -> Exit:
    """List the scoring cards, the rulings and the predicates of the games.

    SECTION is one of cards, rulings, extension-points (the predicates of ours that your rules may
    derive) and predicates. Without it, all of them are listed.
    """
    files = _read_files(game, rule_changes)
    tables: list[Table] = []
    if game in (None, _CARDS):
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
@_game_option
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
        raise _explain_unknown("card, predicate, ruling or rule file", name, known)
    for path in dict.fromkeys(shown):
        text = path.read_text(encoding="utf-8")
        click.secho(f"% {visible(str(path))}", bold=True)
        click.echo(visible(text, keep="\n\t"), nl=False)
    return Exit.FINE


def _explain_unknown(kinds: str, name: str, known: Iterable[str]) -> RuleError:
    """Return the error for a name that no rule file has."""
    hint = guess(name, known, ": ") or ": see kb-score rules list"
    return RuleError(f"there is no {kinds} {name!r}{hint}")


@rules.command(epilog="Example: kb-score rules compare lords --rules my-rules -o board.txt")
@click.argument("name")
@click.argument("versions", nargs=-1, metavar="[[BEFORE] AFTER]")
@number_option("--players", 1, 5, 2, "Of a card: boards have up to so many players.")
@click.option("--valid", is_flag=True, help="Of a card: leave out boards that no game can have.")
@click.option("-o", "--output", multiple=True, metavar="FILE", help=_OUTPUT)
@force_option
@format_option
@changes_options
def compare(
    name: str,
    versions: tuple[str, ...],
    players: int,
    valid: bool,
    output: tuple[str, ...],
    force: bool,
    format_: str,
    rule_changes: Changes,
) -> Exit:
    """Find the smallest board or position on which two versions of rules differ.

    NAME is a card, which pays somebody differently, or a game or tile, of which a turn has other
    consequences. The versions are our rules, and these with --rules or --const. BEFORE and AFTER
    are files or folders of rules that only one version has. The search ends after --limit-seconds,
    or 60 seconds, and proves up to which size there is no difference.
    """
    from kb_score.workbench.compare import compare_rules, report_comparison

    if len(versions) > 2 or not (versions or rule_changes.words()):
        raise click.UsageError("name a second version: --rules DIR, --const NAME=VALUE or files")
    before = rule_changes
    if not versions:
        before = replace(before, folders=(), constants=())
    before = before.plus(map(Path, versions[:-1]))
    after = rule_changes.plus(map(Path, versions[-1:]))
    used = [*before.paths, *after.paths]
    targets = [Target(path, used, force) for path in output]
    for target in targets:
        target.check()
    game = name if name in list_games() else None
    folder = _folder_of(game)
    with use_rules(folder, before) as old, use_rules(folder, after) as new:
        found = compare_rules(name, old, new, players=players, valid=valid)
        try:
            found.run()
        finally:
            print_output(report_comparison(found, old, new), format_)
            _save(targets, found.files)
    if found.deadline.is_over and not found.fewest:
        complain(f"stopped after {found.deadline.seconds:g} s (--limit-seconds)", kind="note")
    if found.at:
        return Exit.DIFFERS
    if found.is_same or found.proved:
        return Exit.FINE
    return Exit.UNUSABLE


def _save(targets: Sequence[Target], texts: Sequence[str]) -> None:
    """Write the files that were found; print a note if there are more or fewer outputs."""
    for target, text in zip(targets, texts, strict=False):
        target.write(text.encode())
    if targets and texts and len(targets) != len(texts):
        complain(f"files found: {len(texts)}; each has an -o of its own", kind="note")


@rules.command()
@click.argument("names", nargs=-1, metavar="[NAME|DIR]...")
@_game_option
@format_option
@changes_options
def test(names: tuple[str, ...], game: str | None, format_: str, rule_changes: Changes) -> Exit:
    """Run the examples that stand in the rule files: of all games, if nothing says of which.

    NAME is a card, a tile, a rule file, a folder of them or a game; DIR, or a file, has rules of
    your own, as with --rules. With --rules alone the examples there are run, and of ours those that
    name a card or tile which is stated there; all, if one of its files states none.
    """
    from kb_score.workbench import examples as workbench

    rows: list[tuple[str, str, int, int]] = []
    blocks: list[Block] = []
    faults: list[KbScoreError] = []
    changes, tested = _find_tested(names, game, rule_changes)
    for folder, paths in tested.items():
        with use_rules(folder, changes) as ours:
            examples = list(workbench.find_examples(folder, paths, faults.append))
            if changes.files and not names:
                examples = workbench.choose_affected(examples, changes.files)
            judged = workbench.judge_usable(examples, ours, faults.append)
        numbers = Counter[Path]()
        failed = Counter[Path]()
        for example, failures in judged.items():
            numbers[example.path] += 1
            if failures:
                failed[example.path] += 1
        for path, number in numbers.items():
            rows.append((_title(folder), _name_file(folder, path), number, failed[path]))
        blocks += workbench.show_failures(chain.from_iterable(judged.values()))
    if not rows and not faults:
        raise RuleError(_NO_EXAMPLE)
    for fault in dict.fromkeys(map(str, faults)):
        complain(fault)
    if rows:
        table = Table("", ("game", "file", "examples", "failed"), tuple(rows))
        lines = [dict(zip(table.columns, row, strict=True)) for row in rows]
        print_output(Output([table, *blocks], lines, table), format_)
    if faults:
        return Exit.UNUSABLE
    return Exit.DIFFERS if blocks else Exit.FINE


@rules.command(epilog="Example: kb-score rules coverage game.txt boards/ -o coverage.html")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@_game_option
@output_option("A page of the rules, with what is used.")
@force_option
@format_option
@changes_options
def coverage(
    files: tuple[str, ...],
    game: str | None,
    output: str | None,
    force: bool,
    format_: str,
    rule_changes: Changes,
) -> Exit:
    """Tell which rules, and which conditions in them, some boards and records have used.

    FILE is a board, a record after its map, or a folder of them. Without any, the examples in the
    rule files are taken. A condition has decided if it was false once while all others were true.
    With --rules, all is about the files there.
    """
    from kb_score.workbench.coverage import Used, cover, read_files, report, write_page

    target = Target(output, [*files, *rule_changes.paths], force)
    target.check((".html",))
    names: dict[str, tuple[str, str]] = {}
    used: dict[str, list[Used]] = {}
    with Messages() as messages:
        given = defaultdict[str, list[list[File]]](list)
        for owner, files_of_input in read_files(files, game, messages):
            given[owner.name].append(files_of_input)
        _, tested = _find_tested((), game, rule_changes)
        for folder in given if files else tested:
            changes = rule_changes if folder in tested else NO_CHANGES
            inputs = given[folder] if files else None
            with use_rules(folder, changes) as changed_rules:
                found = cover(changed_rules, inputs, messages)
            for path in found:
                names[path] = (_title(folder), _name_file(folder, Path(path)))
            used |= found
    if used:
        print_output(report(names, used), format_)
    if output and used:
        target.write(write_page(names, used).encode())
    return messages.status


@rules.command(epilog="Example: kb-score rules mutate lords")
@click.argument("names", nargs=-1, metavar="[NAME|DIR]...")
@_game_option
@number_option("--count", 1, None, None, "Draw so many changes  [default: all of them].")
@number_option("--seed", 0, None, 1, "What they are drawn by.")
@format_option
@changes_options
def mutate(
    names: tuple[str, ...],
    game: str | None,
    count: int | None,
    seed: int,
    format_: str,
    rule_changes: Changes,
) -> Exit:
    """Change rules a little, one change at a time, and find the changes that no example notices.

    NAME and DIR are as for test; without them, the files of --rules, or all of ours that have
    examples. The board, or the position and turn, that would notice is shown as an example to be
    pasted. Each search for it ends after --limit-seconds, or 5 seconds, and proves up to which size
    there is none.
    """
    from kb_score.workbench.examples import Example, find_examples
    from kb_score.workbench.mutate import Mutant, draw_mutants, report_mutants, try_mutants

    names = names or rule_changes.list_folders()
    changes, tested = _find_tested(names, game, rule_changes)
    examples: dict[str, list[Example]] = {}
    folders: dict[Path, str] = {}
    mutated = set(changes.files)
    for folder, paths in tested.items():
        examples[folder] = list(find_examples(folder, _list_files(folder, changes)))
        mutated.update(example.path for example in examples[folder])
        for path in paths:
            if path in mutated:
                folders[path] = folder
    drawn = draw_mutants(folders, count, seed)
    if not drawn:
        raise RuleError(_NO_EXAMPLE)
    found = defaultdict[tuple[str, str], list[Mutant | None]](list)
    try:
        for path, mutants in drawn.items():
            folder = folders[path]
            results = found[_title(folder), _name_file(folder, path)]
            with use_rules(folder, changes) as changed_rules:
                for result in try_mutants(mutants, examples[folder], changed_rules):
                    results.append(result)
    finally:
        if found:
            print_output(report_mutants(found), format_)
    for result in chain.from_iterable(found.values()):
        if result is not None and not result.proved:
            return Exit.DIFFERS
    return Exit.FINE


def _name_game(name: str) -> str:
    """Return the name of the game whose folder of rules this is, or the name as it is."""
    if not is_folder(name):
        return name
    folder = Path(name).resolve()
    game = _title(folder.name)
    if folder in [path.resolve() for path in list_rule_folders().values()]:
        return game
    home = folder.parent.parent
    is_in_home = folder.parent.name == "asp"
    has_python = is_in_home and is_folder(home / "kb_score" / "games" / folder.name)
    if is_game(folder) or has_python:
        hint = f"set KB_SCORE_GAMES={home}, and name the game: {game}"
        if not is_in_home:
            hint = f"name the game, and its folder: {game} --game-dir {name}"
        raise click.UsageError(
            f"{name} has the rules of a game that kb-score does not know: {hint}"
        )
    return name


def _find_tested(
    names: Sequence[str], game: str | None, changes: Changes
) -> tuple[Changes, dict[str, list[Path]]]:
    """Find the rule files that are named, without names all of them.

    Args:
        names: Games, cards, tiles, rule files, and files and folders of the user.
        game: The game that ``--game`` names.
        changes: The user's other changes.

    Returns:
        The changes with the named files and folders of the user, and the rule files by the folders
        of their games.

    Raises:
        RuleError: No rule file has a name.
        UsageError: There are changes, and several games.
    """
    names = [_name_game(name) for name in names]
    own = [Path(name) for name in names if is_folder(name) or name.endswith(".lp")]
    wanted = {name for name in names if Path(name) not in own}
    changes = changes.plus(own)
    if game is None and changes.words():
        game = _find_only_game(names)
    folders = [_folder_of(game)] if game is not None else sorted(list_rule_folders())
    users = set(find_rule_files(*own))
    found: dict[str, list[Path]] = {}
    known: set[str] = set()
    for folder in folders:
        for path in _list_files(folder, changes):
            names_of_file = {path.stem, path.name, path.parent.name, _title(folder)}
            known |= names_of_file
            if path.parent.name == COMMON:
                continue
            if not names or path in users or names_of_file & wanted:
                found.setdefault(folder, []).append(path)
    unknown = wanted - known
    if unknown:
        raise _explain_unknown("card, tile, rule file or game", min(unknown), known)
    return changes, found


def _find_only_game(names: Sequence[str]) -> str:
    """Return the game that rules and rulings are about: the one that is named, or the default."""
    games = [_title(folder) for folder in sorted(list_rule_folders())]
    named = [game for game in games if game in names]
    if len(named) > 1:
        listed = describe_list(named)
        raise click.UsageError(f"rules and rulings are about one game: name one of {listed}")
    return named[0] if named else _CARDS


def _list_files(folder: str, changes: Changes) -> list[Path]:
    """List the rule files of a game: ours that are not replaced, then the user's."""
    ours, users = list_rule_files(folder, changes)
    return [*ours, *users]


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
    folders = [folder for folder in _list_folders() if game in (None, _title(folder))]
    check_constants(folders, changes)
    changed_folder = _folder_of(game)
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


def _name_file(folder: str, path: Path) -> str:
    """Return the path of a rule file as it is shown: one of ours without its game's folder."""
    home = find_rule_folder(folder)
    if path.is_relative_to(home):
        path = path.relative_to(home)
    elif path.is_relative_to(find_folder("asp")):
        path = Path(place_in_game(path))
    return str(path)


def _list_cards(changes: Changes) -> Table:
    """List the scoring cards."""
    game = GameRules(_folder_of(_CARDS), replace(changes, constants=()))
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
            rows.append((ruling.name, value, allowed, _title(folder), ruling.text))
    columns = ("ruling", "value", "allowed", "game", "decides")
    return Table("rulings", columns, tuple(rows), code=("ruling", "value"))


def _list_extension_points(files: Sequence[_FileInFolder]) -> Table:
    """List the predicates that users' rules may derive, with the files that document them."""
    places = defaultdict[tuple[str, str], list[str]](list)
    for folder, file in files:
        name = _name_file(folder, file.path)
        for predicate in file.predicates:
            if predicate.is_extension_point:
                places[str(predicate), _title(folder)].append(name)
    rows = []
    for (point, game), names in places.items():
        rows.append((point, game, ", ".join(names)))
    columns = ("predicate", "game", "file")
    return Table("extension-points", columns, tuple(rows), code=("predicate",))


def _list_predicates(files: Sequence[_FileInFolder]) -> Table:
    """List the documented predicates."""
    rows = []
    for folder, file in files:
        game = _title(folder)
        name = _name_file(folder, file.path)
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
