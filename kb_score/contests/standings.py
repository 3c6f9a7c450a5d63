"""The standings of a contest: places by the rules, means and ratings with their intervals."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from kb_score.contests.ratings import GameLog, find_mean, find_separated, rate_bots
from kb_score.games.arena import find_places
from kb_score.games.sitting import FAULTS

if TYPE_CHECKING:
    from kb_score.contests.book import Entry
    from kb_score.contests.plan import Plan
    from kb_score.contests.ratings import Mean, Rating
    from kb_score.engine.run import GameRules
    from kb_score.games.arena import Tally
    from kb_score.games.sitting import Stay


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's line of the table.

    Attributes:
        bot: The number of the bot, from 0.
        place: Its place, from 1; equals share one.
        games: How many games it has played.
        sums: What the figures of its games come to, by name.
        mean: The mean of the figure that ranks; None before the first game.
        rating: How strong it is, measured by whom it came before.
        separated: Whether its rating's interval is above that of the next bot; None for the last
            one. A bot that is rated lower than the next one is not separated from it.
        faults: In how many turns it was late, crashed or said nothing usable.
        seconds: The median over its games of the median time for an answer, and the longest time.
    """

    bot: int
    place: int
    games: int
    sums: dict[str, int]
    mean: Mean | None
    rating: Rating
    separated: bool | None
    faults: dict[str, int]
    seconds: tuple[float, float]


@dataclass(slots=True)
class Sheet:
    """What is taken down of the games of one bot: how often it had which score on which field."""

    scores: Counter[tuple[int, tuple[int, ...]]] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    medians: array[float] = field(default_factory=lambda: array("f"))
    worst: float = 0.0
    updated: str = ""


@dataclass(slots=True)
class Sheets:
    """What is taken down of all games: some numbers for each, in arrays.

    Attributes:
        plan: The contest.
        bots: What is taken down of bots 0 and so on.
    """

    plan: Plan
    bots: list[Sheet] = field(default_factory=list)
    _numbers: array[int] = field(default_factory=lambda: array("q"))
    _seats: array[int] = field(default_factory=lambda: array("i"))
    _places: array[int] = field(default_factory=lambda: array("i"))
    _runs: dict[tuple[int, int], dict[int, tuple[int, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin with empty sheets."""
        self.bots = [Sheet() for _ in self.plan.bots]

    def take(self, entry: Entry) -> None:
        """Take down a game."""
        match, result = entry.match, entry.result
        for bot, stay in zip(match.seats, result.stays, strict=True):
            sheet = self.bots[bot]
            sheet.scores[match.field, stay.score] += 1
            sheet.faults.update(stay.faults)
            sheet.medians.append(stay.seconds[0])
            sheet.worst = max(sheet.worst, stay.seconds[1])
            sheet.updated = max(sheet.updated, result.ended)
        if self.plan.table == 1:
            # Those that ran on one map with one seed are compared as if they had met.
            runs = self._runs.setdefault((match.round, match.field), {})
            runs[match.seats[0]] = result.stays[0].merit
            return
        self._numbers.append(match.number)
        self._seats.extend(match.seats)
        self._places.extend(place_seats(result.stays))

    def list_games(self) -> Iterable[tuple[Sequence[int], Sequence[int]]]:
        """List who met whom, with their places, in the order of the games' numbers."""
        for key in sorted(self._runs):
            runs = sorted(self._runs[key].items())
            yield [bot for bot, _ in runs], _place([merit for _, merit in runs])
        table = self.plan.table
        for i in sorted(range(len(self._numbers)), key=self._numbers.__getitem__):
            part = slice(i * table, (i + 1) * table)
            yield self._seats[part], self._places[part]


def take_down(plan: Plan, entries: Iterable[Entry]) -> Sheets:
    """Take down all games of a contest."""
    sheets = Sheets(plan)
    for entry in entries:
        sheets.take(entry)
    return sheets


def find_standings(sheets: Sheets, rules: GameRules) -> list[Standing]:
    """Find the standings, the best bot first; equals stand in the order of the contest's file.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    plan, log = sheets.plan, GameLog()
    for seats, places in sheets.list_games():
        log.add(seats, places)
    ratings = rate_bots(log, len(plan.bots), seed=plan.seed)
    placed = rank(sheets, rules)
    order = sorted(placed, key=lambda bot: (placed[bot], bot))
    separated = [*find_separated([ratings[bot] for bot in order]), None]
    return [
        _stand(sheets, bot, placed[bot], ratings[bot], apart)
        for bot, apart in zip(order, separated, strict=True)
    ]


def rank(sheets: Sheets, rules: GameRules) -> dict[int, int]:
    """Find the places of all bots by the rules.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    plan = sheets.plan
    tally: Tally = Counter()
    for bot, sheet in enumerate(sheets.bots):
        for (field_, score), games in sheet.scores.items():
            tally[bot, field_, score] = games
    number, fields = len(plan.bots), len(plan.fields)
    return find_places(plan.arena.rank(number, tally, fields, plan.measure, rules))


def _stand(
    sheets: Sheets, bot: int, place: int, rating: Rating, separated: bool | None
) -> Standing:
    sheet, plan = sheets.bots[bot], sheets.plan
    sums = dict.fromkeys(plan.arena.form.figures, 0)
    values = Counter[float]()
    for (_, score), games in sheet.scores.items():
        found = dict(zip(sums, score, strict=True))
        if found.get(plan.arena.form.counts_if, 1):
            values[found[plan.measure]] += games
            for figure, value in found.items():
                sums[figure] += value * games
    return Standing(
        bot=bot,
        place=place,
        games=sum(sheet.scores.values()),
        sums=sums,
        mean=find_mean(values) if values else None,
        rating=rating,
        separated=separated,
        faults={fault: sheet.faults[fault] for fault in FAULTS},
        seconds=(median(sheet.medians) if sheet.medians else 0.0, sheet.worst),
    )


def place_seats(stays: Iterable[Stay]) -> list[int]:
    """Find the places of those who sat at a table, from 1; equals share one."""
    return _place([stay.merit for stay in stays])


def _place(merits: Sequence[tuple[int, ...]]) -> list[int]:
    """Find the places of some merits, from 1: the largest is the best, and equals share a place."""
    places: dict[tuple[int, ...], int] = {}
    for place, merit in enumerate(sorted(merits, reverse=True), 1):
        places.setdefault(merit, place)
    return [places[merit] for merit in merits]
