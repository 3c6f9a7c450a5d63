"""The manifest of a game, ``game.toml``: what its rules and its grammar leave out.

docs/write-a-game.md lists the keys. A template may have ``{turn}``, ``{mover}``, ``{grid}`` (or
``{grid:,}``, with commas in place of newlines), and the texts that rules derive by ``told/3`` and
``figure/3``, such as ``{winner}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from string import Formatter
from typing import Annotated, Literal

from msgspec import Meta, Struct

from kb_score.errors import FormatError, Mistakes
from kb_score.resources import MANIFEST, is_shipped
from kb_score.shell.toml import Flag, Line, Name, Table, Text, TomlFile, read_toml_file

_OPTION_NAME = re.compile(r"[a-z][a-z_]*")
# The names of options and parameters that commands have already, such as --turn.
_TAKEN = """
    after bot bot_log bot_memory bot_seconds bots case command const constants depth end_time
    explain file files force format games grace help jobs kill limit_memory limit_seconds lines
    map most_turns move name names output path paths persistent quiet record replay rule_folders
    rules run runs sandbox scheduler seed self speed timeout turn verbose version watch why
    why_not width
"""

_MAX_PLAYERS = 100

_Word = Annotated[str, Meta(pattern=r"\A[a-z][a-z0-9_]*\Z")]
_Words = Annotated[
    tuple[_Word, ...], Meta(description="a list of words with only lowercase letters, digits and _")
]
_Counts = Annotated[
    int | tuple[int, int],
    Meta(description="a number of players from 1 to 100, or the smallest and the largest number"),
]
_Side = Annotated[int, Meta(ge=1, le=1024)]
_Seconds = Annotated[float, Meta(ge=0.001, le=3600)]
_Start = Annotated[float, Meta(ge=0, le=3600)]
_Sides = Annotated[
    tuple[_Side, _Side], Meta(description="two whole numbers from 1 to 1024, such as [2, 256]")
]
_Bound = Annotated[int, Meta(ge=0, le=10**9)]
_Default = Annotated[
    bool | Annotated[int, Meta(ge=0, le=10**9)] | str | None,
    Meta(
        description="a whole number from 0 to 1000000000, a string, or false for an option without "
        "a value"
    ),
]
_Faults = Annotated[Literal["end", "play for"], Meta(description='"end" or "play for"')]
_Series = Annotated[int, Meta(ge=0, le=10**6)]
_Megabytes = Annotated[int, Meta(ge=1, le=256)]
_Strings = Annotated[tuple[str, ...], Meta(description="a list of strings")]
_Function = Annotated[
    str, Meta(pattern=r"\A[a-z_.]+(:\w+)?\Z", description='a function, such as "games.x.y:name"')
]
_Verb = Literal["check", "draw", "legal", "play", "playouts"]
_Verbs = Annotated[
    tuple[_Verb, ...],
    Meta(min_length=1, description="a list of some of check, draw, legal, play and playouts"),
]


class TextsTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How texts are read; see `kb_score.games.texts.TextFormat`.

    Attributes:
        grids: The terminals that are grids, by their names in lowercase.
        series: The grids that are repeated turn after turn.
        ordered: The terminals of which a turn may have several, in an order that matters.
        names: The terminals whose words are constants of the rules.
        places: The terminals whose groups ``row`` and ``column`` are one value, a place.
        side: The smallest and the largest number of rows and columns of a grid.
        square: Whether a grid has as many rows as columns.
        lines: Whether no line goes on with the one before it, so that a wrong one is skipped.
        comments: Whether % begins a comment, which may name a player.
        record: What messages call a record, such as "a game".
        megabytes: The largest size of a record.
    """

    grids: _Words = ()
    series: _Words = ()
    ordered: _Words = ()
    names: _Words = ()
    places: _Words = ()
    side: _Sides = (1, 256)
    square: Flag = False
    lines: Flag = False
    comments: Flag = False
    record: Line = "a record"
    megabytes: _Megabytes = 256


# Nothing but places.
_PLACES = re.compile(r"\d+,\d+(?: \d+,\d+)*")


class PlayTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a game is played.

    Attributes:
        tell: The template of the text that a bot receives before it answers.
        end: The template of the text at the end.
        record_told: Whether a record contains these texts.
        timeout: The seconds that a bot has for an answer.
        start: The seconds that a bot has to get ready, besides those for its first answer; 0 if it
            has none.
        fault: What happens if a bot gives no valid answer: the game ends, or the referee plays for
            the bot. In games that count every answer, it is a pass.
        arguments: Additional arguments for the program of a bot, with ``{map}`` for the path of the
            map and ``{seed}`` for the seed.
        seed: The help text of the option for the seed; empty for a general one.
        runs: How many matches a series has by default; 0 if one match is played.
        run_log: The help text of the option for a log of frames; empty if there is none.
        line: The template of an answer in a record, with ``{answer}`` for its terminals, and
            perhaps ``{mover}``, and ``{drawn}`` for what chance has decided before it; empty if a
            record has the line as it is.
        between: The text between two steps of an answer, or two moves of one of the actors.
        between_places: The text between two steps that are only a place, such as ``4,11``; empty if
            it is the same.
        hexes: Whether the board that people see has hexes.
        state: The template of the state of a game in a few words, for spectators.
        actors: The word for those who move in one turn; empty if a turn belongs to one player.
        shell: Whether a bot is a shell command that is run once per turn, with the text before
            the answer as its last argument.
    """

    tell: Text = "{grid}\n"
    end: Text = ""
    record_told: Flag = False
    timeout: _Seconds = 10.0
    start: _Start = 0.0
    fault: _Faults = "end"
    arguments: _Strings = ()
    seed: Line = ""
    runs: _Series = 0
    run_log: Line = ""
    line: Text = ""
    between: Text = " "
    between_places: Text = ""
    hexes: Flag = False
    state: Text = ""
    actors: Line = ""
    shell: Flag = False

    def join(self, parts: Iterable[str]) -> str:
        """Return the parts of an answer as one; empty ones are left out."""
        answer = ""
        for part in filter(None, parts):
            text = self.between if answer else ""
            _, _, last = answer.rpartition(self.between)
            if self.between_places and _PLACES.fullmatch(last) and _PLACES.fullmatch(part):
                text = self.between_places
            answer += f"{text}{part}"
        return answer


class ContestTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The figures that contests compare.

    Attributes:
        figures: The keys of the result that a contest stores; ``wins`` is 1 for the best players.
        metrics: The figures by which a contest can rank, one or two; the first ones of ``figures``.
        counts_if: The figure that is 0 in games whose other figures do not count, if there is one.
        maps: The setting that a contest lists in place of maps, such as ``board``, under its name
            with an ``s``; empty for none.
    """

    figures: _Words = ()
    metrics: _Words = ()
    counts_if: Line = ""
    maps: Line = ""


class OptionTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An option of the command line, which rules read as ``option(Name,Value)``.

    Attributes:
        of: The verbs that have the option. ``draw`` stands for all verbs that draw. ``play`` stands
            for all that play a game; there it is a setting, which contests have as well.
            ``playouts`` has these, too, and some may be its own.
        help: A sentence about the option.
        default: Its default value: a number, or a string if its values are strings; None for none,
            and False if the option takes no value.
        least: The smallest value.
        most: The largest value.
        unit: The name of the value in the help.
        also: An alternative name on the command line; empty for none.
        flag: The name on the command line, if it is not derived from the name.
        repeat: Whether the option may be given several times.
    """

    of: _Verbs
    help: Name
    default: _Default = None
    least: _Bound = 0
    most: _Bound = 10**9
    unit: Line = "N"
    also: Line = ""
    flag: Line = ""
    repeat: Flag = False


class FunctionsTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The Python functions of a game that comes with kb-score, for what its files cannot say.

    Each is a module below the package and a name, such as ``games.rabbits.check:check_files``; an
    empty one means that the files of the game say it. The methods of `kb_score.games.game.Game`
    describe them.

    Attributes:
        facts: A module with the functions of `kb_score.games.Records`.
        uses: The `kb_score.games.files.GameUses` of a game whose rules lie in folders.
        complete: Makes the facts of a game from those of its text, with the rules, a
            `kb_score.games.texts.Report`, and whether every line could be read.
        setup: Draws what the setup of a random match leaves open.
        deal: Returns the lines with which the record of a new match begins, with the rules, the
            setup and the generator.
        tell: Returns what a bot is told in a match.
        seen: The predicates of the current step that `tell` and `help` read.
        help: Returns help for a person at the table of a match.
        cases: Lists the edge cases of the protocol of bots.
        reporter: The `kb_score.arena.referee.Reporter` of ``play``.
        space: The use of the rules that chooses small positions.
    """

    facts: _Function = ""
    uses: _Function = ""
    complete: _Function = ""
    check: _Function = ""
    replay: _Function = ""
    position: _Function = ""
    match: _Function = ""
    setup: _Function = ""
    deal: _Function = ""
    tell: _Function = ""
    seen: _Strings = ()
    help: _Function = ""
    doubts: _Function = ""
    notes: _Function = ""
    explain: _Function = ""
    cases: _Function = ""
    reporter: _Function = ""
    space: _Function = ""


