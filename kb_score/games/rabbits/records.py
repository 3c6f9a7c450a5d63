"""The game's files: maps, and records of three kinds, told apart by their contents."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from lark import Token

from kb_score.errors import FileKind, FormatError, InputError, Place
from kb_score.games.rabbits.maps import MAP_FILE, WALL, Station, read_map
from kb_score.games.rabbits.session import MAX_NUMBER, Run, read_session
from kb_score.grammar import parse, place_at, read_number

if TYPE_CHECKING:
    from kb_score.engine.terms import Facts

FACTS_OF = MAP_FILE
# A run log of 30,000 turns on a station of 65 by 30 cells.
RECORD_FILE = FileKind("a record", 64 << 20)
RABBIT, CRUSHER = "oX"

_MAP_ROW = re.compile(r"[ \t]*#[# sec]*[ \t]*")
_SESSION = re.compile(r"\s*(?:turnsleft|run[ ]+\d)")
_TABLE = re.compile(r"\s*(?:Running:[^\n]*\n\s*)?Run\s+Seed\s+Score")
_LOG = re.compile(r"\s*Running:")
_ROBOT = re.compile(f"[{RABBIT}{CRUSHER}]")
# Controller, map, and the numbers of turns, seed and runs.
_PLANNED = re.compile(r"\s*Running:\s+\S+\s+\S+((?:\s+[0-9]+){3})(?!\S)")
# How lines begin that a cut may have shortened.
_ENDS = ("Total Score: ", "Move timeout")
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


def list_frames(frames: Iterable[Frame]) -> Facts:
    """Make the facts of some frames, for asp/rabbits: the first of them is that of turn 1."""
    # Turns are numbered within the window: so the symbols of one serve for the next as well.
    shown = list(enumerate(frames, 1))
    return {
        "window_start": [(1,)],
        "window_end": [(len(shown),)],
        "rabbit_shown": [(cell, t) for t, frame in shown for cell in frame.rabbits],
        "crusher_shown": [(cell, t) for t, frame in shown for cell in frame.crushers],
        "misdrawn": [(cell, t) for t, frame in shown for cell in frame.misdrawn],
    }


@dataclass(frozen=True, slots=True)
class RunLog:
    """A run log.

    Attributes:
        frames: The frames of all runs, at most as many as were asked for.
        late: Before which of them, counted from 0, it says that an answer came too late.
        turns: How many turns each run was asked to have.
        runs: How many runs were asked for.
        seed: The seed that the controller was given, 0 for a new one each run.
        total: The points that it claims for all runs together; None where it stops before.
        is_cut: Whether the text ends so that the total may be only the first of its digits.
    """

    frames: tuple[Frame, ...]
    late: tuple[int, ...]
    turns: int
    runs: int
    seed: int
    total: int | None
    is_cut: bool


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """A score table.

    Attributes:
        rows: Run, seed and score of each row.
        total: The points that it claims for all runs together; None where it stops before.
        planned: The numbers of turns and runs that were asked for, where the table tells.
        seeds: The seed that was asked for, 0 for a new one each run, where the table tells.
    """

    rows: tuple[tuple[int, int, int], ...]
    total: int | None
    planned: tuple[tuple[int, int], ...]
    seeds: tuple[int, ...]


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
        InputError: A run log has more frames than turns in all runs, or fewer than runs.
    """
    if _SESSION.match(text):
        return read_session(text, station, name)
    if _TABLE.match(text):
        return _read_table(text, name)
    if _LOG.match(text):
        return _read_run_log(text, station, name)
    lines = text.split("\n")
    # A text that is nothing but odd blanks has no line to speak of.
    number = next((number for number, line in enumerate(lines) if line.strip()), 0)
    message = (
        'this is no record: a session begins with "turnsleft N" or "run K seed S", a run log with '
        '"Running: ", a score table with that or "Run Seed Score"'
    )
    raise FormatError(Place(name, number + 1, 1, lines[number]), message)


def _read_table(text: str, name: str) -> ScoreTable:
    number = partial(read_number, text=text, name=name, largest=MAX_NUMBER)
    points = partial(read_number, text=text, name=name, largest=_MAX_POINTS)
    rows, planned, seeds = [], [], []
    total = None
    for token in _tokens(parse("rabbits_table", _without_cut_row(text), name=name).children):
        if token.type == "ROW":
            run, seed, score = token.split()
            rows.append((number(run, token), number(seed, token), points(score, token)))
        elif token.type == "TOTAL":
            total = number(token.split()[-1], token)
        elif token.type == "HEAD" and (found := _PLANNED.match(token)):
            turns, seed, runs = found[1].split()
            planned.append((points(turns, token), number(runs, token)))
            seeds.append(number(seed, token))
    return ScoreTable(tuple(rows), total, tuple(planned), tuple(seeds))


def _read_run_log(text: str, station: Station, name: str) -> RunLog:
    number = partial(read_number, text=text, name=name, largest=MAX_NUMBER)
    head, *tokens = _tokens(parse("rabbits_log", _without_cut_line(text), name=name).children)
    planned = _PLANNED.match(head)
    if planned is None:
        raise InputError(name, "the first line has no numbers of turns, seed and runs")
    turns, seed, runs = (number(word, head) for word in planned[1].split())
    if not turns * runs:
        raise InputError(name, "a log has at least one run of one turn")
    total = None
    if tokens and tokens[-1].type == "TOTAL":
        last = tokens.pop()
        total = number(last.split()[-1], last)
    elif tokens and _is_cut(tokens[-1], station):
        tokens.pop()
    late: list[int] = []
    frames: list[Frame] = []
    for token in tokens:
        if token.type == "LATE":
            late.append(len(frames))
        else:
            frames.append(_read_frame(token, station, text, name))
    least = 0 if total is None else runs
    if not least <= len(frames) <= turns * runs:
        raise InputError(
            name,
            f"a log of {runs} runs of {turns} turns has {least} to {turns * runs} frames, this has "
            f"{len(frames)}",
        )
    is_cut = not text.endswith("\n")
    return RunLog(tuple(frames), tuple(late), turns, runs, seed, total, is_cut)


def _without_cut_line(text: str) -> str:
    """Take away a last line that has only the beginning of what it was to say."""
    before, _, line = text.rstrip("\n").rpartition("\n")
    return f"{before}\n" if any(end.startswith(line) for end in _ENDS) else text


def _without_cut_row(text: str) -> str:
    """Take away a last line of a table that is not whole; a total needs no line end."""
    before, _, line = text.rpartition("\n")
    return _without_cut_line(text if "Total Score:" in line else f"{before}\n")


def _is_cut(frame: Token, station: Station) -> bool:
    """Say whether the last frame of a log is only the beginning of one."""
    *whole, last = frame.rstrip("\n").split("\n")
    height, width = len(station.rows), station.width
    is_short = len(whole) + 1 < height or len(last) < width
    is_narrow = len(last) <= width and all(len(row) == width for row in whole)
    return is_short and is_narrow and len(whole) < height


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
