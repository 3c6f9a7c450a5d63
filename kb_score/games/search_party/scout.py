"""Distances on a map, and a plan to begin with: the rules send waves, and this reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kb_score.engine.incremental import Live
from kb_score.errors import InputError
from kb_score.games.search_party.check import check_map
from kb_score.games.search_party.rules import (
    WAVES,
    CatchRow,
    ComesRow,
    FrontRow,
    GlimpseRow,
    HiddenRow,
    InvalidMapRow,
    PersonRow,
)

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Facts
    from kb_score.games.search_party.maps import Map

# Marks that are nearer to each other tell a search nothing new.
_NEAR = 3


class Scout:
    """Looks round a map.

    Attributes:
        people: The names of the whole cast.
    """

    def __init__(self, rules: GameRules, map_: Map, pause: Callable[[], object]) -> None:
        """Ground a map; ``pause`` is called between two waves, and may raise.

        Raises:
            InputError: The map is not valid for this game.
        """
        facts = map_.facts()
        self._live = Live(rules.program(WAVES), facts, renewal=None)
        check_map(map_, self._live.news(InvalidMapRow))
        ((start,),) = facts["starting_cell"]
        assert isinstance(start, int)
        self.people = sorted(row.person for row in self._live.news(PersonRow))
        self._map, self._start, self._leg, self._pause = map_, start, 0, pause

    def reach(self) -> tuple[int, list[int]]:
        """Find out when the last cell can come in sight, and list all cells in such an order.

        Raises:
            InputError: No walk sees all open cells.
        """
        self._begin({"start": [(self._start,)]})
        turns, seen = 0, list[int]()
        front = self._live.news(FrontRow)
        wave = 0
        while front:
            if found := self._play(["glimpse"]).news(GlimpseRow):
                turns = wave
                seen += sorted(row.cell for row in found)
            front = self._wave()
            wave += 1
        if hidden := self._play(["rest"]).news(HiddenRow):
            x, y = self._map.place(min(hidden).cell)
            raise InputError(self._map.name, f"there is no plan: nobody can ever see {x},{y}")
        return turns, seen

    def measure(self, mark: int) -> dict[int, int]:
        """Count the moves from every cell to where people see a mark."""
        self._begin({"target": [(mark,)]})
        away, moves = dict[int, int](), 0
        front = self._live.news(FrontRow)
        while front:
            away |= {row.cell: moves for row in front}
            front = self._wave()
            moves += 1
        return away

    def mark(self, seen: Sequence[int], number: int) -> dict[int, dict[int, int]]:
        """Choose cells that lie far from each other, with the moves to them from every cell."""
        marks: dict[int, dict[int, int]] = {}
        gaps: dict[int, int] = {}
        mark = seen[-1]
        while len(marks) < number:
            away = self.measure(mark)
            gaps = {cell: min(gaps.get(cell, moves), moves) for cell, moves in away.items()}
            marks[mark] = away
            mark = max(sorted(gaps), key=lambda cell: gaps[cell])
            if gaps[mark] <= _NEAR:
                break
        return marks

    def walk(self) -> list[int]:
        """List the moves of a walk that sees all there is: always on to the nearest new cells."""
        moves: list[int] = []
        here, passed = self._start, [self._start]
        while leg := self._find_leg(here, passed):
            moves += [direction for _, direction in leg]
            passed = [cell for cell, _ in leg]
            here = passed[-1]
        return moves

    def _find_leg(self, here: int, passed: Sequence[int]) -> list[tuple[int, int]]:
        """Find the next leg: the cells that it passes, each with the move to it."""
        self._begin({"start": [(here,)], "passed": [(cell,) for cell in passed]})
        came: dict[int, ComesRow] = {}
        self._live.news(FrontRow)
        while True:
            if not self._wave():
                return []
            came |= {row.cell: row for row in sorted(self._live.news(ComesRow), reverse=True)}
            if found := self._play(["look"]).news(CatchRow):
                break
        cell = max(found, key=lambda row: (row.number, -row.cell)).cell
        leg: list[tuple[int, int]] = []
        while cell != here:
            row = came[cell]
            leg.append((cell, row.direction))
            cell = row.before
        return leg[::-1]

    def _begin(self, given: Facts) -> None:
        self._leg += 1
        self._live.next_turn()
        self._play(["begin"], {**given, "leg": [(self._leg,)]})
        self._live.news(ComesRow)

    def _wave(self) -> list[FrontRow]:
        """Send the next wave, and read where it comes to."""
        self._pause()
        self._live.next_turn()
        self._play(["ebb"])
        self._play(["wave"], {"leg": [(self._leg,)]})
        return self._live.news(FrontRow)

    def _play(self, parts: Sequence[str], given: Facts | None = None) -> Live:
        self._live.play(parts, given)
        return self._live
