"""The verbs ``rules compare``, ``test``, ``coverage`` and ``mutate``, which try out rules."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import click

from kb_score.cli.rule_files import (
    DEFAULT_GAME,
    explain_unknown,
    folder_of,
    game_option,
    list_files,
    name_file,
    title_of,
)
from kb_score.cli.run import changes_options, force_option, output_option, use_rules
from kb_score.engine.changes import NO_CHANGES, Changes, find_rule_files
from kb_score.errors import InputError, KbScoreError, RuleError, describe_list
from kb_score.games import list_games
from kb_score.games.match import File
from kb_score.resources import (
    COMMON,
    find_rule_folder,
    is_folder,
    is_game,
    is_shipped,
    is_there,
    list_rule_folders,
)
from kb_score.shell.options import GroupCommand, format_option, make_number_option
from kb_score.shell.output import Block, Exit, Messages, Output, Table, complain
from kb_score.shell.output import show as print_output
from kb_score.shell.target import Target

_NO_EXAMPLE = "these files have no examples: see kb-score docs test-your-rules"
# What else is said about a user's own game.
_SAMPLE = """
to write one, put a record of the game, or its beginning, and what follows from it below the rules:

%*! Example: what it shows
RECORD
turns: N *%

kb-score playouts {game} --seed 1 prints a record"""
# With fewer players, a card that compares players may seem right.
_ENOUGH_PLAYERS = 3
_OUTPUT = "Save to FILE the board or record found; if it has a map, name a file for the map first."


@click.command(
    cls=GroupCommand, epilog="Example: kb-score rules compare lords --rules my-rules -o board.txt"
)
@click.argument("name")
@click.argument("versions", nargs=-1, metavar="[[BEFORE] AFTER]")
@make_number_option("--players", 1, 5, 2, "For a card: the maximum number of players on a board.")
@click.option("--valid", is_flag=True, help="For a card: skip boards that no game can reach.")
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

    NAME is a card, to compare what it pays, or a game or tile, to compare what a turn leads to.
    The versions are our rules, and these with --rules or --const. BEFORE and AFTER are files or
    folders of rules that only one version has. The search ends after --limit-seconds, or 60
    seconds, and proves up to which size there is no difference.
    """
    from kb_score.lab.compare import CardComparer, compare_rules, report_comparison

    if len(versions) > 2 or not (versions or rule_changes.words()):
        raise click.UsageError("name a second version: --rules DIR, --const NAME=VALUE or files")
    for version in versions:
        if not os.path.exists(version):  # noqa: PTH110, the name may have any length
            raise InputError(version, "this file or folder does not exist")
    before = rule_changes
    if not versions:
        before = replace(before, folders=(), constants=())
    before = before.plus(map(Path, versions[:-1]))
    after = rule_changes.plus(map(Path, versions[-1:]))
    used = [*before.paths, *after.paths]
    targets: list[Target] = []
    for path in output:
        target = Target(path, used, force, is_edited=True)
        target.check()
        targets.append(target)
    folder = folder_of(name if name in list_games() else None)
    with use_rules(folder, before) as old, use_rules(folder, after) as new:
        found = compare_rules(name, old, new, players=players, valid=valid)
        try:
            found.run()
        finally:
            shown = report_comparison(found, old, new)
            print_output(shown, format_)
            _save(targets, found.files)
    if found.deadline.is_over and not found.fewest:
        complain(f"stopped after {found.deadline.seconds:g} s (--limit-seconds)", kind="note")
    if found.at:
        return Exit.DIFFERS
    if found.proved and isinstance(found, CardComparer):
        _note_players(players)
    if found.is_same or found.proved:
        return Exit.FINE
    return Exit.UNUSABLE


def _note_players(players: int) -> None:
    if players < _ENOUGH_PLAYERS:
        more = players + 1
        complain(f"{more} players were not tried: --players {more}", kind="note")


def _note_doubt(changes: Changes, what: str) -> None:
    """Print a note that a user's rules may be wrong although a report looks good."""
    if changes.paths:
        advice = "compare them with a second version (kb-score rules compare)"
        complain(f"{what} although the rules are wrong: {advice}", kind="note")


def _save(targets: Sequence[Target], texts: Sequence[str]) -> None:
    """Write the files that were found; print a note if there are more or fewer outputs."""
    for target, text in zip(targets, texts, strict=False):
        target.write(text.encode())
    if targets and texts and len(targets) != len(texts):
        complain(f"files found: {len(texts)}; each needs its own -o", kind="note")


