"""What a game without Python says of itself, beside its rules and its grammar: ``game.toml``.

docs/write-a-game.md lists the keys. A template may have ``{turn}``, ``{mover}``, ``{grid}`` (or
``{grid:,}``, with commas in place of line ends), and what the rules say by ``told/3`` and
``figure/3``, such as ``{winner}``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Annotated

from msgspec import Meta, Struct

from kb_score.errors import FormatError, Mistakes
from kb_score.resources import MANIFEST
from kb_score.shell.toml import Flag, Line, Table, TomlFile, read_toml_file

CAPTION = "at turn {turn}:"

_Word = Annotated[str, Meta(pattern=r"\A[a-z][a-z0-9_]*\Z")]
_Words = Annotated[
    tuple[_Word, ...], Meta(description="a list of words of small letters, digits and _")
]
_Text = Annotated[str, Meta(description="a text")]
_Count = Annotated[int, Meta(ge=1, le=100)]
_Side = Annotated[int, Meta(ge=1, le=1024)]
_Seconds = Annotated[float, Meta(ge=0.001, le=3600)]


class TextsTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How texts are read; see `kb_score.games.texts.TextFormat`.

    Attributes:
        grids: The terminals that are grids, by their names in small letters.
        series: Those of them of which there is one for each of many turns.
        ordered: The terminals of which several may stand in a turn, in an order that matters.
        least_side: The fewest rows and columns of a grid.
        most_side: The most rows and columns of a grid.
        square: Whether a grid has as many rows as columns.
    """

    grids: _Words = ()
    series: _Words = ()
    ordered: _Words = ()
    least_side: _Side = 1
    most_side: _Side = 256
    square: Flag = False


class CheckTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a record is judged.

    Attributes:
        caption: The caption of the picture of the first turn that breaks the rules.
    """

    caption: Line = CAPTION


class PlayTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a game is played.

    Attributes:
        tell: The template of what a bot is told before it answers.
        end: The template of what is told at the end.
        record_told: Whether a record has what is told.
        timeout: The seconds that a bot has for an answer.
        line: The template of how a record has an answer, with ``{answer}`` for its terminals; empty
            if it has the line as it is.
        state: The template of the state of a game in a few words, for whoever watches.
        actors: What those are called who move in one turn; empty if a turn is of one player.
        move: An example of an answer.
        answer: What an answer is, for a person at the table.
    """

    tell: _Text = "{grid}\n"
    end: _Text = ""
    record_told: Flag = False
    timeout: _Seconds = 10.0
    line: _Text = ""
    state: _Text = ""
    actors: Line = ""
    move: Line = ""
    answer: Line = ""


class BotTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one bot is tried out.

    Attributes:
        map: The map of the cases; empty if the game is played on none.
    """

    map: _Text = ""


class ContestTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What contests compare; see `kb_score.games.game.Scoring`.

    Attributes:
        figures: The keys of the result that a contest notes down.
        metrics: Those of them of which a contest may choose one to rank by; the first ones.
        counts_if: The figure that is 0 in games whose other figures do not count, if there is one.
    """

    figures: _Words = ()
    metrics: _Words = ()
    counts_if: Line = ""


class PositionsTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The small positions in which two versions of the rules are compared; see search/positions.lp.

    Attributes:
        rows: The most rows of their boards.
        columns: The most columns of their boards.
    """

    rows: _Side = 3
    columns: _Side = 8


class _Top(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys that belong to no table, and the tables."""

    about: Line = ""
    players: _Count = 1
    figures: _Words = ()
    texts: Table = {}
    check: Table = {}
    play: Table = {}
    bot: Table = {}
    contest: Table = {}
    positions: Table = {}


class GameManifest(Struct, frozen=True, kw_only=True):
    """The manifest of a game.

    Attributes:
        about: What the game is, in a line.
        players: How many play.
        figures: The keys of the result, in their order, beside ``turns`` and ``finished``.
        file: The file, for errors about it.
    """

    file: TomlFile
    about: str
    players: int
    figures: tuple[str, ...]
    texts: TextsTable
    check: CheckTable
    play: PlayTable
    bot: BotTable
    contest: ContestTable
    positions: PositionsTable

    def error(self, message: str, *keys: str) -> FormatError:
        """Make the error that something is wrong with the value at some keys."""
        return self.file.error(message, *keys)


