"""The plan of a contest, as its file describes it: the bots, the maps and the games."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from itertools import combinations, permutations, product
from math import comb, factorial
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, NamedTuple, cast

from msgspec import NODEFAULT, Meta, Struct, defstruct
from msgspec.structs import asdict

from kb_score.arena.contests.entrants import Entrant, check_entrants, make_kind, read_entrants
from kb_score.engine.changes import Changes
from kb_score.engine.loading import check_constants
from kb_score.engine.rule_text import is_number
from kb_score.engine.rules import GameRules
from kb_score.errors import (
    FileKind,
    InputError,
    KbScoreError,
    Mistakes,
    explain_failure,
    write_count,
)
from kb_score.games import GameFolder
from kb_score.games import list_games as list_types
from kb_score.games.game import Game
from kb_score.games.match import File, MatchSetup
from kb_score.resources import MANIFEST, find_grammar, find_rule_folder, is_folder, list_folder
from kb_score.shell.files import read_input
from kb_score.shell.toml import Name, Names, Table, Tables, TomlFile, make_number, quote, read_toml

Seating = Literal["file", "all", "rotate"]

MAX_GAMES = 1_000_000
_MAX_SEED = 2**31 - 1  # the largest seed, which fits into an integer of every bot's language


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game of a contest, before it is played."""

    number: int  # its number, from 0
    # The bots of players 1 and so on, by their places in the contest's file, from 0.
    bots: tuple[int, ...]
    map: int  # its map, by the place in the contest's file, from 0
    round: int  # the round, from 0
    # The random seed. All games of a round on one map share it, so that luck is the same for all.
    seed: int


def count_games(bots: int, players: int, seating: Seating, maps: int, rounds: int) -> int:
    """Return the number of games that `list_games` lists for these arguments."""
    orders = {"file": 1, "all": factorial(players), "rotate": players}
    groups = comb(bots, players)
    return rounds * groups * orders[seating] * maps


def list_games(
    bots: int, players: int, seating: Seating, maps: int = 1, rounds: int = 1, seed: int = 1
) -> list[Fixture]:
    """List the games of every group of bots: in each seating, on each map and in each round.

    Rounds come one after another, so that in a contest that is stopped early all bots have played
    nearly equally often. A group is seated once in the order of the file (``file``), once in every
    order (``all``), or in rotation, so that each bot has each seat once (``rotate``).
    """
    fixtures: list[Fixture] = []
    for round_ in range(rounds):
        for group in combinations(range(bots), players):
            seatings = _list_seatings(group, seating)
            for seats, map_ in product(seatings, range(maps)):
                game_seed = find_seed(seed, map_, round_)
                fixture = Fixture(len(fixtures), seats, map_, round_, game_seed)
                fixtures.append(fixture)
    return fixtures


def _list_seatings(group: tuple[int, ...], seating: Seating) -> Iterable[tuple[int, ...]]:
    """List the orders in which a group of bots plays."""
    if seating == "all":
        return permutations(group)
    if seating == "file":
        return [group]
    return [group[first:] + group[:first] for first in range(len(group))]


def draw_games(bots: int, players: int, games: int, maps: int = 1, seed: int = 1) -> list[Fixture]:
    """Draw a number of games in which all bots play nearly equally often.

    Each shuffle of the bots is divided into games. The bots left over sit out, and all bots take
    turns sitting out. Fewer bots than players are a ValueError.
    """
    if bots < players:
        raise ValueError(f"{bots} bots are too few for a game of {players} players")
    # The order in which bots sit out, as many at a time as are left over.
    waiting = Random(f"{seed} waiting").sample(range(bots), bots)
    over = bots % players
    fixtures: list[Fixture] = []
    shuffle = 0
    while len(fixtures) < games:
        first = shuffle * over
        out = {waiting[place % bots] for place in range(first, first + over)}
        playing = [bot for bot in range(bots) if bot not in out]
        Random(f"{seed} {shuffle}").shuffle(playing)
        round_, map_ = divmod(shuffle, maps)
        game_seed = find_seed(seed, map_, round_)
        for start in range(0, len(playing), players):
            seats = playing[start : start + players]
            fixture = Fixture(len(fixtures), tuple(seats), map_, round_, game_seed)
            fixtures.append(fixture)
        shuffle += 1
    return fixtures[:games]


