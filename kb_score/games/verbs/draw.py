"""The verbs ``draw``, ``replay`` and ``playground``: records as pictures, pages and animations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from kb_score.engine.rules import Asked, GameRules
from kb_score.games.game import Decorator, GameType, Help
from kb_score.games.verbs.command import game_options, make_game_verb
from kb_score.games.verbs.legal import files_argument, read_named, say_files
from kb_score.shell.output import Exit
from kb_score.shell.pages import check_ending, draw_turn, save_replay, write_output, write_picture

turn_option = click.option("--turn", type=int, metavar="N", help="The turn to draw.")


def output_option(kinds: str) -> Decorator:
    """Make the option for the file to write, which standard output stands in for."""
    text = f"The file to write: {kinds}  [default: standard output]"
    return click.option("-o", "--output", metavar="FILE", help=text)


def make_draw(game: GameType) -> click.Command:
    """Make the verb ``draw`` of a game."""

    def draw(
        paths: tuple[str, ...], turn: int | None, output: str | None, rules: GameRules, **more: Any
    ) -> Exit:
        check_ending(output, ".svg", ".png")
        replay = game.follow(rules, *read_named(game, paths), **more)
        write_picture(draw_turn(replay, turn), output, [*paths, *rules.changes.paths])
        return Exit.FINE

    return _make(game, "draw", draw, turn_option, output_option(".svg or .png"))


def make_replay(game: GameType) -> click.Command:
    """Make the verb ``replay`` of a game."""

    def replay(paths: tuple[str, ...], output: str | None, rules: GameRules, **more: Any) -> Exit:
        check_ending(output, ".html", ".gif")
        shown = game.follow(rules, *read_named(game, paths), **more)
        save_replay(shown, output, [*paths, *rules.changes.paths])
        return Exit.FINE

    return _make(game, "replay", replay, output_option(".html or .gif"))


def make_playground(game: GameType) -> click.Command:
    """Make the verb ``playground`` of a game."""

    def playground(
        paths: tuple[str, ...], output: str | None, rules: GameRules, **more: Any
    ) -> Exit:
        from kb_score.games.playground import write_record

        check_ending(output, ".html")
        asked: list[Asked] = []
        listening = replace(rules, listener=asked.append)
        shown = game.follow(listening, *read_named(game, paths), **more)
        page = write_record(shown, asked, rules, game.who).encode()
        write_output(page, output, [*paths, *rules.changes.paths])
        return Exit.FINE

    return _make(game, "playground", playground, output_option(".html"))


def _make(game: GameType, verb: str, function: Any, *options: Decorator) -> click.Command:
    """Make a verb: files, its options, those of the game, and those for its rules."""
    first = say_files(game).partition(" ")[0]
    alone = f"{first} alone shows how the game begins." if game.maps else ""
    text, example = _HELPS[verb]
    return make_game_verb(
        verb,
        game,
        function,
        files_argument(game),
        *options,
        *game.draw_options,
        game_options(game.name, with_format=False),
        default=Help(text, f"{game.sample} {example}"),
        more=alone * (verb != "playground"),
    )


_HELPS = {
    "draw": (
        """One turn of a record as a picture.

        Without --turn it is the first that breaks the rules, or else the last.
        """,
        "--turn 3 -o turn.svg",
    ),
    "replay": (
        """A whole record as a page that plays it, or as an animation.

        The page is one file that needs no network.
        """,
        "-o game.html",
    ),
    "playground": (
        """A session in a page where its rules can be changed.

        Verdict and pictures follow the rules. The page is one file that needs no network; clingo is
        in it. The rules are lifted there: they speak of all turns at once.
        """,
        "-o playground.html",
    ),
}
