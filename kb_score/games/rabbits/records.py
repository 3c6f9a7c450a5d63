"""Maps and records of Rabbit Runaround: sessions, run logs and score tables.

The kind of a record is recognised by its contents.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import NamedTuple, TypeAlias

from lark import Token, Tree

from kb_score.engine.terms import Facts, Row
from kb_score.errors import FormatError, InputError, Mistakes, Place
from kb_score.games.files import MAP_FILE
from kb_score.games.rulings import read_below_rulings
from kb_score.grammar import MAX_NUMBER, add_mistake, parse, place_at, read_number

FACTS_OF = MAP_FILE
RABBIT = "o"
CRUSHER = "X"
WALL = "#"
START = "s"
EXIT = "e"
CRUSHER_START = "c"
_CORRIDOR = re.compile(r"[^#\n]+")
_MAX_CELLS = 250_000  # clingo needs some 3 KB for each
_MAX_DIGITS = 9  # a coordinate with this many digits is on no map

_NO_CELLS = re.compile(r"[^# sec]+")
_MAP_ROW = re.compile(r"[ \t]*#[# sec]*[ \t]*")
_SESSION = re.compile(r"\s*(?:turnsleft|run[ ]+\d)")
_TABLE = re.compile(r"\s*(?:Running:[^\n]*\n\s*)?Run\s+Seed\s+Score")
_LOG = re.compile(r"\s*Running:")
# Moves are found anywhere in an answer, as the challenge's controller does. The match of a number
# has to begin with its first digit, so that a million digits do not take hours.
_REQUEST = re.compile(r"(?<!\d)(\d+,\d+)\s+to\s+(\d+,\d+)", re.ASCII)
_ACTION = re.compile(r"(?<!\d)(\d+,\d+) +(\w+) +(\d+,\d+)", re.ASCII)
_PLACE = re.compile(r"(?<!\d)\d+,\d+", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]+")
_ROBOT = re.compile(f"[{RABBIT}{CRUSHER}]")
# Controller, map, and the numbers of turns, seed and runs.
_PLANNED = re.compile(r"\s*Running:\s+\S+\s+\S+((?:\s+[0-9]+){3})(?!\S)")
# The beginnings of lines that may have been cut off.
_ENDS = ("Total Score: ", "Move timeout")
_MAX_NUMBER = 10**9  # of turns, a seed or a score
_MAX_POINTS = 10**6  # of a row of a table

# Cells as in `Station`, in an order that depends on the context.
Cells: TypeAlias = tuple[int, ...]
# Actions of crushers, in order: start, ``movesto`` or ``crushes``, end.
Actions: TypeAlias = tuple[tuple[int, str, int], ...]
# Moves of rabbits, in order: start and end.
Moves: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Station:
    """A map: a rectangle with walls all along its edge.

    A cell is a number, ``y * width + x``, in reading order. A place off the map, which a record may
    name, is -1.

    Attributes:
        name: The map's name in messages, usually its path.
        rows: The rows from north to south, each of ``width`` symbols.
    """

    name: str
    rows: tuple[str, ...]

    @property
    def width(self) -> int:
        """The number of cells in a row."""
        return len(self.rows[0])

    @cached_property
    def cell(self) -> Callable[[str], int]:
        """The function that converts coordinates such as ``14,3`` or ``014,03`` to a cell."""
        width = self.width
        height = len(self.rows)

        @lru_cache(maxsize=_MAX_CELLS)  # a record names the same places turn after turn
        def find(place: str) -> int:
            x, y = map(_read_coordinate, place.split(","))
            if x >= width or y >= height:
                return -1
            return y * width + x

        return find

    def write_cell(self, cell: int) -> str:
        """Return the coordinates of a cell as text; empty for a place off the map."""
        if cell < 0:
            return ""
        y, x = divmod(cell, self.width)
        return f"{x},{y}"

    def find(self, symbol: str) -> Cells:
        """Return the cells that hold a symbol, in reading order."""
        drawing = "".join(self.rows)
        return tuple(cell for cell, drawn in enumerate(drawing) if drawn == symbol)

    def facts(self) -> Facts:
        """Return the facts of the map, for asp/rabbits/rules/rules.lp."""
        corridors = []
        begin = 0
        for row in self.rows:
            for found in _CORRIDOR.finditer(row):
                first = begin + found.start()
                last = begin + found.end() - 1
                corridors.append((first, last))
            begin += self.width
        return {
            "size": [(len(self.rows), self.width)],
            "corridor": corridors,
            "start": self._list_rows(START),
            "exit": self._list_rows(EXIT),
            "crusher_start": self._list_rows(CRUSHER_START),
        }

    def _list_rows(self, symbol: str) -> list[Row]:
        """Return the cells that hold a symbol as rows of facts."""
        return [(cell,) for cell in self.find(symbol)]


def _read_coordinate(digits: str) -> int:
    """Read a coordinate; the first digits of a long one are enough, as it is on no map."""
    significant = digits.lstrip("0")
    return int(significant[:_MAX_DIGITS] or 0)


@lru_cache(maxsize=4)
def read_map(text: str, name: str) -> Station:
    """Return the map in a text, which has a name in messages; all mistakes are reported."""
    lines = text.split("\n")
    contents = [line.strip() for line in lines]
    stripped = "\n".join(contents)
    tree = parse("rabbits", stripped, name=name, start="map")
    tokens = _tokens(tree.children)
    rows = tuple(map(str, tokens))
    first_row = rows[0]
    width = len(first_row)
    mistakes = Mistakes()
    # In a text that is not a map at all, only the first mistake is reported.
    most = 1 if all(map(_NO_CELLS.search, rows)) else None
    for number, token in enumerate(tokens[:most]):
        line = token.line or 1
        source = lines[line - 1]
        content = source.lstrip()
        indent = len(source) - len(content)
        is_edge = number in (0, len(rows) - 1)
        faults = _find_map_faults(str(token), width, is_edge=is_edge)
        for offset, message in faults[:most]:
            column = indent + offset + 1
            add_mistake(mistakes, text, line, column, name, message)
    mistakes.raise_any()
    station = Station(name, rows)
    if not station.find(START):
        mistakes.add(InputError(name, f"the map has no rabbit start {START!r}"))
    if not station.find(EXIT):
        mistakes.add(InputError(name, f"the map has no exit {EXIT!r}"))
    mistakes.raise_any()
    if len(rows) * width > _MAX_CELLS:
        raise InputError(name, f"the map has more than {_MAX_CELLS} cells")
    return station


def _find_map_faults(row: str, width: int, *, is_edge: bool) -> list[tuple[int, str]]:
    """Return the faults of a row of a map: the column of each, from 0, and a message."""
    wrong = []
    for found in _NO_CELLS.finditer(row):
        symbol = found[0][0]
        message = f"unexpected {symbol!r}: a cell is one of # s e c, or a blank"
        wrong.append((found.start(), message))
    if wrong:
        return wrong
    length = len(row)
    if length != width:
        message = f"this row has {length} cells, but the first row has {width}"
        return [(min(length, width), message)]
    columns = range(width) if is_edge else (0, width - 1)
    for column in columns:
        if row[column] != WALL:
            # One hole is enough: a row may have many.
            return [(column, "a map must have walls # all along its edge")]
    return []


@dataclass(frozen=True, slots=True)
class RunTurn:
    """One turn of a session; for cells, see `Station`.

    Attributes:
        left: The number after ``turnsleft``.
        actions: The actions of the crushers.
        rabbits: The cells of the rabbits.
        requests: The moves that the bot asks for; None without an answer.
    """

    left: int
    actions: Actions
    rabbits: Cells
    requests: Moves | None


@dataclass(frozen=True, slots=True)
class RabbitsRun:
    """One run of a session, with at least one turn.

    Attributes:
        number: The run's number in the record; 1 if the record does not number it.
        seed: The seed; 0 if it is not known.
        score: The points that the record claims for the run; None if it claims none.
    """

    number: int
    seed: int
    turns: tuple[RunTurn, ...]
    score: int | None

    def facts(self, turns: range, *, is_last: bool) -> Facts:
        """Return the facts of some turns, from 1; the run may be the last one of the record."""
        first = turns[0]
        last = turns[-1]
        turns_left = []
        actions = []
        listed = []
        listed_twice = []
        requests = []
        for number in turns:
            turn = self.turns[number - 1]
            turns_left.append((turn.left, number))
            for place, action in enumerate(turn.actions):
                actions.append((place, *action, number))
            for cell, times in Counter(turn.rabbits).items():
                listed.append((cell, number))
                if times > 1:
                    listed_twice.append((cell, number))
            for place, request in enumerate(turn.requests or ()):
                requests.append((place, *request, number))
        facts: dict[str, Sequence[Row]] = {
            "window_start": [(first,)],
            "window_end": [(last,)],
            "last_turn": [(self.turns[0].left,)],
            "turnsleft": turns_left,
            "act": actions,
            "listed": listed,
            "listed_twice": listed_twice,
            "request": requests,
            "stops": [],
            "answered": [],
            "closed": [],
            "claimed_score": [],
        }
        if self.turns[last - 1].requests is not None:
            facts["answered"] = [(last,)]
        if last == len(self.turns):
            facts["stops"] = [(last,)]
            if self.score is not None or not is_last:
                facts["closed"] = [(last,)]
        if self.score is not None:
            facts["claimed_score"] = [(self.score,)]
        return facts


@dataclass(frozen=True, slots=True)
class Frame:
    """The station after step 1 of a turn, with the cells of the robots; see `Station`.

    The misdrawn cells show neither the map nor a robot in a corridor.
    """

    rabbits: Cells
    crushers: Cells
    misdrawn: Cells = ()

    def write(self, station: Station) -> str:
        """Return the frame as the challenge's controller writes it to its log."""
        canvas = list("".join(station.rows))
        for cell in self.rabbits:
            canvas[cell] = RABBIT
        for cell in self.crushers:
            canvas[cell] = CRUSHER
        width = station.width
        drawing = "".join(canvas)
        rows = [drawing[begin : begin + width] for begin in range(0, len(drawing), width)]
        return "\n".join(rows) + "\n\n\n"


