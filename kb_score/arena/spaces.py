"""Encoders for reinforcement learning: actions as numbers, positions as layers of a board.

The rules list the legal moves as text. An encoder numbers these texts, and finds the text for a
number.
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
from kb_score.engine.rule_text import read_rule_text
from kb_score.engine.rules import GameRules
from kb_score.errors import KbScoreError
from kb_score.games.kingdom_builder.records import load_names
from kb_score.games.kingdom_builder.rules import GAME
from kb_score.resources import COMMON

Layers: TypeAlias = NDArray[np.float32]

# A one-character string in a rule: it may be a symbol on the board.
_CHARACTER = re.compile(r'"([^"\s])"')
_NUMBER = re.compile(r"\d+")


class Encoder(Protocol):
    """Numbers the actions of a game, and draws a match as layers."""

    @property
    def actions(self) -> int:
        """The number of actions."""

    @property
    def layers(self) -> Sequence[str]:
        """A description of each layer of `observe`."""

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of rows and columns of the board."""

    def list_legal(self, match: Match, steps: Sequence[str]) -> dict[int, str]:
        """Return the step of each legal action, by the number of the action.

        It is empty if the action ends the turn. The mover has taken the given steps of the turn
        before.
        """

    def find_answer(self, steps: Sequence[str], step: str) -> str | None:
        """Return the whole move if a step completes it; None if the turn goes on.

        The steps are those of the turn before this one.
        """

    def observe(self, match: Match, steps: Sequence[str]) -> Layers:
        """Return what the mover sees: an array with one layer for each of `layers`.

        Its values are from 0 to 1. The mover has taken the given steps of the turn.
        """


@dataclass(frozen=True, slots=True)
class GridMoves:
    """Moves from one square of a grid to another, or on one square, in games without Python.

    The action from square A to square B is ``A * squares + B``, where a square is ``row * columns
    + column``; a move on one square goes from it to itself. The last action is a pass, for turns in
    which no move is legal.

    Attributes:
        size: The numbers of rows and columns.
        symbols: The symbols that squares may have: those at the start, and those that pictures
            describe; if pictures describe none, all one-character strings in the game's rules.
    """

    size: tuple[int, int]
    symbols: tuple[str, ...]
    players: int

    @classmethod
    def of(cls, match: Match, game: Game) -> GridMoves:
        """Number the moves of a match that has just begun."""
        rows = match.board()
        looks = match.replay().pictures.looks
        symbols = set(looks)
        for row in rows:
            symbols.update(row)
        # Without a list of looks, the symbols are among the strings of the rules.
        paths = [] if looks else game.rule_files()
        for path in paths:
            if path.parent.name != COMMON:
                text = read_rule_text(path)
                symbols.update(_CHARACTER.findall(text))
        size = (len(rows), len(rows[0]))
        return cls(size, tuple(sorted(symbols)), match.players)

    @property
    def actions(self) -> int:
        """The number of actions."""
        rows, columns = self.size
        squares = rows * columns
        return squares**2 + 1

    @property
    def layers(self) -> tuple[str, ...]:
        """A layer for each symbol, one for all other symbols, and one for each player."""
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
        # No move is legal, but the game goes on: the last action is a pass.
        nothing = self.actions - 1
        return {nothing: match.random_move()}

    def find_answer(self, _steps: Sequence[str], step: str) -> str:
        """Return the step: each is a whole move."""
        return step

    def _number(self, move: str) -> int:
        """Return the number of a move; a KbScoreError if it names neither one nor two squares."""
        rows, columns = self.size
        numbers = [int(number) for number in _NUMBER.findall(move)]
        if len(numbers) not in (2, 4):
            raise KbScoreError(f"moves of this game have no numbers: {move!r} names no squares")
        start_row, start_column = numbers[:2]
        end_row, end_column = numbers[-2:]
        start = start_row * columns + start_column
        end = end_row * columns + end_column
        return start * rows * columns + end

    def observe(self, match: Match, _steps: Sequence[str]) -> Layers:
        """Draw where each symbol is, and whose turn it is; see `Encoder.observe`."""
        rows, columns = self.size
        shape = (len(self.layers), rows, columns)
        layers = np.zeros(shape, np.float32)
        others = len(self.symbols)
        for row, symbols in enumerate(match.board()):
            for column, symbol in enumerate(symbols):
                layer = others
                if symbol in self.symbols:
                    layer = self.symbols.index(symbol)
                layers[layer, row, column] = 1
        layers[others + match.mover] = 1
        return layers


# A word of an action: a hex, or a move from one hex to another.
_TARGET = re.compile(r"(?:(\d+),(\d+)>)?(\d+),(\d+)")
# The number of tiles of one kind in hand that a layer shows as 1, as it does any larger number.
_MAX_TILES = 4
# The word of one more hex of a tile.
_ALSO = "also"
_START = "from "  # begins a step that names the settlement to move


class _Step(NamedTuple):
    """A step of a turn of Kingdom Builder."""

    kind: str  # the kind of tile that is used; empty for a settlement by the card
    hex: tuple[int, int] | None
    words: str = ""  # the text of the step if it only names the settlement to move


