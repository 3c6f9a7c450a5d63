"""Run logs, read: the frames that the challenge's controller writes, turn by turn."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lark import Token

from kb_score.errors import BoardError, FormatError
from kb_score.games.rabbits.session import LARGEST
from kb_score.games.rabbits.station import WALL, Station
from kb_score.grammar import parse, place_at, read_number

_ROBOT = re.compile("[oX]")
_NUMBER = re.compile("[0-9]+")


@dataclass(frozen=True, slots=True)
class Frame:
    """The station after step 1 of a turn; cells as in `Station`.

    Attributes:
        rabbits: Where rabbits are.
        crushers: Where crushers are.
        strange: The cells that show neither the map nor a robot in a corridor.
    """

    rabbits: tuple[int, ...]
    crushers: tuple[int, ...]
    strange: tuple[int, ...] = ()


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


def read_run_log(text: str, station: Station, name: str) -> RunLog:
    """Read a run log.

    Args:
        text: The file.
        station: The map that it was played on.
        name: What errors call the file.

    Raises:
        FormatError: The lines are not those of a run log, or a frame has not the map's size.
        BoardError: There are more or fewer frames than turns in all runs.
    """
    head, *frames, total = parse("rabbits_log", text, name=name).children
    assert isinstance(head, Token)
    assert isinstance(total, Token)
    turns, seed, runs = _read_head(head, text, name)
    if len(frames) != turns * runs:
        raise BoardError(
            name,
            f"a log of {runs} runs of {turns} turns has {turns * runs} frames, this has "
            f"{len(frames)}: where an answer came too late, the turns after it are missing",
        )
    read = [_read_frame(frame, station, text, name) for frame in frames]
    claimed = read_number(total.split()[-1], total, text, name, largest=LARGEST)
    return RunLog(
        tuple(tuple(read[at : at + turns]) for at in range(0, len(read), turns)), claimed, seed
    )


def _read_head(head: Token, text: str, name: str) -> tuple[int, int, int]:
    words = head.split()[3:6]
    if len(words) < 3 or not all(map(_NUMBER.fullmatch, words)):
        raise BoardError(name, "the first line has no numbers of turns, seed and runs")
    turns, seed, runs = (read_number(w, head, text, name, largest=LARGEST) for w in words)
    if not turns * runs:
        raise BoardError(name, "a log has at least one run of one turn")
    return turns, seed, runs


def _read_frame(token: object, station: Station, text: str, name: str) -> Frame:
    assert isinstance(token, Token)
    rows = token.rstrip("\n").split("\n")
    height, width = len(station.rows), station.width
    for number, row in enumerate(rows):
        if number == height or len(row) != width:
            assert token.line is not None
            place = place_at(text, token.line + number, min(len(row), width) + 1, name)
            raise FormatError(place, f"a frame has {height} rows of {width} cells, as the map")
    if len(rows) < height:
        assert token.line is not None
        place = place_at(text, token.line + len(rows) - 1, 1, name)
        raise FormatError(place, f"the frame ends after {len(rows)} rows, the map has {height}")
    return _compare("".join(rows), "".join(station.rows))


def _compare(drawing: str, plan: str) -> Frame:
    cells: dict[str, list[int]] = {"o": [], "X": []}
    without = list(drawing)
    for robot in _ROBOT.finditer(drawing):
        cell = robot.start()
        cells[robot[0]].append(cell)
        without[cell] = plan[cell] if plan[cell] != WALL else ""
    strange: tuple[int, ...] = ()
    if "".join(without) != plan:
        strange = tuple(cell for cell, drawn in enumerate(without) if drawn != plan[cell])
    return Frame(tuple(cells["o"]), tuple(cells["X"]), strange)
