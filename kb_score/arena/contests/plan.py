"""What a contest is: who plays what, as a contest's file says it."""

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
from kb_score.arena.contests.versions import digest_words
from kb_score.engine.changes import Changes
from kb_score.engine.loading import check_constants
from kb_score.engine.program import is_number
from kb_score.engine.rules import GameRules
from kb_score.errors import FileKind, InputError, KbScoreError, Mistakes
from kb_score.games import GameFolder
from kb_score.games import list_games as list_types
from kb_score.games.game import File, Game, MatchSetup
from kb_score.resources import is_folder
from kb_score.shell.files import read_input
from kb_score.shell.toml import Name, Names, Table, Tables, TomlFile, make_number, quote, read_toml

Seating = Literal["file", "all", "rotate"]

MOST_GAMES = 1_000_000
_SEEDS = 2**31 - 1  # seeds that every bot's language has room for


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game of a contest, before it is played."""

    number: int  # its number, from 0
    # The bots of players 1 and so on, by their places in the contest's file, from 0.
    bots: tuple[int, ...]
    map: int  # what it is played on, by its place in the contest's file, from 0
    round: int  # the round, from 0
    # What the game draws by; the same for all games of a round on one map, so that luck is the same
    # for all.
    seed: int
    # Whether an earlier version of kb-score added it to the contest's own games.
    added: bool = False


def count_games(bots: int, players: int, seating: Seating, maps: int, rounds: int) -> int:
    """Count the games in which each group of bots plays in each seating, on each map and round."""
    orders = {"file": 1, "all": factorial(players), "rotate": players}[seating]
    return rounds * comb(bots, players) * orders * maps


def list_games(
    bots: int, players: int, seating: Seating, maps: int = 1, rounds: int = 1, seed: int = 1
) -> list[Fixture]:
    """List the games in which each group of bots plays in each seating, on each map and round.

    Each group plays once, in the order of the file; or once in every order; or so often that each
    bot is each player once. Rounds come one after another: a contest that is stopped early has let
    all bots play nearly equally often.
    """
    fixtures: list[Fixture] = []
    for round_ in range(rounds):
        for group in combinations(range(bots), players):
            for seats, map_ in product(_list_seatings(group, seating), range(maps)):
                game_seed = find_seed(seed, map_, round_)
                fixtures.append(Fixture(len(fixtures), seats, map_, round_, game_seed))
    return fixtures


def _list_seatings(group: tuple[int, ...], seating: Seating) -> Iterable[tuple[int, ...]]:
    """List the orders in which a group of bots plays."""
    if seating == "all":
        return permutations(group)
    if seating == "rotate":
        return [group[first:] + group[:first] for first in range(len(group))]
    return [group]


def draw_games(bots: int, players: int, games: int, maps: int = 1, seed: int = 1) -> list[Fixture]:
    """Draw a number of games in which all bots play nearly equally often.

    Shuffles of the bots are cut into games; the bots left over sit out, and all take turns in that.

    Raises:
        ValueError: There are fewer bots than players.
    """
    if bots < players:
        raise ValueError(f"{bots} bots are too few for a game of {players} players")
    # In this order the bots sit out, as many at a time as are left over.
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
            fixtures.append(Fixture(len(fixtures), tuple(seats), map_, round_, game_seed))
        shuffle += 1
    return fixtures[:games]


@lru_cache(maxsize=1024)
def find_seed(seed: int, map_: int, round_: int) -> int:
    """Find the seed of a map in a round, from 1 to 2^31 - 1."""
    text = f"{seed} {map_} {round_}"
    digest = sha256(text.encode()).digest()
    return int.from_bytes(digest[:8]) % _SEEDS + 1


CONTEST_FILE = FileKind("a contest", 4 << 20)


@dataclass(frozen=True, slots=True)
class GameMap:
    """What a game is played on."""

    name: str  # what tables call it
    text: str  # the text of a file, or the value of `Scoring.map_setting`


# For games that are not played on maps.
NO_MAP = GameMap("", "")


class GameKey(NamedTuple):
    """What tells a game from others, in all, and part by part."""

    key: str
    parts: tuple[str, ...]  # of settings and rules, of the map, and of each bot


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
    games: int  # if only a sample of all games is played, how many; else 0
    seed: int  # what luck follows from
    metric: str  # the figure that ranks
    settings: Mapping[str, int | float | str]  # what each game depends on

    @cached_property
    def type(self) -> Game:
        """Its game, as data and functions."""
        return GameFolder(self.game).type

    @cached_property
    def title(self) -> str:
        """Its name and that of its game."""
        return f"{self.name}: {self.type.title}"

    @cached_property
    def _whole(self) -> int:
        bots = len(self.bots)
        maps = len(self.maps)
        return count_games(bots, self.players, self.seating, maps, self.rounds)

    @cached_property
    def count(self) -> int:
        """How many games it has."""
        return min(self._whole, self.games or self._whole)

    @cached_property
    def schedule(self) -> list[Fixture]:
        """Its games."""
        bots = len(self.bots)
        maps = len(self.maps)
        if self.count < self._whole:
            return draw_games(bots, self.players, self.count, maps, self.seed)
        return list_games(bots, self.players, self.seating, maps, self.rounds, self.seed)

    def identify(self, rules: str) -> Callable[[Fixture], GameKey]:
        """Make what finds the key of a game, with what tells the rules apart.

        A bot, a map or a rule that has changed makes another game of it. The function raises an
        InputError if the files of a bot cannot be read.
        """
        numbers: list[tuple[str, object]] = []
        texts: list[tuple[str, object]] = []
        for name, value in sorted(self.settings.items()):
            kind = texts if isinstance(value, str) else numbers
            kind.append((name, value))
        common = digest_words(self.game, repr((numbers, texts)), rules)
        maps = [digest_words(one.name, one.text) for one in self.maps]

        @cache  # of thousands of bots only those that play are read, each once
        def digest_bot(bot: int) -> str:
            return self.bots[bot].digest(self.home)

        def find_key(fixture: Fixture) -> GameKey:
            bots = list(map(digest_bot, fixture.bots))
            map_ = maps[fixture.map]
            digests = (common, map_, *bots)
            parts = tuple(digest[:8] for digest in digests)
            seed = str(fixture.seed)
            key = digest_words(common, map_, seed, *bots)
            return GameKey(key[:16], parts)

        return find_key

    def setup(self, fixture: Fixture) -> MatchSetup:
        """Find what a game is set up with."""
        map_ = self.maps[fixture.map]
        return _make_setup(self.type, map_, self.settings, self.players, fixture.seed)


def find_defaults(game: Game, begun_with: Mapping[str, str] | None) -> dict[str, str]:
    """Find a contest's defaults for the rulings whose default has changed.

    Args:
        game: The game of the contest.
        begun_with: What the manifest of its folder says; None if the contest is a new one.

    Returns:
        The default by the name of the ruling: the current one for a new contest, otherwise the one
        that the contest was begun with.
    """
    earlier = game.arena.scoring.earlier_defaults
    if begun_with is not None:
        return {**earlier, **begun_with}
    if not earlier:
        return {}
    ours, _ = GameRules(game.name).read_parts()
    constants = ours.find_constants()
    return {name: str(constants[name].value) for name in earlier}


def keep_defaults(game: Game, defaults: Mapping[str, str], changes: Changes) -> Changes:
    """Set rulings to the defaults that a contest was begun with, unless a user sets them."""
    chosen = dict(changes.constants)
    for name, now in find_defaults(game, None).items():
        if defaults[name] != now and name not in chosen:
            ours, users = GameRules(game.name, changes).read_parts()
            # A user's file may stand in for the one that has the ruling.
            if name in (ours + users).find_constants():
                chosen[name] = defaults[name]
    return replace(changes, constants=tuple(sorted(chosen.items())))


def _make_setup(
    game: Game, map_: GameMap, given: Mapping[str, Any], players: int, seed: int
) -> MatchSetup:
    """Make the setup of a match; an empty word stands for the default of a setting."""
    settings = dict(given)
    for option in game.arena.settings:
        if given.get(option.name) == "":
            settings[option.name] = option.default
    map_setting = game.arena.scoring.map_setting
    if map_setting:
        settings[map_setting] = map_.text
    files: tuple[File, ...] = ()
    if game.arena.maps:
        files = ((map_.name, map_.text),)
    return MatchSetup(files, settings, seed, players)


class _Head(Struct, frozen=True, kw_only=True):
    """What the file of a contest says, whatever its game is."""

    game: str
    name: Name = ""
    seatings: Seating = "file"
    rounds: Annotated[int, Meta(ge=1, le=10**12)] = 1
    games: Annotated[int, Meta(ge=1, le=10**12)] = 0  # all of them
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 1
    measure: str = ""
    bot: Tables = []
    settings: Table = {}
    limits: Table = {}
    rules: Table = {}


class _RulesTable(Struct, frozen=True, forbid_unknown_fields=True):
    folders: Names = ()
    const: Table = {}


def _make_head_kind(game: Game) -> type[Struct]:
    """Make the kind of what a contest's file says; some keys depend on its game."""
    scoring = game.arena.scoring
    metrics = scoring.metrics
    keys: list[tuple[str, Any, Any]] = [("measure", Literal[metrics], metrics[0])]
    if game.arena.has_maps:
        keys.append((scoring.map_key, Names, NODEFAULT))
    least, most = game.arena.players
    if most > least:
        keys.append(("players", make_number(int, least, most), least))
    return defstruct("Head", keys, bases=(_Head,), kw_only=True, forbid_unknown_fields=True)