@click.command(cls=GroupCommand)
@click.argument("names", nargs=-1, metavar="[NAME|DIR]...")
@game_option
@format_option
@changes_options
def test(names: tuple[str, ...], game: str | None, format_: str, rule_changes: Changes) -> Exit:
    """Run the examples in rule files, by default those of all games.

    NAME is a card, a tile, a rule file, a folder of them or a game; DIR, or a file, has rules of
    your own, as with --rules. With --rules alone the examples there are run, and those of ours that
    name a card or tile which is stated there; if one of the files states none, all of ours.
    """
    from kb_score.lab.examples import choose_affected, find_examples, judge_usable, show_failures

    rows: list[tuple[str, str, int, int]] = []
    blocks: list[Block] = []
    faults: list[KbScoreError] = []
    changes, tested = _find_tested(names, game, rule_changes)
    for folder, paths in tested.items():
        with use_rules(folder, changes) as ours:
            examples = list(find_examples(folder, paths, faults.append))
            if changes.files and not names:
                examples = choose_affected(examples, changes.files)
            judged = judge_usable(examples, ours, faults.append)
        numbers = Counter[Path]()
        failed = Counter[Path]()
        for example, failures in judged.items():
            numbers[example.path] += 1
            if failures:
                failed[example.path] += 1
        for path, number in numbers.items():
            rows.append((title_of(folder), name_file(folder, path), number, failed[path]))
        blocks += show_failures(chain.from_iterable(judged.values()))
    if not rows and not faults:
        raise _explain_no_examples(tested)
    for fault in dict.fromkeys(map(str, faults)):
        complain(fault)
    if rows:
        table = Table("", ("game", "file", "examples", "failed"), tuple(rows))
        lines = [dict(zip(table.columns, row, strict=True)) for row in rows]
        print_output(Output([table, *blocks], lines, table), format_)
    if faults:
        return Exit.UNUSABLE
    return Exit.DIFFERS if blocks else Exit.FINE


@click.command(
    cls=GroupCommand, epilog="Example: kb-score rules coverage game.txt boards/ -o coverage.html"
)
@click.argument("files", nargs=-1, metavar="[NAME|DIR|FILE]...")
@game_option
@output_option("Write a web page that shows which rules are used.")
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
    """Report which rules, and which conditions in them, some boards and records have used.

    FILE is a board, a record after its map, or a folder of them. Without any, the examples in the
    rule files are used. A condition has decided if it was false once while all others were true.
    NAME and DIR are as for test: only these files are reported. With --rules, only those there.
    """
    from kb_score.lab.coverage import Used, are_rules, cover, read_files, report, write_page

    known: set[str] = set()
    for home in list_rule_folders():
        for file in list_files(home, NO_CHANGES):
            known |= _names_of(home, file)
    # A file or a folder of boards goes before a rule of the same name, but not before a game.
    known = {word for word in known if not is_there(word)} | set(map(title_of, list_rule_folders()))
    words = [word for word in files if word in known or are_rules(word)]
    files = tuple(word for word in files if word not in words)
    rule_changes, tested = _find_tested(words, game, rule_changes)
    target = Target(output, [*files, *rule_changes.paths], force)
    target.check((".html",))
    names: dict[str, tuple[str, str]] = {}
    used: dict[str, list[Used]] = {}
    with Messages() as messages:
        given = defaultdict[str, list[list[File]]](list)
        for owner, files_of_input in read_files(files, game, messages):
            given[owner.name].append(files_of_input)
        folders = list(given) if files else list(tested)
        for folder in folders:
            changes = rule_changes if folder in tested else NO_CHANGES
            inputs = given[folder] if files else None
            with use_rules(folder, changes) as changed_rules:
                named = tested.get(folder, []) if words else []
                found = cover(changed_rules, inputs, messages, named)
            for path in found:
                names[path] = (title_of(folder), name_file(folder, Path(path)))
            used |= found
    if used:
        print_output(report(names, used), format_)
        _note_doubt(rule_changes, "every rule may be used")
    if output and used:
        target.write(write_page(names, used).encode())
    return messages.status


