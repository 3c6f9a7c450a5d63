"""The odd cases of a game without Python: the file ``cases.toml`` of its folder.

A case is a position, and what the bot is asked there. A position comes about in a random game on a
map; the rules say by ``meets(Case,T)`` that it is there before the turn after T. Or it is the one
to which some answers lead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, Literal

from msgspec import Meta, Struct

from kb_score.errors import Fault, Mistakes
from kb_score.games.declared_match import DeclaredMatch
from kb_score.games.game import Case, File, Match, Option, Probe
from kb_score.shell.toml import Flag, Line, Name, Table, Tables, Text, TomlFile, read_toml_file

CASES = "cases.toml"

_NO_MAP = ("", "")
_SEED = 1
_PATIENCE = 400  # turns in which a position has to come about
_TRIES = 5  # random games in which it is looked for
_MOST_TO_END = 3 * _PATIENCE

# Begins a match on a map with some settings.
NewMatch = Callable[[File, Mapping[str, int]], DeclaredMatch]


class _CaseTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A case.

    Attributes:
        name: Its name, a word with hyphens.
        about: What it shows, in a few words.
        map: The name of its map; empty for the one that ``--map`` replaces.
        meets: The position with which it begins, as the rules call it; empty for the start.
        answers: The answers before it begins, a line each; then ``meets`` is empty.
        settings: The settings of its match, where they are not those that people choose.
        ask: How the bot is asked: for some turns, for the same ones twice, and then to the end of
            the game or of the input.
        turns: The turns that it is asked for, at most.
        whole: Whether the case is not fine if the game is not over then.
    """

    name: Name
    about: Name
    map: Line = ""
    meets: Line = ""
    answers: Text = ""
    settings: Table = {}
    ask: Literal["turns", "twice", "end", "close"] = "turns"
    turns: Annotated[int, Meta(ge=0, le=10_000)] = 1
    whole: Flag = False


