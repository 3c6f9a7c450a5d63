"""Pictures of boards, independent of the game, and the drawing of boards as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from kb_score.errors import InputError
from kb_score.shell.verdict import Violation

Place = tuple[int, int]

# A picture of a large board shows this many columns and rows around a highlight.
_COLUMNS_SHOWN = 25
_ROWS_SHOWN = 13


@dataclass(frozen=True, slots=True)
class TextBoard:
    """A board as text."""

    rows: Sequence[str]  # one character for each place: its symbol
    middle: Place = (0, 0)  # the place that stays visible on a narrow terminal
    hexes: bool = False  # whether every second row lies half a place to the right

    def write(self, width: int) -> str:
        """Return the board with row and column numbers.

        A board that is wider than the terminal, ``width``, is cut to the part around the middle.
        """
        cells = {}
        for row, symbols in enumerate(self.rows):
            for column, symbol in enumerate(symbols):
                cells[row, column] = symbol
        if not self.rows:
            return ""
        columns = len(self.rows[0])
        is_wide = 3 * columns + 4 > width
        highlights = [self.middle] if is_wide else []
        drawing = Drawing(cells, frozenset(highlights))
        text = draw(drawing, hexes=self.hexes, cut_out=is_wide)
        return text.rstrip()


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece that lies on a place; see `Look`."""

    colour: str
    mark: str
    name: str


@dataclass(frozen=True, slots=True)
class Look:
    """How pictures draw a symbol; `marks.toml` beside this module has the colours and the marks."""

    colour: str  # the colour of the place
    # The shape on the place, for people who cannot tell colours apart; "text" shows the symbol.
    mark: str
    name: str  # the name of what the symbol stands for, or of the place below the piece
    piece: Piece | None = None  # the piece on the place, if the symbol stands for both

    def describe(self, symbol: str) -> str:
        """Return the names of the place and its piece; the symbol if both are empty."""
        names = [self.name]
        if self.piece:
            names.append(self.piece.name)
        description = ", ".join(filter(None, names))
        return description or symbol

    def list_names(self, symbol: str) -> list[str]:
        """Return the description; if there is a piece, also its name and that of the place."""
        names = [self.describe(symbol)]
        if self.piece:
            names += [self.name, self.piece.name]
        return names


# The look of a symbol that the rules do not describe.
PLAIN = Look("white", "text", "")


