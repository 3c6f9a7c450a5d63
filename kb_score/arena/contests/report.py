"""The table of a contest, its page, which `web/contest/contest.tsx` reads, and its replays."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from html import escape
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, cast
from urllib.parse import quote

from kb_score.arena.contests.plan import GameMap, Plan, digest_words
from kb_score.arena.contests.runner import format_duration
from kb_score.arena.contests.standings import (
    FAULTS,
    BotStanding,
    ContestTally,
    StoredGame,
    place_players,
)
from kb_score.arena.contests.store import (
    RECORD_FILE,
    GameResult,
    PlayerResult,
    find_logs,
    find_record,
    utc_now,
)
from kb_score.engine.changes import Changes, list_rule_files
from kb_score.engine.rule_text import read_rule_text
from kb_score.engine.rules import GameRules
from kb_score.errors import InputError, KbScoreError, explain_failure, visible
from kb_score.games import GameFolder
from kb_score.games.labels import Labels
from kb_score.shell.cluster import open_pool
from kb_score.shell.files import make_folder, read_input, write_atomically
from kb_score.shell.output import Output, Table, Text, complain, render, show_progress
from kb_score.shell.pages import fill_page, write_replay
from kb_score.shell.pool import run_tasks
from kb_score.version import __version__

# The most that a page lists, so that it opens at once.
MAX_GAMES = 20_000
MAX_RATED = 60
MAX_COMPARED = 40
_LONGEST = 200  # characters of a description of a fault
_RANGES = "The ranges contain the true value in 95 of 100 contests."
_SEPARATE = """\
Two bots in consecutive rows are
separated if the range of the first one's rating is above that of the second; otherwise their order
may be luck."""


def write_note(tally: ContestTally) -> str:
    """Write the lines below the table: how it is sorted, and what its figures mean."""
    plan = tally.plan
    lines = []
    if len(plan.bots) > 1:
        contest = plan.type.contest
        order = f"{plan.metric} a game"
        for metric in contest.metrics:
            if metric != plan.metric:
                order += f", then by {metric}"
        if plan.type.ranks_maps:
            order = "place, which the game's rank.lp gives"
        lines += [f"The table is sorted by {order}. Ratings say who was ahead of whom."]
        lines += [f"{_RANGES} {_SEPARATE}"]
    else:
        lines += [_RANGES]
    repeats = tally.describe_repeats()
    if repeats:
        lines += [repeats]
    return "\n".join(lines)


def report_table(tally: ContestTally, standings: Sequence[BotStanding], format_: str) -> Output:
    """Return the table of a contest for one of the four formats; the best bot comes first."""
    plan = tally.plan
    lines = [to_json(plan, standing) for standing in standings]
    if format_ in ("csv", "json") and tally.repeats:
        complain(tally.describe_repeats(), kind="note")
    if format_ == "csv":
        columns: tuple[str, ...] = ()
        rows = []
        for line in lines:
            columns = tuple(line)
            cells: list[str | int] = []
            for value in line.values():
                if value is None:
                    cells.append("")
                else:
                    cells.append(render(value))
            rows.append(tuple(cells))
        return Output([Table("", columns, tuple(rows))], lines)
    table = _make_table(plan, standings)
    return Output([table, Text(write_note(tally))], lines)


def _make_table(plan: Plan, standings: Sequence[BotStanding]) -> Table:
    """Return the table that people read."""
    bots = [plan.bots[standing.bot] for standing in standings]
    averages = []
    intervals = []
    for standing in standings:
        average, interval = _write_mean(standing)
        averages.append(average)
        intervals.append(interval)
    columns: dict[str, list[str] | list[int]] = {
        "": [standing.place for standing in standings],
        "bot": [bot.name for bot in bots],
    }
    if any(bot.version for bot in plan.bots):
        columns["version"] = [bot.version for bot in bots]
    columns["games"] = [standing.games for standing in standings]
    columns[f"{plan.metric} a game"] = averages
    columns["95 %"] = intervals
    for figure in plan.type.contest.figures:
        if figure != plan.metric or plan.players == 1:
            columns[figure] = [standing.sums[figure] for standing in standings]
    is_rated = len(plan.bots) > 1  # a single bot cannot be compared with another one
    if is_rated:
        ratings = []
        rating_intervals = []
        for standing in standings:
            rating = standing.rating
            ratings.append(f"{rating.rating:.1f}")
            interval = _write_interval(rating.interval, 1)
            rating_intervals.append(interval)
        columns["rating"] = ratings
        columns["rating 95 %"] = rating_intervals
    for fault in FAULTS:
        turns = [standing.faults[fault] for standing in standings]
        if any(turns):
            columns[fault] = turns
    if is_rated:
        columns["next"] = [_SEPARATED[standing.separated] for standing in standings]
    rows = zip(*columns.values(), strict=True)
    return Table(plan.title, tuple(columns), tuple(rows))


_SEPARATED = {None: "", True: "separated", False: "not separated"}


def _write_mean(standing: BotStanding) -> tuple[str, str]:
    """Write the mean of the figure that bots are ranked by, and its interval."""
    mean = standing.mean
    if mean is None:
        return "-", ""
    average = f"{mean.mean:.2f}"
    interval = _write_interval(mean.interval, 2)
    return average, interval


def _write_interval(interval: tuple[float, float] | None, digits: int) -> str:
    """Write an interval, such as ``1.25 to 2.50``; empty if there is none."""
    if interval is None:
        return ""
    low, high = interval
    return f"{low:.{digits}f} to {high:.{digits}f}"


def to_json(plan: Plan, standing: BotStanding) -> dict[str, Any]:
    """Return the JSON object that ``--format json`` prints for a bot, on one line."""
    bot = plan.bots[standing.bot]
    average = None
    interval = None
    mean = standing.mean
    if mean:
        average = round(mean.mean, 3)
        if mean.interval:
            interval = [round(bound, 3) for bound in mean.interval]
    rating = standing.rating
    median, worst = standing.seconds
    return {
        "place": standing.place,
        "name": bot.name,
        "version": bot.version,
        "games": standing.games,
        "average": average,
        "interval": interval,
        "rating": round(rating.rating, 2),
        "rating_sd": round(rating.sd, 2),
        "rating_interval": [round(bound, 3) for bound in rating.interval],
        "separated": standing.separated,
        **standing.faults,
        "seconds_median": round(median, 4),
        "seconds_worst": round(worst, 4),
        **standing.sums,
    }


class BotRating(NamedTuple):
    """The rating of a bot."""

    rating: float
    low: float  # the beginning of its range
    high: float  # the end of its range
    separated: bool  # whether it is above the range of the next bot


class FaultExample(NamedTuple):
    """A game in which a bot had faults."""

    number: int
    counts: Sequence[int]  # in how many turns it had each kind of fault
    detail: str  # what went wrong first


class Mishap(NamedTuple):
    """The faults and the times of a bot."""

    bot: int
    counts: Sequence[int]  # in how many turns it had each kind of fault
    seconds: tuple[float, float]  # the median and the longest time for an answer
    examples: Sequence[FaultExample]  # games that show the kinds of faults


class Stay(NamedTuple):
    """A player of a game."""

    bot: int
    place: int
    score: Sequence[int]
    counts: Sequence[int] = ()  # in how many turns it had each kind of fault, if there are any
    detail: str = ""  # what went wrong first


class ContestGame(NamedTuple):
    """A game."""

    number: int
    field: int
    turns: int
    stays: Sequence[Stay]
    record: str  # the name of its record; may be empty
    replay: int  # 1 if there is a replay
    kept: int  # 1 if there is a record


class ContestData(TypedDict):
    """The data of a contest's page; bots are numbers, and so are fields."""

    state: str  # a sentence: how many games have been played
    note: str
    bots: Sequence[str]  # their names
    order: Sequence[int]  # the best bot first; empty before the first game
    seats: int  # how many play a game
    # The noun for a field that games are played on, such as "map"; empty without fields.
    field: str
    fields: Sequence[str]  # the names of the fields
    figures: Sequence[str]  # the names of a game's figures
    # The figure that is 0 in games whose other figures do not count; empty if all do.
    countsIf: str
    faults: Sequence[str]  # the kinds of faults
    columns: Sequence[str]  # the heads of the table
    rows: Sequence[Sequence[str | int]]  # the lines of the table, in the order of the bots
    ratings: Sequence[BotRating]  # of the first bots
    # For each two of the first bots three numbers of games: in which one came before the other,
    # tied with it, and met it.
    compared: Sequence[Sequence[Sequence[int]]]
    mishaps: Sequence[Mishap]
    games: Sequence[ContestGame]
    left: int  # the number of games that are left out, which ended before the others
    replays: str  # the address of the folder of replays
    records: str  # the address of the folder of records
    logs: Sequence[str]  # the address of the folder of each bot's logs
    # For each bot the numbers of the games with a log of its error stream.
    said: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True, order=True)
