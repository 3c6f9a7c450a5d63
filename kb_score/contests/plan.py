"""What a contest is: who plays what, as a contest's file says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, cast

from kb_score.contests.entrants import Entrant, read_entrants
from kb_score.contests.schedule import (
    MOST_GAMES,
    Fixture,
    Seating,
    count_games,
    draw_games,
    list_games,
)
from kb_score.contests.toml import File, TomlTable, quote, read_toml
from kb_score.engine.rules import Changes, GameRules
from kb_score.errors import FileKind, InputError, KbScoreError
from kb_score.games import Game
from kb_score.games import list_games as list_types
from kb_score.games.game import GameType, MatchSetup
from kb_score.resources import is_folder
from kb_score.shell.files import read_input

CONTEST_FILE = FileKind("a contest", 4 << 20)
_SEATINGS = ("file", "all", "rotate")
_TABLES = ("bot", "settings", "limits", "rules")
_MOST = 10**12  # rounds or games


@dataclass(frozen=True, slots=True)
class GameMap:
    """What a game is played on."""

    name: str  # what tables call it
    text: str  # the text of a file, or the value of `GameType.map_setting`


# Of a game that has nothing to choose.
NO_MAP = GameMap("", "")


@dataclass(frozen=True)
class Plan:
    """A contest."""

    name: str  # what people call it
    game: str  # the folder of its game
    home: Path  # the folder of its file, in which bots run that have none
    bots: tuple[Entrant, ...]
    maps: tuple[GameMap, ...]  # what is played on, at least one
    players: int  # how many bots play a game
    seating: Seating  # in which orders they play
    rounds: int  # how often all of that is played
    games: int | None  # if only a sample of all games is played, how many
    seed: int  # what luck follows from
    metric: str  # the figure that ranks
    settings: Mapping[str, int | float]  # the numbers that each game depends on
    words: Mapping[str, str]  # the texts that each game depends on

    @cached_property
    def type(self) -> GameType:
        """Its game, as data and functions."""
        return Game(self.game).type

    @cached_property
    def title(self) -> str:
        """Its name and that of its game."""
        return f"{self.name}: {self.type.title}"

    @cached_property
    def count(self) -> int:
        """How many games it has."""
        bots, maps = len(self.bots), len(self.maps)
        count = count_games(bots, self.players, self.seating, maps, self.rounds)
        return count if self.games is None else min(count, self.games)

    @cached_property
    def schedule(self) -> list[Fixture]:
        """Its games."""
        bots, maps = len(self.bots), len(self.maps)
        whole = count_games(bots, self.players, self.seating, maps, self.rounds)
        if self.count < whole:
            return draw_games(bots, self.players, self.count, maps, self.seed)
        return list_games(bots, self.players, self.seating, maps, self.rounds, self.seed)

    def identify(self, rules: str) -> Keys:
        """Make what tells games apart, with what tells the rules apart."""
        settings = sorted(self.settings.items()), sorted(self.words.items())
        maps = tuple(digest(one.name, one.text) for one in self.maps)
        return Keys(digest(self.game, repr(settings), rules), maps, self.bots, self.home)

    def setup(self, fixture: Fixture) -> MatchSetup:
        """Find what a game is set up with."""
        given = {**self.settings, **self.words}
        return make_setup(
            self.type, self.maps[fixture.map], given, players=self.players, seed=fixture.seed
        )


@dataclass(frozen=True)
class Keys:
    """What tells games apart: a bot, a map or a rule that has changed makes another game of it."""

    common: str  # what tells games of this contest from those of others
    maps: tuple[str, ...]  # what tells each map apart
    bots: tuple[Entrant, ...]
    home: Path  # the folder in which bots run that have none
    # Of thousands of bots only those that play are looked at, each once.
    _digests: dict[int, str] = field(default_factory=dict)

    def key(self, fixture: Fixture) -> str:
        """Find what tells a game apart; an InputError if the files of a bot cannot be read."""
        for bot in fixture.bots:
            if bot not in self._digests:
                self._digests[bot] = self.bots[bot].digest(self.home)
        bots = (self._digests[bot] for bot in fixture.bots)
        return digest(self.common, self.maps[fixture.map], str(fixture.seed), *bots)[:16]


def digest(*words: str) -> str:
    """Find what tells words from others."""
    return sha256("\0".join(words).encode(errors="replace")).hexdigest()


# Digests of rules of now, and of those that said the same before, without the statements that no
# ruling asks for: games that were played by those count.
_SAME = {
    "e910b5af13d8cbbbc8426da85807def0fdebed3c7ded03ee68c7cfdbfa316706": (
        "56fc945c79025c9f247c13c8c26ed95264e0a6c355b882a4ab9b76521986dd3b"
    ),
    "76f17431970dedbd02b02130b9fc4d99d03336ee556a676731fddc235bd350b5": (
        "970ce368fe78a94748dbd71a6acc9b2cc485e925dd41641dbbd9c13fe307703f"
    ),
}


def digest_rules(game: GameType, rules: GameRules) -> str:
    """Find what tells the rules of a game from others: what they say, not how they are written."""
    found = digest(*(str(rules.program(use)) for use in game.uses))
    return _SAME.get(found, found)


def make_setup(
    game: GameType, map_: GameMap, given: Mapping[str, Any], *, players: int, seed: int
) -> MatchSetup:
    """Make what a match is set up with; the empty word stands for the default of a setting."""
    defaults = {option.name: option.default for option in game.settings}
    settings = {key: defaults[key] if value == "" else value for key, value in given.items()}
    if game.map_setting:
        settings[game.map_setting] = map_.text
    files = ((map_.name, map_.text),) if game.played_on else ()
    return MatchSetup(files, settings, seed, players)


def check_count(plan: Plan, top: TomlTable) -> None:
    """Check that a contest has no more games than are listed; else a FormatError."""
    if plan.count > MOST_GAMES:
        many = f"{plan.count:,} games are more than {MOST_GAMES:,}"
        raise top.error(f"{many}: set games = N in the file of a contest to play a sample of them")


def has_maps(game: GameType) -> bool:
    """Whether a contest's file says what is played on."""
    return bool(game.played_on or game.map_setting)


