"""The commands ``draw`` and ``replay`` of all games: pictures as files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from kb_score.errors import InputError, visible
from kb_score.games.command import game_options, make_verb
from kb_score.shell.files import read_inputs, write_whole
from kb_score.shell.output import Exit
from kb_score.shell.raster import make_gif, make_png
from kb_score.shell.svg import draw_svg

if TYPE_CHECKING:
    from kb_score.engine.run import Asked, GameRules
    from kb_score.errors import FileKind
    from kb_score.shell.replay import Replay

_Function = TypeVar("_Function", bound=Callable[..., Any])

Follow = Callable[..., "Replay"]


def turn_option() -> Callable[[_Function], _Function]:
    """Make the option for the turn to draw."""
    return click.option("--turn", type=int, metavar="N", help="The turn to draw.")


def output_option(kinds: str) -> Callable[[_Function], _Function]:
    """Make the option for the file to write, which standard output stands in for."""
    text = f"The file to write: {kinds}  [default: standard output]"
    return click.option("-o", "--output", metavar="FILE", help=text)


def make_pictures(
    game: str,
    follow: Follow,
    *kinds: FileKind,
    example: str,
    options: tuple[Any, ...] = (),
    who: str = "{}",
) -> dict[str, click.Command]:
    """Make the commands ``draw``, ``replay`` and ``playground`` of a game in turns.

    Args:
        game: The game's folder in asp/.
        follow: Draws each turn of a record: takes the rules and, for each file, a name and a text.
        kinds: What the files are, the record last; those before it can be drawn alone.
        example: Files such as ``map.txt plan.txt``.
        options: More options, which ``follow`` takes by name.
        who: What a number is called in a violation, such as "player {}".
    """
    pictures = _Pictures(game, follow, kinds, example, options, who)
    return {
        "draw": pictures.make_draw(),
        "replay": pictures.make_replay(),
        "playground": pictures.make_playground(),
    }


@dataclass(frozen=True, slots=True)
class _Pictures:
    """What `make_pictures` is given."""

    game: str
    follow: Follow
    kinds: tuple[FileKind, ...]
    example: str
    options: tuple[Any, ...]
    who: str

    def make_draw(self) -> click.Command:
        text = f"""One turn of a record as a picture.

        Without --turn it is the first that breaks the rules, or else the last.{self.say_more()}
        """

        @self.make_command(
            "draw", text, "--turn 3 -o turn.svg", turn_option(), output_option(".svg or .png")
        )
        def draw(
            paths: tuple[str, ...],
            turn: int | None,
            output: str | None,
            rules: GameRules,
            **more: Any,
        ) -> Exit:
            check_ending(output, ".svg", ".png")
            svg = draw_turn(self.follow_paths(paths, rules, more), turn)
            write_picture(svg, output, [*paths, *rules.changes.paths])
            return Exit.FINE

        return draw

    def make_replay(self) -> click.Command:
        text = f"""A whole record as a page that plays it, or as an animation.

        The page is one file that needs no network.{self.say_more()}
        """

        @self.make_command("replay", text, "-o game.html", output_option(".html or .gif"))
        def replay(
            paths: tuple[str, ...], output: str | None, rules: GameRules, **more: Any
        ) -> Exit:
            check_ending(output, ".html", ".gif")
            shown = self.follow_paths(paths, rules, more)
            save_replay(shown, output, [*paths, *rules.changes.paths])
            return Exit.FINE

        return replay

    def make_playground(self) -> click.Command:
        text = """A session in a page where its rules can be changed.

        Verdict and pictures follow the rules. The page is one file that needs no network; clingo is
        in it. The rules are lifted there: they speak of all turns at once.
        """

        @self.make_command("playground", text, "-o playground.html", output_option(".html"))
        def playground(
            paths: tuple[str, ...], output: str | None, rules: GameRules, **more: Any
        ) -> Exit:
            from kb_score.games.playground import write_record

            check_ending(output, ".html")
            asked: list[Asked] = []
            listening = replace(rules, listener=asked.append)
            shown = self.follow_paths(paths, listening, more)
            page = write_record(shown, asked, rules, self.who).encode()
            write_output(page, output, [*paths, *rules.changes.paths])
            return Exit.FINE

        return playground

    def make_command(
        self, verb: str, text: str, example: str, *options: Any
    ) -> Callable[[Callable[..., Any]], click.Command]:
        """Make the decorator for a verb: files, options of the game, and those for its rules."""
        shown = self.game.replace("_", "-")
        decorators = (
            make_verb(verb, self.game, text, f"{shown} {self.example} {example}"),
            click.argument("paths", nargs=-1, required=True, metavar=self.say_files()),
            *options,
            *self.options,
            game_options(self.game, with_format=False),
        )

        def decorate(function: Callable[..., Any]) -> click.Command:
            command: Any = function
            for decorator in reversed(decorators):
                command = decorator(command)
            return cast(click.Command, command)

        return decorate

    def say_files(self) -> str:
        *others, record = (kind.words.split()[-1].upper() for kind in self.kinds)
        return f"{' '.join(others)} [{record}]" if others else record

    def say_more(self) -> str:
        first = self.say_files().partition(" ")[0]
        return "" if len(self.kinds) == 1 else f" {first} alone shows how the game begins."

    def follow_paths(
        self, paths: tuple[str, ...], rules: GameRules, more: Mapping[str, Any]
    ) -> Replay:
        least = max(1, len(self.kinds) - 1)
        if not least <= len(paths) <= len(self.kinds):
            raise click.UsageError(f"expected {self.say_files()}, not {len(paths)} files")
        texts = read_inputs(*zip(paths, self.kinds, strict=False))
        return self.follow(rules, *zip(paths, texts, strict=True), **more)


def check_ending(output: str | None, *endings: str) -> None:
    """Check that a file's name says what to write, before that takes any time.

    Raises:
        InputError: It has another ending; it says which there are.
    """
    if output is not None and PurePath(output).suffix.lower() not in endings:
        raise InputError(output, f"the name of the output has to end in {' or '.join(endings)}")


def draw_turn(replay: Replay, turn: int | None) -> str:
    """Draw one picture of a replay as SVG: see `Replay.choose`."""
    chosen = replay.choose(turn)
    caption = replay.steps[chosen - replay.first].caption
    return draw_svg(
        replay.at(chosen),
        title=f"{visible(replay.record)}: {caption}",
        description="; ".join(str(v) for v in replay.violations if v.turn == chosen),
        hexes=replay.hexes,
    )


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
