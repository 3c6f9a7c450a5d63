"""The verbs ``draw``, ``replay`` and ``playground``: records as pictures, pages and animations."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import click

from kb_score.engine.rules import Asked, GameRules
from kb_score.games.game import Game
from kb_score.games.rulings import apply_rulings
from kb_score.games.verbs.command import (
    files_argument,
    game_options,
    make_game_verb,
    make_options,
    output_option,
    read_named,
    say_files,
    turn_option,
)
from kb_score.shell.output import Exit
from kb_score.shell.pages import check_ending, draw_turn, save_replay, write_output, write_picture


def _run(
    verb: str,
    game: Game,
    paths: tuple[str, ...],
    output: str | None,
    rules: GameRules,
    turn: int | None = None,
    speed: float | None = None,
    **more: Any,
) -> Exit:
    check_ending(output, *_ENDINGS[verb])
    asked, inputs = list[Asked](), [*paths, *rules.changes.paths]
    files = read_named(game, paths)
    if verb == "playground":
        # The page goes on with the rulings of the record.
        rules = apply_rulings(rules, *files)
    listening = replace(rules, listener=asked.append) if verb == "playground" else rules
    shown = game.replay(listening, files, **more)
    if verb == "draw":
        write_picture(draw_turn(shown, turn), output, inputs)
    elif verb == "replay":
        save_replay(shown, output, inputs, speed)
    else:
        from kb_score.games.playground import write_record

        write_output(write_record(shown, asked, rules, game.wording.who).encode(), output, inputs)
    return Exit.FINE


_SAYS = "How many turns an animation shows in a second; by default 1.7, of a long game more."
_speed_option = click.option("--speed", type=click.FloatRange(0.1, 50), metavar="N", help=_SAYS)


def _make(verb: str, game: Game) -> click.Command:
    """Make a verb: files, its options, those of the game, and those for its rules."""
    endings = _ENDINGS[verb]
    first = say_files(game).partition(" ")[0]
    alone = f"{first} alone shows how the game begins." if game.maps else ""
    return make_game_verb(
        verb,
        game,
        partial(_run, verb, game),
        files_argument(game),
        *([turn_option] if verb == "draw" else []),
        *([_speed_option] if verb == "replay" else []),
        output_option(" or ".join(endings)),
        *make_options(game.options.draw),
        game_options(game.name, with_format=False),
        more=alone * (verb != "playground"),
    )


# By verb the endings of its files.
_ENDINGS = {"draw": (".svg", ".png"), "replay": (".html", ".gif"), "playground": (".html",)}

make_draw, make_replay, make_playground = (partial(_make, verb) for verb in _ENDINGS)