class FaultyGame:
    """A game in which a bot had faults; of two games, the first in order shows them better."""

    is_mixed: bool  # whether the bot had several kinds of faults
    number: int  # the number of the game, from 1
    player: PlayerResult = field(compare=False)  # the result of the bot


@dataclass(slots=True)
class PageGames:
    """The games that a page lists, and the tally of all games."""

    tally: ContestTally
    # The games that ended last.
    last: deque[StoredGame] = field(default_factory=lambda: deque(maxlen=MAX_GAMES))
    # The game that best shows a fault, by bot and kind of fault.
    faulty: dict[tuple[int, str], FaultyGame] = field(default_factory=dict)
    count: int = 0  # the total number of games

    def add(self, game: StoredGame) -> None:
        """Add a game."""
        self.tally.add(game)
        self.last.append(game)
        self.count += 1
        number = game.fixture.number + 1
        for bot, player in zip(game.fixture.bots, game.result.players, strict=True):
            kinds = [kind for kind, turns in player.faults.items() if turns]
            is_mixed = len(kinds) > 1
            shown = FaultyGame(is_mixed, number, player)
            for kind in kinds:
                known = self.faulty.get((bot, kind), shown)
                self.faulty[bot, kind] = min(known, shown)

    def list_last(self) -> list[StoredGame]:
        """Return the games that ended last, in the order of their numbers."""
        return sorted(self.last, key=lambda game: game.fixture.number)