@click.command(cls=GroupCommand, epilog="Example: kb-score rules mutate lords")
@click.argument("names", nargs=-1, metavar="[NAME|DIR]...")
@game_option
@make_number_option(
    "--count", 1, None, None, "The number of mutants to sample  [default: all of them]."
)
@make_number_option("--seed", 0, None, 1, "The random seed of the sample.")
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
    examples, are changed. A board, or a position and turn, that would notice the change is printed
    as an example to paste. Each search for it ends after --limit-seconds, or 5 seconds, and proves
    up to which size there is none.
    """
    from kb_score.lab.examples import Example, find_examples
    from kb_score.lab.mutate import Mutant, draw_mutants, report_mutants, try_mutants

    names = names or rule_changes.list_folders()
    changes, tested = _find_tested(names, game, rule_changes)
    examples: dict[str, list[Example]] = {}
    folders: dict[Path, str] = {}
    mutated = set(changes.files)
    for folder, paths in tested.items():
        files = list_files(folder, changes)
        examples[folder] = list(find_examples(folder, files))
        mutated.update(example.path for example in examples[folder])
        for path in paths:
            if path in mutated:
                folders[path] = folder
    drawn = draw_mutants(folders, count, seed)
    if not drawn:
        raise _explain_no_examples(tested)
    found = defaultdict[tuple[str, str], list[Mutant | None]](list)
    try:
        for path, mutants in drawn.items():
            folder = folders[path]
            results = found[title_of(folder), name_file(folder, path)]
            with use_rules(folder, changes) as changed_rules:
                for result in try_mutants(mutants, examples[folder], changed_rules):
                    results.append(result)  # an interrupt keeps what was found before it
    finally:
        if found:
            print_output(report_mutants(found), format_)
    results_of_all = chain.from_iterable(found.values())
    if any(result is not None and not result.proved for result in results_of_all):
        return Exit.DIFFERS
    _note_doubt(changes, "every change may be noticed")
    return Exit.FINE


def _explain_no_examples(tested: Iterable[str]) -> RuleError:
    """Return the error for rules without examples; a user's own game gets a sample."""
    message = _NO_EXAMPLE
    own = [folder for folder in tested if not is_shipped(find_rule_folder(folder))]
    if own:
        message += _SAMPLE.format(game=title_of(own[0]))
    return RuleError(message)


def _name_game(name: str) -> str:
    """Return the name of a game for its folder of rules; other names are returned unchanged."""
    if not is_folder(name):
        return name
    folder = Path(name).resolve()
    game = title_of(folder.name)
    known = [path.resolve() for path in list_rule_folders().values()]
    if folder in known:
        return game
    if is_game(folder):
        hint = f"name the game, and its folder: {game} --game-dir {name}"
        raise click.UsageError(
            f"{name} has the rules of a game that kb-score does not know: {hint}"
        )
    return name


def _find_tested(
    names: Sequence[str], game: str | None, changes: Changes
) -> tuple[Changes, dict[str, list[Path]]]:
    """Return the rule files that are named, or all of them if there are no names.

    The names are games, cards, tiles, rule files, and the user's files and folders. The files are
    grouped by the folders of their games; the changes have the user's files and folders added.
    """
    games = set(map(title_of, list_rule_folders()))
    names = [name if name in games else _name_game(name) for name in names]
    others = [name for name in names if name not in games]
    own = [Path(name) for name in others if is_folder(name) or name.endswith(".lp")]
    wanted = {name for name in names if Path(name) not in own}
    changes = changes.plus(own)
    if game is None and changes.words():
        game = _find_only_game(names)
    folders = sorted(list_rule_folders()) if game is None else [folder_of(game)]
    users = set(find_rule_files(*own))
    found: dict[str, list[Path]] = {}
    known: set[str] = set()
    for folder in folders:
        for path in list_files(folder, changes):
            names_of_file = _names_of(folder, path)
            known |= names_of_file
            if path.parent.name == COMMON:
                continue
            if not names or path in users or names_of_file & wanted:
                found.setdefault(folder, []).append(path)
    unknown = wanted - known
    if unknown:
        raise explain_unknown("card, tile, rule file or game", min(unknown), known)
    return changes, found


def _names_of(folder: str, path: Path) -> set[str]:
    """Return the names by which a rule file of a game is found."""
    return {path.stem, path.name, path.parent.name, title_of(folder)}


def _find_only_game(names: Sequence[str]) -> str:
    """Return the game that rules and rulings are about: the game that is named, or the default."""
    games = [title_of(folder) for folder in sorted(list_rule_folders())]
    named = [game for game in games if game in names]
    if len(named) > 1:
        listed = describe_list(named)
        raise click.UsageError(f"rules and rulings apply to one game: name only {listed}")
    return named[0] if named else DEFAULT_GAME