@dataclass(frozen=True, slots=True)
class Placements:
    """Single actions of Kingdom Builder: a settlement by the card, or a tile used on a hex.

    The action of kind K on a hex is ``K * (hexes + 1) + hex``, where a hex is ``row * columns +
    column``; an action without a hex has the number after the last hex. Kind 0 is to build by the
    card; the other kinds are the tiles, in alphabetical order. A settlement is moved by two actions
    of a kind: the first names the hex where it is, the second one its new hex. The last action ends
    the turn.

    Attributes:
        size: The numbers of rows and columns.
        supply: The number of settlements that a player has at the start.
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
        observation = json.loads(match.observation())
        board = [row.split() for row in observation["board"]]
        symbols = set()
        for row in board:
            for hex_ in row:
                symbols.add(hex_[0])
        names = load_names(rules)
        tiles = [name.replace("_", "-") for name in names.tiles]
        terrains = set(names.deck)
        supply = observation["supply"]
        return cls(
            size=(len(board), len(board[0])),
            tiles=tuple(sorted(tiles)),
            symbols=tuple(sorted(symbols)),
            terrains=tuple(sorted(terrains)),
            cards=tuple(sorted(names.cards)),
            players=match.players,
            supply=supply[0],
        )

    @property
    def actions(self) -> int:
        """The number of actions."""
        kinds = 1 + len(self.tiles)
        return kinds * self._places + 1

    @property
    def _places(self) -> int:
        """The number of hexes, and one more for actions without a hex."""
        rows, columns = self.size
        return rows * columns + 1

    @property
    def layers(self) -> tuple[str, ...]:
        """A description of each layer; players are counted from the mover on."""
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
            if step is not None and step.kind == _ALSO:
                # More of the last tile has the number of the tile.
                tiles = [part.split()[0] for part in held if not part[0].isdigit()]
                step = step._replace(kind=[tile for tile in tiles if tile != _ALSO][-1])
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
        actions = self._drop_starts(steps)
        return "; ".join(actions)

    def _drop_starts(self, steps: Sequence[str]) -> list[str]:
        """Drop the starts of moves, which a later step contains."""
        return [step for step in steps if not step.startswith(_START)]

    def _number(self, step: _Step) -> int:
        """Return the number of the action that takes a step."""
        kind = 0
        if step.kind:
            kind = self.tiles.index(step.kind) + 1
        place = self._places - 1
        if step.hex is not None:
            row, column = step.hex
            _, columns = self.size
            place = row * columns + column
        return kind * self._places + place

    def observe(self, match: Match, steps: Sequence[str]) -> Layers:
        """Draw what the mover knows; see `Encoder.observe`."""
        observation = json.loads(match.observation())
        rows, columns = self.size
        shape = (len(self.layers), rows, columns)
        drawn = np.zeros(shape, np.float32)
        layer = dict(zip(self.layers, drawn, strict=True))
        held = self._drop_starts(steps)
        board = match.board(*held)
        self._draw_board(observation["board"], board, layer, match)
        if steps and steps[-1].startswith(_START):
            row, column = _NUMBER.findall(steps[-1])
            layer["settlement that is moved"][int(row), int(column)] = 1
        self._draw_belongings(observation, layer, match)
        return np.minimum(drawn, 1)

    def _draw_board(
        self,
        observed: Sequence[str],
        shown: Sequence[str],
        layer: Mapping[str, Layers],
        match: Match,
    ) -> None:
        """Draw the terrain, walls and settlements.

        The terrain is that of the observation. The board as shown is that after the last step.
        """
        for row, line in enumerate(observed):
            for column, symbols in enumerate(line.split()):
                place = (row, column)
                terrain = symbols[0]
                layer[terrain][place] = 1
                top = shown[row][column]
                if top == "#":
                    layer["wall"][place] = 1
                if top.isdigit():
                    seat = self._find_seat(int(top), match)
                    layer[f"settlement of player +{seat}"][place] = 1

    def _draw_belongings(
        self, observation: Mapping[str, Any], layer: Mapping[str, Layers], match: Match
    ) -> None:
        """Draw the tiles, supplies and cards of the observation."""
        for tile in observation["tiles"]:
            name = tile["tile"]
            if tile.get("player") == match.mover:
                layer[f"{name} in hand"][:] += 1 / _MAX_TILES
            elif "number" in tile:
                row, column = tile["hex"]
                layer[f"{name} lies there"][row, column] = 1
        for player, left in enumerate(observation["supply"], start=1):
            seat = self._find_seat(player, match)
            layer[f"supply of player +{seat}"][:] = left / self.supply
        for terrain in observation["terrains"]:
            layer[f"by {terrain}"][:] = 1
        for card in observation["cards"]:
            layer[f"{card} pays"][:] = 1

    def _find_seat(self, player: int, match: Match) -> int:
        """Return how many seats after the mover a player sits."""
        return (player - match.mover) % self.players


def _read_step(move: str, starting: str) -> _Step | None:
    """Return the next step of an action such as ``barn 3,15>4,2``.

    ``starting`` has the kind and the hex of the settlement that the last step named; empty if it
    named none. There is no step if the action does not move that settlement.
    """
    words = move.split()
    kind = ""
    if not move[0].isdigit():
        kind = words.pop(0)
    step = _Step(kind, None)
    begun = ""
    target = None
    if words:
        target = _TARGET.fullmatch(words[-1])
    if target is not None:
        start_row, start_column, row, column = target.groups()
        end = (int(row), int(column))
        step = _Step(kind, end)
        if start_row is not None:
            begun = f"{kind} {start_row},{start_column}"
            if not starting:
                start = (int(start_row), int(start_column))
                return _Step(kind, start, f"{_START}{begun}")
    if begun != starting:
        return None
    return step


def find_encoder(match: Match, game: Game) -> Encoder:
    """Return the encoder of a match that has just begun."""
    if game.rules.game == GAME:
        return Placements.of(match, game.rules)
    return GridMoves.of(match, game)