@dataclass(frozen=True, slots=True)
class Links:
    """The files and folders that a page links to."""

    results: Path  # the folder of the contest's results
    page: Path  # the file of the page
    replay_folder: Path  # the folder of the replays
    records: set[str]  # the names of the existing records
    replays: set[str]  # the keys of the games with a replay

    def write(self, path: Path) -> str:
        """Write the address of a file or a folder, relative to the page."""
        start = self.page.absolute().parent
        address = os.path.relpath(path.absolute(), start)
        return quote(address)


def list_names(folder: Path) -> set[str]:
    """Return the names of the files in a folder; none if the folder cannot be read."""
    try:
        return {path.name for path in folder.iterdir()}
    except OSError:
        return set()


def write_page(
    games: PageGames, standings: Sequence[BotStanding], links: Links, total: int, *, running: bool
) -> str:
    """Return the page of a contest, in which ``total`` games are to be played."""
    plan = games.tally.plan
    game = plan.type
    if not games.count:
        standings = []
    note = ""
    if standings:
        note = write_note(games.tally)
    table = _make_table(plan, standings)
    order = [standing.bot for standing in standings]
    logs = [find_logs(links.results, bot.name) for bot in plan.bots]
    field_name = ""
    if game.has_maps:
        field_name = game.map_key.removesuffix("s")
    data: ContestData = {
        "state": _describe_state(games.count, total, running=running),
        "note": note,
        "bots": [visible(bot.name) for bot in plan.bots],
        "order": order,
        "seats": plan.players,
        "field": field_name,
        "fields": [visible(map_.name) for map_ in plan.maps],
        "figures": game.contest.figures,
        "countsIf": game.contest.counts_if,
        "faults": FAULTS,
        "columns": ["place", *table.columns[1:]],
        "rows": [list(map(_show_cell, row)) for row in table.rows],
        "ratings": [_list_rating(standing) for standing in standings[:MAX_RATED]],
        "compared": _compare(games.tally, order[:MAX_COMPARED]),
        "mishaps": [_list_faults(standing, games) for standing in standings],
        "games": [_list_game(game, links) for game in games.list_last()],
        "left": games.count - len(games.last),
        "replays": links.write(links.replay_folder),
        "records": links.write(links.results / "games"),
        "logs": [links.write(folder) for folder in logs],
        "said": list(_list_logged_games(logs, games)),
    }
    # Without a script, the page shows its table.
    heads = "".join(f"<th>{escape(column)}</th>" for column in ("place", *table.columns[1:]))
    lines = [
        "".join(f"<td>{escape(visible(str(cell)))}</td>" for cell in row) for row in table.rows
    ]
    rows = "".join(f"<tr>{line}</tr>" for line in lines)
    markup = f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>" if lines else ""
    return fill_page("contest", plan.title, data, table=markup, note=escape(note))


