"""The page of a contest: what `kb_score/shell/page/contest.js` reads."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kb_score.contests.plan import Plan, has_maps
from kb_score.contests.standings import NOTE, BotStanding, ContestTally, list_rows, place_players
from kb_score.contests.store import (
    FAULTS,
    PlayerResult,
    StoredGame,
    find_logs,
    find_record,
    utc_now,
)
from kb_score.errors import visible
from kb_score.shell.pages import fill_page

# What a page lists, at the most: it has to open at once.
MOST_GAMES = 20_000
MOST_RATED = 60
MOST_COMPARED = 40
_LONGEST = 200  # letters of what went wrong


@dataclass(frozen=True, slots=True)
class FaultyGame:
    """A game in which a bot had faults."""

    number: int  # the number of the game, from 1
    # In how many turns it was late, crashed or said nothing usable, in this game.
    faults: Mapping[str, int]
    detail: str  # what went wrong first

    def order(self) -> tuple[bool, int]:
        """Order such games: with one kind of faults alone, the detail tells of this one."""
        return len(self.faults) > 1, self.number


@dataclass(slots=True)
class PageGames:
    """What a page tells of single games."""

    tally: ContestTally  # what is counted of all of them
    # Those that ended last.
    last: deque[StoredGame] = field(default_factory=lambda: deque(maxlen=MOST_GAMES))
    # The game that shows best how a bot had a kind of fault, by both.
    faulty: dict[tuple[int, str], FaultyGame] = field(default_factory=dict)
    count: int = 0  # how many games there are

    def add(self, game: StoredGame) -> None:
        """Add a game."""
        self.tally.add(game)
        self.last.append(game)
        self.count += 1
        for bot, player in zip(game.fixture.bots, game.result.players, strict=True):
            faults = {kind: number for kind, number in player.faults.items() if number}
            for kind in faults:
                faulty = FaultyGame(game.fixture.number + 1, faults, player.detail)
                known = self.faulty.setdefault((bot, kind), faulty)
                self.faulty[bot, kind] = min(known, faulty, key=FaultyGame.order)

    def list_last(self) -> list[StoredGame]:
        """List the games that ended last, in the order of their numbers."""
        return sorted(self.last, key=lambda game: game.fixture.number)


def collect_games(plan: Plan, played: Iterable[StoredGame]) -> PageGames:
    """Collect all games of a contest."""
    games = PageGames(ContestTally(plan))
    for game in played:
        games.add(game)
    return games


@dataclass(frozen=True, slots=True)
class Links:
    """What there is to link to from a page."""

    results: Path  # the folder of the contest's results
    page: Path  # the file of the page
    replay_folder: Path  # the folder of the replays
    records: set[str]  # the names of the records that there are
    replays: set[str]  # the keys of the games whose replays are there

    def write(self, path: Path) -> str:
        """Write the address of a file or a folder, from the page."""
        return quote(os.path.relpath(path.absolute(), self.page.absolute().parent))


def list_names(folder: Path) -> set[str]:
    """List the names of the files in a folder; none if there is no such folder."""
    try:
        return {path.name for path in folder.iterdir()}
    except OSError:
        return set()


def write_page(
    games: PageGames, standings: Sequence[BotStanding], links: Links, total: int, *, running: bool
) -> str:
    """Write the page of a contest that has so many games in all, and perhaps goes on."""
    plan = games.tally.plan
    standings = standings if games.count else []
    columns, rows = list_rows(plan, standings)
    order = [standing.bot for standing in standings]
    data = {
        "state": _say_state(games.count, total, running=running),
        "note": NOTE if len(standings) > 1 else "",
        "bots": [visible(bot.name) for bot in plan.bots],
        "order": order,
        "seats": plan.players,
        "field": plan.type.map_key.removesuffix("s") if has_maps(plan.type) else "",
        "fields": [visible(map_.name) for map_ in plan.maps],
        "figures": plan.type.figures,
        "countsIf": plan.type.counts_if,
        "faults": FAULTS,
        "columns": ["place", *columns[1:]],
        "rows": [[_show(cell) for cell in row] for row in rows],
        "ratings": [_list_rating(standing) for standing in standings[:MOST_RATED]],
        "compared": _compare(games.tally, order[:MOST_COMPARED]),
        "mishaps": [_list_faults(standing, games) for standing in standings],
        "games": [_list_game(game, links) for game in games.list_last()],
        "left": games.count - len(games.last),
        **_list_places(plan, games, links),
    }
    return fill_page("contest", plan.title, data)


def _say_state(count: int, total: int, *, running: bool) -> str:
    now = utc_now().replace("T", " ").replace("+00:00", " UTC")
    if not count:
        return f"No game has been played yet ({now}): this page is empty until some have."
    goes = " More are being played." if running else ""
    return f"{count:,} of {max(count, total):,} games have been played by {now}.{goes}"


def _show(cell: str | int) -> str | int:
    return visible(cell) if isinstance(cell, str) else cell


def _list_rating(standing: BotStanding) -> list[float | bool]:
    rating = standing.rating
    numbers = [round(value, 2) for value in (rating.rating, *rating.interval)]
    return [*numbers, bool(standing.separated)]


def _compare(tally: ContestTally, order: Sequence[int]) -> list[list[list[int]]]:
    """Compare bots: in how many games a bot came before another, tied with it, and met it."""
    rank = {bot: i for i, bot in enumerate(order)}
    before, ties, met = (Counter[tuple[int, int]]() for _ in range(3))
    for bots, places in tally.list_games():
        ranked = [(rank[b], place) for b, place in zip(bots, places, strict=True) if b in rank]
        for one, place in ranked:
            for other, its in ranked:
                if one != other:
                    met[one, other] += 1
                    before[one, other] += place < its
                    ties[one, other] += place == its
    each = range(len(order))
    return [[[before[i, j], ties[i, j], met[i, j]] for j in each] for i in each]


def _list_faults(standing: BotStanding, games: PageGames) -> list[Any]:
    """List a bot's faults, its times, and one game for each kind of fault, none of them twice."""
    found = [games.faulty.get((standing.bot, kind)) for kind in FAULTS]
    told = {game.number: game for game in found if game is not None}
    examples = [
        [game.number, _count(game.faults), visible(game.detail[:_LONGEST])]
        for game in told.values()
    ]
    return [standing.bot, [standing.faults[kind] for kind in FAULTS], standing.seconds, examples]


