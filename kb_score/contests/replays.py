"""The replays of a contest's games: a page each, drawn by the game's rules from the kept record."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from kb_score.contests.plan import GameMap, Plan, digest
from kb_score.contests.runner import say_time
from kb_score.contests.store import GameResult, explain_failure, find_record
from kb_score.engine.rules import Changes, GameRules
from kb_score.errors import FileKind, InputError, KbScoreError, visible
from kb_score.games import Game
from kb_score.resources import find_folder
from kb_score.shell.cluster import open_pool
from kb_score.shell.files import make_folder, read_input, write_whole
from kb_score.shell.output import complain, show_progress
from kb_score.shell.pages import fill_page, write_replay
from kb_score.shell.pool import run_tasks
from kb_score.version import __version__

_MARK = "<!-- a game of a contest by kb-score, "
_RECORD_FILE = FileKind("a record", 256 << 20)
_MARK_LENGTH = 200  # bytes at the end of a page that hold the mark
_MARKED = 32  # letters of a digest
_LONGEST = 200  # letters of a title


@dataclass(frozen=True, slots=True)
class ReplayJob:
    """A replay that is to be drawn."""

    key: str  # what tells the game from others
    game: str  # the game's folder
    changes: Changes  # the user's changes of the rules
    map: GameMap | None  # what was played on; nothing for a game that draws its records alone
    record: Path  # the file of the record
    title: str  # what the page calls the game
    page: Path  # the file of the page
    mark: str  # what the page ends with: it tells what the page was made of

    def __str__(self) -> str:
        return str(self.record)


@dataclass(frozen=True, slots=True)
class DrawnReplay:
    """A replay: its page, or what is wrong with the record."""

    page: str
    problem: str = ""


def draw_replay(job: ReplayJob) -> DrawnReplay:
    """Draw a replay. What is wrong with one record is told, so that the others are drawn."""
    try:
        record = "the record", read_input(str(job.record), _RECORD_FILE)
        maps = [(job.map.name, job.map.text)] if job.map else []
        replay = Game(job.game).type.follow(GameRules(job.game, job.changes), *maps, record)
        page = write_replay(replace(replay, record=job.title))
        return DrawnReplay(f"{page.rstrip()}\n{job.mark}\n")
    except KbScoreError as error:
        return DrawnReplay("", f"{visible(str(job.record))}: no replay can be drawn of it: {error}")


@dataclass(frozen=True)
class ReplayFolder:
    """The folder of the replays, beside the page of a contest."""

    folder: Path  # where it is
    plan: Plan
    changes: Changes  # the user's changes of the rules
    digest: str  # what tells the rules from others
    results: Path  # the folder of the contest's results

    def find_page(self, result: GameResult) -> Path:
        """Find where the replay of a game is, or would be."""
        return self.folder / f"{Path(result.record).stem}.html"

    def find_there(self, results: Iterable[GameResult], records: set[str]) -> set[str]:
        """Find the keys of the games whose replay shows their record by the rules of now."""
        return {
            result.key
            for result in results
            if find_record(result) in records
            and (end := self._read_end(self.find_page(result)))
            and end.endswith(f"{self._mark(result)}\n".encode())
        }

    def draw(self, results: Sequence[GameResult], jobs: int, drawn: set[str]) -> None:
        """Draw replays, each written whole, and add their keys; what cannot be drawn is told."""
        make_folder(self.folder)
        begun = time.monotonic()
        with open_pool(min(jobs, len(results))) as pool:
            jobs_ = self._list_jobs(results)
            for done, (job, made) in enumerate(
                run_tasks(pool, draw_replay, jobs_, ordered=False), 1
            ):
                if isinstance(made, DrawnReplay) and made.page:
                    write_whole(str(job.page), made.page.encode(errors="replace"))
                    drawn.add(job.key)
                else:
                    show_progress("")
                    problem = made.problem if isinstance(made, DrawnReplay) else str(made)
                    complain(problem, kind="warning")
                left = (time.monotonic() - begun) / done * (len(results) - done)
                show_progress(f"{done}/{len(results)} replays; {say_time(left)} left")
        show_progress("")

    def _list_jobs(self, results: Iterable[GameResult]) -> Iterator[ReplayJob]:
        for result in results:
            yield ReplayJob(
                key=result.key,
                game=self.plan.game,
                changes=self.changes,
                map=self._maps[result.map] if self.plan.type.maps else None,
                record=self.results / result.record,
                title=_name(self.plan, result),
                page=self._check_page(result),
                mark=self._mark(result),
            )

    def _check_page(self, result: GameResult) -> Path:
        """Find where a replay goes; what is there must be an older one."""
        page = self.find_page(result)
        if page.exists() and _MARK.encode() not in self._read_end(page):
            raise InputError(str(page), "this is no replay of a contest: name another page by -o")
        return page

    def _read_end(self, page: Path) -> bytes:
        try:
            with page.open("rb") as stream:
                stream.seek(max(0, page.stat().st_size - _MARK_LENGTH))
                return stream.read()
        except OSError:
            return b""  # there is none

    @cached_property
    def _maps(self) -> dict[str, GameMap]:
        return {map_.name: map_ for map_ in self.plan.maps}

    @cached_property
    def _common(self) -> str:
        """What all replays are made of: the rules, and how a page looks."""
        files = sorted((find_folder("asp") / self.plan.game).rglob("*.lp"))
        rules = [path.read_text(encoding="utf-8") for path in files]
        return digest(__version__, self.digest, *rules, fill_page("replay", "", {}))[:_MARKED]

    def _mark(self, result: GameResult) -> str:
        """Find what the replay of a game ends with."""
        map_, title = self._maps[result.map], _name(self.plan, result)
        record = _read(self.results / result.record).decode(errors="replace")
        made_of = digest(self._common, title, map_.name, map_.text, record)[:_MARKED]
        return f"{_MARK}{made_of} -->"


def order_games(results: Iterable[GameResult], records: set[str]) -> list[GameResult]:
    """List the games that can have a replay, in the order in which they get one.

    Those in which a bot had faults come first. The others are ordered by lot, so that each bot has
    its share, and always in the same way.
    """
    able = [result for result in results if find_record(result) in records]
    return sorted(able, key=lambda r: (not any(player.faults for player in r.players), r.key))


def _name(plan: Plan, result: GameResult) -> str:
    where = f" on {result.map}" if result.map else ""
    title = f"{plan.name}: {', '.join(result.bots)}{where}, round {result.round + 1}"
    return title if len(title) <= _LONGEST else f"{title[: _LONGEST - 3]}..."


def _read(path: Path) -> bytes:
    with explain_failure(path):
        return path.read_bytes()