def list_frames(frames: Iterable[Frame]) -> Facts:
    """Return the facts of some frames; the first one is that of turn 1."""
    rabbits = []
    crushers = []
    misdrawn = []
    last = 0
    # Turns are numbered within the window, so that the next window can reuse its symbols.
    for last, frame in enumerate(frames, start=1):
        rabbits += [(cell, last) for cell in frame.rabbits]
        crushers += [(cell, last) for cell in frame.crushers]
        misdrawn += [(cell, last) for cell in frame.misdrawn]
    return {
        "window_start": [(1,)],
        "window_end": [(last,)],
        "rabbit_shown": rabbits,
        "crusher_shown": crushers,
        "misdrawn": misdrawn,
    }


@dataclass(frozen=True, slots=True)
class RunLog:
    """A run log.

    Attributes:
        frames: The frames of all runs.
        late: The indices of the frames that come after a late answer.
        turns: The number of turns planned for each run.
        runs: The number of runs planned.
        seed: The seed; 0 for a new one each run.
        total: The points that the log claims; None if it stops before that.
        is_cut: Whether the log has no final newline, so the last digits of its total may be
            missing.
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
        rows: The run, the seed and the score of each row.
        total: The points that the table claims; None if it stops before that.
        planned: The turns of a run and the number of runs, if the table has them.
        seeds: The planned seed, if the table has it.
    """

    rows: tuple[tuple[int, int, int], ...]
    total: int | None
    planned: tuple[tuple[int, int], ...]
    seeds: tuple[int, ...]


