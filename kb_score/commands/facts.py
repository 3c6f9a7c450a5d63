"""``kb-score facts``: what the rules are told of a file, as text for clingo."""

from __future__ import annotations

import click

from kb_score.command import read_input
from kb_score.errors import BoardError
from kb_score.games import list_games, load_game
from kb_score.terms import write_facts


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--game", type=click.Choice(list_games()), help="The game, if it cannot be seen.")
def facts(files: tuple[str, ...], game: str | None) -> None:
    """Print the facts of FILES, such as a board or a map, as text for clingo.

    One board at a time: `kb-score facts BOARD | clingo - asp/kingdom_builder/*.lp ...`
    """
    for path in files:
        text = read_input(path)
        module = load_game(game or _recognise(text, path))
        found = write_facts(module.read_facts(text, path))
        click.echo(f"% {path}\n{found}", nl=False)


def _recognise(text: str, path: str) -> str:
    found = [name for name in list_games() if load_game(name).recognises(text)]
    if len(found) != 1:
        guess = " or ".join(found) if found else "no game"
        raise BoardError(path, f"this looks like a file of {guess}: say which with --game")
    return found[0]