class _CaseFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The tables."""

    maps: Table = {}
    case: Tables = []


def list_cases(
    folder: Path,
    new_match: NewMatch,
    other_map: File | None,
    meetings: Set[str] | None,
    settings: Sequence[Option],
) -> Sequence[Case]:
    """List the cases of the game in a folder; there are none if the file has only maps.

    Args:
        folder: The folder.
        new_match: Begins a match.
        other_map: The map in place of the first one; None for that.
        meetings: The positions that the rules know; None if they cannot be listed.
        settings: The settings that a match may have.

    Raises:
        FormatError: The file is wrong. All mistakes are reported.
        InputError: The file cannot be read, or a map is wrong.
    """
    file = read_toml_file(folder / CASES)
    tables = _read_tables(file, meetings, settings)
    maps: dict[str, File] = {}
    for name, map_text in file.read(_CaseFile).maps.items():
        maps[name] = (f"the {name}", map_text)
    main = other_map or next(iter(maps.values()), _NO_MAP)
    for name in [*maps][:1]:
        maps[name] = main
    new_match(main, {})  # a mistake in the map is reported before a bot is started
    cases: list[Case] = []
    for table in tables:
        map_ = maps.get(table.map, main)
        case = _make_case(table, partial(new_match, map_, table.settings))
        cases.append(case)
    return cases


def read_case_map(folder: Path) -> str:
    """Read the first map of the cases of a game; empty if there is none."""
    path = folder / CASES
    if not path.is_file():
        return ""
    maps = read_toml_file(path).read(_CaseFile).maps
    return next(iter(maps.values()), "")


def _read_tables(
    file: TomlFile, meetings: Set[str] | None, settings: Sequence[Option]
) -> list[_CaseTable]:
    """Read the cases; a FormatError has all mistakes."""
    mistakes = Mistakes()
    file.check(_CaseFile, mistakes)
    mistakes.raise_any()
    maps = file.read(_CaseFile).maps
    for name, map_text in maps.items():
        if not isinstance(map_text, str) or not map_text.strip():
            mistakes.add(file.error(f"the map {name} is no text", "maps", name))
    numbers = range(file.count_tables("case"))
    for number in numbers:
        file.check(_CaseTable, mistakes, "case", number)
    mistakes.raise_any()
    known: Mapping[str, object] = file.read(_CaseFile).maps
    tables = [file.read(_CaseTable, "case", number) for number in numbers]
    names = [table.name for table in tables]
    for number, table in enumerate(tables):
        _check_settings(file, number, table.settings, settings, mistakes)
        if table.map and table.map not in known:
            message = f"there is no map {table.map!r} in [maps]"
            mistakes.add(file.error(message, "case", number, "map"))
        if table.meets and meetings is not None and table.meets not in meetings:
            message = f"no rule says meets({table.meets},...)"
            mistakes.add(file.error(message, "case", number, "meets"))
        if table.meets and table.answers:
            message = "a case has answers, or a position that is met"
            mistakes.add(file.error(message, "case", number, "answers"))
        if names.count(table.name) > 1:
            message = f"two cases are called {table.name}"
            mistakes.add(file.error(message, "case", number, "name"))
    mistakes.raise_any()
    return tables


def _check_settings(
    file: TomlFile,
    number: int,
    given: Mapping[str, object],
    known: Sequence[Option],
    mistakes: Mistakes,
) -> None:
    """Add to the mistakes the settings of a case that no match can have."""
    options = {option.name: option for option in known}
    for name, value in given.items():
        option = options.get(name)
        if option is None:
            message = f"{name} is no setting of this game"
        elif option.default is False and not isinstance(value, bool):
            message = f"{name} is true or false"
        elif option.default is not False and not _is_within(value, option):
            message = f"{name} is a whole number from {option.least} to {option.most}"
        else:
            continue
        mistakes.add(file.error(message, "case", number, "settings"))


def _is_within(value: object, option: Option) -> bool:
    """Return whether a value is a number that an option can have."""
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    most = value if option.most is None else option.most
    return option.least <= value <= most


def _make_case(table: _CaseTable, begin: Callable[[], DeclaredMatch]) -> Case:
    """Make a case of its table."""
    start: Callable[[], Match] = begin
    if table.meets:
        start = partial(_lead, begin, table.meets)
    elif table.answers:
        start = partial(_answer, begin, table.answers)
    return Case(table.name, table.about, _make_probe(table), start)


def _make_probe(table: _CaseTable) -> Probe:
    """Make what asks the bot."""
    from kb_score.arena.bot import ask_turns, ask_twice, close_after, tell_end

    if table.ask == "twice":
        return ask_twice(table.turns)
    if table.ask == "end":
        return tell_end(table.turns, _play_to_end)
    if table.ask == "close":
        return close_after(table.turns)
    return ask_turns(table.turns, whole=table.whole)


def _answer(begin: Callable[[], DeclaredMatch], answers: str) -> DeclaredMatch:
    """Play some answers; NotAsked if the rules refuse one, or the game ends before the last."""
    from kb_score.arena.bot import NotAsked

    match = begin()
    try:
        for line in answers.splitlines():
            if match.finished:
                raise NotAsked("by these rules the game ends before that")
            match.answer(line)
    except Fault as fault:
        raise NotAsked(f"these rules refuse what leads to that: {fault}") from fault
    return match


def _lead(begin: Callable[[], DeclaredMatch], position: str) -> DeclaredMatch:
    """Play random games until one meets a position; NotAsked if none does."""
    for number in range(_TRIES):
        match = begin()
        random = Random(_SEED + number)
        with suppress(Fault):  # the game may forbid moves that are legal alone
            while not match.finished and match.turn < _PATIENCE:
                if match.turn and position in match.met:
                    return match
                match.answer(match.choose(random))
    from kb_score.arena.bot import NotAsked

    where = f" on {match.map_name}" if match.map_name else ""
    raise NotAsked(f"no random game{where} comes to that")


def _play_to_end(match: Match) -> None:
    """Play random legal turns to the end of a game."""
    random = Random(_SEED)
    with suppress(Fault):
        while not match.finished and match.turn < _MOST_TO_END:
            match.answer(match.choose(random))
