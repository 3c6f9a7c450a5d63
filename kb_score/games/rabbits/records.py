"""The game's files: maps, and records of three kinds, told apart by their contents."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from lark import Token

from kb_score.errors import FormatError, InputError, Place
from kb_score.games.rabbits.maps import WALL, Station, read_map
from kb_score.games.rabbits.session import MAX_NUMBER, Run, read_session
from kb_score.grammar import parse, place_at, read_number

if TYPE_CHECKING:
    from kb_score.engine.terms import Facts

FACTS_OF = "a map"
RABBIT, CRUSHER = "oX"

_MAP_ROW = re.compile(r"[ \t]*#[# sec]*[ \t]*")
_SESSION = re.compile(r"\s*(?:turnsleft|run[ ]+\d)")
_TABLE = re.compile(r"\s*(?:Running:[^\n]*\n\s*)?Run\s+Seed\s+Score")
_LOG = re.compile(r"\s*Running:")
_ROBOT = re.compile(f"[{RABBIT}{CRUSHER}]")
# Controller, map, and the numbers of turns, seed and runs.
_PLANNED = re.compile(r"\s*Running:\s+\S+\s+\S+((?:\s+[0-9]+){3})(?!\S)")
_MAX_POINTS = 10**6  # in each of a thousand rows they still add up in clingo's 32 bits


@dataclass(frozen=True, slots=True)
class Frame:
    """The station after step 1 of a turn; cells as in `Station`.

    Attributes:
        rabbits: Where rabbits are.
        crushers: Where crushers are.
        misdrawn: The cells that show neither the map nor a robot in a corridor.
    """

    rabbits: tuple[int, ...]
    crushers: tuple[int, ...]
    misdrawn: tuple[int, ...] = ()

    def write(self, station: Station) -> str:
        """Write the frame as the challenge's controller does, in its log."""
        canvas = list("".join(station.rows))
        for cells, symbol in ((self.rabbits, RABBIT), (self.crushers, CRUSHER)):
            for cell in cells:
                canvas[cell] = symbol
        rows = range(0, len(canvas), station.width)
        return "".join("".join(canvas[at : at + station.width]) + "\n" for at in rows) + "\n\n"


@dataclass(frozen=True, slots=True)
class RunLog:
    """A run log.

    Attributes:
        runs: The frames of each run; all runs have the same number, at least one.
        total: The points that it claims for all runs together.
        seed: The seed that the controller was given, 0 for a new one each run.
    """

    runs: tuple[tuple[Frame, ...], ...]
    total: int
    seed: int


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """A score table.

    Attributes:
        rows: Run, seed and score of each row, at least one.
        total: The points that it claims for all runs together.
        planned: The numbers of turns and runs that were asked for, where the table tells.
    """

    rows: tuple[tuple[int, int, int], ...]
    total: int
    planned: tuple[tuple[int, int], ...]


Record: TypeAlias = tuple[Run, ...] | RunLog | ScoreTable


def recognises(text: str) -> bool:
    """Say whether a text looks like a map of a station: rows of walls, a start or an exit."""
    rows = [line for line in text.splitlines() if line.strip() and line.strip()[0] != ";"]
    is_map = bool(rows) and all(map(_MAP_ROW.fullmatch, rows))
    return is_map and not set("sec").isdisjoint("".join(rows))


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a map.

    Raises:
        FormatError: It is no map.
        InputError: There is no start or no exit.
    """
    return read_map(text, name).facts()


def read_record(text: str, station: Station, name: str) -> Record:
    """Read a session, which is a tuple of runs, a run log or a score table.

    Args:
        text: The file.
        station: The map that it was played on.
        name: What errors call the file.

    Raises:
        FormatError: The text is no record of this game, or does not follow its format.
        InputError: A run log has more or fewer frames than turns in all runs.
    """
    if _SESSION.match(text):
        return read_session(text, station, name)
    if _TABLE.match(text):
        return _read_table(text, name)
    if _LOG.match(text):
        return _read_run_log(text, station, name)
    lines = text.split("\n")
    number = next(number for number, line in enumerate(lines) if line.strip())
    message = (
        'this is no record: a session begins with "turnsleft N" or "run K seed S", a run log with '
        '"Running: ", a score table with that or "Run Seed Score"'
    )
    raise FormatError(Place(name, number + 1, 1, lines[number]), message)


def _read_table(text: str, name: str) -> ScoreTable:
    number = partial(read_number, text=text, name=name, largest=MAX_NUMBER)
    points = partial(read_number, text=text, name=name, largest=_MAX_POINTS)
    rows = []
    total, planned = 0, []
    for token in _tokens(parse("rabbits_table", text, name=name).children):
        if token.type == "ROW":
            run, seed, score = token.split()
            rows.append((number(run, token), number(seed, token), points(score, token)))
        elif token.type == "TOTAL":
            total = number(token.split()[-1], token)
        elif token.type == "HEAD" and (found := _PLANNED.match(token)):
            turns, _, runs = found[1].split()
            planned.append((points(turns, token), number(runs, token)))
    return ScoreTable(tuple(rows), total, tuple(planned))


def _read_run_log(text: str, station: Station, name: str) -> RunLog:
    number = partial(read_number, text=text, name=name, largest=MAX_NUMBER)
    head, *frames, total = _tokens(parse("rabbits_log", text, name=name).children)
    planned = _PLANNED.match(head)
    if planned is None:
        raise InputError(name, "the first line has no numbers of turns, seed and runs")
    turns, seed, runs = (number(word, head) for word in planned[1].split())
    if not turns * runs:
        raise InputError(name, "a log has at least one run of one turn")
    if len(frames) != turns * runs:
        raise InputError(
            name,
            f"a log of {runs} runs of {turns} turns has {turns * runs} frames, this has "
            f"{len(frames)}: where an answer came too late, the turns after it are missing",
        )
    read = [_read_frame(frame, station, text, name) for frame in frames]
    by_run = tuple(tuple(read[at : at + turns]) for at in range(0, len(read), turns))
    return RunLog(by_run, number(total.split()[-1], total), seed)


def _tokens(children: Iterable[object]) -> list[Token]:
    return [token for token in children if isinstance(token, Token)]


def _read_frame(token: Token, station: Station, text: str, name: str) -> Frame:
    rows = token.rstrip("\n").split("\n")
    height, width = len(station.rows), station.width
    line = token.line or 1
    for number, row in enumerate(rows):
        if number == height or len(row) != width:
            place = place_at(text, line + number, min(len(row), width) + 1, name)
            raise FormatError(place, f"a frame has {height} rows of {width} cells, as the map")
    if len(rows) < height:
        place = place_at(text, line + len(rows) - 1, 1, name)
        raise FormatError(place, f"the frame ends after {len(rows)} rows, the map has {height}")
    return _compare("".join(rows), "".join(station.rows))


def _compare(drawing: str, plan: str) -> Frame:
    cells: dict[str, list[int]] = {RABBIT: [], CRUSHER: []}
    without = list(drawing)
    for robot in _ROBOT.finditer(drawing):
        cell = robot.start()
        cells[robot[0]].append(cell)
        without[cell] = plan[cell] if plan[cell] != WALL else ""
    misdrawn: tuple[int, ...] = ()
    if "".join(without) != plan:
        misdrawn = tuple(cell for cell, drawn in enumerate(without) if drawn != plan[cell])
    return Frame(tuple(cells[RABBIT]), tuple(cells[CRUSHER]), misdrawn)
