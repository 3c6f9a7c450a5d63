"""Games of Kingdom Builder: who did what in which turn, and what is claimed of it, as facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from kb_score.engine.terms import Name
from kb_score.games.kingdom_builder.board import Board
from kb_score.games.kingdom_builder.quadrants import Quadrant, join_quadrants

if TYPE_CHECKING:
    from kb_score.engine.terms import Facts, Row, Value

Hex = tuple[int, int]


def read_hex(value: Value) -> Hex:
    """Read a hex of an answer, which is a pair."""
    assert isinstance(value, tuple)
    row, column = value
    assert isinstance(row, int)
    assert isinstance(column, int)
    return row, column


@dataclass(frozen=True, slots=True)
class Part:
    """An action of a turn.

    Attributes:
        name: ``mandatory``, or the name of a tile, as the rules have it.
        targets: The hexes that it is about, each with the one that is left by a move, or None.
        notes: Tiles that are said to be got or lost by it: ``got`` or ``lost``, the tile, the hex.
    """

    name: str
    targets: tuple[tuple[Hex | None, Hex], ...]
    notes: tuple[tuple[str, str, Hex], ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A turn: whose it is said to be, if it is, the terrains of its cards, and the actions."""

    player: int | None
    terrains: tuple[str, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Game:
    """A game as it is written down.

    Attributes:
        name: What errors call it, usually its path.
        quadrants: The four quadrants, north-west, north-east, south-west and south-east.
        players: The number of players.
        start: The player who has the first turn.
        cards: The scoring cards that it is played with, without those that pay in every game.
        nomads: The nomad tile that lies on each nomad space.
        lines: The turns.
        claimed: The gold that it claims for each player, or None.
    """

    name: str
    quadrants: tuple[Quadrant, ...]
    players: int
    start: int
    cards: tuple[str, ...]
    nomads: tuple[tuple[Hex, str], ...]
    lines: tuple[Line, ...]
    claimed: tuple[int, ...] | None

    @property
    def facts(self) -> Facts:
        """The facts of the whole game, for asp/kingdom_builder/turn.lp."""
        claimed = enumerate(self.claimed or (), start=1)
        return {
            **board_facts(self.quadrants),
            **line_facts(self.lines),
            "players": [(self.players,)],
            "starter": [(self.start,)],
            "chosen": [(Name(card),) for card in self.cards],
            "nomad": [(place, Name(tile)) for place, tile in self.nomads],
            "claimed_gold": list(claimed),
        }


def join_parts(parts: Iterable[Part]) -> Iterator[Part]:
    """Join pieces of a mandatory action that nothing divides; they are one action."""
    for is_mandatory, run in groupby(parts, key=lambda part: part.name == "mandatory"):
        if not is_mandatory:
            yield from run
            continue
        pieces = list(run)
        targets = tuple(target for piece in pieces for target in piece.targets)
        notes = tuple(note for piece in pieces for note in piece.notes)
        yield Part("mandatory", targets, notes)


def board_facts(quadrants: Sequence[Quadrant]) -> Facts:
    """Make the facts of the board that four quadrants make."""
    board = Board(" ".join(quadrant.name for quadrant in quadrants), join_quadrants(*quadrants))
    kinds = [quadrant.name for quadrant in quadrants]
    yields: list[Row] = []
    for kind, row, column in board.facts["terrain"]:
        if kind == Name("town") and isinstance(row, int) and isinstance(column, int):
            place = 2 * row // board.height, 2 * column // board.width
            yields.append(((row, column), Name(kinds[2 * place[0] + place[1]])))
    return {**board.facts, "yields": yields}


def line_facts(lines: Sequence[Line], *, is_open: bool = False) -> Facts:
    """Make the facts of turns; their moments are numbered from 1.

    If the last one is open, what is said of it is not all: there is a moment to look at.
    """
    facts: dict[str, list[Row]] = {key: [] for key in _KEYS}
    moment = part_number = 0
    for turn, line in enumerate(lines, start=1):
        moment += 1
        if line.player is not None:
            facts["line"].append((turn, line.player))
        facts["opens"].append((turn, moment))
        cards = enumerate(line.terrains, start=1)
        facts["reveals"] += [(turn, number, Name(terrain)) for number, terrain in cards]
        for part in line.parts:
            part_number += 1
            facts["part"].append((part_number, turn, Name(part.name)))
            if not part.targets:
                moment += 1
                facts["step"].append((moment, part_number, 0))
            for number, (start, place) in enumerate(part.targets, start=1):
                moment += 1
                facts["step"].append((moment, part_number, number))
                facts["at"].append((moment, place))
                if start is not None:
                    facts["from"].append((moment, start))
            facts["noted"] += [
                (part_number, Name(event), Name(tile), place) for event, tile, place in part.notes
            ]
        moment += 1
        if is_open and turn == len(lines):
            facts["looks"].append((moment,))
            facts["unfinished"].append((turn,))
            moment += 1
        facts["closes"].append((turn, moment))
    return dict(facts)


_KEYS = (
    *("line", "opens", "closes", "reveals", "part", "step", "at", "from", "noted"),
    *("looks", "unfinished"),
)
