"""The replays of a contest's games: a page each, drawn by the game's rules from the kept record."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from kb_score.contests.plan import GameMap, Plan, digest
from kb_score.contests.runner import say_time
from kb_score.contests.store import RECORD_FILE, GameResult, explain_failure, find_record
from kb_score.engine.rules import Changes, GameRules, list_rule_files
from kb_score.errors import InputError, KbScoreError
from kb_score.games import Game
from kb_score.shell.cluster import open_pool
from kb_score.shell.files import make_folder, read_input, write_whole
from kb_score.shell.output import complain, show_progress
from kb_score.shell.pages import fill_page, write_replay
from kb_score.shell.pool import run_tasks
from kb_score.version import __version__

_MARK = "<!-- a game of a contest by kb-score, "
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


def draw_replay(job: ReplayJob) -> str | KbScoreError:
    """Draw a replay. What is wrong with one record is returned, so that the others are drawn."""
    try:
        record = "the record", read_input(str(job.record), RECORD_FILE)
        maps = [(job.map.name, job.map.text)] if job.map else []
        replay = Game(job.game).type.follow(GameRules(job.game, job.changes), *maps, record)
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
            made = run_tasks(pool, draw_replay, map(self._check_job, results), ordered=False)
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
        title = title if len(title) <= _LONGEST else f"{title[: _LONGEST - 3]}..."
        with explain_failure(record):
            text = record.read_bytes().decode(errors="replace")
        made_of = digest(self._common, title, map_.name, map_.text, text)[:_MARKED]
        page, shown = self._find_page(result), map_ if plan.type.maps else None
        mark = f"{_MARK}{made_of} -->"
        return ReplayJob(result.key, plan.game, self.changes, shown, record, title, page, mark)

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
