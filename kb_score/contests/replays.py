"""The replays of a contest's games: a page each, drawn by the game's rules from the kept record."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from kb_score import __version__
from kb_score.contests.folder import find_record
from kb_score.contests.plan import find_arena
from kb_score.contests.progress import say_time
from kb_score.engine.run import GameRules
from kb_score.errors import FileKind, InputError, KbScoreError, say_failure, visible
from kb_score.games.referee import show_progress
from kb_score.games.sitting import Field
from kb_score.resources import find_folder
from kb_score.shell.crew import open_crew, run_unordered
from kb_score.shell.files import make_folder, read_input, write_whole
from kb_score.shell.output import complain
from kb_score.shell.pages import fill_page, write_replay

if TYPE_CHECKING:
    from kb_score.contests.plan import Plan
    from kb_score.contests.results import GameResult
    from kb_score.engine.run import Changes

_SIGN = "<!-- a game of a contest by kb-score, "
_RECORD_FILE = FileKind("a record", 256 << 20)
_SIGN_LENGTH = 200  # bytes at the end of a page that hold the sign
_LONGEST = 200  # letters of a title


@dataclass(frozen=True, slots=True)
class Drawing:
    """A replay that is to be drawn.

    Attributes:
        key: What tells the game from others.
        game: The game's folder.
        changes: The user's changes of the rules.
        field: What was played on.
        record: The file of the record.
        title: What the page calls the game.
        page: The file of the page.
        sign: What the page ends with: it tells what the page was made of.
    """

    key: str
    game: str
    changes: Changes
    field: Field
    record: Path
    title: str
    page: Path
    sign: str

    def __str__(self) -> str:
        return str(self.record)


@dataclass(frozen=True, slots=True)
class Drawn:
    """What came of a drawing: a page, or what is wrong with the record."""

    page: str
    problem: str = ""


def draw_replay(drawing: Drawing) -> Drawn:
    """Draw a replay. What is wrong with one record is told, so that the others are drawn."""
    try:
        record = read_input(str(drawing.record), _RECORD_FILE)
        rules = GameRules(drawing.game, drawing.changes)
        replay = find_arena(drawing.game).follow(record, drawing.field, rules)
        page = write_replay(replace(replay, record=drawing.title))
        return Drawn(f"{page.rstrip()}\n{drawing.sign}\n")
    except KbScoreError as error:
        return Drawn("", f"{visible(str(drawing.record))}: no replay can be drawn of it: {error}")


@dataclass(frozen=True)
class Gallery:
    """The folder of the replays, beside the page of a contest.

    Attributes:
        folder: Where it is.
        plan: The contest.
        changes: The user's changes of the rules.
        digest: What tells the rules from others.
        results: The folder of the contest's results.
    """

    folder: Path
    plan: Plan
    changes: Changes
    digest: str
    results: Path

    def find_page(self, result: GameResult) -> Path:
        """Find where the replay of a game is, or would be."""
        return self.folder / f"{Path(result.record).stem}.html"

    def find_there(self, results: Iterable[GameResult], records: set[str]) -> set[str]:
        """Find the games with a replay that shows their record by the rules of now, by their keys.

        Args:
            results: The games.
            records: The names of the records that there are.
        """
        return {
            result.key
            for result in results
            if find_record(result) in records
            and (end := self._read_end(self.find_page(result)))
            and end.endswith(f"{self._sign(result)}\n".encode())
        }

    def draw(self, results: Sequence[GameResult], jobs: int, drawn: set[str]) -> None:
        """Draw the replays of some games, each written whole; what cannot be drawn is told.

        Args:
            results: The games, at least one.
            jobs: How many replays are drawn at a time.
            drawn: The key of each game is added when its replay is there.

        Raises:
            InputError: A page cannot be written.
        """
        make_folder(self.folder)
        begun = time.monotonic()
        with open_crew(min(jobs, len(results))) as crew:
            drawings = self._list_drawings(results)
            for done, (drawing, made) in enumerate(run_unordered(crew, draw_replay, drawings), 1):
                if isinstance(made, Drawn) and made.page:
                    write_whole(str(drawing.page), made.page.encode(errors="replace"))
                    drawn.add(drawing.key)
                else:
                    show_progress("")
                    problem = made.problem if isinstance(made, Drawn) else str(made)
                    complain(problem, kind="warning")
                left = (time.monotonic() - begun) / done * (len(results) - done)
                show_progress(f"{done}/{len(results)} replays; {say_time(left)} left")
        show_progress("")

    def _list_drawings(self, results: Iterable[GameResult]) -> Iterator[Drawing]:
        for result in results:
            yield Drawing(
                key=result.key,
                game=self.plan.game,
                changes=self.changes,
                field=self._fields[result.field],
                record=self.results / result.record,
                title=_name(self.plan, result),
                page=self._check_page(result),
                sign=self._sign(result),
            )

    def _check_page(self, result: GameResult) -> Path:
        """Find where a replay goes; what is there must be an older one."""
        page = self.find_page(result)
        if page.exists() and _SIGN.encode() not in self._read_end(page):
            raise InputError(str(page), "this is no replay of a contest: name another page by -o")
        return page

    def _read_end(self, page: Path) -> bytes:
        try:
            with page.open("rb") as stream:
                stream.seek(max(0, page.stat().st_size - _SIGN_LENGTH))
                return stream.read()
        except OSError:
            return b""  # there is none

    @cached_property
    def _fields(self) -> dict[str, Field]:
        return {field.name: field for field in self.plan.fields}

    @cached_property
    def _common(self) -> str:
        """What all replays are made of: the rules, and how a page looks."""
        files = sorted((find_folder("asp") / self.plan.game).rglob("*.lp"))
        rules = [path.read_text(encoding="utf-8") for path in files]
        return _digest(__version__, self.digest, *rules, fill_page("replay", "", {}))

    def _sign(self, result: GameResult) -> str:
        """Find what the replay of a game ends with."""
        field, title = self._fields[result.field], _name(self.plan, result)
        record = _read(self.results / result.record).decode(errors="replace")
        made_of = _digest(self._common, title, field.name, field.text, record)
        return f"{_SIGN}{made_of} -->"


def order_games(results: Iterable[GameResult], records: set[str]) -> list[GameResult]:
    """List the games that can have a replay, in the order in which they get one.

    Those in which a bot had faults come first. The others are ordered by lot, so that each bot has
    its share, and always in the same way.

    Args:
        results: The games.
        records: The names of the records that there are.
    """
    able = [result for result in results if find_record(result) in records]
    return sorted(able, key=lambda r: (not any(stay.faults for stay in r.stays), r.key))


def _name(plan: Plan, result: GameResult) -> str:
    where = f" on {result.field}" if result.field else ""
    title = f"{plan.name}: {', '.join(result.bots)}{where}, round {result.round + 1}"
    return title if len(title) <= _LONGEST else f"{title[: _LONGEST - 3]}..."


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(str(path), say_failure(error)) from error


def _digest(*words: str) -> str:
    return sha256("\0".join(words).encode(errors="replace")).hexdigest()[:32]