def _count(faults: Mapping[str, int]) -> list[int]:
    return [faults.get(kind, 0) for kind in FAULTS]


def _list_game(game: StoredGame, links: Links) -> list[Any]:
    fixture, result = game.fixture, game.result
    places = place_players([player.score_key for player in result.players])
    players = map(_list_player, fixture.bots, places, result.players)
    record = find_record(result)
    found = int(result.key in links.replays), int(record in links.records)
    return [fixture.number + 1, fixture.map, result.turns, list(players), record, *found]


def _list_player(bot: int, place: int, player: PlayerResult) -> list[Any]:
    faults: list[Any] = []
    if any(player.faults.values()):
        faults = [_count(player.faults), visible(player.detail[:_LONGEST])]
    return [bot, place, player.score, *faults]


def _list_places(plan: Plan, games: PageGames, links: Links) -> dict[str, Any]:
    """List the folders that links lead to, and which games each bot has said something in."""
    logs = [find_logs(links.results, bot.name) for bot in plan.bots]
    return {
        "replays": links.write(links.replay_folder),
        "records": links.write(links.results / "games"),
        "logs": [links.write(folder) for folder in logs],
        "said": list(_list_said(logs, games)),
    }


def _list_said(logs: Sequence[Path], games: PageGames) -> Iterator[list[int]]:
    """List for each bot the games, by their numbers, of which there is a file of its words."""
    numbers: dict[int, dict[str, int]] = {}
    for game in games.last:
        if record := find_record(game.result):
            for bot in game.fixture.bots:
                numbers.setdefault(bot, {})[record] = game.fixture.number + 1
    for bot, folder in enumerate(logs):
        known = numbers.get(bot, {})
        names = list_names(folder) if known else set()
        yield sorted(number for record, number in known.items() if record in names)
