"""Horror Movie Search Party in plain Python, written from the English rules alone.

It shares no code and no rule with ``asp/``, so that tests can hold the two against each other.
``search_party_bots`` makes whole games.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import product
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

Moves = Mapping[str, str]
"""The moves of one turn: person (``@``, ``A``, ``a``) to direction (``1`` to ``9``)."""

STAR = "@"
SEARCHED, UNSEARCHED, OBSTACLE = b"o.#"
# Directions as on a number pad; y grows downwards, so 7 8 9 go up.
STEPS = {
    str(3 * row + column + 1): (column - 1, 1 - row) for row in range(3) for column in range(3)
}
REACH = 2
SIGHT = frozenset(
    (dx, dy)
    for dx in range(-REACH, REACH + 1)
    for dy in range(-REACH, REACH + 1)
    if dx * dx + dy * dy < 8
)
LARGEST_SIDE, LARGEST_CAST = 256, 26
HEADER = re.compile(r"\s*\d+\s+\d+\s+\d+\s+\d+\s*", re.ASCII)
RESULT = re.compile(r"\s*\d+\s+\d+\s+\d+\s*", re.ASCII)


class IllegalMove(Exception):
    """A move that the rules forbid: ``code`` says why, ``who`` was to make it.

    Codes: onto-obstacle off-map bad-direction unknown-person dead-person moved-twice after-end (the
    last one with ``who`` empty if nobody was to move).
    """

    def __init__(self, code: str, who: str = "") -> None:
        super().__init__(code, who)
        self.code = code
        self.who = who


@dataclass(frozen=True, slots=True)
class Map:
    """A map and the size of its cast; ``rows[y][x]`` with (0, 0) at the upper left."""

    width: int
    height: int
    costars: int
    extras: int
    rows: tuple[str, ...]

    @property
    def start(self) -> tuple[int, int]:
        """Where everybody begins, as x, y."""
        return next((row.index("S"), y) for y, row in enumerate(self.rows) if "S" in row)

    @property
    def open_cells(self) -> frozenset[tuple[int, int]]:
        """Every cell that can be stood on, the start among them, as x, y."""
        return frozenset(
            (x, y) for y, row in enumerate(self.rows) for x, cell in enumerate(row) if cell != "#"
        )

    @property
    def cast(self) -> tuple[str, ...]:
        """Everybody at the start of the game, in the order ``@ A.. a..``."""
        return (STAR, *ascii_uppercase[: self.costars], *ascii_lowercase[: self.extras])


def parse_map(text: str) -> Map:
    """Read a map file.

    Args:
        text: ``N M p q`` and M rows of N characters; line ends may be CR LF, the last one may lack.

    Returns:
        The map. That its open cells are connected is taken for granted.

    Raises:
        ValueError: The text is no map; the message says what is wrong with it.
    """
    header, *rows = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    if not HEADER.fullmatch(header):
        raise ValueError(f"expected columns, rows, costars and extras, got {header!r}")
    width, height, costars, extras = (int(number) for number in header.split())
    if not (0 < width <= LARGEST_SIDE and 0 < height <= LARGEST_SIDE and height == len(rows)):
        raise ValueError(f"{header!r} does not fit {len(rows)} rows, or is beyond {LARGEST_SIDE}")
    if max(costars, extras) > LARGEST_CAST:
        raise ValueError(f"at most {LARGEST_CAST} costars and extras each")
    for y, row in enumerate(rows):
        if len(row) != width or not set(row) <= set(".#S"):
            raise ValueError(f"row {y} is not {width} characters of . # S: {row!r}")
    if "".join(rows).count("S") != 1:
        raise ValueError("a map has exactly one S")
    return Map(width, height, costars, extras, tuple(rows))


def write_map(map_: Map) -> str:
    """Write the text that ``parse_map`` reads."""
    header = f"{map_.width} {map_.height} {map_.costars} {map_.extras}"
    return "\n".join((header, *map_.rows, ""))


class Game:
    """One game. Cells are integers inside, with a border so that no offset wraps to another row.

    Attributes:
        map: What is played on; never changes.
        turn: Turns played so far.
        finished: Whether all open space is searched.
        stride: How far a cell of ``board`` is from the one below it.
        steps: Direction to offset in ``board``.
        cells: Everybody alive, in the order ``@ A.. a..``, to a cell of ``board``.
        board: The map with its border, a byte (``SEARCHED``, ``UNSEARCHED``, ``OBSTACLE``) a cell.
    """

    def __init__(self, map_: Map) -> None:
        self.map = map_
        self.turn = 0
        self.stride = stride = map_.width + 2 * REACH
        side, edge = "#" * REACH, "#" * stride * REACH
        rows = "".join(side + row + side for row in map_.rows)
        self.board = bytearray((edge + rows + edge).replace("S", ".").encode("ascii"))
        self.steps = {digit: dx + dy * stride for digit, (dx, dy) in STEPS.items()}
        self._sight = frozenset(dx + dy * stride for dx, dy in SIGHT)
        # What a step brings into sight that was not in sight before it.
        self._fresh = {
            digit: tuple(cell for cell in self._sight if cell + step not in self._sight)
            for digit, step in self.steps.items()
        }
        self._unsearched = self.board.count(UNSEARCHED)
        x, y = map_.start
        begin = (y + REACH) * stride + x + REACH
        self.cells = dict.fromkeys(map_.cast, begin)
        self._search(begin, self._sight)
        self.finished = not self._unsearched

    @property
    def alive(self) -> dict[str, tuple[int, int]]:
        """Everybody alive to x, y, in the order ``@ A.. a..``."""
        return {who: self._place(cell) for who, cell in self.cells.items()}

    @property
    def searched(self) -> frozenset[tuple[int, int]]:
        """The open cells that are searched, as x, y."""
        return frozenset(
            self._place(cell) for cell, state in enumerate(self.board) if state == SEARCHED
        )

    @property
    def picture(self) -> tuple[str, ...]:
        """The rows of the map with ``o`` for searched and ``.`` for unsearched cells."""
        width, stride = self.map.width, self.stride
        begins = (y * stride + REACH for y in range(REACH, REACH + self.map.height))
        return tuple(self.board[begin : begin + width].decode("ascii") for begin in begins)

    def result(self) -> tuple[int, int, int]:
        """Count the turns played, the living costars and the living extras."""
        costars = sum(who.isupper() for who in self.cells)
        return self.turn, costars, len(self.cells) - 1 - costars

    def step(self, moves: Moves) -> None:
        """Play one turn; who is not listed stands still.

        Raises:
            IllegalMove: For the first move that is illegal; then nothing has changed.
        """
        self.cells = self._moved(moves)
        # The sight of whoever stands still is searched already, and so is the part of a mover's
        # sight that he had before he moved.
        for cell, digit in {(self.cells[who], digit) for who, digit in moves.items()}:
            self._search(cell, self._fresh[digit])
        for who in self._doomed():
            del self.cells[who]
        self.turn += 1
        self.finished = not self._unsearched

    def _moved(self, moves: Moves) -> dict[str, int]:
        """Where everybody is after the moves, still with those who will die there."""
        if self.finished:
            raise IllegalMove("after-end", next(iter(moves), ""))
        cells = self.cells.copy()
        for who, digit in moves.items():
            step = self.steps.get(digit)
            if who not in cells or step is None or self.board[cells[who] + step] == OBSTACLE:
                raise IllegalMove(self._fault(who, digit), who)
            cells[who] += step
        return cells

    def _fault(self, who: str, digit: str) -> str:
        """Name what is wrong with a move that is illegal."""
        if who not in self.cells:
            return "dead-person" if who in self.map.cast else "unknown-person"
        if digit not in self.steps:
            return "bad-direction"
        x, y = self._place(self.cells[who] + self.steps[digit])
        inside = 0 <= x < self.map.width and 0 <= y < self.map.height
        return "onto-obstacle" if inside else "off-map"

    def _search(self, cell: int, offsets: Iterable[int]) -> None:
        board = self.board
        for offset in offsets:
            if board[cell + offset] == UNSEARCHED:
                board[cell + offset] = SEARCHED
                self._unsearched -= 1

    def _doomed(self) -> list[str]:
        """Everybody who dies where they all stand now; a look at each cell, not at each person."""
        people = Counter(self.cells.values())
        extras = Counter(cell for who, cell in self.cells.items() if who.islower())
        # Cell to the number of people, and of extras, in sight of it; those on it count too.
        seen: dict[int, tuple[int, int]] = {}
        for cell in people:
            near = [other for other in people if other - cell in self._sight]
            seen[cell] = sum([people[at] for at in near]), sum([extras[at] for at in near])
        costar_dies = {(1, 0)}
        extra_dies = {(1, 1), (2, 2)}
        return [
            who
            for who, cell in self.cells.items()
            if who != STAR and seen[cell] in (extra_dies if who.islower() else costar_dies)
        ]

    def _place(self, cell: int) -> tuple[int, int]:
        y, x = divmod(cell, self.stride)
        return x - REACH, y - REACH


def parse_moves(line: str) -> dict[str, str]:
    """Read a line such as ``@9 A2 a2 B7.``; persons and directions may be any character.

    Raises:
        ValueError: The line is not of this form.
        IllegalMove: Somebody moves twice.
    """
    body = line.strip()
    if not body.endswith("."):
        raise ValueError(f"a line of moves ends in a full stop: {line!r}")
    moves: dict[str, str] = {}
    for word in body[:-1].split():
        if len(word) != 2:
            raise ValueError(f"a move is a person and a direction, not {word!r}")
        who, digit = word[0], word[1]
        if who in moves:
            raise IllegalMove("moved-twice", who)
        moves[who] = digit
    return moves


def write_moves(moves: Moves) -> str:
    """Write a turn's moves as one line, without its end."""
    return " ".join(who + digit for who, digit in moves.items()) + "."