def _show_cell(cell: str | int) -> str | int:
    """Return a cell of a table, with the control characters of a string made visible."""
    if isinstance(cell, str):
        return visible(cell)
    return cell


def _describe_state(count: int, total: int, *, running: bool) -> str:
    """Return a sentence with the number of games that have been played by now."""
    now = utc_now().replace("T", " ").replace("+00:00", " UTC")
    if not count:
        return f"No game had been played by {now}: this page stays empty until one has."
    state = f"{count:,} of {total:,} games had been played by {now}."
    if running:
        state += " More are being played."
    return state


def _list_rating(standing: BotStanding) -> BotRating:
    """Return a bot's rating, its interval, and whether it is separated from the next one."""
    rating = standing.rating
    low, high = rating.interval
    return BotRating(
        round(rating.rating, 2), round(low, 2), round(high, 2), bool(standing.separated)
    )


def _compare(tally: ContestTally, order: Sequence[int]) -> list[list[list[int]]]:
    """Count the games of each pair of bots, in the order of rows and columns.

    Each bot has, for each of the others, the numbers of games in which it finished ahead of the
    other, tied with it, and met it.
    """
    ranks = {bot: rank for rank, bot in enumerate(order)}
    table = [[[0, 0, 0] for _ in order] for _ in order]
    for bots, places in tally.list_games():
        players = []
        for bot, place in zip(bots, places, strict=True):
            if bot in ranks:
                players.append((ranks[bot], place))
        for (rank, place), (other_rank, other_place) in permutations(players, 2):
            counts = table[rank][other_rank]
            if place < other_place:
                counts[0] += 1
            elif place == other_place:
                counts[1] += 1
            counts[2] += 1
    return table


def _list_faults(standing: BotStanding, games: PageGames) -> Mishap:
    """Return a bot's faults, its times, and the games that show the kinds of faults."""
    bot = standing.bot
    turns = []
    shown = {}
    for kind in FAULTS:
        turns.append(standing.faults[kind])
        game = games.faulty.get((bot, kind))
        if game is not None:  # one game may show several kinds
            number = game.number
            shown[number] = FaultExample(number, *_list_player_faults(game.player))
    return Mishap(bot, turns, standing.seconds, list(shown.values()))


