"""Small maps as facts, in the numbering of the rules."""

from __future__ import annotations

from dataclasses import dataclass

from kb_score.engine.terms import Facts, write_facts
from tests.helpers import derive

Rows = set[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Lane:
    """A map: what its first line says, and its rows."""

    width: int
    height: int
    costars: int
    extras: int
    rows: tuple[str, ...]

    def cell(self, x: int, y: int) -> int:
        """Return the rules' number of a cell."""
        return (y + 1) * (2 * self.width + 2) + x + 1

    def place(self, cell: int) -> tuple[int, int]:
        """Return the column and the row of a cell."""
        y, x = divmod(cell, 2 * self.width + 2)
        return x - 1, y - 1

    def facts(self) -> Facts:
        """Return what the grammar gives of it."""
        cells = [(y, x, symbol) for y, row in enumerate(self.rows) for x, symbol in enumerate(row)]
        return {
            "size": [(self.height, self.width)],
            "header": [(self.width, self.height, self.costars, self.extras, 0)],
            "map_cell": cells,
        }


def draw(*rows: str, costars: int = 0, extras: int = 0) -> Lane:
    """Make a map of rows of ``.``, ``#`` and ``S``."""
    return Lane(len(rows[0]), len(rows), costars, extras, rows)


def ask(map_: Lane, facts: str, predicate: str, files: str = "map rules listed chain") -> Rows:
    """Derive a predicate of a game on a map, with some of the rule files."""
    given = f"{write_facts(map_.facts())} {facts}"
    return derive("search_party", files, given, predicate, turns="step")


def moves(*turns: str) -> str:
    """Write the moves of some turns as facts, such as ``@6 a4``."""
    facts = [
        f'go("{word[0]}",{word[1:]},{number},{turn}).'
        for turn, line in enumerate(turns, 1)
        for number, word in enumerate(line.split(), 1)
    ]
    return f"turn(1..{len(turns)}). {' '.join(facts)}"


def show(map_: Lane, *boards: str) -> str:
    """Write the boards of the blocks of a record on a map of one row, from state 0 on."""
    facts = [
        f'board_cell(0,{x},"{symbol}",{state},{state}).'
        for state, board in enumerate(boards)
        for x, symbol in enumerate(board)
    ]
    assert all(len(board) == map_.width for board in boards)
    return " ".join(facts)