def open_file(path: Path) -> TomlFile:
    """Read a contest's file; a KbScoreError if it cannot be read, or is no TOML."""
    return read_toml(read_input(str(path), CONTEST_FILE), str(path))


def read_game(file: TomlFile) -> str:
    """Find out which game a contest's file is about: its folder; a FormatError if none."""
    games = list_types()
    file.read(defstruct("Game", [("game", Literal[tuple(games)])]))
    return games[file.values["game"]].folder


def read_plan(file: TomlFile, path: Path, rules: GameRules, *, games: int | None = None) -> Plan:
    """Read a contest's file.

    Args:
        file: The contents of the file.
        path: The path of the file.
        rules: The rules of its game.
        games: The number of games to play; None for the number in the file.

    Raises:
        KbScoreError: The file describes no contest that can be played.
    """
    name = read_game(file)
    home = path.resolve().parent
    game = GameFolder(name).type
    scoring = game.arena.scoring
    if not scoring.metrics:
        raise file.error(f"{game.title} has no contests", "game")
    options = [one for one in game.arena.settings if one.name != scoring.map_setting]
    head_kind = _make_head_kind(game)
    settings_kind = make_kind(options)
    mistakes = Mistakes()
    file.check(head_kind, mistakes)
    file.check(settings_kind, mistakes, "settings")
    check_entrants(file, game, mistakes)
    mistakes.raise_any()
    head = cast("_Head", file.read(head_kind))
    settings = asdict(file.read(settings_kind, "settings"))
    for option in options:
        if option.default is None and not settings[option.name]:
            # A setting without a default is no part of a game that lacks it: older results count.
            del settings[option.name]
    bots = read_entrants(file, game, home)
    maps = _read_maps(file, game, home, rules)
    plan = Plan(
        name=head.name or path.stem,
        game=name,
        home=home,
        bots=bots,
        maps=maps,
        players=getattr(head, "players", game.arena.players[0]),
        seating=head.seatings,
        rounds=head.rounds,
        games=games or head.games,
        seed=head.seed,
        metric=head.measure,
        settings=settings,
    )
    if plan.count > MOST_GAMES:
        many = f"{plan.count:,} games are more than {MOST_GAMES:,}"
        message = f"{many}: set games = N in the file of a contest to play a sample of them"
        raise file.error(message)
    _check_settings(plan, file, rules)
    return plan


