"""The verb ``new``, which writes templates for a user's own files."""

from __future__ import annotations

from pathlib import Path

import click

from kb_score.cli.run import force_option
from kb_score.games import check_game_name
from kb_score.resources import find_folder, list_below, list_folder
from kb_score.shell.files import check_apart
from kb_score.shell.options import GameChoice
from kb_score.shell.output import Exit
from kb_score.shell.target import Target, write_folder

_TEMPLATES = find_folder("templates")
# The file or folder of each kind of template.
_KINDS = {path.stem: path for path in list_folder(_TEMPLATES)}
_BOT = "bot-"
_GAME = "game"
_CHOICES = ("card", "board", "game", "record", "contest", "bot", "rules")
_BOTS = [kind.removeprefix(_BOT) for kind in _KINDS if kind.startswith(_BOT)]


@click.command(epilog="Example: kb-score new bot --game slime bot.py")
@click.argument("kind", type=click.Choice(_CHOICES))
@click.argument("file", required=False)
@click.option(
    "--game",
    type=GameChoice(lambda: _BOTS, "for a game of your own, begin with its bot.py of `new game`"),
    help="For a bot: the game that it plays  [default: kingdom-builder].",
)
@force_option
def new(kind: str, file: str | None, game: str | None, force: bool) -> Exit:
    """Write a commented template: a card, a board, a game, a record, a contest, a bot or rules.

    The template works as it is. It goes to standard output, or to FILE. A game is a folder with
    rules, a grammar, a manifest and a bot; rules are a folder, too.
    """
    if game is not None and kind != "bot":
        message = "--game applies only to a bot"
        if kind == "record":
            message += f": kb-score playouts {game} --seed 1 prints a record of this game"
        raise click.UsageError(message)
    template = kind
    if kind == "bot":
        template = _BOT + (game or "kingdom-builder")
    source = _KINDS[template]
    if file is None and source.is_dir():
        example = f"kb-score new {kind} my{kind}"
        raise click.UsageError(f"{kind} needs a folder: name a new one, as in: {example}")
    if file is None:
        click.echo(source.read_bytes(), nl=False)
        return Exit.FINE
    check_apart(file, ())
    if source.is_file():
        Target(file, force=force, is_edited=True).write(source.read_bytes())
        return Exit.FINE
    folder = Path(file)
    if kind == _GAME:
        check_game_name(folder.resolve())
    files = {
        path.relative_to(source): path.read_bytes()
        for path in sorted(list_below(source))
        if path.is_file()
    }
    write_folder(folder, files, force=force)
    return Exit.FINE
