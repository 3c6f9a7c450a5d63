"""The table of a contest, and its page, which `web/src/contest.js` reads."""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import permutations
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kb_score.contests.plan import GameMap, Plan, digest
from kb_score.contests.runner import say_time
from kb_score.contests.standings import FAULTS, BotStanding, ContestTally, StoredGame, place_players
from kb_score.contests.store import (
    RECORD_FILE,
    GameResult,
    PlayerResult,
    find_logs,
    find_record,
    utc_now,
)
from kb_score.engine.changes import Changes, list_rule_files
from kb_score.engine.rules import GameRules
from kb_score.errors import InputError, KbScoreError, explain_failure, visible
from kb_score.games import GameFolder
from kb_score.shell.cluster import open_pool
from kb_score.shell.files import make_folder, read_input, write_whole
from kb_score.shell.output import Output, Table, Text, complain, render, show_progress
from kb_score.shell.pages import fill_page, write_replay
from kb_score.shell.pool import run_tasks
from kb_score.version import __version__

# What a page lists, at the most: it has to open at once.
MOST_GAMES = 20_000
MOST_RATED = 60
MOST_COMPARED = 40
_LONGEST = 200  # letters of what went wrong
_RANGES = "The ranges hold the true value in 95 of 100 contests."
NOTE = f"""\
{_RANGES} Neighbours are separated if the
range of the first one's rating is above that of the other; if not, their order may be luck."""


def report_table(plan: Plan, standings: Sequence[BotStanding], format_: str) -> Output:
    """Report the table of a contest in one of the four formats, the best bot first."""
    lines = [to_json(plan, standing) for standing in standings]
    if format_ == "csv":
        columns = tuple(lines[0]) if lines else ()
        rows = tuple(tuple("" if v is None else render(v) for v in line.values()) for line in lines)
        return Output([Table("", columns, rows)], lines)
    note = Text(NOTE if len(standings) > 1 else _RANGES)
    return Output([Table(plan.title, *list_rows(plan, standings)), note], lines)


def list_rows(
    plan: Plan, standings: Sequence[BotStanding]
) -> tuple[tuple[str, ...], tuple[tuple[str | int, ...], ...]]:
    """List the columns of the table for people, and its rows."""
    figures = plan.type.arena.scoring.figures
    others = [figure for figure in figures if figure != plan.metric or plan.players == 1]
    versions = any(bot.version for bot in plan.bots)
    faults = [fault for fault in FAULTS if any(s.faults[fault] for s in standings)]
    columns = ["", "bot", *["version"] * versions, "games", f"{plan.metric} a game", "95 %"]
    # Who has nobody to be compared with has no rating.
    rated = len(plan.bots) > 1
    columns += [*others, *["rating", "rating 95 %"] * rated, *faults, *["next"] * rated]
    rows = []
    for standing in standings:
        bot, mean, rating = plan.bots[standing.bot], standing.mean, standing.rating
        between = "{:.2f} to {:.2f}".format(*mean.interval) if mean and mean.interval else ""
        rates = f"{rating.rating:.1f}", "{:.1f} to {:.1f}".format(*rating.interval)
        apart = {None: "", True: "separated", False: "not separated"}[standing.separated]
        row: list[str | int] = [standing.place, bot.name, *[bot.version] * versions, standing.games]
        row += [f"{mean.mean:.2f}" if mean else "-", between, *(standing.sums[f] for f in others)]
        row += [*rates * rated, *(standing.faults[f] for f in faults), *[apart] * rated]
        rows.append(tuple(row))
    return tuple(columns), tuple(rows)


def to_json(plan: Plan, standing: BotStanding) -> dict[str, Any]:
    """Make the object of a bot, as ``--format json`` prints it on one line."""
    bot, mean, rating = plan.bots[standing.bot], standing.mean, standing.rating
    interval = mean.interval if mean else None
    return {
        "place": standing.place,
        "name": bot.name,
        "version": bot.version,
        "games": standing.games,
        "average": round(mean.mean, 3) if mean else None,
        "interval": [round(bound, 3) for bound in interval] if interval else None,
        "rating": round(rating.rating, 2),
        "rating_sd": round(rating.sd, 2),
        "rating_interval": [round(bound, 3) for bound in rating.interval],
        "separated": standing.separated,
        **standing.faults,
        "seconds_median": round(standing.seconds[0], 4),
        "seconds_worst": round(standing.seconds[1], 4),
        **standing.sums,
    }