# A map alone is a session without a run.
RabbitsRecord: TypeAlias = tuple[RabbitsRun, ...] | RunLog | ScoreTable


def recognises(text: str) -> bool:
    """Return whether a text looks like a map: rows of walls, with a start or an exit."""
    symbols = set[str]()
    for line in text.splitlines():
        content = line.strip()
        if not content or content.startswith(";"):
            continue
        if not _MAP_ROW.fullmatch(content):
            return False
        symbols.update(content)
    # A text without rows has no start either.
    return not symbols.isdisjoint("sec")


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a map."""
    return read_map(text, name).facts()


def read_record(text: str, station: Station, name: str) -> RabbitsRecord:
    """Return a session (a tuple of runs), a run log or a score table on a map.

    Rulings at the top of the text are skipped: `apply_rulings` reads them.
    """
    return read_below_rulings(lambda rest: _read_record(rest, station, name), text)


def _read_record(text: str, station: Station, name: str) -> RabbitsRecord:
    """Read a record of any kind."""
    if _SESSION.match(text):
        text = text.rstrip() + "\n"
        reader = _RunReader(text, name, station)
        tree = parse("rabbits_session", text, name=name)
        return tuple(map(reader.read, tree.children))
    if _TABLE.match(text):
        return _read_table(text, name)
    if _LOG.match(text):
        return _read_run_log(text, station, name)
    lines = text.split("\n")
    # The first line that is not blank; there may be none.
    number = next((number for number, line in enumerate(lines) if line.strip()), 0)
    message = (
        'not a record: a session begins with "turnsleft N" or "run K seed S", a run log with '
        '"Running: ", and a score table with that or "Run Seed Score"'
    )
    place = Place(name, number + 1, 1, lines[number])
    raise FormatError(place, message)


def read_actions(line: str, station: Station) -> Actions:
    """Return the actions of crushers in a line."""
    cell = station.cell
    actions = _ACTION.findall(line)
    return tuple((cell(start), verb, cell(end)) for start, verb, end in actions)


def read_answer(line: str, station: Station) -> Moves:
    """Return the moves that a bot asks for, read as the challenge's controller reads them."""
    cell = station.cell
    return tuple((cell(start), cell(end)) for start, end in _REQUEST.findall(line))