def _check_settings(plan: Plan, file: TomlFile, rules: GameRules) -> None:
    """Find out before the first game what would be wrong with each."""
    if len(plan.bots) < plan.players:
        bots = "1 bot" if plan.players == 1 else f"{plan.players} bots"
        raise file.error(f"a game needs {bots}, this file has {len(plan.bots)}")
    if plan.type.arena.has_maps and not file.values.get("settings"):
        return  # each map has been tried with these settings
    try:
        setup = plan.setup(plan.schedule[0])
        plan.type.arena.new_match(rules, setup, Random(setup.seed))
    except InputError as error:
        texts = [name for name, value in plan.settings.items() if isinstance(value, str)]
        _, _, reason = str(error).partition(": ")
        raise file.error(reason, "settings", *texts[:1]) from error


def read_changes(file: TomlFile, path: Path, given: Changes) -> Changes:
    """Read how a contest's file changes the rules of its game, and add what was given elsewhere."""
    table = file.read(_RulesTable, "rules")
    home = path.resolve().parent
    elsewhere = dict(given.constants)
    mistakes = Mistakes()
    constants: dict[str, str] = {}
    for name, value in table.const.items():
        if not isinstance(value, str) and type(value) is not int:
            message = f"{quote(name)} is a whole number or a word, not {quote(value)}"
            mistakes.add(file.error(message, "rules", "const", name))
        elif name not in elsewhere:
            constants[name] = _write_constant(value)
    mistakes.raise_any()
    folders = [home / word for word in table.folders]
    changes = replace(given, folders=(*folders, *given.folders), constants=())
    _check_constants(file, changes, constants)
    ordered = tuple(sorted({**constants, **elsewhere}.items()))
    return replace(changes, constants=ordered)