@dataclass(slots=True)
class PageGames:
    """What a page tells of single games."""

    tally: ContestTally  # what is counted of all of them
    # Those that ended last.
    last: deque[StoredGame] = field(default_factory=lambda: deque(maxlen=MOST_GAMES))
    # The game that shows best how a bot had a kind of fault, by both: whether it had others, too,
    # the number of the game, and what came of it for the bot.
    faulty: dict[tuple[int, str], tuple[bool, int, PlayerResult]] = field(default_factory=dict)
    count: int = 0  # how many games there are

    def add(self, game: StoredGame) -> None:
        """Add a game."""
        self.tally.add(game)
        self.last.append(game)
        self.count += 1
        for bot, player in zip(game.fixture.bots, game.result.players, strict=True):
            kinds = [kind for kind, turns in player.faults.items() if turns]
            shown = len(kinds) > 1, game.fixture.number + 1, player
            for kind in kinds:
                known = self.faulty.setdefault((bot, kind), shown)
                self.faulty[bot, kind] = min(known, shown, key=itemgetter(0, 1))

    def list_last(self) -> list[StoredGame]:
        """List the games that ended last, in the order of their numbers."""
        return sorted(self.last, key=lambda game: game.fixture.number)


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
    logs = [find_logs(links.results, bot.name) for bot in plan.bots]
    data = {
        "state": _say_state(games.count, total, running=running),
        "note": NOTE if len(standings) > 1 else "",
        "bots": [visible(bot.name) for bot in plan.bots],
        "order": order,
        "seats": plan.players,
        "field": plan.type.arena.scoring.map_key.removesuffix("s")
        if plan.type.arena.has_maps
        else "",
        "fields": [visible(map_.name) for map_ in plan.maps],
        "figures": plan.type.arena.scoring.figures,
        "countsIf": plan.type.arena.scoring.counts_if,
        "faults": FAULTS,
        "columns": ["place", *columns[1:]],
        "rows": [[visible(c) if isinstance(c, str) else c for c in row] for row in rows],
        "ratings": [
            [*(round(v, 2) for v in (s.rating.rating, *s.rating.interval)), bool(s.separated)]
            for s in standings[:MOST_RATED]
        ],
        "compared": _compare(games.tally, order[:MOST_COMPARED]),
        "mishaps": [_list_faults(standing, games) for standing in standings],
        "games": [_list_game(game, links) for game in games.list_last()],
        "left": games.count - len(games.last),
        "replays": links.write(links.replay_folder),
        "records": links.write(links.results / "games"),
        "logs": [links.write(folder) for folder in logs],
        "said": list(_list_said(logs, games)),
    }
    return fill_page("contest", plan.title, data)


def _say_state(count: int, total: int, *, running: bool) -> str:
    now = utc_now().replace("T", " ").replace("+00:00", " UTC")
    if not count:
        return f"No game has been played yet ({now}): this page is empty until some have."
    goes = " More are being played." if running else ""
    return f"{count:,} of {max(count, total):,} games have been played by {now}.{goes}"


def _compare(tally: ContestTally, order: Sequence[int]) -> list[list[list[int]]]:
    """Compare bots: in how many games a bot came before another, tied with it, and met it."""
    rank = {bot: i for i, bot in enumerate(order)}
    before, ties, met = (Counter[tuple[int, int]]() for _ in range(3))
    for bots, places in tally.list_games():
        ranked = [(rank[b], place) for b, place in zip(bots, places, strict=True) if b in rank]
        for (one, place), (other, its) in permutations(ranked, 2):
            met[one, other] += 1
            before[one, other] += place < its
            ties[one, other] += place == its
    each = range(len(order))
    return [[[before[i, j], ties[i, j], met[i, j]] for j in each] for i in each]


def _list_faults(standing: BotStanding, games: PageGames) -> list[Any]:
    """List a bot's faults, its times, and one game for each kind of fault, none of them twice."""
    found = [games.faulty.get((standing.bot, kind)) for kind in FAULTS]
    told = {game[1]: [game[1], *_list_mishap(game[2])] for game in found if game is not None}
    times = standing.seconds
    return [standing.bot, [standing.faults[k] for k in FAULTS], times, list(told.values())]


def _list_mishap(player: PlayerResult) -> list[Any]:
    """List a player's faults of each kind, and what went wrong first."""
    return [[player.faults.get(kind, 0) for kind in FAULTS], visible(player.detail[:_LONGEST])]


def _list_game(game: StoredGame, links: Links) -> list[Any]:
    fixture, result = game.fixture, game.result
    places = place_players([player.score_key for player in result.players])
    players = [
        [bot, place, player.score, *(_list_mishap(player) if any(player.faults.values()) else [])]
        for bot, place, player in zip(fixture.bots, places, result.players, strict=True)
    ]
    record = find_record(result)
    found = int(result.key in links.replays), int(record in links.records)
    return [fixture.number + 1, fixture.map, result.turns, players, record, *found]


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


