"""The standings of a contest: the results that count, places by the rules, means and ratings."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from kb_score.arena.contests.plan import Fixture, GameKey, Plan
from kb_score.arena.contests.scoring import Tally
from kb_score.arena.contests.scoring import rank as rank_bots
from kb_score.arena.contests.store import GameResult, read_results
from kb_score.errors import KbScoreError, visible
from kb_score.shell.output import complain

if TYPE_CHECKING:
    from kb_score.arena.contests.ratings import Mean, Rating
    from kb_score.engine.rules import GameRules

# The figures of a player in a game, or a score key; the player with the larger key did better.
_Numbers: TypeAlias = tuple[int, ...]

# Bots by their places in the contest's file, a map and a round, all numbered from 0.
_Meeting: TypeAlias = tuple[tuple[int, ...], int, int]

FAULTS = ("late", "crashed", "illegal")  # the kinds of faults of a turn
_LARGEST_SCORE = 2**31 - 1  # the largest number that clingo supports


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A result that counts, and its game in the contest."""

    fixture: Fixture
    result: GameResult


@dataclass
class ContestResults:
    """The results of a contest, and which of them count."""

    plan: Plan
    digest: str  # identifies the rules
    path: Path  # the file of results
    # The results that did not count when last read: the number of them by bot, their records, and
    # the number of them by reason.
    _stale_bots: Counter[str] = field(default_factory=Counter)
    _stale_records: list[str] = field(default_factory=list)
    _stale_reasons: Counter[str] = field(default_factory=Counter)

    @cached_property
    def find_key(self) -> Callable[[Fixture], GameKey]:
        """A function that returns the key of a game."""
        return self.plan.identify(self.digest)

    @cached_property
    def _bots(self) -> dict[str, int]:
        """The number of each bot, by its name."""
        return {bot.name: number for number, bot in enumerate(self.plan.bots)}

    @cached_property
    def _maps(self) -> dict[str, int]:
        """The number of each map, by its name."""
        return {map_.name: number for number, map_ in enumerate(self.plan.maps)}

    def read(self, played: set[int] | None = None) -> Iterator[StoredGame]:
        """Yield the results that count, each game once, in the order in which they ended.

        Results of other bots, maps, limits or rules than those of the contest do not count. The
        numbers of the games are added to ``played``.
        """
        # When bots are added to a contest, its games get other numbers.
        known = {(game.bots, game.map, game.round): game for game in self.plan.schedule}
        if played is None:
            played = set()
        self._stale_bots.clear()
        self._stale_records.clear()
        self._stale_reasons.clear()
        for result in read_results(self.path):
            fixture = self._find_fixture(result, known)
            if fixture is None:
                distinct_bots = dict.fromkeys(result.bots)  # in their order
                record = result.record or f"game {result.number}"
                self._stale_bots.update(list(distinct_bots))
                self._stale_records.append(record)
                continue
            if fixture.number not in played:
                played.add(fixture.number)
                yield StoredGame(fixture, result)

    def find_repeats(self) -> frozenset[int]:
        """Return the numbers of the games that only repeat another one, and so do not count.

        If all games of the same bots, seats and map have the same record, the first one counts.
        """
        groups: dict[tuple[tuple[int, ...], int], list[int]] = {}
        digests: dict[tuple[tuple[int, ...], int], set[str]] = {}
        for game in self.read():
            group = (game.fixture.bots, game.fixture.map)
            groups.setdefault(group, []).append(game.fixture.number)
            digests.setdefault(group, set()).add(game.result.digest)
        repeats: set[int] = set()
        for group, numbers in groups.items():
            if len(digests[group]) == 1:
                repeats.update(sorted(numbers)[1:])
        return frozenset(repeats)

    def _find_fixture(
        self, result: GameResult, known: Mapping[_Meeting, Fixture]
    ) -> Fixture | None:
        """Return the game of a result; if it does not count, count the reason and return None."""
        fixture = None
        reason = self._find_misfit(result)
        if not reason:
            bots = tuple(self._bots[name] for name in result.bots)
            fixture = known.get((bots, self._maps[result.map], result.round))
            if fixture is None:
                reason = "the contest no longer has this game"
            else:
                key = self.find_key(fixture)
                reason = _explain_change(result, key)
        if not reason:
            return fixture
        self._stale_reasons[reason] += 1
        return None

    def _find_misfit(self, result: GameResult) -> str:
        """Return why a result fits no game of the contest; empty if it may fit one."""
        for name in result.bots:
            if name not in self._bots:
                return f"the contest no longer has {name}"
        if result.map not in self._maps:
            return f"the contest no longer has {result.map}"
        if not self._is_whole(result):
            return "it has other players or figures"
        return ""

    def _is_whole(self, result: GameResult) -> bool:
        """Return whether a result has all players and figures, and clingo can hold the figures."""
        if not len(result.players) == len(result.bots) == self.plan.players:
            return False
        count = len(self.plan.type.contest.figures)
        for player in result.players:
            score = player.score
            if len(score) != count:
                return False
            if max(map(abs, score)) > _LARGEST_SCORE:
                return False
        return True

    def describe_changes(self) -> str:
        """Return why results did not count when last read, the commonest reasons first."""
        reasons = [f"{reason} ({count})" for reason, count in self._stale_reasons.most_common(3)]
        return visible("; ".join(reasons))

    def report_stale(self) -> None:
        """Print a note about the results that did not count when last read, if there are any."""
        number = len(self._stale_records)
        if number == 0:
            return
        results_do = "1 result does" if number == 1 else f"{number} results do"
        records = _list_first(self._stale_records)
        bots = [bot for bot, _ in self._stale_bots.most_common()]
        listed_bots = _list_first(bots)
        details = visible(f"{self.describe_changes()}: {records}, of {listed_bots}")
        complain(f"{self.path}: {results_do} not count: {details}", kind="note")


