"""The edge cases of the protocol of a game: those of the file ``cases.toml`` in its folder.

A case is a position, and a way to probe the bot there. The position is reached by the answers that
the case lists, or in a random game on a map: the rules derive ``meets(Case,T)`` if it occurs after
turn T.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from kb_score.arena.probes import Case, NotAsked, Probe, ask_turns, ask_twice, close_after, tell_end
from kb_score.engine.rules import GameRules
from kb_score.errors import Fault, Mistakes
from kb_score.games.agreement import list_meetings
from kb_score.games.files import CASES
from kb_score.games.game import Game
from kb_score.games.match import File, Match, MatchSetup
from kb_score.games.options import MAP, Option
from kb_score.games.rules_match import RulesMatch
from kb_score.shell.files import read_input
from kb_score.shell.toml import Flag, Line, Name, Table, Tables, Text, TomlFile, read_toml_file

_NO_MAP = ("", "")
_SEED = 1
_BOT_SEED = 7  # of chance in the matches in which a bot is tried
_MAX_TURNS = 400  # turns of a random game before it is abandoned
_TRIES = 5  # random games that are played to reach a position
_MAX_TO_END = 3 * _MAX_TURNS  # turns of a random game that is played to its end

# Begins a match on a map with some settings.
NewMatch = Callable[[File, Mapping[str, int]], RulesMatch]


class _CaseTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table ``[[case]]``.

    Attributes:
        map: The name of its map; empty for the first one, which ``--map`` replaces.
        meets: The position in which it begins, by its name in the rules; empty for the start of the
            game.
        answers: The answers before it begins, one per line; ``meets`` is then empty.
        ask: The probe: ask for some turns (``turns``), ask for them twice (``twice``), or ask for
            them and then end the game (``end``) or close the input (``close``).
        turns: The largest number of turns that the bot has to play.
        whole: Whether the game must be over after these turns.
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
    """The file, with its cases as tables."""

    maps: Table = {}
    case: Tables = []


def list_cases(game: Game, rules: GameRules, **options: Any) -> Sequence[Case]:
    """Return the cases of a game: its own, or the few that every game has."""
    find = game.files.find_function("cases")
    if find is not None:
        found: Sequence[Case] = find(rules, **options)
        return found
    files = game.files
    if not files.has_cases:
        return _list_usual(game, rules)
    other = None
    path = options.pop(MAP.name, None)
    if path is not None:
        other = (path, read_input(path, files.texts.map))

    def begin(map_: File, settings: Mapping[str, int]) -> RulesMatch:
        return game.begin(rules, map_, {**options, **settings}, Random(_BOT_SEED))

    settings = game.list_options("play")
    listed = _read_cases(files.folder, begin, other, list_meetings(files.folder), settings)
    return listed or _list_usual(game, rules)


def _list_usual(game: Game, rules: GameRules) -> Sequence[Case]:
    """Return the cases of a game that has none of its own."""
    case_map = _read_case_map(game.files.folder)
    files = (("the map of the cases", case_map),) if case_map else ()
    settings = {option.name: option.default for option in game.settings}
    fewest, _ = game.players
    setup = MatchSetup(files, settings, players=fewest)

    def begin() -> Match:
        return game.new_match(rules, setup, Random(1))

    return [
        Case("first-turn", "the first turn of a game", ask_turns(), begin),
        Case("input-closed", "the input is closed after an answer", close_after(), begin),
        Case("same-twice", "the first turn, twice", ask_twice(), begin),
        Case("whole-game", "a game of at most 60 turns", ask_turns(60, whole=True), begin),
    ]


def _read_cases(
    folder: Path,
    new_match: NewMatch,
    other_map: File | None,
    meetings: Set[str] | None,
    settings: Sequence[Option],
) -> Sequence[Case]:
    """Return the cases of the game in a folder; none if the file has only maps.

    ``other_map`` replaces the first map of the file. ``meetings`` has the names of positions in the
    rules, None if they cannot be listed. All mistakes of the file are reported as one FormatError.
    """
    file = read_toml_file(folder / CASES)
    tables = _read_tables(file, meetings, settings)
    contents = file.read(_CaseFile)
    maps: dict[str, File] = {}
    for name, map_text in contents.maps.items():
        map_ = (f"the {name}", map_text)
        if not maps and other_map:
            map_ = other_map
        maps[name] = map_
    main = other_map or next(iter(maps.values()), _NO_MAP)
    new_match(main, {})  # a mistake in the map is reported before a bot is started
    cases = []
    for table in tables:
        map_ = maps.get(table.map, main)
        begin = partial(new_match, map_, table.settings)
        case = _make_case(table, begin)
        cases.append(case)
    return cases


def _read_case_map(folder: Path) -> str:
    """Return the text of the first map in the file of cases; empty if there is none."""
    path = folder / CASES
    if not path.is_file():
        return ""
    file = read_toml_file(path)
    contents = file.read(_CaseFile)
    return next(iter(contents.maps.values()), "")


def _read_tables(
    file: TomlFile, meetings: Set[str] | None, settings: Sequence[Option]
) -> list[_CaseTable]:
    """Return the case tables; raise a FormatError that lists all mistakes."""
    mistakes = Mistakes()
    file.check(_CaseFile, mistakes)
    mistakes.raise_any()
    maps = file.read(_CaseFile).maps
    for name, map_text in maps.items():
        if not isinstance(map_text, str) or not map_text.strip():
            message = f"the map {name} is not a string"
            mistakes.add(file.error(message, "maps", name))
    numbers = range(file.count_tables("case"))
    for number in numbers:
        file.check(_CaseTable, mistakes, "case", number)
    mistakes.raise_any()
    tables = [file.read(_CaseTable, "case", number) for number in numbers]
    names = [table.name for table in tables]
    for number, table in enumerate(tables):
        _check_settings(file, number, table.settings, settings, mistakes)
        meets = table.meets
        if table.map and table.map not in maps:
            message = f"there is no map {table.map!r} in [maps]"
            mistakes.add(file.error(message, "case", number, "map"))
        if meets and meetings is not None and meets not in meetings:
            message = f"no rule derives meets({meets},...)"
            mistakes.add(file.error(message, "case", number, "meets"))
        if meets and table.answers:
            message = "a case may have answers or meets, but not both"
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
    """Add a mistake for each setting of a case that no match can have."""
    options = {option.name: option for option in known}
    for name, value in given.items():
        option = options.get(name)
        if option is None:
            message = f"{name} is not a setting of this game"
        elif option.default is False and not isinstance(value, bool):
            message = f"{name} must be true or false"
        elif option.default is not False and not _is_within(value, option):
            message = f"{name} must be a whole number from {option.least} to {option.most}"
        else:
            continue
        mistakes.add(file.error(message, "case", number, "settings"))


def _is_within(value: object, option: Option) -> bool:
    """Return whether a value is a number that an option can have."""
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    if value < option.least:
        return False
    return option.most is None or value <= option.most


def _make_case(table: _CaseTable, begin: Callable[[], RulesMatch]) -> Case:
    """Return the case that a table describes."""
    start: Callable[[], Match] = begin
    if table.meets:
        start = partial(_play_to_position, begin, table.meets)
    elif table.answers:
        start = partial(_play_answers, begin, table.answers)
    probe = _make_probe(table)
    return Case(table.name, table.about, probe, start)


def _make_probe(table: _CaseTable) -> Probe:
    """Return the probe that a table's ``ask`` names."""
    if table.ask == "twice":
        return ask_twice(table.turns)
    if table.ask == "end":
        return tell_end(table.turns, _play_to_end)
    if table.ask == "close":
        return close_after(table.turns)
    return ask_turns(table.turns, whole=table.whole)