_MARK = "<!-- a game of a contest by kb-score, "
_MARK_LENGTH = 200  # bytes at the end of a page that hold the mark
_MARKED = 32  # letters of a digest
_LONGEST_TITLE = 200  # letters of a title


@dataclass(frozen=True, slots=True)
class ReplayJob:
    """A replay that is to be drawn."""

    key: str  # what tells the game from others
    map: GameMap | None  # what was played on; nothing for a game that draws its records alone
    record: Path  # the file of the record
    title: str  # what the page calls the game
    page: Path  # the file of the page
    mark: str  # what the page ends with: it tells what the page was made of

    def __str__(self) -> str:
        return str(self.record)


def draw_replay(rules: GameRules, job: ReplayJob) -> str | KbScoreError:
    """Draw a replay. What is wrong with one record is returned, so that the others are drawn."""
    try:
        record = "the record", read_input(str(job.record), RECORD_FILE)
        maps = [(job.map.name, job.map.text)] if job.map else []
        replay = GameFolder(rules.game).type.replay(rules, [*maps, record])
        page = write_replay(replace(replay, record=job.title))
        return f"{page.rstrip()}\n{job.mark}\n"
    except KbScoreError as error:
        return InputError(str(job.record), f"no replay can be drawn of it: {error}")


@dataclass(frozen=True)
class ReplayFolder:
    """The folder of the replays, beside the page of a contest."""

    folder: Path  # where it is
    plan: Plan
    changes: Changes  # the user's changes of the rules
    digest: str  # what tells the rules from others
    results: Path  # the folder of the contest's results

    def find_there(self, results: Iterable[GameResult], records: set[str]) -> set[str]:
        """Find the keys of the games whose replay shows their record by the rules of now."""
        there = [r for r in results if find_record(r) in records and self._find_page(r).exists()]
        jobs = map(self._make_job, there)
        return {job.key for job in jobs if _read_end(job.page).endswith(f"{job.mark}\n".encode())}

    def draw(self, results: Sequence[GameResult], jobs: int, drawn: set[str]) -> None:
        """Draw replays, each written whole, and add their keys; what cannot be drawn is told."""
        make_folder(self.folder)
        begun = time.monotonic()
        with open_pool(min(jobs, len(results))) as pool:
            draw = partial(draw_replay, GameRules(self.plan.game, self.changes))
            made = run_tasks(pool, draw, map(self._check_job, results), ordered=False)
            for done, (job, page) in enumerate(made, 1):
                if isinstance(page, str):
                    write_whole(str(job.page), page.encode(errors="replace"))
                    drawn.add(job.key)
                else:
                    complain(page, kind="warning")
                left = (time.monotonic() - begun) / done * (len(results) - done)
                show_progress(f"{done}/{len(results)} replays; {say_time(left)} left")

    def _find_page(self, result: GameResult) -> Path:
        return self.folder / f"{Path(result.record).stem}.html"

    def _check_job(self, result: GameResult) -> ReplayJob:
        """Make a job whose page replaces nothing but an older one."""
        job = self._make_job(result)
        if job.page.exists() and _MARK.encode() not in _read_end(job.page):
            message = "this is no replay of a contest: name another page by -o"
            raise InputError(str(job.page), message)
        return job

    def _make_job(self, result: GameResult) -> ReplayJob:
        plan, map_, record = self.plan, self._maps[result.map], self.results / result.record
        where = f" on {result.map}" if result.map else ""
        title = f"{plan.name}: {', '.join(result.bots)}{where}, round {result.round + 1}"
        title = title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 3]}..."
        with explain_failure(record):
            text = record.read_bytes().decode(errors="replace")
        made_of = digest(self._common, title, map_.name, map_.text, text)[:_MARKED]
        page, shown = self._find_page(result), map_ if plan.type.maps else None
        mark = f"{_MARK}{made_of} -->"
        return ReplayJob(result.key, shown, record, title, page, mark)

    @cached_property
    def _maps(self) -> dict[str, GameMap]:
        return {map_.name: map_ for map_ in self.plan.maps}

    @cached_property
    def _common(self) -> str:
        """What all replays are made of: the rules, and how a page looks."""
        rules = [path.read_text("utf-8") for path in list_rule_files(self.plan.game)[0]]
        return digest(__version__, self.digest, *rules, fill_page("replay", "", {}))[:_MARKED]


def _read_end(page: Path) -> bytes:
    try:
        with page.open("rb") as stream:
            stream.seek(max(0, page.stat().st_size - _MARK_LENGTH))
            return stream.read()
    except OSError:
        return b""  # there is none


def order_games(results: Iterable[GameResult], records: set[str]) -> list[GameResult]:
    """List the games that can have a replay: those with faults first, the others by lot."""
    able = [result for result in results if find_record(result) in records]
    return sorted(able, key=lambda r: (not any(player.faults for player in r.players), r.key))