def list_endings(game: Game) -> set[tuple[int, int, int]]:
    """List the results of all ways to finish a game with one more turn; ``game`` stays as it is.

    Everybody's moves are tried, so that only a small cast is fast enough.
    """
    choices: list[list[tuple[str, str]]] = []
    for who, cell in game.cells.items():
        open_steps = [d for d, step in game.steps.items() if game.board[cell + step] != OBSTACLE]
        choices.append([(who, digit) for digit in open_steps])
    results = set()
    for moves in product(*choices):
        tried = deepcopy(game)
        tried.step(dict(moves))
        if tried.finished:
            results.add(tried.result())
    return results


class Verdict(NamedTuple):
    """What the rules say about a plan."""

    turns: int
    costars: int
    extras: int
    finished: bool
    consistent: bool


def check_plan(map_: Map, text: str) -> Verdict:
    """Play a plan by the rules and compare the result that it claims, if it claims one.

    Args:
        map_: The map that the plan is for.
        text: Lines of moves, then perhaps ``turns costars extras``; blank lines are skipped.

    Returns:
        The result at the first illegal turn, else at the end of the plan. A plan is consistent if
        every turn is legal and the claim, if any, is the result of a finished game.

    Raises:
        ValueError: The text is no plan.
    """
    game = Game(map_)
    claim: tuple[int, ...] | None = None
    for line in text.splitlines():
        if claim is not None and line.strip():
            raise ValueError(f"nothing may follow the result: {line!r}")
        if RESULT.fullmatch(line):
            claim = tuple(int(number) for number in line.split())
        elif line.strip():
            try:
                game.step(parse_moves(line))
            except IllegalMove:
                return Verdict(*game.result(), game.finished, consistent=False)
    agrees = claim is None or (game.finished and claim == game.result())
    return Verdict(*game.result(), game.finished, agrees)
