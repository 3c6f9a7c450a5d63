"""What a game without Python says of itself, beside its rules and its grammar: ``game.toml``.

docs/write-a-game.md lists the keys. A template may have ``{turn}``, ``{mover}``, ``{grid}`` (or
``{grid:,}``, with commas in place of line ends), and what the rules say by ``told/3`` and
``figure/3``, such as ``{winner}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter
from typing import Annotated, Literal

from msgspec import Meta, Struct

from kb_score.errors import FormatError, Mistakes
from kb_score.resources import MANIFEST
from kb_score.shell.toml import Flag, Line, Name, Table, Text, TomlFile, read_toml_file

_OPTION_NAME = re.compile(r"[a-z][a-z_]*")
# What commands have of their own, such as --turn.
_TAKEN = """
    bot bot_log bot_memory bot_seconds bots case command const constants depth end_time explain file
    files force format games grace help jobs kill limit_memory limit_seconds lines map most_turns
    move name names output path paths persistent quiet record replay rule_folders rules run runs
    sandbox scheduler seed self speed timeout turn verbose version watch why why_not width
"""

_Word = Annotated[str, Meta(pattern=r"\A[a-z][a-z0-9_]*\Z")]
_Words = Annotated[
    tuple[_Word, ...], Meta(description="a list of words of small letters, digits and _")
]
_Count = Annotated[int, Meta(ge=1, le=100)]
_Side = Annotated[int, Meta(ge=1, le=1024)]
_Seconds = Annotated[float, Meta(ge=0.001, le=3600)]
_Sides = Annotated[
    tuple[_Side, _Side], Meta(description="two whole numbers from 1 to 1024, such as [2, 256]")
]
_Bound = Annotated[int, Meta(ge=0, le=10**9)]
_Default = Annotated[
    bool | Annotated[int, Meta(ge=0, le=10**9)] | None,
    Meta(description="a whole number from 0 to 1000000000, or false for an option without a value"),
]
_Verb = Literal["check", "draw", "legal", "play"]
_Verbs = Annotated[
    tuple[_Verb, ...], Meta(min_length=1, description="a list of check, draw, legal and play")
]


class TextsTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How texts are read; see `kb_score.games.texts.TextFormat`.

    Attributes:
        grids: The terminals that are grids, by their names in small letters.
        series: Those of them of which there is one for each of many turns.
        ordered: The terminals of which several may stand in a turn, in an order that matters.
        side: How many rows and columns a grid has, at least and at most.
        square: Whether a grid has as many rows as columns.
    """

    grids: _Words = ()
    series: _Words = ()
    ordered: _Words = ()
    side: _Sides = (1, 256)
    square: Flag = False


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
        shell: Whether a bot is a command for the shell, run anew for each turn with what it is told
            as one more argument.
    """

    tell: Text = "{grid}\n"
    end: Text = ""
    record_told: Flag = False
    timeout: _Seconds = 10.0
    line: Text = ""
    state: Text = ""
    actors: Line = ""
    shell: Flag = False


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


class OptionTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An option of the command line, which rules read as ``option(Name,Value)``.

    Attributes:
        of: The verbs that have it. ``draw`` is all verbs that draw, and ``play`` all in which a
            game is played: there it is a setting, which contests have as well.
        help: What it is, in a sentence.
        default: Its value if nothing is said; None for none, and False if it has no value.
        least: The smallest value.
        most: The largest value.
    """

    of: _Verbs
    help: Name
    default: _Default = None
    least: _Bound = 0
    most: _Bound = 10**9


class _Top(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys that belong to no table, and the tables."""

    about: Line = ""
    players: _Count = 1
    figures: _Words = ()
    positions: _Sides = (3, 8)
    texts: Table = {}
    play: Table = {}
    contest: Table = {}
    option: Table = {}


class GameManifest(Struct, frozen=True, kw_only=True):
    """The manifest of a game.

    Attributes:
        about: What the game is, in a line.
        players: How many play.
        figures: The keys of the result, in their order, beside ``turns`` and ``finished``.
        positions: The most rows and columns of the small boards on which two versions of the rules
            are compared; see search/positions.lp.
        options: The options of its verbs, by name.
        file: The file, for errors about it.
    """

    file: TomlFile
    about: str
    players: int
    figures: tuple[str, ...]
    positions: tuple[int, int]
    texts: TextsTable
    play: PlayTable
    contest: ContestTable
    options: Mapping[str, OptionTable]

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
        "play": PlayTable,
        "contest": ContestTable,
    }
    mistakes = Mistakes()
    file.check(_Top, mistakes)
    for key, kind in kinds.items():
        file.check(kind, mistakes, key)
    options = _check_options(file, mistakes)
    mistakes.raise_any()
    top = file.read(_Top)
    manifest = GameManifest(
        file=file,
        about=top.about,
        players=top.players,
        figures=top.figures,
        positions=top.positions,
        texts=file.read(TextsTable, "texts"),
        play=file.read(PlayTable, "play"),
        contest=file.read(ContestTable, "contest"),
        options={name: file.read(OptionTable, "option", name) for name in options},
    )
    _check_agreement(file, manifest, mistakes)
    mistakes.raise_any()
    return manifest


def _check_options(file: TomlFile, mistakes: Mistakes) -> list[str]:
    """List the names of the options; add the mistakes in their tables to others."""
    tables = file.values.get("option", {})
    if not isinstance(tables, dict):
        return []  # a mistake that is known
    for name, table in tables.items():
        if not _OPTION_NAME.fullmatch(name) or not isinstance(table, dict):
            message = f"{name!r} is no option: a table [option.NAME], NAME of small letters and _"
            mistakes.add(file.error(message, "option", name))
            continue
        if name in _TAKEN.split():
            message = f"commands have an option {name} already: choose another name"
            mistakes.add(file.error(message, "option", name))
        file.check(OptionTable, mistakes, "option", name)
    return list(tables)


def _check_bounds(file: TomlFile, manifest: GameManifest, mistakes: Mistakes) -> None:
    """Add to the mistakes the options whose values do not fit together."""
    for name, option in manifest.options.items():
        if option.least > option.most:
            message = f"{name}: least is {option.least}, more than most, {option.most}"
            mistakes.add(file.error(message, "option", name, "least"))
        default = option.default
        if default is True:
            message = f"{name}: the default is a number, or false for an option without a value"
            mistakes.add(file.error(message, "option", name, "default"))
            continue
        if default is None or default is False or option.least <= default <= option.most:
            continue
        message = f"{name}: the default {default} is not from least to most"
        mistakes.add(file.error(message, "option", name, "default"))


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
    _check_bounds(file, manifest, mistakes)
    _check_texts(file, manifest, mistakes)
    _check_templates(file, manifest, mistakes)


def _check_templates(file: TomlFile, manifest: GameManifest, mistakes: Mistakes) -> None:
    """Add to the mistakes the templates that are none."""
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
    least, most = texts.side
    if least > most:
        message = f"side is {least} rows and columns at least, and {most} at most"
        mistakes.add(file.error(message, "texts", "side"))
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
        has_format = bool(format_) and (name != "grid" or "{" in str(format_))
        if conversion or not name.isidentifier() or has_format:
            raise ValueError(f"{{{name}}} is not a name alone")
        yield name
