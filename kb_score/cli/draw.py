"""The verbs ``draw`` and ``replay``, which show records as pictures, pages and animations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from kb_score.cli.command import (
    describe_files,
    files_argument,
    make_game_verb,
    make_options,
    read_named,
    turn_option,
)
from kb_score.cli.run import Run
from kb_score.games.game import Game
from kb_score.shell.output import Exit
from kb_score.shell.pages import check_libraries, draw_turn, save_replay, write_picture

_ABOUT_SPEED = "Turns per second of an animation  [default: 1.7, more for long games]"
_speed_option = click.option(
    "--speed", type=click.FloatRange(0.1, 50), metavar="N", help=_ABOUT_SPEED
)


def make_draw(game: Game) -> click.Command:
    """Return the command ``draw`` of a game."""

    def draw(run: Run, paths: tuple[str, ...], turn: int | None, **options: Any) -> Exit:
        shown = game.replay(run.rules, read_named(game, paths), **options)
        write_picture(draw_turn(shown, turn), run.target)
        return Exit.FINE

    return make_drawing(
        "draw", game, draw, (".svg", ".png"), turn_option, more=_describe_map_alone(game)
    )


def make_replay(game: Game) -> click.Command:
    """Return the command ``replay`` of a game."""

    def replay(run: Run, paths: tuple[str, ...], speed: float | None, **options: Any) -> Exit:
        check_libraries(run.target)
        shown = game.replay(run.rules, read_named(game, paths), **options)
        save_replay(shown, run.target, speed)
        return Exit.FINE

    return make_drawing(
        "replay", game, replay, (".html", ".gif"), _speed_option, more=_describe_map_alone(game)
    )


def make_drawing(
    verb: str,
    game: Game,
    function: Callable[..., Exit],
    endings: tuple[str, ...],
    *options: Any,
    more: str = "",
) -> click.Command:
    """Return a command that draws records; it takes files, its own options and the game's options.

    The file that it writes may have the given endings; the text ``more`` is added to its help.
    """
    shared = make_options(game.list_options("draw"))
    return make_game_verb(
        verb,
        game,
        function,
        files_argument(game),
        *options,
        *shared,
        more=more,
        has_format=False,
        writes=endings,
    )


def _describe_map_alone(game: Game) -> str:
    if not game.maps:
        return ""
    first = describe_files(game).partition(" ")[0]
    return f"{first} without a record shows the start of the game."