def _write_constant(value: str | int) -> str:
    """Write a constant as for ``--const``; a number in quotes is a word, and stays in quotes."""
    if isinstance(value, str) and is_number(value):
        return quote(value)
    return str(value)


def _check_constants(file: TomlFile, changes: Changes, constants: Mapping[str, str]) -> None:
    """Check the constants that a contest's file sets; a FormatError names all wrong ones."""
    if not constants:
        return
    games = [read_game(file)]
    check_constants(games, changes)  # what is wrong with the rules is not the fault of a constant
    mistakes = Mistakes()
    for name, value in constants.items():
        try:
            check_constants(games, replace(changes, constants=((name, value),)))
        except KbScoreError as error:
            mistakes.add(file.error(error.reason, "rules", "const", name))
    mistakes.raise_any()


def _read_maps(file: TomlFile, game: Game, home: Path, rules: GameRules) -> tuple[GameMap, ...]:
    """Read what is played on, and set up a match of the fewest players on each."""
    arena = game.arena
    if not arena.has_maps:
        return (NO_MAP,)
    key = arena.scoring.map_key
    defaults = {option.name: option.default for option in arena.settings}
    maps: list[GameMap] = []
    mistakes = Mistakes()
    for word in _list_words(file, key, home):
        try:
            place = str(home / word)
            if arena.scoring.map_setting:
                map_ = GameMap(" ".join(word.split()), word)
            else:
                map_ = GameMap(Path(word).stem, read_input(place, arena.maps[0]))
            path = replace(map_, name=place)
            setup = _make_setup(game, path, defaults, arena.players[0], 0)
            arena.new_match(rules, setup, Random(0))
        except KbScoreError as error:
            mistakes.add(file.error(f"{quote(word)} cannot be played on: {error}", key))
            continue
        maps.append(map_)
    mistakes.raise_any()
    names = [one.name for one in maps]
    for name in names:
        if names.count(name) > 1:
            raise file.error(f"two of the {key} have the name {quote(name)}", key)
    return tuple(maps)


def _list_words(file: TomlFile, key: str, home: Path) -> Iterator[str]:
    """List what is played on; a folder stands for the .txt and .map files in it, by name."""
    for word in file.values[key]:
        place = home / word
        if not is_folder(place):
            yield word
            continue
        files = [path for path in place.iterdir() if path.suffix in (".txt", ".map")]
        names = sorted(path.name for path in files)
        if not names:
            raise file.error(f"the folder {quote(word)} has no .txt or .map file", key)
        folder = word.rstrip("/")
        for name in names:
            yield f"{folder}/{name}"
