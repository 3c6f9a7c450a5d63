"""``kb-score facts``: what the rules are told of a file, as text for clingo."""

from __future__ import annotations

import click

from kb_score.command import read_input
from kb_score.errors import BoardError
from kb_score.games import list_games, load_game
from kb_score.terms import write_facts


@click.command(
    epilog="Example: kb-score facts game.txt | python -m clingo - asp/kingdom_builder/*.lp"
    " asp/kingdom_builder/cards/*.lp"
)
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--game", type=click.Choice(list_games()), help="The game; else its contents show it."
)
def facts(files: tuple[str, ...], game: str | None) -> None:
    """Print the facts of FILES, a board, a map or a record, as text for clingo.

    Which game a file is of, its contents show. "-" is standard input.
    """
    found: list[str] = []
    first = game
    for path in files:
        text = read_input(path)
        name = game or _recognise(text, path)
        first = first or name
        if name != first:
            raise BoardError(path, f"this is of {name}, the file before of {first}: one at a time")
        facts_ = write_facts(load_game(name).read_facts(text, path))
        found.append(f"% {path}\n{facts_}")
    click.echo("".join(found), nl=False)


def _recognise(text: str, path: str) -> str:
    games = {name: load_game(name) for name in list_games()}
    found = [name for name, module in games.items() if module.recognises(text)]
    if not found:
        kinds = ", ".join(f"{module.FACTS_OF} of {name}" for name, module in games.items())
        message = f"facts are printed of {kinds}: this looks like none, say which with --game"
        raise BoardError(path, message)
    if len(found) > 1:
        guess = " or ".join(found)
        raise BoardError(path, f"this looks like a file of {guess}: say which with --game")
    return found[0]