@lru_cache(maxsize=1024)
def find_seed(seed: int, map_: int, round_: int) -> int:
    """Return the seed of the games on a map in a round, both from 0; it is from 1 to 2^31 - 1."""
    text = f"{seed} {map_} {round_}"
    digest = sha256(text.encode()).digest()
    number = int.from_bytes(digest[:8])
    return number % _MAX_SEED + 1


CONTEST_FILE = FileKind("a contest", 4 << 20)


@dataclass(frozen=True, slots=True)
class GameMap:
    """A map, or a board, that games are played on."""

    name: str  # its name in tables
    text: str  # the text of its file, or the value of `Scoring.map_setting`


# For games that are not played on maps.
NO_MAP = GameMap("", "")


def digest_words(*words: str) -> str:
    """Return a digest of some words."""
    return sha256("\0".join(words).encode(errors="replace")).hexdigest()


def digest_rules(rules: GameRules) -> str:
    """Return a digest of a game's rules, with the user's changes, its manifest and its grammar.

    Comments in rules do not change it, nor do constants that are set to their defaults.
    """
    ours, users = rules.read_parts()
    known = ours.definitions
    constants = [
        (name, value)
        for name, value in rules.changes.constants
        if name not in known or str(known[name].value) != value
    ]
    words = [rules.game, repr(constants)]
    words.extend(str(ours + users).splitlines())
    paths = [find_rule_folder(rules.game) / MANIFEST, find_grammar(rules.game)]
    for path in filter(Path.is_file, paths):
        words.append(path.read_text(encoding="utf-8", errors="replace"))
    return digest_words(*words)


class GameKey(NamedTuple):
    """Digests of everything that a game depends on, which identify the game."""

    key: str  # the digest of the whole
    parts: tuple[str, ...]  # the digests of settings and rules, of the map, and of each bot


@dataclass(frozen=True)
class Plan:
    """A contest."""

    name: str  # its name in tables
    game: str  # the folder of its game
    home: Path  # the folder of its file; bots without a folder of their own run in it
    bots: tuple[Entrant, ...]
    maps: tuple[GameMap, ...]  # the maps, at least one
    players: int  # number of bots in a game
    seating: Seating  # the orders in which a group of bots plays
    rounds: int  # number of rounds
    games: int  # number of games in a sample; 0 if all games are played
    seed: int  # the random seed
    metric: str  # the figure that ranks the bots
    settings: Mapping[str, int | float | str]  # the settings of each game, by name

    @cached_property
    def type(self) -> Game:
        """The game that is played."""
        return GameFolder(self.game).type

    @cached_property
    def title(self) -> str:
        """The names of the contest and of its game."""
        return f"{self.name}: {self.type.title}"

    @cached_property
    def _whole(self) -> int:
        bots = len(self.bots)
        maps = len(self.maps)
        return count_games(bots, self.players, self.seating, maps, self.rounds)

    @cached_property
    def count(self) -> int:
        """The number of games in the contest."""
        return min(self._whole, self.games or self._whole)

    @cached_property
    def schedule(self) -> list[Fixture]:
        """The games of the contest, in the order of their numbers."""
        bots = len(self.bots)
        maps = len(self.maps)
        if self.count < self._whole:
            return draw_games(bots, self.players, self.count, maps, self.seed)
        return list_games(bots, self.players, self.seating, maps, self.rounds, self.seed)

    def identify(self, rules: str) -> Callable[[Fixture], GameKey]:
        """Return a function that finds the key of a game, given the digest of the rules.

        A game gets a different key when one of its bots, its map or a rule changes. The function
        raises an InputError if the files of a bot cannot be read.
        """
        numbers = []
        texts = []
        for name, value in sorted(self.settings.items()):
            if isinstance(value, str):
                texts.append((name, value))
            else:
                numbers.append((name, value))
        settings = repr((numbers, texts))
        common = digest_words(self.game, settings, rules)
        maps = [digest_words(map_.name, map_.text) for map_ in self.maps]

        @cache  # even with thousands of bots, only those that play are read, once each
        def digest_bot(bot: int) -> str:
            return self.bots[bot].digest(self.home)

        def find_key(fixture: Fixture) -> GameKey:
            bots = [digest_bot(bot) for bot in fixture.bots]
            map_ = maps[fixture.map]
            digests = (common, map_, *bots)
            parts = [digest[:8] for digest in digests]
            seed = str(fixture.seed)
            key = digest_words(common, map_, seed, *bots)
            return GameKey(key[:16], tuple(parts))

        return find_key

    def setup(self, fixture: Fixture) -> MatchSetup:
        """Return the match setup for a game."""
        map_ = self.maps[fixture.map]
        return _make_setup(self.type, map_, self.settings, self.players, fixture.seed)