def tidy_answer(line: str) -> str:
    """Return the moves that an answer asks for, without anything else in it."""
    return _join_moves(_REQUEST.findall(line))


def write_answer(requests: Iterable[tuple[int, int]], station: Station) -> str:
    """Return the line that asks for some moves."""
    write = station.write_cell
    return _join_moves((write(start), write(end)) for start, end in requests)


def _join_moves(moves: Iterable[tuple[str, str]]) -> str:
    """Return the line that asks for some moves, given as pairs of coordinates."""
    requests = "; ".join(f"{start} to {end}" for start, end in moves)
    return f"move {requests}".rstrip()


def write_told(turn: RunTurn, station: Station) -> str:
    """Return the three lines that a bot receives."""
    write = station.write_cell
    actions = [f"{write(start)} {verb} {write(end)}" for start, verb, end in turn.actions]
    # The challenge's controller leaves a blank after an empty list of actions.
    listed_actions = "; ".join(actions)
    lines = [
        f"turnsleft {turn.left}",
        f"crusher {listed_actions}",
        " ".join(["rabbits", *map(write, turn.rabbits)]),
    ]
    return "\n".join(lines) + "\n"


def write_session(runs: Sequence[RabbitsRun], station: Station) -> str:
    """Return a session as text; each run has a heading if there are several."""
    pieces = []
    for run in runs:
        if len(runs) > 1:
            pieces.append(f"run {run.number} seed {run.seed}\n")
        for turn in run.turns:
            pieces.append(write_told(turn, station))
            if turn.requests is not None:
                answer = write_answer(turn.requests, station)
                pieces.append(f"{answer}\n")
        if run.score is not None:
            pieces.append(f"score {run.score}\n")
    return "".join(pieces)


