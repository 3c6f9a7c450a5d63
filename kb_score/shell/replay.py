"""A game as pictures that follow each other, each kept as its difference from the one before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kb_score.errors import InputError
from kb_score.shell.picture import PLAIN, Drawing, Look, Place

if TYPE_CHECKING:
    from kb_score.shell.verdict import Violation


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