def _list_player_faults(player: PlayerResult) -> tuple[list[int], str]:
    """Return the number of a player's faults of each kind, and a description of the first one."""
    turns = [player.faults.get(kind, 0) for kind in FAULTS]
    start = player.detail[:_LONGEST]
    description = visible(start)
    return turns, description


def _list_game(game: StoredGame, links: Links) -> ContestGame:
    """Return the line of a game on the page."""
    fixture = game.fixture
    result = game.result
    places = place_players([player.merit for player in result.players])
    players = []
    for bot, place, player in zip(fixture.bots, places, result.players, strict=True):
        stay = (bot, place, player.score)
        if any(player.faults.values()):
            players.append(Stay(*stay, *_list_player_faults(player)))
        else:  # a shorter tuple, for which mypy has no type: the page needs no more
            players.append(cast("Stay", stay))
    record = find_record(result)
    has_replay = int(result.key in links.replays)
    has_record = int(record in links.records)
    return ContestGame(
        fixture.number + 1, fixture.map, result.turns, players, record, has_replay, has_record
    )


def _list_logged_games(logs: Sequence[Path], games: PageGames) -> Iterator[list[int]]:
    """Yield for each bot the numbers of the games with a log of its error stream."""
    numbers: list[dict[str, int]] = [{} for _ in logs]  # by bot and record
    for game in games.last:
        fixture = game.fixture
        record = find_record(game.result)
        if record:
            for bot in fixture.bots:
                numbers[bot][record] = fixture.number + 1
    for folder, by_record in zip(logs, numbers, strict=True):
        logged: set[str] = set()
        if by_record:
            logged = by_record.keys() & list_names(folder)
        yield sorted(by_record[record] for record in logged)


_MARK = "<!-- a game of a contest by kb-score, "
_MARK_LENGTH = 200  # bytes at the end of a page that contain the mark
_MARKED = 32  # characters of a digest
_LONGEST_TITLE = 200  # characters of a title


@dataclass(frozen=True, slots=True)
class ReplayJob:
    """A replay to draw."""

    key: str  # identifies the game
    map: GameMap | None  # the map that the game needs to draw its record, if any
    record: Path  # the file of the record
    title: str  # the title of the page
    bots: tuple[str, ...]  # the names of the bots of players 1 and so on
    page: Path  # the file of the page
    mark: str  # the last line of the page, with a digest of what the page was made from

    def __str__(self) -> str:
        return str(self.record)


def draw_replay(rules: GameRules, job: ReplayJob) -> str | KbScoreError:
    """Return the page of a replay, or the error if its record cannot be drawn."""
    record = str(job.record)
    try:
        inputs = []
        map_ = job.map
        if map_:
            inputs.append((map_.name, map_.text))
        text = read_input(record, RECORD_FILE)
        inputs.append(("the record", text))
        game = GameFolder(rules.game).type
        replay = game.replay(rules, inputs)
        if len(set(job.bots)) == len(job.bots) > 1:
            names = dict(enumerate(map(visible, job.bots), start=1))
            replay = Labels(names=names).put_replay(replay)
        titled = replace(replay, record=job.title)
        page = write_replay(titled).rstrip()
    except KbScoreError as error:
        return InputError(record, f"its replay cannot be drawn: {error}")
    return f"{page}\n{job.mark}\n"


