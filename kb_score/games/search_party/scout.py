"""Distances on a map, and walks to begin with: the rules say where moves lead and who sees what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from kb_score.errors import InputError
from kb_score.games.search_party.check import check_map
from kb_score.games.search_party.rules import (
    SCOUT,
    CrewRow,
    InvalidMapRow,
    LeadsRow,
    StartingCellRow,
    ViewsRow,
)

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.games.search_party.maps import Map

# Marks that are nearer to each other tell a search nothing new.
_NEAR = 3


class Scout:
    """Looks round a map, by what the rules say of single cells."""

    def __init__(self, rules: GameRules, map_: Map, pause: Callable[[], object]) -> None:
        """Ask the rules about a map; ``pause`` is called now and then, and may raise.

        Raises:
            InputError: The map is not valid for this game.
        """
        answer = rules.ask(SCOUT, map_.facts())
        check_map(map_, answer.read(InvalidMapRow))
        (self._start,) = (row.cell for row in answer.read(StartingCellRow))
        self._map, self._pause = map_, pause
        self._crews = defaultdict[int, list[str]](list)
        for member in sorted(answer.read(CrewRow)):
            self._crews[member.crew].append(member.person)
        self._leads = defaultdict[int, list[LeadsRow]](list)
        for lead in sorted(answer.read(LeadsRow)):
            self._leads[lead.cell].append(lead)
        self._views = defaultdict[int, list[int]](list)
        self._seen_from = defaultdict[int, list[int]](list)
        for cell, seen in answer.read(ViewsRow):
            self._views[cell].append(seen)
            self._seen_from[seen].append(cell)

    def reach(self) -> tuple[int, int]:
        """Find out how soon a cell can be seen, of that which can be seen last; and that cell.

        Raises:
            InputError: There are cells that nobody can ever see.
        """
        moves, last = 0, self._start
        hidden = set(self._leads)
        for turn, front in enumerate(self._waves([self._start])):
            for cell in front:
                found = hidden.intersection(self._views[cell])
                if found:
                    moves, last = turn, min(found)
                    hidden -= found
        if hidden:
            x, y = self._map.place(min(hidden))
            raise InputError(self._map.name, f"there is no plan: nobody can ever see {x},{y}")
        return moves, last

    def mark(self, first: int, number: int) -> Iterator[tuple[int, int, int]]:
        """Choose cells that lie far from each other, from one on.

        Yields:
            A mark, a cell, and the moves from the cell to where people see the mark.
        """
        gaps: dict[int, int] = {}
        mark = first
        for _ in range(number):
            for moves, front in enumerate(self._waves(self._seen_from[mark])):
                for cell in front:
                    gaps[cell] = min(gaps.get(cell, moves), moves)
                    yield mark, cell, moves
            mark = max(sorted(gaps), key=gaps.__getitem__)
            if gaps[mark] <= _NEAR:
                return

    def walk(self) -> list[list[tuple[str, int]]]:
        """List the moves of each turn of walks that see all there is, if the rules allow them.

        Every crew goes on to the nearest cells that are new, those left out to which another one is
        on its way.
        """
        routes: dict[int, list[int]] = {crew: [] for crew in self._crews}
        waiting = [(0, crew, self._start) for crew in sorted(routes)]
        new = set(self._leads).difference(self._views[self._start])
        while waiting:
            _, crew, here = heappop(waiting)
            if leg := self._find_leg(here, new):
                for row in leg:
                    new.difference_update(self._views[row.to])
                routes[crew] += [row.direction for row in leg]
                heappush(waiting, (len(routes[crew]), crew, leg[-1].to))
        return [
            [
                (person, route[turn])
                for crew, route in routes.items()
                if turn < len(route)
                for person in self._crews[crew]
            ]
            for turn in range(max(map(len, routes.values())))
        ]

    def _find_leg(self, here: int, new: set[int]) -> list[LeadsRow]:
        """Find the moves to where most new cells are seen, of the nearest where any is."""
        came: dict[int, LeadsRow] = {}
        for front in self._waves([here], came) if new else ():
            catches = ((len(new.intersection(self._views[cell])), -cell) for cell in front)
            catch, cell = max(catches)
            if catch:
                return _trace(came, here, -cell)
        return []

    def _waves(
        self, cells: Iterable[int], came: dict[int, LeadsRow] | None = None
    ) -> Iterator[list[int]]:
        """Yield these cells, those that are a move away from them, and so on.

        Args:
            cells: The cells.
            came: Takes in a move to each cell but these.
        """
        front = sorted(cells)
        known = set(front)
        while front:
            self._pause()
            yield front
            ahead: list[int] = []
            for row in (row for cell in front for row in self._leads[cell]):
                if row.to not in known:
                    known.add(row.to)
                    ahead.append(row.to)
                    if came is not None:
                        came[row.to] = row
            front = ahead


def _trace(came: Mapping[int, LeadsRow], here: int, cell: int) -> list[LeadsRow]:
    leg: list[LeadsRow] = []
    while cell != here:
        leg.append(came[cell])
        cell = came[cell].cell
    return leg[::-1]