def _play_answers(begin: Callable[[], RulesMatch], answers: str) -> RulesMatch:
    """Play answers; raise NotAsked if one is illegal, or if the game ends before the last one."""
    match = begin()
    try:
        for line in answers.splitlines():
            if match.finished:
                raise NotAsked("under these rules, the game ends before that")
            match.answer(line)
    except Fault as fault:
        raise NotAsked(f"under these rules, this position cannot be reached: {fault}") from fault
    return match


def _play_to_position(begin: Callable[[], RulesMatch], position: str) -> RulesMatch:
    """Play random games until one meets a position; raise NotAsked if none does."""
    for number in range(_TRIES):
        match = begin()
        random = Random(_SEED + number)
        with suppress(Fault):  # moves that are legal one by one may be illegal together
            while not match.finished and match.turn < _MAX_TURNS:
                if match.turn and position in match.met:
                    return match
                answer = match.choose(random)
                match.answer(answer)
    where = f" on {match.map_name}" if match.map_name else ""
    raise NotAsked(f"no random game{where} reached this position")


def _play_to_end(match: Match) -> None:
    """Play random legal turns to the end of a game, unless it takes too many turns."""
    random = Random(_SEED)
    with suppress(Fault):
        while not match.finished and match.turn < _MAX_TO_END:
            answer = match.choose(random)
            match.answer(answer)