@dataclass(frozen=True, slots=True)
class PlaceGroup:
    """Places that are marked together, with a number on the first of them."""

    number: int
    places: Sequence[Place]
    # First row, first column, last row, last column, if the group is a part of the board.
    span: tuple[int, int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """A board with a symbol at each place."""

    cells: Mapping[Place, str]  # the symbol by row and column, from 0
    highlights: frozenset[Place] = frozenset()  # the places to mark
    # A number or a word beside the symbol of a place.
    labels: Mapping[Place, str] = field(default_factory=dict)
    looks: Mapping[str, Look] = field(default_factory=dict)  # the look of each symbol
    titles: Mapping[Place, str] = field(default_factory=dict)  # the names of places
    groups: Sequence[PlaceGroup] = ()

    @property
    def size(self) -> tuple[int, int]:
        """The number of rows and the number of columns."""
        return _find_size(self.cells)

    def find_looks(self) -> dict[str, Look]:
        """Return the look of each symbol on the board, in order of the symbols."""
        return _choose_looks(self.looks, self.cells.values())


def _find_size(places: Iterable[Place]) -> Place:
    """Return the numbers of rows and columns of the smallest board that holds some places."""
    row_count = 0
    column_count = 0
    for row, column in places:
        row_count = max(row_count, row + 1)
        column_count = max(column_count, column + 1)
    return row_count, column_count


def _choose_looks(looks: Mapping[str, Look], symbols: Iterable[str]) -> dict[str, Look]:
    """Return the look of each symbol, in order of the symbols."""
    return {symbol: looks.get(symbol, PLAIN) for symbol in sorted(set(symbols))}


def draw(drawing: Drawing, *, hexes: bool = False, width: int = 3, cut_out: bool = False) -> str:
    """Draw a board as text, with highlights and groups in brackets.

    First comes a line of column numbers, then a line for each row, which begins with its number.

    Args:
        drawing: The board; one without places gives an empty text.
        hexes: Whether places are hexes: every second row lies half a hex to the right.
        width: The width of a place in characters, at least 3. Hexes are wider if their symbols
            need it.
        cut_out: Whether to draw only the part of a large board around its first highlight.
    """
    if not drawing.cells:
        return ""
    row_count, column_count = drawing.size
    rows = range(row_count)
    columns = range(column_count)
    marked = set(drawing.highlights)
    for group in drawing.groups:
        marked.update(group.places)
    if cut_out and marked:
        middle_row, middle_column = min(marked)
        rows = window(middle_row, _ROWS_SHOWN, row_count)
        columns = window(middle_column, _COLUMNS_SHOWN, column_count)
    if hexes:
        longest = max(map(len, drawing.cells.values()))
        width = max(width, longest + 2)
    last_row = rows[-1]
    margin = len(str(last_row))
    line = " " * (margin + 1)
    if hexes:  # column numbers are halfway between the places of odd and even rows
        line += " "
    # A number has at least one character fewer than a place: longer ones lose their first digits.
    numbers_end = 10 ** (width - 1)
    for column in columns:
        number = column % numbers_end
        line += f"{number:^{width}}"
    text = f"{line.rstrip()}\n"
    for row in rows:
        line = f"{row:>{margin}} "
        if hexes and row % 2:
            line += " " * (width // 2)
        for column in columns:
            place = (row, column)
            symbol = drawing.cells.get(place, " ")
            cell = f"[{symbol}]" if place in marked else f" {symbol} "
            line += cell.ljust(width)
        text += f"{line.rstrip()}\n"
    return text


def window(middle: int, size: int, count: int) -> range:
    """Return at most ``size`` of ``count`` rows or columns, around the middle or near an edge."""
    latest = max(0, count - size)
    centred = max(0, middle - size // 2)
    first = min(centred, latest)
    end = min(first + size, count)
    return range(first, end)


@dataclass(frozen=True, slots=True)
class Step:
    """The differences between the picture of a turn and the picture before it."""

    caption: str  # the state of the game in this picture
    # The places whose symbol has changed.
    cells: Mapping[Place, str] = field(default_factory=dict)
    # New values beside the board, by label.
    tally: Mapping[str, str] = field(default_factory=dict)
    points: frozenset[Place] = frozenset()  # the places to mark in this picture only


@dataclass(frozen=True, slots=True)
class Replay:
    """All pictures of a game."""

    game: str  # its name on the command line
    record: str  # the name of the record, usually its path
    first: int  # the turn of the first picture
    steps: tuple[Step, ...]  # the pictures, one for each turn, at least one
    looks: Mapping[str, Look]  # the look of each symbol
    violations: tuple[Violation, ...] = ()  # the violations in the record, in order
    hexes: bool = False  # whether places are hexes
    titles: Mapping[Place, str] = field(default_factory=dict)  # the names of places
    title: str = ""  # a title for people; empty for the name of the record
    # The data from which the game made the replay, for pages that query the rules again.
    windows: tuple[Any, ...] = field(default=(), repr=False, compare=False)

    @property
    def last(self) -> int:
        """The turn of the last picture."""
        return self.first + len(self.steps) - 1

    @property
    def size(self) -> tuple[int, int]:
        """The number of rows and the number of columns."""
        return _find_size(chain.from_iterable(step.cells for step in self.steps))

    def find_looks(self) -> dict[str, Look]:
        """Return the look of each symbol that occurs, in order of the symbols."""
        symbols = set[str]()
        for step in self.steps:
            symbols.update(step.cells.values())
        return _choose_looks(self.looks, symbols)

    def turn_of(self, violation: Violation) -> int:
        """Return the turn of the picture that is nearest to a violation.

        It is the first picture for a violation without a turn.
        """
        if violation.turn is None:
            return self.first
        turn = min(violation.turn, self.last)
        return max(self.first, turn)

    def choose(self, turn: int | None) -> int:
        """Return the turn to show, which has a picture, or raise an InputError.

        None is the turn of the first violation or, if there is none, the last turn.
        """
        if turn is None and self.violations:
            first_violation = self.violations[0]
            return self.turn_of(first_violation)
        if turn is None:
            return self.last
        if self.first <= turn <= self.last:
            return turn
        existing = f"there are pictures of turns {self.first} to {self.last}"
        raise InputError(self.record, f"no picture of turn {turn}: {existing}")

    def at(self, turn: int) -> Drawing:
        """Return the picture of a turn, from `first` to `last`."""
        count = turn - self.first + 1
        steps = self.steps[:count]
        cells: dict[Place, str] = {}
        for step in steps:
            cells.update(step.cells)
        points = steps[-1].points
        return Drawing(cells, points, looks=self.looks, titles=self.titles)
