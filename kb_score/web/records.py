"""The verb ``playground`` of games: a record, and the rules that judge it, in a page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from kb_score.cli.command import read_named
from kb_score.cli.draw import make_drawing
from kb_score.cli.run import Run
from kb_score.engine.rules import Asked
from kb_score.games.game import Game
from kb_score.games.rulings import apply_rulings
from kb_score.shell.output import Exit
from kb_score.web.playground import list_record, write_record


def make_playground(game: Game) -> click.Command:
    """Return the verb ``playground`` of a game."""

    def playground(run: Run, paths: tuple[str, ...], **options: Any) -> Exit:
        files = read_named(game, paths)
        # The page keeps the rulings of the record.
        rules = apply_rulings(run.rules, *files)
        asked: list[Asked] = []
        listening = replace(rules, listener=asked.append)
        shown = game.replay(listening, files, **options)
        data = list_record(shown, asked, rules)
        page = write_record(shown, {"kind": "record", **data})
        run.target.write(page.encode())
        return Exit.FINE

    return make_drawing("playground", game, playground, (".html",))