def _explain_change(result: GameResult, key: GameKey) -> str:
    """Return what has changed since a result was stored; empty if the key is still the same."""
    if key.key == result.key:
        return ""
    names = (result.map, *result.bots)
    subjects = ["settings or rules have", *(f"{name} has" for name in names)]
    for subject, current, stored in zip(subjects, key.parts, result.parts, strict=False):
        if current != stored:
            return f"{subject} changed"
    return "the seed has changed"


def _list_first(names: Sequence[str]) -> str:
    """Join the first three names, and add how many more there are."""
    text = ", ".join(names[:3])
    more = len(names) - 3
    if more > 0:
        text += f" and {more} more"
    return text


@dataclass(frozen=True, slots=True)
class BotStanding:
    """A bot's line of the table."""

    bot: int  # the number of the bot, from 0
    place: int  # its place, from 1; equal bots share a place
    games: int  # the number of its games
    sums: dict[str, int]  # the sums of its figures over its games, by name
    mean: Mean | None  # the mean of the figure that ranks the bots; None before the first game
    rating: Rating
    # Whether its rating's interval is above that of the next bot; None for the last one. A bot that
    # is rated lower than the next one is not separated from it.
    separated: bool | None
    faults: dict[str, int]  # the number of turns with each kind of fault
    # The median over its games of the median time of its answers, and the longest time.
    seconds: tuple[float, float]


@dataclass(slots=True)
class BotTally:
    """Counts and times of the games of one bot."""

    # The number of games by map and score.
    scores: Counter[tuple[int, _Numbers]] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    medians: array[float] = field(default_factory=lambda: array("f"))
    worst: float = 0.0
    updated: str = ""


