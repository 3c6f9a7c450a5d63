"""The search for boards that explain claims; what is found can be had at any time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from kb_score.engine.aside import Deadline, TimeUp
from kb_score.engine.search import Search
from kb_score.engine.terms import predicate_of
from kb_score.games.kingdom_builder.hexes import HIDDEN
from kb_score.games.kingdom_builder.rules import StandsRow, bound, check_bounds, restore_use

if TYPE_CHECKING:
    from kb_score.engine.program import Program
    from kb_score.engine.terms import Answer
    from kb_score.games.kingdom_builder.board import Board
    from kb_score.games.kingdom_builder.cards import Rules
    from kb_score.games.kingdom_builder.restore.puzzle import Hex, Puzzle

# clasp's way to search that found boards soonest; see docs/restore.md.
_OPTIONS = ("--configuration=frumpy",)
# So many hexes that are not hidden are open at once: with more, clingo would ground far more chains
# of settlements than a few changes can make.
_OPEN = {1: 20, 2: 20}
_OPEN_FOR_MORE = 40
# Hexes that are open together lie apart: those of a row by the number of parts, and those of the
# next row are shifted by so many.
_SHIFT = 7

# What differs from the board as it is given: the symbol that stands on a hex.
Filling = frozenset[tuple[int, int, str]]


@dataclass
class Restorer:
    """Looks for the boards that explain claims, those with fewest changes first.

    Attributes:
        puzzle: The board and the claims.
        rules: The rules, which score any board.
        most: How many boards are listed.
        changes: How many of the hexes that could be read may hold something else.
        deadline: When to stop.
        found: What stands on the hidden and on the changed hexes of each board found so far.
        complete: Whether there is no other board.
        proved: Whether `common` is so on all boards, also on those that were not found.
    """

    puzzle: Puzzle
    rules: Rules
    most: int
    changes: int
    deadline: Deadline
    found: dict[Filling, None] = field(default_factory=dict)
    complete: bool = False
    proved: bool = False
    _common: Filling | None = None

    def run(self) -> None:
        """Search until all is known that can be told, or the time is over."""
        try:
            self.complete = self._find_all()
        except TimeUp:
            return

    @property
    def boards(self) -> Iterator[Board]:
        """The boards found so far."""
        return map(self.puzzle.fill, self.found)

    @property
    def common(self) -> Filling:
        """What all boards have on hidden and on changed hexes, as far as is known."""
        sets = [*self.found, *([] if self._common is None else [self._common])]
        return frozenset.intersection(*sets) if self.found else frozenset()

    @property
    def fewest(self) -> int | None:
        """The number of changes of the first board; None if there is no board."""
        return next((self._count_changes(filling) for filling in self.found), None)

    def list_changes(self, filling: Filling) -> list[tuple[Hex, str, str]]:
        """List the changed hexes of a board, each with what is given and what may stand there."""
        placed = [((row, column), symbol) for row, column, symbol in sorted(filling)]
        given = self.puzzle.at
        return [(h, given(h), symbol) for h, symbol in placed if given(h) != HIDDEN]

    def _count_changes(self, filling: Filling) -> int:
        return len(self.list_changes(filling))

    def _find_all(self) -> bool:
        for changes in range(self.changes + 1):
            for opened in self._cover(changes):
                if not self._find(opened, changes):
                    return False
        self.proved = True
        return True

    def _find(self, opened: list[Hex], changes: int) -> bool:
        """Look for boards that change so many of the open hexes; tell whether these are all."""
        search = self._open(opened, changes)
        # Some of these boards may have been found before, in another part of the board.
        for answer in search.find():
            filling = self._read(answer)
            if filling in self.found:
                continue
            if len(self.found) == self.most:
                break
            self.found[filling] = None
        else:
            return True
        if not self.changes:
            for answer in search.find_common():
                self._common = self._read(answer)
            self.proved = True
        return False

    def _open(self, opened: list[Hex], changes: int) -> Search:
        program = self._program
        facts = {**self.puzzle.facts(opened, changes, program.asked)}
        if "score.lp" not in {path.name for path in self.rules.game.changes.files}:
            facts["plain_sums"] = [()]
        return Search(program, facts, predicate_of(StandsRow), self.deadline, _OPTIONS)

    @cached_property
    def _program(self) -> Program:
        claimed = {number for claim in self.puzzle.claims for number in claim.numbers}
        names = [card.name for card in self.rules.cards if card.number in {0, *claimed}]
        # A user's rules may look at any card, so none may be left out.
        cards = None if self.rules.game.changes.folders else names
        return self.rules.game.program(bound(restore_use(cards), self.rules.game))

    def _read(self, answer: Answer) -> Filling:
        check_bounds(answer)
        stands = answer.read(StandsRow)
        return frozenset(row for row in stands if row.symbol != self.puzzle.at((row[0], row[1])))

    def _cover(self, changes: int) -> Iterator[list[Hex]]:
        """Yield sets of open hexes, such that any so many of the given ones are in one of them."""
        hidden = list(self.puzzle.hidden)
        given = [place for place in self.puzzle.places if self.puzzle.at(place) != HIDDEN]
        if not changes:
            yield hidden
            return
        count = max(changes, -(-len(given) * changes // _OPEN.get(changes, _OPEN_FOR_MORE)))
        parts: list[list[Hex]] = [[] for _ in range(count)]
        for row, column in given:
            parts[(_SHIFT * row + column) % count].append((row, column))
        for some in combinations(parts, changes):
            yield sorted([*hidden, *(place for part in some for place in part)])
