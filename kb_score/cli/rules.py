"""``kb-score rules``: list the rules, show one of them, or copy all of them for editing."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import click

from kb_score.engine.changes import NO_CHANGES, Changes, find_rule_files, list_rule_files
from kb_score.engine.docs import RuleFile, list_game_folders, read_rule_files
from kb_score.engine.loading import check_constants
from kb_score.engine.rules import GameRules
from kb_score.errors import KbScoreError, RuleError, describe_list, guess, say_failure, visible
from kb_score.games import list_games
from kb_score.games.game import File
from kb_score.games.kingdom_builder.rules import load_rules
from kb_score.games.verbs.run import changes_options, force_option, output_option, use_rules
from kb_score.resources import COMMON, find_folder, find_home, is_folder
from kb_score.shell.options import FolderName, GroupOfCommands, format_option, number_option
from kb_score.shell.output import Block, Exit, Messages, Output, Table, complain
from kb_score.shell.output import show as print_output
from kb_score.shell.stage import clear_stages, write_below
from kb_score.shell.target import Target

_CARDS = "kingdom-builder"
_NO_EXAMPLE = "no example stands in these files: see kb-score docs test-your-rules"
_OUTPUT = "A file for what is found: a board, or a record. A map before it has an -o of its own."
_SECTIONS = ("cards", "rulings", "extension-points", "predicates")


def _title(game: str) -> str:
    return game.replace("_", "-")


_game_option = click.option(
    "--game",
    type=click.Choice([*(_title(folder.name) for folder in list_game_folders()), COMMON]),
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
        tables.append(_cards(replace(rule_changes, constants=())))
    tables.append(_rulings(files, dict(rule_changes.constants)))
    tables.append(_extension_points(files))
    tables.append(_predicates(files))
    blocks: list[Block] = []
    lines: list[dict[str, Any]] = []
    for table in tables:
        if section not in (None, table.title):
            continue
        for row in table.rows:
            cells = zip(table.columns, row, strict=True)
            lines.append({"kind": table.title, **dict(cells)})
        if table.rows:
            blocks.append(table if game is None else _drop(table, "game"))
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
    names = {file.path: _names_in(file) for _, file in files}
    shown = [path for path, known in names.items() if wanted in known]
    if not shown:
        known = sorted(set[str]().union(*names.values()))
        hint = guess(name, known, ": ") or ": see kb-score rules list"
        raise RuleError(f"there is no card, predicate, ruling or rule file {name!r}{hint}")
    for path in shown:
        click.secho(f"% {visible(str(path))}", bold=True)
        click.echo(visible(path.read_text(encoding="utf-8"), keep="\n\t"), nl=False)
    return Exit.FINE


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
    both = rule_changes if versions else replace(rule_changes, folders=(), constants=())
    before = both.plus(map(Path, versions[:-1]))
    after = rule_changes.plus(map(Path, versions[-1:]))
    used = [*before.paths, *after.paths]
    targets = [Target(path, used, force) for path in output]
    for target in targets:
        target.check()
    game = (name if name in list_games() else _CARDS).replace("-", "_")
    with use_rules(game, before) as old, use_rules(game, after) as new:
        found = compare_rules(name, old, new, players=players, valid=valid)
        try:
            found.run()
        finally:
            print_output(report_comparison(found, old, new), format_)
            _save(targets, found.files)
    if found.deadline.is_over and not found.fewest:
        complain(f"stopped after {found.deadline.seconds:g} s (--limit-seconds)", kind="note")
    fine = Exit.FINE if found.is_same or found.proved else Exit.UNUSABLE
    return Exit.DIFFERS if found.at else fine


def _save(targets: Sequence[Target], texts: Sequence[str]) -> None:
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
        blocks += workbench.show_failures(chain.from_iterable(judged.values()))
        for example, failures in judged.items():
            numbers[example.path] += 1
            failed[example.path] += bool(failures)
        for path, number in numbers.items():
            rows.append((_title(folder), _name(folder, path), number, failed[path]))
    if not rows and not faults:
        raise RuleError(_NO_EXAMPLE)
    for fault in dict.fromkeys(map(str, faults)):
        complain(fault)
    table = Table("", ("game", "file", "examples", "failed"), tuple(rows))
    lines = [dict(zip(table.columns, row, strict=True)) for row in rows]
    if rows:
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
        for owner, some in read_files(files, game, messages):
            given[owner.name].append(some)
        _, tested = _find_tested((), game, rule_changes)
        for folder in given if files else tested:
            own = rule_changes if folder in tested else Changes()
            with use_rules(folder, own) as asked:
                found = cover(asked, given[folder] if files else None, messages)
            names |= {path: (_title(folder), _name(folder, Path(path))) for path in found}
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
    from kb_score.workbench.examples import find_examples
    from kb_score.workbench.mutate import Mutant, draw_mutants, report_mutants, try_mutants

    found = defaultdict[tuple[str, str], list[Mutant | None]](list)
    names = names or rule_changes.list_folders()
    changes, tested = _find_tested(names, game, rule_changes)
    examples = {
        folder: list(find_examples(folder, chain(*list_rule_files(folder, changes))))
        for folder in tested
    }
    known = set(changes.files)
    for some in examples.values():
        known.update(example.path for example in some)
    games: dict[Path, str] = {}
    for folder, paths in tested.items():
        games.update((path, folder) for path in paths if path in known)
    drawn = draw_mutants(games, count, seed)
    if not drawn:
        raise RuleError(_NO_EXAMPLE)
    try:
        for path, mutants in drawn.items():
            folder = games[path]
            survivors = found[_title(folder), _name(folder, path)]
            with use_rules(folder, changes) as used:
                for one in try_mutants(mutants, examples[folder], used):
                    survivors.append(one)
    finally:
        if found:
            print_output(report_mutants(found), format_)
    for survivors in found.values():
        if not all(one is None or one.proved for one in survivors):
            return Exit.DIFFERS
    return Exit.FINE


def _name_game(name: str) -> str:
    """Return the name of the game whose folder of rules this is, or the name as it is."""
    if not is_folder(name):
        return name
    folder = Path(name).resolve()
    if folder in [path.resolve() for path in list_game_folders()]:
        return _title(folder.name)
    home = folder.parent.parent
    if folder.parent.name == "asp" and is_folder(home / "kb_score" / "games" / folder.name):
        hint = f"set KB_SCORE_GAMES={home}, and name the game: {_title(folder.name)}"
        raise click.UsageError(
            f"{name} has the rules of a game that kb-score does not know: {hint}"
        )
    return name


def _find_tested(
    names: Sequence[str], game: str | None, changes: Changes
) -> tuple[Changes, dict[str, list[Path]]]:
    """Find the rule files of each game that are named; of all games, if nothing else is said.

    Files and folders of the user are added to the changes.
    """
    names = [_name_game(name) for name in names]
    folders = [path.name for path in list_game_folders()]
    named = [folder for folder in folders if _title(folder) in names]
    own = [Path(name) for name in names if is_folder(name) or name.endswith(".lp")]
    if game is None and named and (own or changes.words()):
        # A game that is named is the one that the rules or rulings are about.
        if len(named) > 1:
            listed = describe_list([_title(folder) for folder in named])
            raise click.UsageError(f"rules and rulings are about one game: name one of {listed}")
        game = named[0]
    changes = changes.plus(own)
    wanted = {name for name in names if Path(name) not in own}
    games = folders
    if game or changes.words():
        games = [(game or _CARDS).replace("-", "_")]
    theirs: set[Path] = set()
    for folder_of_rules in own:
        theirs.update(find_rule_files(folder_of_rules))
    found = defaultdict[str, list[Path]](list)
    known: set[str] = set()
    takes_all = not wanted and not own
    for folder in games:
        for path in chain(*list_rule_files(folder, changes)):
            called = {path.stem, path.name, path.parent.name, _title(folder)}
            known |= called
            if path.parent.name == COMMON:
                continue
            if takes_all or path in theirs or called & wanted:
                found[folder].append(path)
    for name in sorted(wanted - known):
        hint = guess(name, known, ": ") or ": see kb-score rules list"
        raise RuleError(f"there is no card, tile, rule file or game {name!r}{hint}")
    return changes, found


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
    """Copy our rules to a folder, by way of one that is there already, and return their number."""
    home = find_folder("asp")
    files = [path.relative_to(home) for path in home.rglob("*") if path.is_file()]
    place = folder.relative_to(parent)
    write_below(parent, {place / file: (home / file).read_bytes() for file in files})
    return len([file for file in files if file.suffix == ".lp"])


def _read_files(game: str | None, changes: Changes) -> list[tuple[str, RuleFile]]:
    """Read what the rule files of one game, or of all, say about themselves, by their folders."""
    games = [*(folder.name for folder in list_game_folders()), COMMON]
    folders = [name for name in games if game in (None, _title(name))]
    # A ruling belongs to a game, and its name is enough to find the game.
    check_constants(folders, changes)
    extended = (game or _CARDS).replace("-", "_")
    given = GameRules(extended, changes)
    for note in given.find_notes():
        complain(note, kind="note")
    for doubt in given.find_warnings():
        complain(doubt, kind="warning")
    files: list[tuple[str, RuleFile]] = []
    for folder in folders:
        ours, users = list_rule_files(folder, changes if folder == extended else NO_CHANGES)
        if folder != COMMON:
            # The files that games share are listed by themselves.
            ours = [path for path in ours if path.parent.name != COMMON]
        files += [(folder, file) for file in read_rule_files([*ours, *users])]
    return files


def _names_in(file: RuleFile) -> set[str]:
    names = {file.path.stem, file.path.name}
    names.update(ruling.name for ruling in file.rulings)
    for predicate in file.predicates:
        name, arity = predicate.signature
        names |= {name, f"{name}/{arity}", str(predicate)}
    return names


def _cards(changes: Changes) -> Table:
    cards = load_rules(GameRules(_CARDS.replace("-", "_"), changes)).cards
    rows = tuple((card.number, card.name, card.text) for card in cards)
    return Table("cards", ("number", "card", "pays"), rows, code=("card",))


def _rulings(files: list[tuple[str, RuleFile]], constants: dict[str, str]) -> Table:
    rows = []
    for game, file in files:
        for ruling in file.rulings:
            value = constants.get(ruling.name, ruling.default)
            allowed = ruling.allowed.short if ruling.allowed is not None else ""
            rows.append((ruling.name, value, allowed, _title(game), ruling.text))
    columns = ("ruling", "value", "allowed", "game", "decides")
    return Table("rulings", columns, tuple(rows), code=("ruling", "value"))


def _name(game: str, path: Path) -> str:
    home = find_home("asp", game) / game
    if path.is_relative_to(home):
        path = path.relative_to(home)
    return str(path)


def _extension_points(files: list[tuple[str, RuleFile]]) -> Table:
    """List the predicates that users' rules may derive, with the files that document them."""
    places = defaultdict[tuple[str, str], list[str]](list)
    for game, file in files:
        for predicate in file.predicates:
            if predicate.is_extension_point:
                places[str(predicate), _title(game)].append(_name(game, file.path))
    rows = tuple((*point, ", ".join(names)) for point, names in places.items())
    return Table("extension-points", ("predicate", "game", "file"), rows, code=("predicate",))


def _predicates(files: list[tuple[str, RuleFile]]) -> Table:
    rows = []
    for game, file in files:
        title = _title(game)
        name = _name(game, file.path)
        rows += [(str(one), title, name, one.text) for one in file.predicates]
    columns = ("predicate", "game", "file", "means")
    return Table("predicates", columns, tuple(rows), code=("predicate",))


def _drop(table: Table, column: str) -> Table:
    if column not in table.columns:
        return table
    at = table.columns.index(column)
    columns = table.columns[:at] + table.columns[at + 1 :]
    rows = tuple(row[:at] + row[at + 1 :] for row in table.rows)
    return replace(table, columns=columns, rows=rows)
