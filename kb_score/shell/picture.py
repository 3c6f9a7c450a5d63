"""Pictures of all games: places and symbols to text that shows a board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kb_score.errors import InputError
from kb_score.shell.verdict import Violation

Place = tuple[int, int]

# A picture of a large board shows this many columns and rows around a highlight.
_ACROSS, _DOWN = 25, 13


@dataclass(frozen=True, slots=True)
class TextBoard:
    """A board as text."""

    rows: Sequence[str]  # a character for each place, which is its symbol
    # The place that stays in sight where the board is larger than the terminal.
    middle: Place = (0, 0)
    hexes: bool = False  # whether every second row lies half a place to the right

    def write(self, width: int) -> str:
        """Write it with the numbers of rows and columns; the part around the middle if too wide."""
        cells = {(r, c): at for r, row in enumerate(self.rows) for c, at in enumerate(row)}
        is_wide = 3 * len(self.rows[0]) + 4 > width
        shown = Drawing(cells, frozenset([self.middle] * is_wide))
        return draw(shown, hexes=self.hexes, cut_out=is_wide).rstrip()


@dataclass(frozen=True, slots=True)
class Piece:
    """What lies on a place: a shape of a colour, and what it is called; see `Look`."""

    colour: str
    mark: str
    name: str


@dataclass(frozen=True, slots=True)
class Look:
    """How pictures draw a symbol; `marks.toml` beside this module has the colours and the marks."""

    colour: str  # the colour of the place
    mark: str  # the shape on it, so that nobody has to tell colours apart; text is the symbol
    name: str  # what the symbol stands for, or the place below the piece
    piece: Piece | None = None  # what lies on the place, if the symbol stands for both

    def say(self, symbol: str) -> str:
        """Name what the symbol stands for, in words if there are any."""
        return ", ".join(filter(None, [self.name, self.piece.name if self.piece else ""])) or symbol

    def list_names(self, symbol: str) -> list[str]:
        """List the name of both, and those of the place and of the piece on it."""
        return [self.say(symbol), *([self.name, self.piece.name] if self.piece else [])]


# How a symbol is drawn about which the rules say nothing.
PLAIN = Look("white", "text", "")


@dataclass(frozen=True, slots=True)
class Evidence:
    """One payment: its reason in words, and the hexes that show it, from 0, ascending."""

    why: str
    gold: int
    hexes: Sequence[Place]
    # The first row and column and the last of the part of the board that it is about, if of one.
    span: tuple[int, int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """A board with a symbol at each place."""

    cells: Mapping[Place, str]  # the symbol by row and column, from 0
    highlights: frozenset[Place] = frozenset()  # the places to point at
    # A number or a word beside the symbol of a place.
    labels: Mapping[Place, str] = field(default_factory=dict)
    looks: Mapping[str, Look] = field(default_factory=dict)  # how to draw each symbol
    titles: Mapping[Place, str] = field(default_factory=dict)  # names of places of their own
    evidence: Sequence[Evidence] = ()  # what is marked, each piece on its own

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of rows and of columns, as far as there are symbols."""
        rows = (row for row, _ in self.cells)
        columns = (column for _, column in self.cells)
        return max(rows, default=-1) + 1, max(columns, default=-1) + 1


def draw(drawing: Drawing, *, hexes: bool = False, width: int = 3, cut_out: bool = False) -> str:
    """Draw a board with the places that the picture points at in brackets.

    The first line has the numbers of the columns. Each row follows on a line that begins with its
    number. Every second row of hexes lies half a hex to the right; a place is ``width`` characters
    wide, at least 3, and a hex more if its symbol needs them. If a large board is cut out, it shows
    the surroundings of the first highlight.
    """
    if not drawing.cells:
        return ""
    rows, columns = map(range, drawing.size)
    pointed = drawing.highlights.union(*(piece.hexes for piece in drawing.evidence))
    if cut_out and pointed:
        row, column = min(pointed)
        rows, columns = window(row, _DOWN, len(rows)), window(column, _ACROSS, len(columns))
    if hexes:
        width = max(width, 2 + max(map(len, drawing.cells.values())))
    margin = len(str(rows[-1]))
    # In narrow columns a number is cut to its last digits.
    heads = "".join(f"{column % 10 ** (width - 1):^{width}}" for column in columns)
    # If every second row is shifted, the numbers stand halfway between the rows' places.
    lines = [f"{'':{margin}} {' ' * hexes}{heads}"]
    for row in rows:
        shift = " " * (width // 2 * (row % 2)) if hexes else ""
        line = f"{row:>{margin}} {shift}"
        for column in columns:
            symbol = drawing.cells.get((row, column), " ")
            marked = f"[{symbol}]" if (row, column) in pointed else f" {symbol} "
            line += f"{marked:{width}}"
        lines.append(line)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def window(middle: int, size: int, count: int) -> range:
    """Find the places to show of a row of ``count``, ``size`` around the middle or near an edge."""
    first = max(0, min(middle - size // 2, count - size))
    return range(first, max(first, min(first + size, count)))


@dataclass(frozen=True, slots=True)
class Step:
    """What the picture of a turn changes."""

    caption: str  # which state of the game it shows
    # The places that show another symbol than before.
    cells: Mapping[Place, str] = field(default_factory=dict)
    # What stands beside the board under some labels, as far as it is new.
    tally: Mapping[str, str] = field(default_factory=dict)
    # The places that it points at; those of the picture before do not count any more.
    points: frozenset[Place] = frozenset()


@dataclass(frozen=True, slots=True)
class Replay:
    """All pictures of a game."""

    game: str  # its name on the command line
    record: str  # what the record is called, usually its path
    first: int  # the turn of the first picture
    steps: tuple[Step, ...]  # the pictures, one for each turn from there on, at least one
    looks: Mapping[str, Look]  # how symbols are drawn
    violations: tuple[Violation, ...] = ()  # what is wrong with the record, in order
    hexes: bool = False  # whether places are hexes
    titles: Mapping[Place, str] = field(default_factory=dict)  # names of places of their own
    title: str = ""  # what people call the game; empty for the name of the record
    # What it was made of, where that is kept, for pages that ask the rules again.
    windows: tuple[Any, ...] = field(default=(), repr=False, compare=False)

    @property
    def last(self) -> int:
        """The turn of the last picture."""
        return self.first + len(self.steps) - 1

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of rows and of columns."""
        return Drawing({place: "" for step in self.steps for place in step.cells}).size

    def find_looks(self) -> dict[str, Look]:
        """Find how each symbol that occurs is drawn, in order of the symbols."""
        symbols = {symbol for step in self.steps for symbol in step.cells.values()}
        return {symbol: self.looks.get(symbol, PLAIN) for symbol in sorted(symbols)}

    def turn_of(self, violation: Violation) -> int:
        """Find the turn whose picture shows a violation best."""
        turn = self.first if violation.turn is None else violation.turn
        return max(self.first, min(turn, self.last))

    def choose(self, turn: int | None) -> int:
        """Find the turn to show: the one asked for, else the first wrong one or the last."""
        if turn is None:
            return self.turn_of(self.violations[0]) if self.violations else self.last
        if not self.first <= turn <= self.last:
            there = f"there are pictures of the turns {self.first} to {self.last}"
            raise InputError(self.record, f"no picture of turn {turn}: {there}")
        return turn

    def at(self, turn: int) -> Drawing:
        """Put together the picture of a turn, which must be one of those that there are."""
        steps = self.steps[: turn - self.first + 1]
        cells = {place: symbol for step in steps for place, symbol in step.cells.items()}
        return Drawing(cells, steps[-1].points, looks=self.looks, titles=self.titles)
