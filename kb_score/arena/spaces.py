"""Numbers for what bots write and read: actions, and what a player sees as layers of a board.

Which moves are legal the rules say, in words; here a move in words gets a number, and back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kb_score.api.games import Game
from kb_score.api.matches import Match
from kb_score.engine.rules import GameRules
from kb_score.errors import KbScoreError
from kb_score.games.kingdom_builder.records import load_names
from kb_score.games.kingdom_builder.rules import GAME
from kb_score.resources import COMMON

Layers: TypeAlias = NDArray[np.float32]

# A text of one character in a rule, which may be a symbol of the board.
_CHARACTER = re.compile(r'"([^"\s])"')
_NUMBER = re.compile(r"\d+")


class Encoder(Protocol):
    """Numbers the actions of a game, and shows a match as layers."""

    @property
    def actions(self) -> int:
        """How many actions there are."""

    @property
    def layers(self) -> Sequence[str]:
        """What each layer of `observe` shows."""

    @property
    def size(self) -> tuple[int, int]:
        """The rows and columns of the board."""

    def list_legal(self, match: Match, steps: Sequence[str]) -> dict[int, str]:
        """List the legal actions by number.

        Args:
            match: The match.
            steps: What the mover has done in the turn already.

        Returns:
            What each action adds to the steps, in words; empty if it ends the turn.
        """

    def find_answer(self, steps: Sequence[str], step: str) -> str | None:
        """Return the move that some steps and one more make; None if the turn goes on."""

    def observe(self, match: Match, steps: Sequence[str]) -> Layers:
        """Draw what the mover sees, a layer for each of `layers`, with values from 0 to 1."""


@dataclass(frozen=True, slots=True)
class GridMoves:
    """Moves from one square of a grid to another, or on one square, in games without Python.

    The action from square A to square B is ``A * squares + B``, where a square is ``row * columns
    + column``; a move on one square goes from it to itself. The last action is that nothing is
    legal, where the game goes on nevertheless.

    Attributes:
        size: The rows and columns.
        symbols: The symbols that squares may have: those at the start, those that pictures
            describe, and all texts of one character in the game's rules.
        players: The number of players.
    """

    size: tuple[int, int]
    symbols: tuple[str, ...]
    players: int

    @classmethod
    def of(cls, match: Match, game: Game) -> GridMoves:
        """Number the moves of a match that has just begun."""
        rows = match.board()
        symbols = set(match.replay().pictures.looks)
        for row in rows:
            symbols.update(row)
        for path in game.rule_files():
            if path.parent.name != COMMON:
                text = path.read_text(encoding="utf-8")
                symbols.update(_CHARACTER.findall(text))
        size = (len(rows), len(rows[0]))
        return cls(size, tuple(sorted(symbols)), match.players)

    @property
    def actions(self) -> int:
        """How many actions there are."""
        rows, columns = self.size
        return (rows * columns) ** 2 + 1

    @property
    def layers(self) -> tuple[str, ...]:
        """What the layers show: where each symbol is, and who has the turn."""
        movers = [f"player {player} moves" for player in range(1, self.players + 1)]
        return (*self.symbols, "another symbol", *movers)

    def list_legal(self, match: Match, _steps: Sequence[str]) -> dict[int, str]:
        """List the legal moves by number; see `Encoder.list_legal`."""
        found: dict[int, str] = {}
        for move in match.legal_moves():
            number = self._number(move)
            other = found.setdefault(number, move)
            if other != move:
                both = f"{other!r} and {move!r}"
                raise KbScoreError(f"moves of this game have no numbers: {both} would share one")
        if found:
            return found
        # Nothing is legal, and the game goes on: the last action says what such an answer is.
        nothing = self.actions - 1
        return {nothing: match.random_move()}

    def find_answer(self, _steps: Sequence[str], step: str) -> str:
        """Return the step: each is a whole move."""
        return step

    def _number(self, move: str) -> int:
        rows, columns = self.size
        places = [int(number) for number in _NUMBER.findall(move)]
        if len(places) not in (2, 4):
            raise KbScoreError(f"moves of this game have no numbers: {move!r} names no squares")
        start = places[0] * columns + places[1]
        end = places[-2] * columns + places[-1]
        return start * rows * columns + end

    def observe(self, match: Match, _steps: Sequence[str]) -> Layers:
        """Draw where each symbol is, and who has the turn; see `Encoder.observe`."""
        rows, columns = self.size
        layers = np.zeros((len(self.layers), rows, columns), np.float32)
        for row, symbols in enumerate(match.board()):
            for column, symbol in enumerate(symbols):
                layer = len(self.symbols)
                if symbol in self.symbols:
                    layer = self.symbols.index(symbol)
                layers[layer, row, column] = 1
        layers[len(self.symbols) + match.mover] = 1
        return layers


# A word of an action: a hex, or a move from one hex to another.
_TARGET = re.compile(r"(?:(\d+),(\d+)>)?(\d+),(\d+)")
# A hand with this many tiles of one kind, or more, is shown as 1.
_MOST_TILES = 4
_START = "from "  # begins a step that names the settlement to move


class _Step(NamedTuple):
    """An action of Kingdom Builder as its next step: a kind and a hex, if it has one."""

    kind: str
    hex: tuple[int, int] | None
    words: str = ""  # what it is called, if it says only which settlement is moved


@dataclass(frozen=True, slots=True)
class Placements:
    """Single actions of Kingdom Builder: a settlement by the card, or a tile used on a hex.

    The action of kind K on a hex is ``K * (hexes + 1) + hex``, where a hex is ``row * columns +
    column``; an action without a hex has the number after the last hex. Kind 0 is to build by the
    card; the others are the tiles, in alphabetical order. A settlement is moved by two actions of
    a kind: where from, then where to. The last action ends the turn.

    Attributes:
        size: The rows and columns.
        tiles: The kinds of tiles.
        symbols: The symbols of the board.
        terrains: The terrains of cards.
        cards: The cards that may pay.
        players: The number of players.
        supply: The settlements of a player at the start.
    """

    size: tuple[int, int]
    tiles: tuple[str, ...]
    symbols: tuple[str, ...]
    terrains: tuple[str, ...]
    cards: tuple[str, ...]
    players: int
    supply: int

    @classmethod
    def of(cls, match: Match, rules: GameRules) -> Placements:
        """Number the actions of a match that has just begun."""
        told = json.loads(match.observation())
        board = [row.split() for row in told["board"]]
        symbols: set[str] = set()
        for row in board:
            symbols.update(hex_[0] for hex_ in row)
        names = load_names(rules)
        tiles = [name.replace("_", "-") for name in names.tiles]
        return cls(
            size=(len(board), len(board[0])),
            tiles=tuple(sorted(tiles)),
            symbols=tuple(sorted(symbols)),
            terrains=tuple(sorted(set(names.deck))),
            cards=tuple(sorted(names.cards)),
            players=match.players,
            supply=told["supply"][0],
        )

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return (1 + len(self.tiles)) * self._hexes_and_none + 1

    @property
    def _hexes_and_none(self) -> int:
        rows, columns = self.size
        return rows * columns + 1

    @property
    def layers(self) -> tuple[str, ...]:
        """What the layers show; players are counted from the mover on."""
        seats = range(self.players)
        return (
            *self.symbols,
            "wall",
            *(f"settlement of player +{seat}" for seat in seats),
            "settlement that is moved",
            *(f"{tile} lies there" for tile in self.tiles),
            *(f"{tile} in hand" for tile in self.tiles),
            *(f"supply of player +{seat}" for seat in seats),
            *(f"by {terrain}" for terrain in self.terrains),
            *(f"{card} pays" for card in self.cards),
        )

    def list_legal(self, match: Match, steps: Sequence[str]) -> dict[int, str]:
        """List the legal actions by number; see `Encoder.list_legal`."""
        held = self._drop_starts(steps)
        starting = ""
        if steps and steps[-1].startswith(_START):
            starting = steps[-1].removeprefix(_START)
        found: dict[int, str] = {}
        for move in match.legal_moves(*held):
            step = _read_step(move, starting)
            if step is not None:
                number = self._number(step)
                found[number] = step.words or move
        if not starting and match.can_end_turn(*held):
            end = self.actions - 1
            found[end] = ""
        return found

    def find_answer(self, steps: Sequence[str], step: str) -> str | None:
        """Return the actions of a turn at its end; see `Encoder.find_answer`."""
        if step:
            return None
        return "; ".join(self._drop_starts(steps))

    def _drop_starts(self, steps: Sequence[str]) -> list[str]:
        """Drop steps that are repeated by those after them, with more hexes."""
        kept: list[str] = []
        for step in steps:
            if step.startswith(_START):
                continue
            # A tile that is used on several hexes is listed with all of them.
            if kept and not kept[-1][0].isdigit() and step.startswith(f"{kept[-1]} "):
                kept.pop()
            kept.append(step)
        return kept

    def _number(self, step: _Step) -> int:
        kind = 0
        if step.kind:
            kind = self.tiles.index(step.kind) + 1
        place = self._hexes_and_none - 1
        if step.hex is not None:
            row, column = step.hex
            _, columns = self.size
            place = row * columns + column
        return kind * self._hexes_and_none + place

    def observe(self, match: Match, steps: Sequence[str]) -> Layers:
        """Draw what the mover knows; see `Encoder.observe`."""
        told = json.loads(match.observation())
        rows, columns = self.size
        drawn = np.zeros((len(self.layers), rows, columns), np.float32)
        layer = dict(zip(self.layers, drawn, strict=True))
        held = self._drop_starts(steps)
        self._draw_board(told["board"], match.board(*held), layer, match)
        if steps and steps[-1].startswith(_START):
            start = tuple(map(int, _NUMBER.findall(steps[-1])))
            layer["settlement that is moved"][start] = 1
        self._draw_belongings(told, layer, match)
        return np.minimum(drawn, 1)

    def _draw_board(
        self, told: Sequence[str], shown: Sequence[str], layer: Mapping[str, Layers], match: Match
    ) -> None:
        """Draw the terrain of the observation, and what stands on it after the last step."""
        for row, line in enumerate(told):
            for column, symbols in enumerate(line.split()):
                terrain = symbols[0]
                layer[terrain][row, column] = 1
                top = shown[row][column]
                if top == "#":
                    layer["wall"][row, column] = 1
                if top.isdigit():
                    seat = self._find_seat(int(top), match)
                    layer[f"settlement of player +{seat}"][row, column] = 1

    def _draw_belongings(
        self, told: Mapping[str, Any], layer: Mapping[str, Layers], match: Match
    ) -> None:
        """Draw the tiles, supplies and cards of the observation."""
        for tile in told["tiles"]:
            name = tile["tile"]
            row, column = tile["hex"]
            if tile.get("player") == match.mover:
                layer[f"{name} in hand"][:] += 1 / _MOST_TILES
            elif "number" in tile:
                layer[f"{name} lies there"][row, column] = 1
        for player, left in enumerate(told["supply"], start=1):
            seat = self._find_seat(player, match)
            layer[f"supply of player +{seat}"][:] = left / self.supply
        for terrain in told["terrains"]:
            layer[f"by {terrain}"][:] = 1
        for card in told["cards"]:
            layer[f"{card} pays"][:] = 1

    def _find_seat(self, player: int, match: Match) -> int:
        """Count how far behind the mover a player sits."""
        return (player - match.mover) % self.players


def _read_step(move: str, starting: str) -> _Step | None:
    """Read the next step of an action.

    Args:
        move: The action, such as ``barn 3,15>4,2``.
        starting: The kind and the hex of a settlement that is about to be moved, if there is one.

    Returns:
        The step; None if the action does not move that settlement.
    """
    words = move.split()
    kind = ""
    if not move[0].isdigit():
        kind = words.pop(0)
    step = _Step(kind, None)
    begun = ""
    target = _TARGET.fullmatch(words[-1]) if words else None
    if target is not None:
        start_row, start_column, row, column = target.groups()
        step = _Step(kind, (int(row), int(column)))
        if start_row is not None:
            begun = f"{kind} {start_row},{start_column}"
            if not starting:
                start = (int(start_row), int(start_column))
                return _Step(kind, start, f"{_START}{begun}")
    return step if begun == starting else None


def find_encoder(match: Match, game: Game) -> Encoder:
    """Find how the actions of a match that has just begun are numbered.

    Raises:
        KbScoreError: Its moves are no places on a board.
    """
    if game.rules.game == GAME:
        return Placements.of(match, game.rules)
    return GridMoves.of(match, game)
