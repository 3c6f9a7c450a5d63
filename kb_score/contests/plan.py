"""What a contest is: who plays what, as a contest's file says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from kb_score.contests.entrants import Entrant, read_entrants
from kb_score.contests.schedule import Sample, Schedule
from kb_score.contests.toml import read_toml
from kb_score.errors import FileKind, InputError, KbScoreError
from kb_score.games import list_games
from kb_score.games.arena import Arena
from kb_score.games.sitting import NO_FIELD, Field, Sitting
from kb_score.resources import is_folder
from kb_score.shell.files import read_input

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb_score.contests.schedule import Games, Match, Seating
    from kb_score.contests.toml import File, Table
    from kb_score.engine.run import Changes, GameRules

CONTEST_FILE = FileKind("a contest", 4 << 20)
_SEATINGS = ("file", "all", "rotate")
_TABLES = ("bot", "settings", "limits", "rules")
_MOST = 10**12  # rounds or games


@dataclass(frozen=True)
class Plan:
    """A contest.

    Attributes:
        name: What people call it.
        game: The folder of its game.
        home: The folder of its file, in which bots run that have none.
        bots: The bots.
        fields: What is played on, at least one.
        table: How many bots play a game.
        seating: In which orders they sit.
        rounds: How often all of that is played.
        games: If only a sample of all games is played, how many.
        seed: What luck follows from.
        measure: The figure that ranks.
        settings: The numbers that each game depends on.
        words: The texts that each game depends on.
    """

    name: str
    game: str
    home: Path
    bots: tuple[Entrant, ...]
    fields: tuple[Field, ...]
    table: int
    seating: Seating
    rounds: int
    games: int | None
    seed: int
    measure: str
    settings: Mapping[str, int | float]
    words: Mapping[str, str]

    @cached_property
    def arena(self) -> Arena:
        """Its game, as contests see it."""
        return find_arena(self.game)

    @cached_property
    def schedule(self) -> Games:
        """Its games."""
        whole = Schedule(
            len(self.bots), self.table, self.seating, len(self.fields), self.rounds, self.seed
        )
        if self.games is None or self.games >= whole.count():
            return whole
        return Sample(len(self.bots), self.table, self.games, len(self.fields), self.seed)

    def identify(self, rules: str) -> Keys:
        """Make what tells games apart, with what tells the rules apart."""
        settings = sorted(self.settings.items()), sorted(self.words.items())
        fields = tuple(_digest(one.name, one.text) for one in self.fields)
        return Keys(_digest(self.game, repr(settings), rules), fields, self.bots, self.home)


@dataclass(frozen=True)
class Keys:
    """What tells games apart: a bot, a map or a rule that has changed makes another game of it.

    Attributes:
        common: What tells games of this contest from those of others.
        fields: What tells each field apart.
        bots: The bots.
        home: The folder in which bots run that have none.
    """

    common: str
    fields: tuple[str, ...]
    bots: tuple[Entrant, ...]
    home: Path
    # Of thousands of bots only those that play are looked at, each once.
    _digests: dict[int, str] = field(default_factory=dict)

    def key(self, match: Match) -> str:
        """Find what tells a game apart.

        Raises:
            InputError: The files of a bot cannot be read.
        """
        for seat in match.seats:
            if seat not in self._digests:
                self._digests[seat] = self.bots[seat].digest(self.home)
        bots = (self._digests[seat] for seat in match.seats)
        return _digest(self.common, self.fields[match.field], str(match.seed), *bots)[:16]


def _digest(*words: str) -> str:
    return sha256("\0".join(words).encode(errors="replace")).hexdigest()


def find_arenas() -> list[str]:
    """List the folders of the games that have contests."""
    folders = [game.folder for game in list_games().values()]
    return [folder for folder in folders if find_spec(f"kb_score.games.{folder}.contest")]


def find_arena(game: str) -> Arena:
    """Find a game as contests see it, by its folder."""
    return cast(Arena, import_module(f"kb_score.games.{game}.contest").ARENA)


def digest_rules(arena: Arena, rules: GameRules) -> str:
    """Find what tells the rules of a game from others: what they say, not how they are written."""
    return _digest(*(str(rules.program(use)) for use in arena.form.uses))


def read_game(file: File) -> str:
    """Find out which game a contest's file is about: its folder.

    Raises:
        FormatError: It does not say it, or there is no such game.
    """
    names = [folder.replace("_", "-") for folder in find_arenas()]
    return file.top().choice("game", names).replace("-", "_")


def open_file(path: Path) -> File:
    """Read a contest's file.

    Raises:
        KbScoreError: It cannot be read, or is no TOML.
    """
    return read_toml(read_input(str(path), CONTEST_FILE), str(path))


def read_plan(file: File, path: Path, rules: GameRules, *, games: int | None = None) -> Plan:
    """Read a contest's file.

    Args:
        file: What is in it.
        path: Where it is.
        rules: The rules of its game.
        games: How many games are played, if not as many as the file says.

    Raises:
        KbScoreError: Something in it cannot be used.
    """
    game = read_game(file)
    arena, home, top = find_arena(game), path.resolve().parent, file.top()
    form = arena.form
    _check_keys(file, arena)
    settings, words = _read_settings(file.table("settings"), arena)
    bots = read_entrants(file, form, home)
    table = top.number_of("players", form.least, form.most, form.least, int)
    if games is None and "games" in top.values:
        games = top.number_of("games", 1, _MOST, 1, int)
    plan = Plan(
        name=top.text("name", path.stem),
        game=game,
        home=home,
        bots=bots,
        fields=_read_fields(top, arena, home, rules) if form.field_key else (NO_FIELD,),
        table=table,
        seating=cast("Seating", top.choice("seatings", _SEATINGS, "file")),
        rounds=top.number_of("rounds", 1, _MOST, 1, int),
        games=games,
        seed=top.number_of("seed", 0, 2**63, 1, int),
        measure=top.choice("measure", form.measures, form.measures[0]),
        settings=settings,
        words=words,
    )
    _prepare(plan, file, rules)
    return plan


def _check_keys(file: File, arena: Arena) -> None:
    form = arena.form
    keys = ["game", "name", "seatings", "rounds", "games", "seed", "measure"]
    keys += [form.field_key] if form.field_key else []
    keys += ["players"] if form.most > form.least else []
    file.top().check_keys(keys)
    file.check_tables(_TABLES)


def _prepare(plan: Plan, file: File, rules: GameRules) -> None:
    if len(plan.bots) < plan.table:
        needs = f"a game needs {plan.table} bot{'s' * (plan.table > 1)}"
        raise file.top().error(f"{needs}, this file has {len(plan.bots)}")
    sitting = Sitting((), plan.fields[0], plan.seed, plan.settings, plan.words)
    try:
        plan.arena.prepare(sitting, rules)
    except InputError as error:
        key = next(iter(plan.words), "")
        raise file.table("settings").error(str(error).partition(": ")[2], key) from error


def read_changes(file: File, path: Path, given: Changes) -> Changes:
    """Read how a contest's file changes the rules, and add what was given elsewhere.

    Raises:
        FormatError: It says something that cannot be used.
    """
    table = file.table("rules")
    table.check_keys(["folders", "const"])
    home = path.resolve().parent
    folders = [home / word for word in table.texts("folders")] if "folders" in table.values else []
    const = table.within("const")
    constants = {name: str(const.constant(name)) for name in const.values} | dict(given.constants)
    ordered = tuple(sorted(constants.items()))
    return replace(given, folders=(*folders, *given.folders), constants=ordered)


def _read_settings(table: Table, arena: Arena) -> tuple[dict[str, Any], dict[str, str]]:
    form = arena.form
    table.check_keys([*form.settings, *form.words])
    numbers = {name: table.option(name, option) for name, option in form.settings.items()}
    words = {name: table.text(name, text, empty=True) for name, text in form.words.items()}
    return numbers, words


def _read_fields(top: Table, arena: Arena, home: Path, rules: GameRules) -> tuple[Field, ...]:
    key = arena.form.field_key
    fields: list[Field] = []
    for word in _list_words(top, key, home):
        try:
            fields.append(arena.read_field(word, home, rules))
        except KbScoreError as error:
            raise top.error(f"{word!r} cannot be played on: {error}", key) from error
    names = [one.name for one in fields]
    if twice := [name for name in names if names.count(name) > 1]:
        raise top.error(f"two of the {key} have the name {twice[0]!r}", key)
    return tuple(fields)


def _list_words(top: Table, key: str, home: Path) -> Sequence[str]:
    """List what is played on; a folder stands for the .txt and .map files in it, by name."""
    words: list[str] = []
    for word in top.texts(key):
        if not is_folder(home / word):
            words.append(word)
            continue
        found = sorted(p.name for p in (home / word).iterdir() if p.suffix in (".txt", ".map"))
        if not found:
            raise top.error(f"the folder {word!r} has no .txt or .map file", key)
        words += [f"{word.rstrip('/')}/{name}" for name in found]
    return words
