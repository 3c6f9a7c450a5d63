"""The page of a contest: what `kb_score/shell/page/contest.js` reads."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from kb_score.contests.folder import find_logs, find_record
from kb_score.contests.results import utc_now
from kb_score.contests.standings import Sheets, place_seats
from kb_score.contests.table import NOTE, list_rows
from kb_score.errors import visible
from kb_score.games.sitting import FAULTS
from kb_score.shell.pages import fill_page

if TYPE_CHECKING:
    from kb_score.contests.book import Entry
    from kb_score.contests.plan import Plan
    from kb_score.contests.standings import Standing
    from kb_score.games.sitting import Stay

# What a page lists, at the most: it has to open at once.
MOST_GAMES = 20_000
MOST_RATED = 60
MOST_COMPARED = 40
_LONGEST = 200  # letters of what went wrong


@dataclass(frozen=True, slots=True)
class Mishap:
    """A game in which a bot had faults.

    Attributes:
        number: The number of the game, from 1.
        faults: In how many turns it was late, crashed or said nothing usable, in this game.
        detail: What went wrong first.
    """

    number: int
    faults: Mapping[str, int]
    detail: str

    def order(self) -> tuple[bool, int]:
        """Order mishaps: where a bot had one kind of faults alone, the detail tells of this one."""
        return len(self.faults) > 1, self.number


@dataclass(slots=True)
class Games:
    """What a page tells of single games.

    Attributes:
        sheets: What is taken down of all of them.
        last: Those that ended last.
        mishaps: The game that shows best how a bot had a kind of fault, by both.
        count: How many games there are.
    """

    sheets: Sheets
    last: deque[Entry] = field(default_factory=lambda: deque(maxlen=MOST_GAMES))
    mishaps: dict[tuple[int, str], Mishap] = field(default_factory=dict)
    count: int = 0

    def take(self, entry: Entry) -> None:
        """Take a game in."""
        self.sheets.take(entry)
        self.last.append(entry)
        self.count += 1
        for bot, stay in zip(entry.match.seats, entry.result.stays, strict=True):
            faults = {kind: number for kind, number in stay.faults.items() if number}
            for kind in faults:
                mishap = Mishap(entry.match.number + 1, faults, stay.detail)
                known = self.mishaps.setdefault((bot, kind), mishap)
                self.mishaps[bot, kind] = min(known, mishap, key=Mishap.order)

    def list_last(self) -> list[Entry]:
        """List the games that ended last, in the order of their numbers."""
        return sorted(self.last, key=lambda entry: entry.match.number)


def take_games(plan: Plan, entries: Iterable[Entry]) -> Games:
    """Take in all games of a contest."""
    games = Games(Sheets(plan))
    for entry in entries:
        games.take(entry)
    return games


@dataclass(frozen=True, slots=True)
class Links:
    """What there is to link to from a page.

    Attributes:
        results: The folder of the contest's results.
        page: The file of the page.
        gallery: The folder of the replays.
        records: The names of the records that there are.
        replays: The keys of the games whose replays are there.
    """

    results: Path
    page: Path
    gallery: Path
    records: set[str]
    replays: set[str]

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
    games: Games, standings: Sequence[Standing], links: Links, total: int, *, running: bool
) -> str:
    """Write the page of a contest.

    Args:
        games: The games that have been played.
        standings: What comes of them; nothing of it is shown before the first game.
        links: What there is to link to.
        total: How many games there are in all.
        running: Whether more games are being played.
    """
    plan = games.sheets.plan
    standings = standings if games.count else []
    columns, rows = list_rows(plan, standings)
    order = [standing.bot for standing in standings]
    form = plan.arena.form
    data = {
        "state": _say_state(games.count, total, running=running),
        "note": NOTE if len(standings) > 1 else "",
        "bots": [visible(bot.name) for bot in plan.bots],
        "order": order,
        "seats": plan.table,
        "field": form.field_key.removesuffix("s"),
        "fields": [visible(field_.name) for field_ in plan.fields],
        "figures": form.figures,
        "countsIf": form.counts_if,
        "faults": FAULTS,
        "columns": ["place", *columns[1:]],
        "rows": [[_show(cell) for cell in row] for row in rows],
        "ratings": [_list_rating(standing) for standing in standings[:MOST_RATED]],
        "compared": _compare(games.sheets, order[:MOST_COMPARED]),
        "mishaps": [_list_mishaps(standing, games) for standing in standings],
        "games": [_list_game(entry, links) for entry in games.list_last()],
        "left": games.count - len(games.last),
        **_list_places(plan, games, links),
    }
    game = plan.game.replace("_", "-")
    return fill_page("contest", f"{plan.name}: {game}", data, scripts=["tables"])


def _say_state(count: int, total: int, *, running: bool) -> str:
    now = utc_now().replace("T", " ").replace("+00:00", " UTC")
    if not count:
        return f"No game has been played yet ({now}): this page is empty until some have."
    goes = " More are being played." if running else ""
    return f"{count:,} of {max(count, total):,} games have been played by {now}.{goes}"


def _show(cell: str | int) -> str | int:
    return visible(cell) if isinstance(cell, str) else cell


def _list_rating(standing: Standing) -> list[float | bool]:
    rating = standing.rating
    numbers = [round(value, 2) for value in (rating.rating, *rating.interval)]
    return [*numbers, bool(standing.separated)]


def _compare(sheets: Sheets, order: Sequence[int]) -> list[list[list[int]]]:
    """Compare bots: in how many games a bot came before another, tied with it, and met it."""
    rank = {bot: i for i, bot in enumerate(order)}
    before, ties, met = (Counter[tuple[int, int]]() for _ in range(3))
    for seats, places in sheets.list_games():
        ranked = [(rank[b], place) for b, place in zip(seats, places, strict=True) if b in rank]
        for one, place in ranked:
            for other, its in ranked:
                if one != other:
                    met[one, other] += 1
                    before[one, other] += place < its
                    ties[one, other] += place == its
    each = range(len(order))
    return [[[before[i, j], ties[i, j], met[i, j]] for j in each] for i in each]


def _list_mishaps(standing: Standing, games: Games) -> list[Any]:
    """List a bot's faults, its times, and one game for each kind of fault, none of them twice."""
    found = [games.mishaps.get((standing.bot, kind)) for kind in FAULTS]
    told = {mishap.number: mishap for mishap in found if mishap is not None}
    examples = [
        [mishap.number, _count(mishap.faults), visible(mishap.detail[:_LONGEST])]
        for mishap in told.values()
    ]
    return [standing.bot, [standing.faults[kind] for kind in FAULTS], standing.seconds, examples]