def read_manifest(folder: Path) -> GameManifest:
    """Read the manifest of the game in a folder.

    Raises:
        FormatError: A key is unknown, or a value cannot be used. All mistakes are reported.
        InputError: The file cannot be read.
    """
    file = read_toml_file(folder / MANIFEST)
    kinds: dict[str, type[Struct]] = {
        "texts": TextsTable,
        "check": CheckTable,
        "play": PlayTable,
        "bot": BotTable,
        "contest": ContestTable,
        "positions": PositionsTable,
    }
    mistakes = Mistakes()
    file.check(_Top, mistakes)
    for key, kind in kinds.items():
        file.check(kind, mistakes, key)
    mistakes.raise_any()
    top = file.read(_Top)
    manifest = GameManifest(
        file=file,
        about=top.about,
        players=top.players,
        figures=top.figures,
        texts=file.read(TextsTable, "texts"),
        check=file.read(CheckTable, "check"),
        play=file.read(PlayTable, "play"),
        bot=file.read(BotTable, "bot"),
        contest=file.read(ContestTable, "contest"),
        positions=file.read(PositionsTable, "positions"),
    )
    _check_agreement(file, manifest, mistakes)
    mistakes.raise_any()
    return manifest


def _check_agreement(file: TomlFile, manifest: GameManifest, mistakes: Mistakes) -> None:
    """Add to the mistakes what does not fit together."""
    known = {"turns", "finished", *manifest.figures}
    for figure in manifest.contest.figures:
        if figure not in known:
            message = f"{figure} is none of the figures: {', '.join(sorted(known))}"
            mistakes.add(file.error(message, "contest", "figures"))
    metrics = manifest.contest.metrics
    if metrics != manifest.contest.figures[: len(metrics)]:
        message = "metrics have to be the first of the figures of contests"
        mistakes.add(file.error(message, "contest", "metrics"))
    for figure in manifest.figures:
        if manifest.figures.count(figure) > 1 or figure in ("turns", "finished"):
            message = f"{figure} is in every result anyway, or is listed twice"
            mistakes.add(file.error(message, "figures"))
    counts_if = manifest.contest.counts_if
    if counts_if and counts_if not in manifest.contest.figures:
        message = f"{counts_if} is none of the figures of contests"
        mistakes.add(file.error(message, "contest", "counts_if"))
    _check_texts(file, manifest, mistakes)
    _check_templates(file, manifest, mistakes)


def _check_templates(file: TomlFile, manifest: GameManifest, mistakes: Mistakes) -> None:
    """Add to the mistakes the templates that are none."""
    try:
        if set(list_fields(manifest.check.caption)) - {"turn"}:
            raise ValueError("it knows {turn} alone")
    except ValueError as error:
        mistakes.add(file.error(f"caption is no template: {error}", "check", "caption"))
    try:
        if manifest.play.line and set(list_fields(manifest.play.line)) != {"answer"}:
            raise ValueError("it has {answer}, and no other field")
    except ValueError as error:
        mistakes.add(file.error(f"line is no template: {error}", "play", "line"))
    for key in ("tell", "end", "state"):
        template: str = getattr(manifest.play, key)
        try:
            list_fields(template)
        except ValueError as error:
            message = f"{key} is no template: {error}; braces are doubled, as in {{{{ and }}}}"
            mistakes.add(file.error(message, "play", key))


def _check_texts(file: TomlFile, manifest: GameManifest, mistakes: Mistakes) -> None:
    """Add to the mistakes what does not fit together about texts."""
    texts = manifest.texts
    if texts.least_side > texts.most_side:
        message = f"least_side is {texts.least_side}, more than most_side, {texts.most_side}"
        mistakes.add(file.error(message, "texts", "least_side"))
    for name in texts.series:
        if name not in texts.grids:
            message = f"{name} is none of the grids"
            mistakes.add(file.error(message, "texts", "series"))


def list_fields(template: str) -> list[str]:
    """List the names in braces of a template.

    Raises:
        ValueError: A brace is not closed, or more than a name stands in braces.
    """
    return list(_find_fields(template))


def _find_fields(template: str) -> Iterator[str]:
    for _, name, format_, conversion in Formatter().parse(template):
        if name is None:
            continue
        if conversion or not name.isidentifier() or (format_ and name != "grid"):
            raise ValueError(f"{{{name}}} is not a name alone")
        yield name