@dataclass(frozen=True)
class ReplayFolder:
    """The folder of the replays, beside the page of a contest."""

    folder: Path  # its path
    plan: Plan
    changes: Changes  # the user's changes to the rules
    digest: str  # identifies the rules
    results: Path  # the folder of the contest's results

    def find_existing(self, results: Iterable[GameResult], records: set[str]) -> set[str]:
        """Return the keys of the games that have a record and a replay which is up to date."""
        keys = set()
        for result in results:
            if find_record(result) not in records:
                continue
            if not self._find_page(result).exists():
                continue
            job = self._make_job(result)
            last_line = f"{job.mark}\n"
            if _read_end(job.page).endswith(last_line.encode()):
                keys.add(job.key)
        return keys

    def draw(self, results: Sequence[GameResult], jobs: int, drawn: set[str]) -> None:
        """Draw replays, and print a warning for each record that cannot be drawn.

        The keys of the games that have been drawn are added to ``drawn``. A file that is not a
        replay is never replaced, but an InputError.
        """
        make_folder(self.folder)
        begun = time.monotonic()
        total = len(results)
        rules = GameRules(self.plan.game, self.changes)
        draw = partial(draw_replay, rules)
        checked_jobs = map(self._check_job, results)
        with open_pool(min(jobs, total)) as pool:
            pages = run_tasks(pool, draw, checked_jobs, ordered=False)
            for done, (job, page) in enumerate(pages, 1):
                if isinstance(page, str):
                    write_atomically(str(job.page), page.encode(errors="replace"))
                    drawn.add(job.key)
                else:
                    complain(page, kind="warning")
                seconds_each = (time.monotonic() - begun) / done
                left = format_duration(seconds_each * (total - done))
                show_progress(f"{done}/{total} replays; {left} left")

    def _find_page(self, result: GameResult) -> Path:
        return self.folder / f"{Path(result.record).stem}.html"

    def _check_job(self, result: GameResult) -> ReplayJob:
        """Return the job of a game, whose page may only replace an older replay."""
        job = self._make_job(result)
        page = job.page
        if page.exists() and _MARK.encode() not in _read_end(page):
            message = "this is not a replay of a contest: name another page with -o"
            raise InputError(str(page), message)
        return job

    def _make_job(self, result: GameResult) -> ReplayJob:
        """Return the job of a game, with a mark of what its page will be made from."""
        map_ = self._maps[result.map]
        record = self.results / result.record
        title = f"{self.plan.name}: {', '.join(result.bots)}"
        if result.map:
            title += f" on {result.map}"
        title += f", round {result.round + 1}"
        if len(title) > _LONGEST_TITLE:
            title = f"{title[: _LONGEST_TITLE - 3]}..."
        with explain_failure(record):
            text = record.read_bytes().decode(errors="replace")
        digest = digest_words(self._common, title, map_.name, map_.text, text)
        mark = f"{_MARK}{digest[:_MARKED]} -->"
        drawn_map = None
        if self.plan.type.maps:
            drawn_map = map_
        return ReplayJob(
            key=result.key,
            map=drawn_map,
            record=record,
            title=title,
            bots=result.bots,
            page=self._find_page(result),
            mark=mark,
        )

    @cached_property
    def _maps(self) -> dict[str, GameMap]:
        return {map_.name: map_ for map_ in self.plan.maps}

    @cached_property
    def _common(self) -> str:
        """A digest of all that replays have in common: the rules and the template of the page."""
        rule_files, _ = list_rule_files(self.plan.game)
        rules = [read_rule_text(path) for path in rule_files]
        template = fill_page("replay", "", {})
        digest = digest_words(__version__, self.digest, *rules, template)
        return digest[:_MARKED]


def _read_end(page: Path) -> bytes:
    """Return the last bytes of a page, which contain its mark; empty if it cannot be read."""
    try:
        with page.open("rb") as stream:
            size = page.stat().st_size
            stream.seek(max(0, size - _MARK_LENGTH))
            return stream.read()
    except OSError:
        return b""


def order_games(results: Iterable[GameResult], records: set[str]) -> list[GameResult]:
    """Return the games that can have a replay: those with faults first, the others at random."""

    def find_order(result: GameResult) -> tuple[bool, str]:
        is_fair = not any(player.faults for player in result.players)
        return is_fair, result.key

    drawable = [result for result in results if find_record(result) in records]
    return sorted(drawable, key=find_order)
