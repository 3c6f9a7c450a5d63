"""The standings of a contest: which results count, places by the rules, means and ratings."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from kb_score.contests.plan import Fixture, GameKey, Meeting, Plan, find_seed
from kb_score.contests.store import GameResult, read_results
from kb_score.errors import KbScoreError, visible
from kb_score.shell.output import complain

if TYPE_CHECKING:
    from kb_score.contests.ratings import Mean, Rating
    from kb_score.engine.rules import GameRules
    from kb_score.games.game import StandingRow, Tally

# How a turn may go wrong.
FAULTS = ("late", "crashed", "illegal")
_LARGEST_SCORE = 2**31 - 1  # what clingo counts with


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A result that counts, with the game of the contest that it is of now."""

    fixture: Fixture
    result: GameResult


@dataclass
class ContestResults:
    """The results of a contest, and which of them count."""

    plan: Plan
    digest: str  # what tells the rules from others
    path: Path  # the file of results
    # Of the results that did not count when last read: how many had a bot, records, and why.
    stale: Counter[str] = field(default_factory=Counter)
    unused: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    @cached_property
    def find_key(self) -> Callable[[Fixture], GameKey]:
        """Finds what tells a game apart."""
        return self.plan.identify(self.digest)

    def read(self, played: set[int] | None = None) -> Iterator[StoredGame]:
        """Yield the results that count, each game once, in the order in which they ended.

        What does not count is of bots, maps, limits or rules that are not those of now. The numbers
        of these games are added to ``played``: those that were added to the contest's own games
        count apart, below 0.
        """
        bots = {bot.name: number for number, bot in enumerate(self.plan.bots)}
        maps = {map_.name: number for number, map_ in enumerate(self.plan.maps)}
        # When bots are added to a contest, its games get other numbers.
        known = {(game.bots, game.map, game.round): game for game in self.plan.schedule}
        found = set() if played is None else played
        self.stale.clear()
        self.unused.clear()
        self.reasons.clear()
        for result in read_results(self.path):
            fixture, gone = None, [name for name in result.bots if name not in bots]
            gone += [result.map] * (result.map not in maps)
            self.reasons.update(f"{name} is gone" for name in gone[:1])
            if not gone:
                who = tuple(bots[name] for name in result.bots)
                fixture = self._find(result, who, maps[result.map], known)
            if fixture is None:
                self.stale.update(set(result.bots))
                self.unused.append(result.record or f"game {result.number}")
            elif (mark := ~fixture.number if fixture.added else fixture.number) not in found:
                found.add(mark)
                yield StoredGame(fixture, result)

    def _find(
        self, result: GameResult, who: tuple[int, ...], map_: int, known: Mapping[Meeting, Fixture]
    ) -> Fixture | None:
        """Find the game of now that a result is of, if it counts."""
        scores, figures = (
            [player.score for player in result.players],
            len(self.plan.type.arena.scoring.figures),
        )
        is_whole = len(scores) == len(who) == self.plan.players
        if not is_whole or any(
            len(s) != figures or max(map(abs, s)) > _LARGEST_SCORE for s in scores
        ):
            self.reasons["players or figures are others"] += 1
            return None
        fixture = known.get((who, map_, result.round))
        if result.added:
            seed = find_seed(self.plan.seed, map_, result.round)
            fixture = Fixture(result.number - 1, who, map_, result.round, seed, added=True)
        if fixture is None:
            self.reasons["no such game is left"] += 1
            return None
        key = self.find_key(fixture)
        if key.key == result.key:
            return fixture
        changed = "bots, boards, limits, settings or rules have changed"
        if result.parts:
            whose = (
                "settings or rules have",
                f"{result.map} has",
                *(f"{b} has" for b in result.bots),
            )
            pairs = zip(whose, key.parts, result.parts, strict=False)
            changed = next(
                (f"{one} changed" for one, a, b in pairs if a != b), "the seed has changed"
            )
        self.reasons[changed] += 1
        return None

    def tell_stale(self) -> None:
        """Tell which results did not count when last read, first the bot that most of them had."""
        if self.unused:
            why = "; ".join(f"{why} ({n})" for why, n in self.reasons.most_common(3))
            counts = f"{(n := len(self.unused))} result{'s do' if n > 1 else ' does'}"
            which = (self.unused, [bot for bot, _ in self.stale.most_common()])
            few = [", ".join(w[:3]) + f" and {len(w) - 3} more" * (len(w) > 3) for w in which]
            said = visible(", of ".join(few))
            complain(f"{self.path}: {counts} not count: {visible(why)}: {said}", kind="note")


@dataclass(frozen=True, slots=True)
class BotStanding:
    """A bot's line of the table."""

    bot: int  # the number of the bot, from 0
    place: int  # its place, from 1; equals share one
    games: int  # how many games it has played
    sums: dict[str, int]  # what the figures of its games come to, by name
    mean: Mean | None  # the mean of the figure that ranks; None before the first game
    rating: Rating  # how strong it is, measured by whom it came before
    # Whether its rating's interval is above that of the next bot; None for the last one. A bot that
    # is rated lower than the next one is not separated from it.
    separated: bool | None
    faults: dict[str, int]  # in how many turns it was late, crashed or said nothing usable
    # The median over its games of the median time for an answer, and the longest time.
    seconds: tuple[float, float]


@dataclass(slots=True)
class BotTally:
    """What is counted of the games of one bot: how often it had which score on which map."""

    scores: Counter[tuple[int, tuple[int, ...]]] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    medians: array[float] = field(default_factory=lambda: array("f"))
    worst: float = 0.0
    updated: str = ""


