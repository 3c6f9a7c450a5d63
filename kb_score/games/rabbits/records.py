"""The game's records, told apart by their contents: sessions, run logs and score tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import TypeAlias

from lark import Token, Tree

from kb_score.engine.terms import Facts
from kb_score.errors import FileKind, FormatError, InputError, Mistakes, Place
from kb_score.games.rulings import read_below_rulings
from kb_score.grammar import parse, place_at, read_number

FACTS_OF = FileKind("a map", 1 << 20)
# A run log of 30,000 turns on a station of 65 by 30 cells.
RECORD_FILE = FileKind("a record", 64 << 20)
RABBIT, CRUSHER = "oX"
WALL, START, EXIT, CRUSHER_START = "#sec"
_CORRIDOR = re.compile(r"[^#\n]+")
_MAX_CELLS = 250_000  # clingo needs some 3 KB for each
_MAX_DIGITS = 9  # what has so many is on no map

_NO_CELLS = re.compile(r"[^# sec]+")
_MAP_ROW = re.compile(r"[ \t]*#[# sec]*[ \t]*")
_SESSION = re.compile(r"\s*(?:turnsleft|run[ ]+\d)")
_TABLE = re.compile(r"\s*(?:Running:[^\n]*\n\s*)?Run\s+Seed\s+Score")
_LOG = re.compile(r"\s*Running:")
# As the challenge's controller looks for moves in whatever a bot prints.
# A number is looked at from its beginning only, so that a million digits take no hours.
_REQUEST = re.compile(r"(?<!\d)(\d+,\d+)\s+to\s+(\d+,\d+)", re.ASCII)
_ACTION = re.compile(r"(?<!\d)(\d+,\d+) +(\w+) +(\d+,\d+)", re.ASCII)
_PLACE = re.compile(r"(?<!\d)\d+,\d+", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]+")
_ROBOT = re.compile(f"[{RABBIT}{CRUSHER}]")
# Controller, map, and the numbers of turns, seed and runs.
_PLANNED = re.compile(r"\s*Running:\s+\S+\s+\S+((?:\s+[0-9]+){3})(?!\S)")
# How lines begin that a cut may have shortened.
_ENDS = ("Total Score: ", "Move timeout")
_MAX_NUMBER = 10**9  # of turns, a seed or a score
_MAX_POINTS = 10**6  # in each of a thousand rows they still add up in clingo's 32 bits

# What crushers do, in order: from where, ``movesto`` or ``crushes``, to where.
Actions: TypeAlias = tuple[tuple[int, str, int], ...]
# Moves of rabbits, in order: from where to where.
Moves: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Station:
    """A map: a rectangle with walls all along its edge.

    A cell is one number, ``y * width + x``, in the order of reading. What lies off the map, as a
    record may have it, is -1.
    """

    name: str  # what messages call it, usually its path
    rows: tuple[str, ...]  # from north to south, each of ``width`` symbols

    @property
    def width(self) -> int:
        """The number of cells in a row."""
        return len(self.rows[0])

    @cached_property
    def cell(self) -> Callable[[str], int]:
        """What finds the cell of coordinates such as ``14,3``, which may have zeros in front."""
        width, height = self.width, len(self.rows)

        @lru_cache(maxsize=_MAX_CELLS)  # a record names the same ones turn by turn
        def find(place: str) -> int:
            x, y = (int(digits.lstrip("0")[:_MAX_DIGITS] or 0) for digits in place.split(","))
            return y * width + x if x < width and y < height else -1

        return find

    def say(self, cell: int) -> str:
        """Write the coordinates of a cell; empty for a place off the map."""
        return "" if cell < 0 else f"{cell % self.width},{cell // self.width}"

    def find(self, symbol: str) -> tuple[int, ...]:
        """List the cells that hold a symbol, in the order of reading."""
        drawing = "".join(self.rows)
        return tuple(cell for cell, drawn in enumerate(drawing) if drawn == symbol)

    def facts(self) -> Facts:
        """Make the facts of the map, for asp/rabbits/rules/rules.lp."""
        corridors = _CORRIDOR.finditer("\n".join(self.rows))
        # In the drawing a row takes one character more, its line end.
        length = self.width + 1
        return {
            "size": [(len(self.rows), self.width)],
            "corridor": [
                tuple(place - place // length for place in (found.start(), found.end() - 1))
                for found in corridors
            ],
            "start": [(cell,) for cell in self.find(START)],
            "exit": [(cell,) for cell in self.find(EXIT)],
            "crusher_start": [(cell,) for cell in self.find(CRUSHER_START)],
        }


@lru_cache(maxsize=4)
def read_map(text: str, name: str) -> Station:
    """Read a map."""
    tree = parse("rabbits", "\n".join(line.strip() for line in text.split("\n")), name=name)
    tokens = _tokens(tree.children)
    rows = tuple(map(str, tokens))
    width = len(rows[0])
    mistakes = Mistakes()
    # What is no map at all has one mistake, its first.
    most = 1 if all(map(_NO_CELLS.search, rows)) else None
    for number, token in enumerate(tokens[:most]):
        is_edge = number in (0, len(rows) - 1)
        for column, message in _find_map_faults(str(token), width, is_edge=is_edge)[:most]:
            if mistakes.is_full:
                mistakes.count()
            else:
                place = place_at(text, token.line or 1, 1, name)
                source = place.source or ""
                indent = len(source) - len(source.lstrip())
                mistakes.add(FormatError(replace(place, column=indent + column + 1), message))
    station = Station(name, rows)
    mistakes.raise_any()
    for symbol, thing in ((START, "rabbit start"), (EXIT, "exit")):
        if not station.find(symbol):
            mistakes.add(InputError(name, f"the map has no {thing} {symbol!r}"))
    mistakes.raise_any()
    if len(rows) * len(rows[0]) > _MAX_CELLS:
        raise InputError(name, f"the map has more than {_MAX_CELLS} cells")
    return station


def _find_map_faults(row: str, width: int, *, is_edge: bool) -> list[tuple[int, str]]:
    """Find what is wrong with a row of a map: the column of each fault, from 0, and a message."""
    wrong = [
        (found.start(), f"unexpected {found[0][0]!r}: a cell is one of # s e c, or a blank")
        for found in _NO_CELLS.finditer(row)
    ]
    if wrong:
        return wrong
    if len(row) != width:
        message = f"this row has {len(row)} cells, the first one has {width}"
        return [(min(len(row), width), message)]
    columns = range(width) if is_edge else (0, width - 1)
    open_ = [column for column in columns if row[column] != WALL]
    # One hole is enough: a row may have many.
    return [(column, "a map has walls # all along its edge") for column in open_[:1]]


@dataclass(frozen=True, slots=True)
class RunTurn:
    """One turn as a session has it; cells as in `Station`."""

    left: int  # what stands after ``turnsleft``
    actions: Actions
    rabbits: tuple[int, ...]
    requests: Moves | None  # those that the bot asks for; None without an answer


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a session."""

    number: int  # the number that it bears, or 1
    seed: int  # 0 where that is not known
    turns: tuple[RunTurn, ...]  # at least one
    score: int | None  # the points that the record claims for it

    def facts(self, turns: range, *, is_last: bool) -> Facts:
        """Make the facts of some turns, from 1; ``is_last`` if the record has no later run."""
        shown = [(t, self.turns[t - 1]) for t in turns]
        listed = [(t, Counter(turn.rabbits)) for t, turn in shown]
        last, turn = shown[-1]
        at_end = [(last,)] if last == len(self.turns) else []
        return {
            "window_start": [(turns[0],)],
            "window_end": [(last,)],
            "last_turn": [(self.turns[0].left,)],
            "turnsleft": [(turn.left, t) for t, turn in shown],
            "act": [(n, *action, t) for t, turn in shown for n, action in enumerate(turn.actions)],
            "listed": [(cell, t) for t, cells in listed for cell in cells],
            "listed_twice": [(cell, t) for t, cells in listed for cell in cells if cells[cell] > 1],
            "request": [(n, *r, t) for t, turn in shown for n, r in enumerate(turn.requests or ())],
            "stops": at_end,
            "answered": [] if turn.requests is None else [(last,)],
            "closed": at_end if self.score is not None or not is_last else [],
            "claimed_score": [] if self.score is None else [(self.score,)],
        }