@dataclass(frozen=True, slots=True)
class _RunReader:
    """Reads the runs of one text, and finds places in it for messages."""

    text: str
    name: str
    station: Station

    def read(self, tree: Tree[Token]) -> RabbitsRun:
        """Return a run.

        A turn before the last one without an answer, and a number that is too large, are a
        FormatError.
        """
        number = 1
        seed = 0
        score = None
        turns: list[RunTurn] = []
        for child in tree.children:
            if isinstance(child, Tree):
                if turns and turns[-1].requests is None:
                    raise self._refuse_unanswered(child)
                turns.append(self._read_turn(child))
            elif child.type == "RUN":
                number, seed = self._read_numbers(child)
            else:
                (score,) = self._read_numbers(child)
        return RabbitsRun(number=number, seed=seed, turns=tuple(turns), score=score)

    def _refuse_unanswered(self, following: Tree[Token]) -> FormatError:
        """Return the error that the turn before another one has no answer."""
        first, *_ = _tokens(following.children)
        place = place_at(self.text, first.line or 1, first.column or 1, self.name)
        return FormatError(place, "a turn without an answer must be the last of its run")

    def _read_turn(self, tree: Tree[Token]) -> RunTurn:
        station = self.station
        head, actions, rabbits, *answer = tree.children
        (left,) = self._read_numbers(head)
        requests = read_answer(str(answer[0]), station) if answer else None
        # A hostile list may have millions of cells, so it is not split all at once.
        places = _PLACE.finditer(str(rabbits))
        return RunTurn(
            left=left,
            actions=read_actions(str(actions), station),
            rabbits=tuple(station.cell(found[0]) for found in places),
            requests=requests,
        )

    def _read_numbers(self, token: Tree[Token] | Token) -> list[int]:
        """Read all numbers in a token."""
        assert isinstance(token, Token)
        return [
            read_number(word, token, self.text, self.name, largest=_MAX_NUMBER)
            for word in _NUMBER.findall(token)
        ]


def _read_table(text: str, name: str) -> ScoreTable:
    """Read a score table; a last line that was cut off is left out."""
    number = partial(read_number, text=text, name=name, largest=_MAX_NUMBER)
    points = partial(read_number, text=text, name=name, largest=_MAX_POINTS)
    rows = []
    planned = []
    seeds = []
    total = None
    tree = parse("rabbits_table", _without_cut_row(text), name=name)
    for token in _tokens(tree.children):
        if token.type == "ROW":
            run, seed, score = token.split()
            row = (number(run, token), number(seed, token), points(score, token))
            rows.append(row)
        elif token.type == "TOTAL":
            last_word = token.split()[-1]
            total = number(last_word, token)
        elif token.type == "HEAD":
            found = _PLANNED.match(token)
            if found is not None:
                turns, seed, runs = found[1].split()
                planned.append((points(turns, token), number(runs, token)))
                seeds.append(number(seed, token))
    sums = {
        "scores": sum(score for _, _, score in rows),
        "turns": len(rows) * max((of_run for of_run, _ in planned), default=0),
    }
    for what, added in sums.items():
        if added > MAX_NUMBER:
            raise InputError(name, f"the {what} add up to {added}, which does not fit in 32 bits")
    return ScoreTable(rows=tuple(rows), total=total, planned=tuple(planned), seeds=tuple(seeds))


def _read_run_log(text: str, station: Station, name: str) -> RunLog:
    """Read a run log; a last frame or line that was cut off is left out."""
    number = partial(read_number, text=text, name=name, largest=_MAX_NUMBER)
    tree = parse("rabbits_log", _without_cut_line(text), name=name)
    head, *tokens = _tokens(tree.children)
    planned = _PLANNED.match(head)
    if planned is None:
        expected = "the number of turns, the seed and the number of runs"
        raise InputError(name, f"the first line does not give {expected}")
    numbers = [number(word, head) for word in planned[1].split()]
    turns, seed, runs = numbers
    most = turns * runs
    if not most:
        raise InputError(name, "a log has at least one run of one turn")
    total = None
    if tokens and tokens[-1].type == "TOTAL":
        last = tokens.pop()
        last_word = last.split()[-1]
        total = number(last_word, last)
    elif tokens and _is_cut(tokens[-1], station):
        tokens.pop()
    frames, late = _read_frames(tokens, text, station, name)
    least = 0 if total is None else runs
    if not least <= len(frames) <= most:
        expected = f"a log of {runs} runs of {turns} turns has {least} to {most} frames"
        raise InputError(name, f"{expected}, but this one has {len(frames)}")
    return RunLog(
        frames=tuple(frames),
        late=tuple(late),
        turns=turns,
        runs=runs,
        seed=seed,
        total=total,
        is_cut=not text.endswith("\n"),
    )