def _make_setup(
    game: Game, map_: GameMap, given: Mapping[str, Any], players: int, seed: int
) -> MatchSetup:
    """Return the setup of a match; an empty setting gets its default."""
    settings = dict(given)
    for option in game.settings:
        if given.get(option.name) == "":
            settings[option.name] = option.default
    map_setting = game.contest.maps
    if map_setting:
        settings[map_setting] = map_.text
    files: list[File] = []
    if game.match_maps:
        files.append((map_.name, map_.text))
    return MatchSetup(tuple(files), settings, seed, players)


class _Head(Struct, frozen=True, kw_only=True):
    """The keys of a contest's file that do not depend on its game."""

    game: str
    name: Name = ""
    seatings: Seating = "file"
    rounds: Annotated[int, Meta(ge=1, le=10**12)] = 1
    games: Annotated[int, Meta(ge=1, le=10**12)] = 0  # 0 stands for all games
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 1
    measure: str = ""
    bot: Tables = []
    settings: Table = {}
    limits: Table = {}
    rules: Table = {}


class _RulesTable(Struct, frozen=True, forbid_unknown_fields=True):
    """The table ``[rules]`` of a contest's file."""

    folders: Names = ()
    const: Table = {}


def _make_head_kind(game: Game) -> type[Struct]:
    """Return the struct type of a contest's file, with the keys that depend on its game."""
    metrics = game.contest.metrics
    keys: list[tuple[str, Any, Any]] = [("measure", Literal[metrics], metrics[0])]
    if game.has_maps:
        keys.append((game.map_key, Names, NODEFAULT))
    least, most = game.players
    if most > least:
        number = make_number(int, least, most)
        keys.append(("players", number, least))
    return defstruct("Head", keys, bases=(_Head,), kw_only=True, forbid_unknown_fields=True)


def read_contest_file(path: Path) -> TomlFile:
    """Read a contest's file."""
    name = str(path)
    text = read_input(name, CONTEST_FILE)
    return read_toml(text, name)


def read_game(file: TomlFile) -> str:
    """Return the folder of the game that a contest's file names; a FormatError if there is none."""
    games = list_types()
    kind = defstruct("Game", [("game", Literal[tuple(games)])])
    file.read(kind)
    return games[file.values["game"]].folder


def read_plan(
    file: TomlFile,
    path: Path,
    rules: GameRules,
    *,
    games: int | None = None,
    will_play: bool = True,
) -> Plan:
    """Read a contest's file.

    ``games`` replaces the number of games in the file; ``will_play`` says to check that this
    machine can run the bots. A KbScoreError says why the contest cannot be played.
    """
    name = read_game(file)
    home = path.resolve().parent
    game = GameFolder(name).type
    if not game.contest.metrics:
        raise file.error(f"{game.title} has no contests", "game")
    options = [option for option in game.settings if option.name != game.contest.maps]
    head_kind = _make_head_kind(game)
    settings_kind = make_kind(options)
    mistakes = Mistakes()
    file.check(head_kind, mistakes)
    file.check(settings_kind, mistakes, "settings")
    check_entrants(file, game, mistakes)
    mistakes.raise_any()
    head = cast("_Head", file.read(head_kind))
    settings = asdict(file.read(settings_kind, "settings"))
    bots = read_entrants(file, game, home, will_play=will_play)
    maps = _read_maps(file, game, home, rules)
    fewest, _ = game.players
    plan = Plan(
        name=head.name or path.stem,
        game=name,
        home=home,
        bots=bots,
        maps=maps,
        players=getattr(head, "players", fewest),
        seating=head.seatings,
        rounds=head.rounds,
        games=games or head.games,
        seed=head.seed,
        metric=head.measure,
        settings=settings,
    )
    if plan.count > MAX_GAMES:
        many = f"{plan.count:,} games exceed the limit of {MAX_GAMES:,}"
        message = f"{many}: set games = N in the contest file to play a sample of them"
        raise file.error(message)
    _check_first_game(plan, file, rules)
    return plan