@dataclass(frozen=True, slots=True)
class Frame:
    """The station after step 1 of a turn; cells as in `Station`."""

    rabbits: tuple[int, ...]
    crushers: tuple[int, ...]
    misdrawn: tuple[int, ...] = ()  # where neither the map nor a robot in a corridor is shown

    def write(self, station: Station) -> str:
        """Write the frame as the challenge's controller does, in its log."""
        canvas = list("".join(station.rows))
        for cells, symbol in ((self.rabbits, RABBIT), (self.crushers, CRUSHER)):
            for cell in cells:
                canvas[cell] = symbol
        rows = range(0, len(canvas), station.width)
        return "".join("".join(canvas[at : at + station.width]) + "\n" for at in rows) + "\n\n"


def list_frames(frames: Iterable[Frame]) -> Facts:
    """Make the facts of some frames, the first of which is that of turn 1."""
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
    """A run log."""

    frames: tuple[Frame, ...]  # those of all runs
    late: tuple[int, ...]  # before which of them, from 0, an answer came too late
    turns: int  # how many each run was asked to have
    runs: int  # how many were asked for
    seed: int  # 0 for a new one each run
    total: int | None  # the points that it claims; None where it stops before
    is_cut: bool  # it ends so that the total may be only the first of its digits


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """A score table."""

    rows: tuple[tuple[int, int, int], ...]  # run, seed and score of each
    total: int | None  # the points that it claims; None where it stops before
    planned: tuple[tuple[int, int], ...]  # the turns and runs that were asked for, if told
    seeds: tuple[int, ...]  # the seed that was asked for, if told


