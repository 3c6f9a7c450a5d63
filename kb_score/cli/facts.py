"""The verb ``facts``, which prints the facts of a file as text for clingo."""

from __future__ import annotations

from collections.abc import Sequence

import click

from kb_score.cli.command import describe_files
from kb_score.cli.run import changes_options
from kb_score.cli.verbs import VERBS
from kb_score.engine.changes import Changes
from kb_score.engine.rules import Asked, GameRules
from kb_score.engine.terms import write_facts
from kb_score.errors import ANY_FILE, InputError, visible
from kb_score.games import GameFolder, list_games, recognise
from kb_score.shell.files import read_inputs
from kb_score.shell.options import GameChoice, GroupCommand, WholeNumber
from kb_score.shell.output import Exit, complain

File = tuple[str, str]


@click.command(
    cls=GroupCommand,
    epilog="Example: kb-score facts game.txt | python -m clingo - asp/kingdom_builder/*.lp"
    " asp/kingdom_builder/cards/*.lp",
)
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--game",
    "game_name",
    type=GameChoice(list_games, case_sensitive=False),
    help="The game  [default: detected from the files]",
)
@click.option(
    "--program",
    "with_program",
    is_flag=True,
    help="Print the whole program with which the files are scored or checked: facts and rules.",
)
@click.option(
    "--part",
    type=WholeNumber(1),
    metavar="K",
    help="With --program: print the K-th program of a record that is checked in parts.",
)
@changes_options
def facts(
    files: tuple[str, ...],
    game_name: str | None,
    with_program: bool,
    part: int | None,
    rule_changes: Changes,
) -> Exit:
    """Print the facts of FILES as text for clingo.

    FILES are boards, maps or records of one game, which is recognised from them. "-" is standard
    input. With --program, FILES are those of `score` or `check`, such as a map and a record, and
    plain clingo can run the output.
    """
    read = list(zip(files, read_inputs(*((path, ANY_FILE) for path in files)), strict=True))
    if with_program:
        # The first file determines the game: a map or board comes before its record.
        game = _recognise(*read[0], game_name)
        # Games with their own check count the files themselves.
        most = len(game.type.maps) + 1
        if not VERBS["check"].has_own(game) and len(files) > most:
            message = f"expected {describe_files(game.type)}, not {len(files)} files"
            raise click.UsageError(message)
        asked: list[Asked] = []
        rules = GameRules(game.folder, rule_changes, asked.append)
        for doubt in rules.find_warnings():
            complain(doubt, kind="warning")
        game.type.check(rules, read)
        count = len(asked)
        if part is not None and part > count:
            programs = "is 1 program" if count == 1 else f"are {count} programs"
            raise click.UsageError(f"--part {part}: there {programs}")
        if part is None and count > 1:
            these = f"this is the last of {count} programs that check the record"
            complain(f"{these}: --part K prints the K-th", kind="note")
        number = part or count
        program = str(asked[number - 1])
        click.echo(visible(program, keep="\n\t"), nl=False)
        return Exit.FINE
    if part or rule_changes.words():
        raise click.UsageError("--part, --rules and --const require --program")
    click.echo("".join(_list_facts(read, game_name)), nl=False)
    return Exit.FINE


def _list_facts(files: Sequence[File], game_name: str | None) -> list[str]:
    """Return the facts of each file, after a comment with its name."""
    found = []
    first: GameFolder | None = None
    for path, text in files:
        game = _recognise(path, text, game_name)
        first = first or game
        if game != first:
            belongs = f"this file belongs to {game.name}, but the one before it to {first.name}"
            raise InputError(path, f"{belongs}: name the files of one game at a time")
        facts_as_text = write_facts(game.records.read_facts(text, path))
        found.append(f"% {visible(path)}\n{facts_as_text}")
    return found


def _recognise(path: str, text: str, game_name: str | None) -> GameFolder:
    """Return the named game or, without a name, the only game whose files the text resembles."""
    games = list_games()
    if game_name is not None:
        return games[game_name]
    found = recognise(text)
    if not found:
        kinds = ", ".join(f"{game.records.FACTS_OF} of {name}" for name, game in games.items())
        unlike = "this file looks like none of these: name the game with --game"
        raise InputError(path, f"facts can be printed for {kinds}; {unlike}")
    if len(found) > 1:
        guess = " or ".join(found)
        raise InputError(path, f"this looks like a file of {guess}: say which with --game")
    return games[found[0]]