def _check_first_game(plan: Plan, file: TomlFile, rules: GameRules) -> None:
    """Check that the first game can be set up; a FormatError says why it cannot."""
    if len(plan.bots) < plan.players:
        bots = write_count(plan.players, "bot")
        raise file.error(f"a game needs {bots}, but this file has {len(plan.bots)}")
    game = plan.type
    if game.has_maps and not file.values.get("settings"):
        return  # each map has been tried with these settings
    first = plan.schedule[0]
    try:
        setup = plan.setup(first)
        game.new_match(rules, setup, Random(setup.seed))
    except InputError as error:
        texts = [name for name, value in plan.settings.items() if isinstance(value, str)]
        _, _, reason = str(error).partition(": ")
        raise file.error(reason, "settings", *texts[:1]) from error


def read_changes(file: TomlFile, path: Path, given: Changes) -> Changes:
    """Return the changes to the rules in a contest's file, with those from the command line.

    The latter override the former. A FormatError names all constants in the file that are invalid.
    """
    table = file.read(_RulesTable, "rules")
    home = path.resolve().parent
    given_constants = dict(given.constants)
    mistakes = Mistakes()
    constants: dict[str, str] = {}
    for name, value in table.const.items():
        if not isinstance(value, str) and type(value) is not int:
            message = f"{quote(name)} must be a whole number or a word, not {quote(value)}"
            mistakes.add(file.error(message, "rules", "const", name))
        elif name not in given_constants:
            constants[name] = _write_constant(value)
    mistakes.raise_any()
    folders = [home / word for word in table.folders]
    folders.extend(given.folders)
    changes = replace(given, folders=tuple(folders), constants=())
    _check_constants(file, changes, constants)
    constants |= given_constants
    ordered = sorted(constants.items())
    return replace(changes, constants=tuple(ordered))


def _write_constant(value: str | int) -> str:
    """Return a value as in ``--const``; a number in quotes is a word, and stays in quotes."""
    if isinstance(value, str) and is_number(value):
        return quote(value)
    return str(value)


def _check_constants(file: TomlFile, changes: Changes, constants: Mapping[str, str]) -> None:
    """Check the constants that a contest's file sets; a FormatError names all wrong ones."""
    if not constants:
        return
    games = [read_game(file)]
    # A mistake in the rules is reported as such, not as a mistake in the first constant.
    check_constants(games, changes)
    mistakes = Mistakes()
    for constant in constants.items():
        changed = replace(changes, constants=(constant,))
        try:
            check_constants(games, changed)
        except KbScoreError as error:
            name, _ = constant
            mistakes.add(file.error(error.reason, "rules", "const", name))
    mistakes.raise_any()


def _read_maps(file: TomlFile, game: Game, home: Path, rules: GameRules) -> tuple[GameMap, ...]:
    """Return the maps of a contest; a FormatError names those on which no match can be set up."""
    if not game.has_maps:
        return (NO_MAP,)
    key = game.map_key
    maps = []
    mistakes = Mistakes()
    for word in _list_map_words(file, key, home):
        try:
            map_ = _read_map(word, game, home, rules)
        except KbScoreError as error:
            message = f"{quote(word)} cannot be played on: {error}"
            mistakes.add(file.error(message, key))
            continue
        maps.append(map_)
    mistakes.raise_any()
    names = [map_.name for map_ in maps]
    for name in names:
        if names.count(name) > 1:
            raise file.error(f"two of the {key} have the name {quote(name)}", key)
    return tuple(maps)


def _read_map(word: str, game: Game, home: Path, rules: GameRules) -> GameMap:
    """Return a map, after checking that a match with the fewest players can be set up on it."""
    place = str(home / word)
    if game.contest.maps:
        name = " ".join(word.split())
        text = word
    else:
        name = Path(word).stem
        text = read_input(place, game.match_maps[0])
    defaults = {option.name: option.default for option in game.settings}
    fewest, _ = game.players
    setup = _make_setup(game, GameMap(place, text), defaults, fewest, 0)
    game.new_match(rules, setup, Random(0))
    return GameMap(name, text)


def _list_map_words(file: TomlFile, key: str, home: Path) -> Iterator[str]:
    """Yield the maps that a file names; a folder stands for its .txt and .map files, by name."""
    for word in file.values[key]:
        place = home / word
        if not is_folder(place):
            yield word
            continue
        with explain_failure(place):
            names = [path.name for path in list_folder(place) if path.suffix in (".txt", ".map")]
        if not names:
            raise file.error(f"the folder {quote(word)} has no .txt or .map file", key)
        folder = word.rstrip("/")
        for name in names:
            yield f"{folder}/{name}"