@dataclass(slots=True)
class ContestTally:
    """The counts of all games of a contest, in arrays with a few numbers for each game."""

    plan: Plan
    repeats: frozenset[int] = frozenset()  # the games that do not count: see `find_repeats`
    bots: list[BotTally] = field(init=False)  # by the numbers of the bots
    _numbers: array[int] = field(default_factory=lambda: array("q"))
    _players: array[int] = field(default_factory=lambda: array("i"))
    _places: array[int] = field(default_factory=lambda: array("i"))
    # Score keys by round and map, and by bot, where a game has one player.
    _runs: dict[tuple[int, int], dict[int, _Numbers]] = field(default_factory=dict)
    # The rounds and maps in which a run counts. There, it is compared with those that repeat.
    _counted: set[tuple[int, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Start without games."""
        self.bots = [BotTally() for _ in self.plan.bots]

    def add(self, game: StoredGame) -> None:
        """Count a game, unless it repeats another one."""
        fixture = game.fixture
        result = game.result
        keys = [player.merit for player in result.players]
        if self.plan.players == 1:
            # Bots that ran on the same map with the same seed are compared as if they had met.
            shared = (fixture.round, fixture.map)
            runs = self._runs.setdefault(shared, {})
            (bot,) = fixture.bots
            (key,) = keys
            runs[bot] = key
        if fixture.number in self.repeats:
            return
        for bot, player in zip(fixture.bots, result.players, strict=True):
            median, worst = player.seconds
            tally = self.bots[bot]
            tally.scores[fixture.map, player.score] += 1
            if player.faults:
                tally.faults.update(player.faults)
            tally.medians.append(median)
            tally.worst = max(tally.worst, worst)
            tally.updated = max(tally.updated, result.ended)
        if self.plan.players == 1:
            self._counted.add(shared)
            return
        places = place_players(keys)
        self._numbers.append(fixture.number)
        self._players.extend(fixture.bots)
        self._places.extend(places)

    def list_games(self) -> Iterable[tuple[Sequence[int], Sequence[int]]]:
        """Yield the bots of each game and their places, in the order of the games' numbers."""
        for shared, keys in sorted(self._runs.items()):
            if shared not in self._counted:
                continue
            bots = sorted(keys)
            ordered_keys = [keys[bot] for bot in bots]
            places = place_players(ordered_keys)
            yield bots, places
        players = self.plan.players
        indices = range(len(self._numbers))
        for index in sorted(indices, key=self._numbers.__getitem__):
            first = index * players
            part = slice(first, first + players)
            yield self._players[part], self._places[part]

    def describe_repeats(self) -> str:
        """Return a sentence about the games that do not count; empty if all do."""
        if not self.repeats:
            return ""
        same = "another one with the same bots, seats, map and record"
        if len(self.repeats) == 1:
            return f"1 game repeats {same}, and is not counted."
        return f"{len(self.repeats):,} games repeat {same}, and are not counted."


def tally_games(known: ContestResults) -> ContestTally:
    """Return the counts of the games of a contest."""
    tally = ContestTally(known.plan, known.find_repeats())
    for game in known.read():
        tally.add(game)
    return tally


def check_library() -> None:
    """Check that the library that ratings need is installed; the error says how to install it."""
    if find_spec("numpy") is None:
        raise KbScoreError(
            "ratings need a library that is not installed: run pip install 'kb-score[contest]'"
        )


def find_standings(tally: ContestTally, rules: GameRules) -> list[BotStanding]:
    """Return the standings, the best bot first; equal bots are in the order of the file."""
    check_library()
    from kb_score.arena.contests.ratings import GameLog, find_separated, rate_bots

    plan = tally.plan
    log = GameLog()
    for bots, places in tally.list_games():
        log.add(bots, places)
    ratings = rate_bots(log, len(plan.bots), seed=plan.seed)
    places_by_bot = rank(tally, rules)
    order = sorted(places_by_bot, key=lambda bot: (places_by_bot[bot], bot))
    ordered_ratings = [ratings[bot] for bot in order]
    separated: list[bool | None] = [*find_separated(ordered_ratings)]
    separated.append(None)  # the last bot has no next one
    standings = []
    for bot, is_separated in zip(order, separated, strict=True):
        place = places_by_bot[bot]
        standing = _make_standing(tally, bot, place, ratings[bot], is_separated)
        standings.append(standing)
    return standings


def rank(contest: ContestTally, rules: GameRules) -> dict[int, int]:
    """Return the places of all bots by the rules."""
    plan = contest.plan
    tally: Tally = Counter()
    for number, bot in enumerate(contest.bots):
        for (map_, score), games in bot.scores.items():
            tally[number, map_, score] = games
    bots = len(plan.bots)
    maps = len(plan.maps)
    keys = rank_bots(plan.type, rules, bots, tally, maps, plan.metric)
    return find_places(keys)


def _make_standing(
    contest: ContestTally, bot: int, place: int, rating: Rating, separated: bool | None
) -> BotStanding:
    """Return a bot's line of the table."""
    from statistics import median  # slow to import: completion must be fast

    from kb_score.arena.contests.ratings import find_mean

    tally = contest.bots[bot]
    plan = contest.plan
    table = plan.type.contest
    sums = dict.fromkeys(table.figures, 0)
    # The number of games with each value of the figure that ranks the bots.
    values = Counter[float]()
    for (_, score), games in tally.scores.items():
        figures = dict(zip(sums, score, strict=True))
        if figures.get(table.counts_if, 1):
            values[figures[plan.metric]] += games
            for figure, value in figures.items():
                sums[figure] += value * games
    mean = find_mean(values) if values else None
    median_time = median(tally.medians) if tally.medians else 0.0
    return BotStanding(
        bot=bot,
        place=place,
        games=sum(tally.scores.values()),
        sums=sums,
        mean=mean,
        rating=rating,
        separated=separated,
        faults={fault: tally.faults[fault] for fault in FAULTS},
        seconds=(median_time, tally.worst),
    )


def find_places(keys: Mapping[int, tuple[Any, ...]]) -> dict[int, int]:
    """Return the places of bots, from 1: larger keys come first, equal keys share a place."""
    places = place_players(list(keys.values()))
    return dict(zip(keys, places, strict=True))


def place_players(keys: Sequence[_Numbers]) -> list[int]:
    """Return the places of keys, from 1: larger keys come first, equal keys share a place."""
    ordered = sorted(keys, reverse=True)
    places: dict[_Numbers, int] = {}
    for place, key in enumerate(ordered, 1):
        places.setdefault(key, place)
    return [places[key] for key in keys]