def _read_frames(
    tokens: Iterable[Token], text: str, station: Station, name: str
) -> tuple[list[Frame], list[int]]:
    """Return the frames of a log, and the indices of those that come after a late answer."""
    frames: list[Frame] = []
    late = []
    mistakes = Mistakes()
    plan = "".join(station.rows)
    for token in tokens:
        if token.type == "LATE":
            late.append(len(frames))
            continue
        rows = token.rstrip("\n").split("\n")
        fault = _find_frame_fault(rows, station)
        if fault is None:
            drawing = "".join(rows)
            frames.append(_compare(drawing, plan))
            continue
        line = (token.line or 1) + fault.row
        add_mistake(mistakes, text, line, fault.column + 1, name, fault.message)
    mistakes.raise_any()
    return frames, late


def _without_cut_line(text: str) -> str:
    """Return a text without its last line if that is only the beginning of a line."""
    before, _, line = text.rstrip("\n").rpartition("\n")
    if any(end.startswith(line) for end in _ENDS):
        return f"{before}\n"
    return text


def _without_cut_row(text: str) -> str:
    """Return a table without a last line that was cut off; a total needs no newline."""
    before, _, line = text.rpartition("\n")
    if "Total Score:" not in line:
        text = f"{before}\n"
    return _without_cut_line(text)


def _is_cut(frame: Token, station: Station) -> bool:
    """Return whether the last frame of a log is incomplete because the log was cut off."""
    *before, last = frame.rstrip("\n").split("\n")
    width = station.width
    missing = len(station.rows) - len(before)
    if missing <= 0:
        return False
    length = len(last)
    if length > width:
        return False
    if missing == 1 and length == width:
        return False  # the frame is whole
    return all(len(row) == width for row in before)


def _tokens(children: Iterable[object]) -> list[Token]:
    """Return the tokens among the children of a tree."""
    return [token for token in children if isinstance(token, Token)]


class _FrameFault(NamedTuple):
    """A fault in the shape of a frame."""

    row: int  # from 0
    column: int  # from 0
    message: str


def _find_frame_fault(rows: Sequence[str], station: Station) -> _FrameFault | None:
    """Return the first fault in the shape of a frame; None if there is none."""
    height = len(station.rows)
    width = station.width
    for number, row in enumerate(rows):
        length = len(row)
        if number == height or length != width:
            message = f"a frame must have {height} rows of {width} cells, like the map"
            return _FrameFault(number, min(length, width), message)
    count = len(rows)
    if count < height:
        message = f"the frame ends after {count} rows, but the map has {height}"
        return _FrameFault(count - 1, 0, message)
    return None


def _compare(drawing: str, plan: str) -> Frame:
    """Return the frame of a drawing: its robots, and other cells that differ from the map."""
    cells: dict[str, list[int]] = {RABBIT: [], CRUSHER: []}
    without_robots = list(drawing)
    for robot in _ROBOT.finditer(drawing):
        symbol = robot[0]
        cell = robot.start()
        cells[symbol].append(cell)
        # A robot in a wall is misdrawn.
        below = plan[cell]
        if below == WALL:
            below = ""
        without_robots[cell] = below
    misdrawn = []
    if "".join(without_robots) != plan:
        misdrawn = [cell for cell, symbol in enumerate(without_robots) if symbol != plan[cell]]
    return Frame(
        rabbits=tuple(cells[RABBIT]), crushers=tuple(cells[CRUSHER]), misdrawn=tuple(misdrawn)
    )