def _count(faults: Mapping[str, int]) -> list[int]:
    return [faults.get(kind, 0) for kind in FAULTS]


def _list_game(entry: Entry, links: Links) -> list[Any]:
    match, result = entry.match, entry.result
    places = place_seats(result.stays)
    stays = [_list_stay(*seat) for seat in zip(match.seats, places, result.stays, strict=True)]
    record = find_record(result)
    found = int(result.key in links.replays), int(record in links.records)
    return [match.number + 1, match.field, result.turns, stays, record, *found]


def _list_stay(bot: int, place: int, stay: Stay) -> list[Any]:
    faults: list[Any] = []
    if any(stay.faults.values()):
        faults = [_count(stay.faults), visible(stay.detail[:_LONGEST])]
    return [bot, place, stay.score, *faults]


def _list_places(plan: Plan, games: Games, links: Links) -> dict[str, Any]:
    """List the folders that links lead to, and which games each bot has said something in."""
    logs = [find_logs(links.results, bot.name) for bot in plan.bots]
    return {
        "replays": links.write(links.gallery),
        "records": links.write(links.results / "games"),
        "logs": [links.write(folder) for folder in logs],
        "said": list(_list_said(logs, games)),
    }


def _list_said(logs: Sequence[Path], games: Games) -> Iterator[list[int]]:
    """List for each bot the games, by their numbers, of which there is a file of its words."""
    numbers: dict[int, dict[str, int]] = {}
    for entry in games.last:
        if record := find_record(entry.result):
            for bot in entry.match.seats:
                numbers.setdefault(bot, {})[record] = entry.match.number + 1
    for bot, folder in enumerate(logs):
        known = numbers.get(bot, {})
        names = list_names(folder) if known else set()
        yield sorted(number for record, number in known.items() if record in names)