class _Top(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys that belong to no table, and the tables."""

    about: Line = ""
    players: _Counts = 1
    figures: _Words = ()
    positions: _Sides = (3, 8)
    texts: Table = {}
    play: Table = {}
    contest: Table = {}
    functions: Table = {}
    option: Table = {}


class GameManifest(Struct, frozen=True, kw_only=True):
    """The manifest of a game.

    Attributes:
        file: The file, for errors about it.
        about: The game in a line.
        players: The largest number of players.
        least_players: The smallest number of players.
        figures: The keys of the result in their order, after ``turns``; ``finished`` may be among
            them, and else comes last.
        positions: The most rows and columns of the small boards on which two versions of the rules
            are compared; see search/positions.lp.
        options: The options of its verbs, by name.
    """

    file: TomlFile
    about: str
    players: int
    least_players: int
    figures: tuple[str, ...]
    positions: tuple[int, int]
    texts: TextsTable
    play: PlayTable
    contest: ContestTable
    functions: FunctionsTable
    options: Mapping[str, OptionTable]

    def error(self, message: str, *keys: str) -> FormatError:
        """Return an error about a wrong value at some keys."""
        return self.file.error(message, *keys)


def read_manifest(folder: Path) -> GameManifest:
    """Read the manifest of the game in a folder; a FormatError reports all mistakes."""
    file = read_toml_file(folder / MANIFEST)
    kinds: dict[str, type[Struct]] = {
        "texts": TextsTable,
        "play": PlayTable,
        "contest": ContestTable,
        "functions": FunctionsTable,
    }
    mistakes = Mistakes()
    file.check(_Top, mistakes)
    for key, kind in kinds.items():
        file.check(kind, mistakes, key)
    is_ours = is_shipped(folder)
    options = _check_options(file, mistakes, is_ours=is_ours)
    if "functions" in file.values and not is_ours:
        message = "only games that come with kb-score have functions in Python"
        mistakes.add(file.error(message, "functions"))
    mistakes.raise_any()
    top = file.read(_Top)
    manifest = GameManifest(
        file=file,
        about=top.about,
        players=top.players if isinstance(top.players, int) else top.players[1],
        least_players=top.players if isinstance(top.players, int) else top.players[0],
        figures=top.figures,
        positions=top.positions,
        texts=file.read(TextsTable, "texts"),
        play=file.read(PlayTable, "play"),
        contest=file.read(ContestTable, "contest"),
        functions=file.read(FunctionsTable, "functions"),
        options={name: file.read(OptionTable, "option", name) for name in options},
    )
    for mistake in _find_mistakes(manifest):
        mistakes.add(mistake)
    mistakes.raise_any()
    return manifest


def _check_options(file: TomlFile, mistakes: Mistakes, *, is_ours: bool) -> list[str]:
    """Return the names of the options, and add the mistakes in their tables to ``mistakes``.

    Only games of ours may give another meaning to a name that commands know.
    """
    tables = file.values.get("option", {})
    if not isinstance(tables, dict):
        return []  # a mistake that has been added
    for name, table in tables.items():
        if not _OPTION_NAME.fullmatch(name) or not isinstance(table, dict):
            message = (
                f"{name!r} is not an option: use [option.NAME], "
                "where NAME consists of lowercase letters and _"
            )
            mistakes.add(file.error(message, "option", name))
            continue
        if name in _TAKEN.split() and not is_ours:
            message = f"commands already have an option {name}: choose another name"
            mistakes.add(file.error(message, "option", name))
        file.check(OptionTable, mistakes, "option", name)
    return list(tables)


def _find_mistakes(manifest: GameManifest) -> Iterator[FormatError]:
    """Find values of the manifest that do not fit together."""
    if not 1 <= manifest.least_players <= manifest.players <= _MAX_PLAYERS:
        message = f"players must be one or two numbers from 1 to {_MAX_PLAYERS}, smallest first"
        yield manifest.error(message, "players")
    yield from _find_wrong_figures(manifest)
    yield from _find_wrong_bounds(manifest)
    yield from _find_wrong_grids(manifest)
    yield from _find_wrong_templates(manifest)


def _find_wrong_figures(manifest: GameManifest) -> Iterator[FormatError]:
    """Find figures that are listed twice, and figures of contests that the game lacks."""
    contest = manifest.contest
    known = {"turns", "finished", "wins", *manifest.figures}
    for figure in contest.figures:
        if figure not in known:
            listed = ", ".join(sorted(known))
            message = f"{figure} is not one of the figures: {listed}"
            yield manifest.error(message, "contest", "figures")
    if contest.figures == ("wins",):
        message = "wins counts those whose other figures are the best: add one of these"
        yield manifest.error(message, "contest", "figures")
    metrics = contest.metrics
    if metrics != contest.figures[: len(metrics)]:
        message = "metrics must come first in the figures of contests"
        yield manifest.error(message, "contest", "metrics")
    if len(metrics) > 2:
        yield manifest.error("a contest has one or two metrics", "contest", "metrics")
    for figure in manifest.figures:
        if manifest.figures.count(figure) > 1 or figure == "turns":
            message = f"{figure} is in every result anyway, or is listed twice"
            yield manifest.error(message, "figures")
    counts_if = contest.counts_if
    if counts_if and counts_if not in contest.figures:
        message = f"{counts_if} is not one of the figures of contests"
        yield manifest.error(message, "contest", "counts_if")


def _find_wrong_bounds(manifest: GameManifest) -> Iterator[FormatError]:
    """Find options whose bounds and default value do not fit together."""
    for name, option in manifest.options.items():
        if option.least > option.most:
            message = f"{name}: least ({option.least}) is greater than most ({option.most})"
            yield manifest.error(message, "option", name, "least")
        default = option.default
        if default is None or default is False or isinstance(default, str):
            continue
        if default is True:
            message = f"{name}: the default must not be true: an option with no value has false"
            yield manifest.error(message, "option", name, "default")
        elif not option.least <= default <= option.most:
            message = f"{name}: the default {default} is not between least and most"
            yield manifest.error(message, "option", name, "default")


def _find_wrong_templates(manifest: GameManifest) -> Iterator[FormatError]:
    """Find templates that cannot be filled."""
    line = manifest.play.line
    try:
        fields = set(list_fields(line))
        if line and not {"answer"} <= fields <= {"answer", "mover", "drawn"}:
            raise ValueError("its fields must be {answer} and perhaps {mover} and {drawn}")
    except ValueError as error:
        yield manifest.error(f"line is not a template: {error}", "play", "line")
    for key in ("tell", "end", "state"):
        template: str = getattr(manifest.play, key)
        try:
            list_fields(template)
        except ValueError as error:
            message = f"{key} is not a template: {error}; double literal braces: {{{{ and }}}}"
            yield manifest.error(message, "play", key)


def _find_wrong_grids(manifest: GameManifest) -> Iterator[FormatError]:
    """Find mistakes in the size of grids, and series that are not grids."""
    texts = manifest.texts
    least, most = texts.side
    if least > most:
        message = f"side has a minimum of {least}, which is greater than its maximum of {most}"
        yield manifest.error(message, "texts", "side")
    for name in texts.series:
        if name not in texts.grids:
            message = f"{name} is not one of the grids"
            yield manifest.error(message, "texts", "series")


def list_fields(template: str) -> list[str]:
    """Return the names in braces of a template.

    Raises:
        ValueError: A brace is not closed, or braces contain more than a name.
    """
    fields = []
    for _, name, format_, conversion in Formatter().parse(template):
        if name is None:
            continue  # the text after the last field
        has_format = bool(format_)
        if name in ("grid", "drawn") and "{" not in str(format_):
            has_format = False  # the format is what separates rows and events
        if conversion or has_format or not name.isidentifier():
            raise ValueError(f"{{{name}}} is not a plain name")
        fields.append(name)
    return fields