@dataclass(slots=True)
class ContestTally:
    """What is counted of all games: some numbers for each, in arrays."""

    plan: Plan
    bots: list[BotTally] = field(init=False)  # what is counted of bots 0 and so on
    _numbers: array[int] = field(default_factory=lambda: array("q"))
    _players: array[int] = field(default_factory=lambda: array("i"))
    _places: array[int] = field(default_factory=lambda: array("i"))
    _runs: dict[tuple[int, int], dict[int, tuple[int, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin without a game."""
        self.bots = [BotTally() for _ in self.plan.bots]

    def add(self, game: StoredGame) -> None:
        """Count a game."""
        fixture, result = game.fixture, game.result
        for bot, player in zip(fixture.bots, result.players, strict=True):
            tally = self.bots[bot]
            tally.scores[fixture.map, player.score] += 1
            if player.faults:
                tally.faults.update(player.faults)
            tally.medians.append(player.seconds[0])
            tally.worst = max(tally.worst, player.seconds[1])
            tally.updated = max(tally.updated, result.ended)
        keys = [player.score_key for player in result.players]
        if self.plan.players == 1:
            # Those that ran on one map with one seed are compared as if they had met.
            runs = self._runs.setdefault((fixture.round, fixture.map), {})
            runs[fixture.bots[0]] = keys[0]
            return
        self._numbers.append(fixture.number)
        self._players.extend(fixture.bots)
        self._places.extend(place_players(keys))

    def list_games(self) -> Iterable[tuple[Sequence[int], Sequence[int]]]:
        """List who met whom, with their places, in the order of the games' numbers."""
        for key in sorted(self._runs):
            runs = sorted(self._runs[key].items())
            yield [bot for bot, _ in runs], place_players([score_key for _, score_key in runs])
        players = self.plan.players
        for i in sorted(range(len(self._numbers)), key=self._numbers.__getitem__):
            part = slice(i * players, (i + 1) * players)
            yield self._players[part], self._places[part]


def tally_games(plan: Plan, games: Iterable[StoredGame]) -> ContestTally:
    """Count all games of a contest."""
    tally = ContestTally(plan)
    for game in games:
        tally.add(game)
    return tally


def check_library() -> None:
    """Check that the library that ratings need is there; else a KbScoreError says what to do."""
    if find_spec("numpy") is None:
        message = "ratings need a library that is not installed: "
        raise KbScoreError(f"{message}pip install 'kb-score[contest]' brings it")


def find_standings(tally: ContestTally, rules: GameRules) -> list[BotStanding]:
    """Find the standings, the best bot first; equals stand in the order of the contest's file."""
    check_library()
    from kb_score.contests.ratings import GameLog, find_separated, rate_bots

    plan, log = tally.plan, GameLog()
    for bots, places in tally.list_games():
        log.add(bots, places)
    ratings = rate_bots(log, len(plan.bots), seed=plan.seed)
    placed = rank(tally, rules)
    order = sorted(placed, key=lambda bot: (placed[bot], bot))
    separated = [*find_separated([ratings[bot] for bot in order]), None]
    return [
        _stand(tally, bot, placed[bot], ratings[bot], apart)
        for bot, apart in zip(order, separated, strict=True)
    ]


def rank(contest: ContestTally, rules: GameRules) -> dict[int, int]:
    """Find the places of all bots by the rules; a RuleError if the user's cannot be used."""
    plan, game = contest.plan, contest.plan.type
    tally: Tally = Counter()
    for number, bot in enumerate(contest.bots):
        for (map_, score), games in bot.scores.items():
            tally[number, map_, score] = games
    rows = game.arena.scoring.rank(rules, len(plan.bots), tally, len(plan.maps), plan.metric)
    return find_places(rows)


def _stand(
    contest: ContestTally, bot: int, place: int, rating: Rating, separated: bool | None
) -> BotStanding:
    from statistics import median  # a Tab for options is to be quick

    from kb_score.contests.ratings import find_mean

    tally, plan = contest.bots[bot], contest.plan
    sums = dict.fromkeys(plan.type.arena.scoring.figures, 0)
    values = Counter[float]()
    for (_, score), games in tally.scores.items():
        found = dict(zip(sums, score, strict=True))
        if found.get(plan.type.arena.scoring.counts_if, 1):
            values[found[plan.metric]] += games
            for figure, value in found.items():
                sums[figure] += value * games
    return BotStanding(
        bot=bot,
        place=place,
        games=sum(tally.scores.values()),
        sums=sums,
        mean=find_mean(values) if values else None,
        rating=rating,
        separated=separated,
        faults={fault: tally.faults[fault] for fault in FAULTS},
        seconds=(median(tally.medians) if tally.medians else 0.0, tally.worst),
    )


def find_places(standings: Iterable[StandingRow]) -> dict[int, int]:
    """Find the places of bots, from 1: larger keys come first, and equals share a place."""
    rows = list(standings)
    places = place_players([row.key for row in rows])
    return {row.bot: place for row, place in zip(rows, places, strict=True)}


def place_players(keys: Sequence[tuple[int, ...]]) -> list[int]:
    """Find the places of the players of a game, from 1: the largest key is best, equals share."""
    places: dict[tuple[int, ...], int] = {}
    for place, key in enumerate(sorted(keys, reverse=True), 1):
        places.setdefault(key, place)
    return [places[key] for key in keys]