def read_game(file: File) -> str:
    """Find out which game a contest's file is about: its folder; a FormatError if none."""
    games = list_types()
    return games[file.top().choice("game", games)].folder


def open_file(path: Path) -> File:
    """Read a contest's file; a KbScoreError if it cannot be read, or is no TOML."""
    return read_toml(read_input(str(path), CONTEST_FILE), str(path))


def read_plan(file: File, path: Path, rules: GameRules, *, games: int | None = None) -> Plan:
    """Read a contest's file; so many games are played, if not as many as it says."""
    name, home, top = read_game(file), path.resolve().parent, file.top()
    game = Game(name).type
    if not game.metrics:
        raise top.error(f"{game.title} has no contests", "game")
    _check_keys(file, game)
    settings, words = _read_settings(file.table("settings"), game)
    bots = read_entrants(file, game, home)
    least, most = game.players
    players = top.number_of("players", least, most, least, int)
    if games is None and "games" in top.values:
        games = top.number_of("games", 1, _MOST, 1, int)
    plan = Plan(
        name=top.text("name", path.stem),
        game=name,
        home=home,
        bots=bots,
        maps=_read_maps(top, game, home, rules) if has_maps(game) else (NO_MAP,),
        players=players,
        seating=cast("Seating", top.choice("seatings", _SEATINGS, "file")),
        rounds=top.number_of("rounds", 1, _MOST, 1, int),
        games=games,
        seed=top.number_of("seed", 0, 2**63, 1, int),
        metric=top.choice("measure", game.metrics, game.metrics[0]),
        settings=settings,
        words=words,
    )
    check_count(plan, top)
    _check_settings(plan, file, rules)
    return plan


