"""The commands ``draw`` and ``replay`` of all games: pictures as files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kb_score.errors import InputError, visible
from kb_score.games.command import game_options, make_verb
from kb_score.shell.files import read_inputs, write_whole
from kb_score.shell.output import Exit
from kb_score.shell.raster import make_gif, make_png
from kb_score.shell.svg import draw_svg

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.shell.picture import Drawing
    from kb_score.shell.replay import Replay

_Function = TypeVar("_Function", bound=Callable[..., Any])

Follow = Callable[..., "Replay"]


def output_option(kinds: str) -> Callable[[_Function], _Function]:
    """Make the option for the file to write, which standard output stands in for."""
    text = f"The file to write: {kinds}  [default: standard output]"
    return click.option("-o", "--output", metavar="FILE", help=text)


def make_pictures(
    game: str, follow: Follow, *files: str, example: str, options: tuple[Any, ...] = ()
) -> dict[str, click.Command]:
    """Make the commands ``draw`` and ``replay`` of a game in turns.

    Args:
        game: The game's folder in asp/.
        follow: Draws each turn of a record: takes the rules and, for each file, a name and a text.
        files: What the files are, the record last; those before it can be drawn alone.
        example: Files such as ``map.txt plan.txt``.
        options: More options, which ``follow`` takes by name.
    """
    shown = game.replace("_", "-")
    record = "" if len(files) == 1 else f" {files[0]} alone shows how the game begins."

    @make_verb(
        "draw",
        game,
        f"""One turn of a record as a picture.

        Without --turn it is the first that breaks the rules, or else the last.{record}
        """,
        f"{shown} {example} --turn 3 -o turn.svg",
    )
    @click.argument("paths", nargs=-1, required=True, metavar=_say_files(files))
    @click.option("--turn", type=int, metavar="N", help="The turn to draw.")
    @output_option(".svg or .png")
    @_with(options)
    @game_options(game, with_format=False)
    def draw(
        paths: tuple[str, ...],
        turn: int | None,
        output: str | None,
        rules: GameRules,
        **more: Any,
    ) -> Exit:
        check_ending(output, ".svg", ".png")
        replay = _follow(follow, paths, files, rules, more)
        chosen = replay.choose(turn)
        caption = replay.steps[chosen - replay.first].caption
        title = f"{visible(replay.record)}: {caption}"
        svg = draw_svg(
            replay.at(chosen),
            title=title,
            description="; ".join(str(v) for v in replay.violations if v.turn == chosen),
            hexes=replay.hexes,
        )
        write_picture(svg, output, [*paths, *rules.changes.paths])
        return Exit.FINE

    @make_verb(
        "replay",
        game,
        f"""A whole record as a page that plays it, or as an animation.

        The page is one file that needs no network.{record}
        """,
        f"{shown} {example} -o game.html",
    )
    @click.argument("paths", nargs=-1, required=True, metavar=_say_files(files))
    @output_option(".html or .gif")
    @_with(options)
    @game_options(game, with_format=False)
    def replay(paths: tuple[str, ...], output: str | None, rules: GameRules, **more: Any) -> Exit:
        check_ending(output, ".html", ".gif")
        shown = _follow(follow, paths, files, rules, more)
        save_replay(shown, output, [*paths, *rules.changes.paths])
        return Exit.FINE

    return {"draw": draw, "replay": replay}


def _with(options: tuple[Any, ...]) -> Callable[[_Function], _Function]:
    def decorate(function: _Function) -> _Function:
        for option in options:
            function = option(function)
        return function

    return decorate


def _say_files(files: tuple[str, ...]) -> str:
    *others, record = files
    return f"{' '.join(others)} [{record}]" if others else record


def _follow(
    follow: Follow,
    paths: tuple[str, ...],
    files: tuple[str, ...],
    rules: GameRules,
    more: Mapping[str, Any],
) -> Replay:
    least = max(1, len(files) - 1)
    if not least <= len(paths) <= len(files):
        raise click.UsageError(f"expected {_say_files(files)}, not {len(paths)} files")
    return follow(rules, *zip(paths, read_inputs(*paths), strict=True), **more)


def check_ending(output: str | None, *endings: str) -> None:
    """Check that a file's name says what to write, before that takes any time.

    Raises:
        InputError: It has another ending; it says which there are.
    """
    if output is not None and PurePath(output).suffix.lower() not in endings:
        raise InputError(output, f"the name of the output has to end in {' or '.join(endings)}")


def write_picture(svg: str, output: str | None, inputs: list[str]) -> None:
    """Write a picture as its file's name says; as SVG on standard output."""
    is_png = output is not None and output.lower().endswith(".png")
    write_output(make_png(svg) if is_png else svg.encode(), output, inputs)


def save_replay(replay: Replay, output: str | None, inputs: list[str]) -> None:
    """Write a replay as its file's name says; as a page on standard output."""
    if output is not None and output.lower().endswith(".gif"):
        write_output(make_gif(replay), output, inputs)
        return
    from kb_score.shell.pages import write_replay

    write_output(write_replay(replay).encode(), output, inputs)


def write_output(data: bytes, output: str | None, inputs: list[str]) -> None:
    """Write a file whole, or to standard output."""
    if output is None:
        sys.stdout.write(data.decode())
        return
    write_whole(output, data, inputs)


def draw_board(drawing: Drawing, title: str, description: str) -> str:
    """Draw a board of hexes as SVG."""
    return draw_svg(drawing, title=title, description=description, hexes=True)
