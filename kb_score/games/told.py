"""What the players of a match are told: a grid of symbols, and texts by key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

from kb_score.engine.live import Live
from kb_score.engine.terms import Value
from kb_score.errors import RuleError
from kb_score.games.position import order_value
from kb_score.shell.picture import Place, TextBoard


class ToldCellRow(NamedTuple):
    """The symbol that a cell of the players' grid has from the end of a turn on."""

    row: int
    column: int
    symbol: Value
    turn: int


class LiesOnRow(NamedTuple):
    """The symbol that people at the table see on a cell of the grid after a turn."""

    row: int
    column: int
    symbol: Value
    turn: int


def join_parts(parts: Value) -> str:
    """Join the parts of a text into one string."""
    if isinstance(parts, tuple):
        return "".join(map(str, parts))
    return str(parts)


def _find_turn(row: tuple[Any, ...]) -> int:
    """Return the turn of a row: its last value."""
    turn: int = row[-1]
    return turn


class Told:
    """What the players of a match have been told, and what only one of them has been told.

    A cell keeps its symbol until the rules give another one; texts are those of the last step.
    """

    def __init__(self, game: str) -> None:
        """Begin with nothing told; the name of the game is for errors."""
        self._game = game
        # The grid that players see: a symbol for each cell, by rows and columns.
        self._grid: dict[int, dict[int, str]] = {}
        # The rows that no copy shares; others are copied before they change.
        self._own_rows: set[int] = set()
        self._rows: dict[int, str] = {}  # the rows of the grid as text, once they are needed
        self._width = 0
        # The symbols that only one player knows, by player and place.
        self._known = defaultdict[int, dict[Place, str]](dict)
        self._texts: dict[str, str] = {}
        self._texts_to = defaultdict[int, dict[str, str]](dict)
        self._pieces: Sequence[LiesOnRow] = ()

    def copy(self) -> Told:
        """Return a copy, which does not change when this changes."""
        other = Told(self._game)
        other._grid = dict(self._grid)
        other._known.update({player: dict(cells) for player, cells in self._known.items()})
        other._texts = self._texts
        other._texts_to.update(self._texts_to)
        other._pieces = self._pieces
        self._own_rows.clear()
        return other

    def take_in(self, live: Live, since: int = 0) -> None:
        """Take in what the rules have derived since the last time; see docs/write-a-game.md.

        Texts and pieces of turns before ``since`` are out of date.
        """
        self._take_in_cells(live.news(ToldCellRow))
        texts = defaultdict[str, list[str]](list)
        for key, parts, turn in sorted(live.news("told"), key=order_value):
            if turn < since:
                continue
            texts[str(key)].append(join_parts(parts))
        self._texts = {key: " ".join(parts) for key, parts in texts.items()}
        secrets = defaultdict[tuple[int, str], list[str]](list)
        for player, key, parts, turn in sorted(live.news("told_to"), key=order_value):
            if turn < since:
                continue
            secrets[player, str(key)].append(join_parts(parts))
        self._texts_to = defaultdict(dict)
        for (player, key), listed in secrets.items():
            self._texts_to[player][key] = " ".join(listed)
        for player, row, column, symbol, _ in sorted(live.news("told_cell_to"), key=_find_turn):
            self._known[player][row, column] = str(symbol)
        self._pieces = [piece for piece in live.news(LiesOnRow) if since <= piece.turn]

    def _take_in_cells(self, cells: Sequence[ToldCellRow]) -> None:
        """Update the grid that players see; a cell that has two symbols at once is a RuleError."""
        symbols: dict[tuple[int, int, int], str] = {}
        for cell in sorted(cells, key=lambda cell: cell.turn):
            symbol = str(cell.symbol)
            place = (cell.row, cell.column, cell.turn)
            other = symbols.setdefault(place, symbol)
            if other != symbol:
                both = " and ".join(sorted((other, symbol)))
                where = f"row {cell.row} and column {cell.column} after turn {cell.turn}"
                self._refuse(f"told_cell/4 gives {both} to the cell in {where}")
            row = self._own_row(cell.row)
            row[cell.column] = symbol
            for known in self._known.values():
                known.pop((cell.row, cell.column), None)
            self._rows.pop(cell.row, None)

    def _own_row(self, number: int) -> dict[int, str]:
        """Return a row of the grid that may be changed: no saved state shares it."""
        if number not in self._own_rows:
            self._own_rows.add(number)
            self._grid[number] = dict(self._grid.get(number, {}))
        return self._grid[number]

    def _refuse(self, message: str) -> NoReturn:
        """Raise a RuleError that names the game."""
        raise RuleError(f"the rules of {self._game}: {message}")

    @property
    def has_grid(self) -> bool:
        """Whether there is a grid."""
        return bool(self._grid)

    def list_own(self, player: int) -> dict[str, str]:
        """Return the texts that only a player is told, by key."""
        return self._texts_to.get(player, {})

    def list_texts(self, player: int) -> dict[str, str]:
        """Return the texts that a player is told, by key."""
        return self._texts | self.list_own(player)

    def list_rows(self, player: int) -> list[str]:
        """Return the rows of the grid as text, with the symbols that a player knows."""
        width = max(map(len, self._grid.values()), default=0)
        if width != self._width:
            self._rows.clear()
            self._width = width
        for row in range(len(self._grid)):
            if row not in self._rows:
                self._rows[row] = self._join_row(row)
        rows = [self._rows[row] for row in range(len(self._grid))]
        for (row, column), symbol in self._known[player].items():
            if row not in range(len(rows)) or column not in range(self._width):
                where = f"row {row} and column {column}"
                self._refuse(
                    f"told_cell_to/5 gives {symbol} to {where}, which told_cell/4 leaves out"
                )
            rows[row] = f"{rows[row][:column]}{symbol}{rows[row][column + 1 :]}"
        return rows

    def _join_row(self, row: int) -> str:
        """Return a row of the grid as text; a RuleError if it lacks a cell."""
        cells = self._grid.get(row, {})
        symbols = []
        for column in range(self._width):
            if column not in cells:
                where = f"row {row} and column {column}"
                self._refuse(f"told_cell/4 leaves out the cell in {where}")
            symbols.append(cells[column])
        return "".join(symbols)

    def picture(self, player: int, *, hexes: bool = False) -> TextBoard:
        """Return the grid as a player knows it, with the symbols that lie on it.

        A grid that is too wide for the terminal is cut to the part around the smallest of these
        symbols.
        """
        rows = list(map(list, self.list_rows(player)))
        middle = (0, 0)
        pieces = sorted(self._pieces, key=lambda piece: order_value(piece.symbol))
        for piece in reversed(pieces):
            symbol = str(piece.symbol)
            middle = (piece.row, piece.column)
            if piece.column not in self._grid.get(piece.row, {}):
                where = f"row {piece.row} and column {piece.column}"
                self._refuse(f"lies_on/4 puts {symbol} in {where}, outside the grid")
            if len(symbol) != 1:
                self._refuse(f"lies_on/4 has {piece.symbol!r}, where one character is expected")
            rows[piece.row][piece.column] = symbol
        return TextBoard(["".join(row) for row in rows], middle, hexes=hexes)