# A map alone is a session without a run.
RabbitsRecord: TypeAlias = tuple[Run, ...] | RunLog | ScoreTable


def recognises(text: str) -> bool:
    """Say whether a text looks like a map of a station: rows of walls, a start or an exit."""
    rows = [line for line in text.splitlines() if line.strip() and line.strip()[0] != ";"]
    is_map = bool(rows) and all(map(_MAP_ROW.fullmatch, rows))
    return is_map and not set("sec").isdisjoint("".join(rows))


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a map."""
    return read_map(text, name).facts()


def read_record(text: str, station: Station, name: str) -> RabbitsRecord:
    """Read a session, which is a tuple of runs, a run log or a score table.

    The rulings that it names are left to `apply_rulings`.
    """
    return read_below_rulings(lambda rest: _read_record(rest, station, name), text)


def _read_record(text: str, station: Station, name: str) -> RabbitsRecord:
    if _SESSION.match(text):
        text = text.rstrip() + "\n"
        reader = _RunReader(text, name, station)
        return tuple(map(reader.read, parse("rabbits_session", text, name=name).children))
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


def read_actions(line: str, station: Station) -> Actions:
    """Read what crushers do."""
    cell = station.cell
    return tuple((cell(a), verb, cell(b)) for a, verb, b in _ACTION.findall(line))


def read_answer(line: str, station: Station) -> Moves:
    """Read the moves that a bot asks for, as the challenge's controller does."""
    return tuple((station.cell(a), station.cell(b)) for a, b in _REQUEST.findall(line))


def tidy_answer(line: str) -> str:
    """Write down the moves that an answer asks for, and nothing else that it may hold."""
    return _join_moves(_REQUEST.findall(line))


def write_answer(requests: Iterable[tuple[int, int]], station: Station) -> str:
    """Write the line that asks for some moves."""
    return _join_moves((station.say(a), station.say(b)) for a, b in requests)


def _join_moves(moves: Iterable[tuple[str, str]]) -> str:
    return ("move " + "; ".join(f"{a} to {b}" for a, b in moves)).rstrip()