def _check_keys(file: File, game: GameType) -> None:
    least, most = game.players
    keys = ["game", "name", "seatings", "rounds", "games", "seed", "measure"]
    keys += [game.map_key] if has_maps(game) else []
    keys += ["players"] if most > least else []
    file.top().check_keys(keys)
    file.check_tables(_TABLES)


def _check_settings(plan: Plan, file: File, rules: GameRules) -> None:
    """Find out before the first game what would be wrong with each."""
    if len(plan.bots) < plan.players:
        needs = f"a game needs {plan.players} bot{'s' * (plan.players > 1)}"
        raise file.top().error(f"{needs}, this file has {len(plan.bots)}")
    if has_maps(plan.type) and not file.table("settings").values:
        return  # each map has been tried with these settings
    try:
        try_setup(plan, rules)
    except InputError as error:
        key = next(iter(plan.words), "")
        raise file.table("settings").error(str(error).partition(": ")[2], key) from error


def try_setup(plan: Plan, rules: GameRules) -> None:
    """Set up the first game; a KbScoreError if that cannot be."""
    setup = plan.setup(plan.schedule[0])
    plan.type.new(rules, setup, Random(setup.seed))


def read_changes(file: File, path: Path, given: Changes) -> Changes:
    """Read how a contest's file changes the rules, and add what was given elsewhere."""
    table = file.table("rules")
    table.check_keys(["folders", "const"])
    home = path.resolve().parent
    folders = [home / word for word in table.texts("folders")] if "folders" in table.values else []
    const = table.within("const")
    constants = {name: str(const.constant(name)) for name in const.values} | dict(given.constants)
    ordered = tuple(sorted(constants.items()))
    return replace(given, folders=(*folders, *given.folders), constants=ordered)


def _read_settings(table: TomlTable, game: GameType) -> tuple[dict[str, Any], dict[str, str]]:
    options = [one for one in game.settings if one.name != game.map_setting]
    numbers = [one for one in options if isinstance(one.default, int | float)]
    texts = {one.name: str(one.default or "") for one in options if one not in numbers}
    table.check_keys([*(one.name for one in numbers), *texts])
    words = {name: table.text(name, text, empty=True) for name, text in texts.items()}
    return {one.name: table.option(one.name, one) for one in numbers}, words


def _read_maps(top: TomlTable, game: GameType, home: Path, rules: GameRules) -> tuple[GameMap, ...]:
    """Read what is played on, and set up a match of the least number of players on each."""
    key, defaults = game.map_key, {one.name: one.default for one in game.settings}
    maps: list[GameMap] = []
    for word in _list_words(top, game, home):
        try:
            map_ = _read_map(word, game, home)
            path = replace(map_, name=str(home / word))
            setup = make_setup(game, path, defaults, players=game.players[0], seed=0)
            game.new(rules, setup, Random(0))
        except KbScoreError as error:
            raise top.error(f"{quote(word)} cannot be played on: {error}", key) from error
        maps.append(map_)
    names = [one.name for one in maps]
    if twice := [name for name in names if names.count(name) > 1]:
        raise top.error(f"two of the {key} have the name {quote(twice[0])}", key)
    return tuple(maps)


def _read_map(word: str, game: GameType, home: Path) -> GameMap:
    if game.map_setting:
        return GameMap(" ".join(word.split()), word)
    return GameMap(Path(word).stem, read_input(str(home / word), game.played_on[0]))


def _list_words(top: TomlTable, game: GameType, home: Path) -> Sequence[str]:
    """List what is played on; a folder stands for the .txt and .map files in it, by name."""
    words: list[str] = []
    for word in top.texts(game.map_key):
        if not is_folder(home / word):
            words.append(word)
            continue
        found = sorted(p.name for p in (home / word).iterdir() if p.suffix in (".txt", ".map"))
        if not found:
            raise top.error(f"the folder {quote(word)} has no .txt or .map file", game.map_key)
        words += [f"{word.rstrip('/')}/{name}" for name in found]
    return words