def write_told(turn: RunTurn, station: Station) -> str:
    """Write the three lines that a bot is told."""
    say = station.say
    actions = "; ".join(f"{say(a)} {verb} {say(b)}" for a, verb, b in turn.actions)
    rabbits = " ".join(["rabbits", *map(say, turn.rabbits)])
    # The challenge's controller leaves a blank after an empty list of actions.
    return f"turnsleft {turn.left}\ncrusher {actions}\n{rabbits}\n"


def write_session(runs: Sequence[Run], station: Station) -> str:
    """Write a session as `read_record` reads it; runs get a line each where there are several."""
    pieces: list[str] = []
    for run in runs:
        if len(runs) > 1:
            pieces.append(f"run {run.number} seed {run.seed}\n")
        for turn in run.turns:
            pieces.append(write_told(turn, station))
            if turn.requests is not None:
                pieces.append(write_answer(turn.requests, station) + "\n")
        if run.score is not None:
            pieces.append(f"score {run.score}\n")
    return "".join(pieces)


@dataclass(frozen=True, slots=True)
class _RunReader:
    text: str
    name: str
    station: Station

    def read(self, tree: Tree[Token]) -> Run:
        number, seed, score = 1, 0, None
        turns: list[RunTurn] = []
        for child in tree.children:
            if isinstance(child, Tree):
                if turns and turns[-1].requests is None:
                    first = child.children[0]
                    assert isinstance(first, Token)
                    place = place_at(self.text, first.line or 1, first.column or 1, self.name)
                    raise FormatError(place, "a turn without an answer is the last of its run")
                turns.append(self.turn(child))
            elif child.type == "RUN":
                number, seed = self.numbers(child)
            else:
                (score,) = self.numbers(child)
        return Run(number, seed, tuple(turns), score)

    def turn(self, tree: Tree[Token]) -> RunTurn:
        left, actions, rabbits, *answer = tree.children
        return RunTurn(
            self.numbers(left)[0],
            read_actions(str(actions), self.station),
            # A hostile list may have millions of cells: they are looked up one by one.
            tuple(self.station.cell(found[0]) for found in _PLACE.finditer(str(rabbits))),
            read_answer(str(answer[0]), self.station) if answer else None,
        )

    def numbers(self, token: Tree[Token] | Token) -> list[int]:
        assert isinstance(token, Token)
        words = _NUMBER.findall(token)
        return [read_number(w, token, self.text, self.name, largest=_MAX_NUMBER) for w in words]


def _read_table(text: str, name: str) -> ScoreTable:
    number = partial(read_number, text=text, name=name, largest=_MAX_NUMBER)
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
    number = partial(read_number, text=text, name=name, largest=_MAX_NUMBER)
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
    mistakes = Mistakes()
    for token in tokens:
        if token.type == "LATE":
            late.append(len(frames))
            continue
        rows = token.rstrip("\n").split("\n")
        fault = _find_frame_fault(rows, station)
        if fault is None:
            frames.append(_compare("".join(rows), "".join(station.rows)))
        elif mistakes.is_full:
            mistakes.count()
        else:
            row, column, message = fault
            place = place_at(text, (token.line or 1) + row, column + 1, name)
            mistakes.add(FormatError(place, message))
    mistakes.raise_any()
    least = 0 if total is None else runs
    if not least <= len(frames) <= turns * runs:
        said = f"a log of {runs} runs of {turns} turns has {least} to {turns * runs} frames"
        raise InputError(name, f"{said}, this has {len(frames)}")
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


def _find_frame_fault(rows: Sequence[str], station: Station) -> tuple[int, int, str] | None:
    """Find what is wrong with the shape of a frame: row and column, from 0, and a message."""
    height, width = len(station.rows), station.width
    for number, row in enumerate(rows):
        if number == height or len(row) != width:
            message = f"a frame has {height} rows of {width} cells, as the map"
            return number, min(len(row), width), message
    if len(rows) < height:
        return len(rows) - 1, 0, f"the frame ends after {len(rows)} rows, the map has {height}"
    return None


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
