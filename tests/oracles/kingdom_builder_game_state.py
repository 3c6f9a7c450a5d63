"""A position of the published Kingdom Builder, and the rulings it is played by."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tests.oracles.kingdom_builder_game_board import Board, build_board

FREE = 0
WALL = 9
SETTLEMENTS = 40
WALLS = 25
TILES_ON_A_LOCATION = 2


@dataclass(frozen=True, slots=True)
class Rulings:
    """How disputed rules are read, with the defaults of the text."""

    no_hex: str = "redraw"  # or stop
    mandatory_settlements: int = 3
    tiles_between: int = 0
    buildable_nomad: int = 0
    tile_again: int = 0
    tile_loss: str = "immediate"  # or end_of_turn
    twin_tile: str = "choose"  # or exact
    move_lift: int = 1
    vacated: int = 1
    families_contiguous: int = 1
    families_source: str = "mandatory"  # or any
    move_counts_as_build: int = 0
    sword: str = "one"  # or each
    treasure_gold: int = 3
    nomads_are_locations: int = 1
    fishermen_on_water: int = 0
    miners_on_mountain: int = 0
    lords_need_settlement: int = 0


@dataclass(slots=True)
class Tile:
    """A tile that a player holds, with the turns it was got and last used in."""

    kind: str
    place: int  # the location hex or nomad space
    got: int
    nomad: bool = False
    used: int = 0


@dataclass(slots=True)
class State:
    """A position in the middle of a turn; lists by player hold an unused entry 0."""

    board: Board
    rulings: Rulings
    players: int
    start: int
    cards: tuple[str, ...]
    owner: list[int]  # of each hex: FREE, WALL or a player
    own: list[set[int]]  # the settlements of each player
    supply: list[int]
    tiles: list[list[Tile]]
    had: list[set[int]]  # the location hexes that gave each player a tile
    left: dict[int, int]  # the tiles that lie on each location hex
    nomads: dict[int, str]  # the nomad tile that lies on a space
    capitols: tuple[int, ...]
    caves: tuple[int, ...]
    walls: int
    gold: list[int]  # in-game gold
    reasons: list[tuple[int, int, str, int]]  # turn, player, reason, gold
    turn: int  # from 1
    player: int
    cave_used: int = 0  # the turn of the last cave action
    ending: bool = False  # somebody's supply has been empty
    # What follows belongs to the turn.
    drawn: tuple[str, ...] = ()  # the terrain symbols of its cards
    shown: int = 1  # how many of them are revealed
    placed: list[int] = field(default_factory=list)  # by the mandatory action
    closed: bool = False  # the mandatory action is over
    pending: int = 0  # outposts
    built: list[int] = field(default_factory=list)
    family: bool = False  # families were paid
    # And this belongs to the action.
    struck: set[int] = field(default_factory=set)  # the players whom its sword has hit
    events: set[tuple[str, str, int]] = field(default_factory=set)  # tiles got (+), lost (-)

    @property
    def card(self) -> str:
        """The terrain symbol of the newest card."""
        return self.drawn[self.shown - 1]

    @property
    def over(self) -> bool:
        """Whether the game ended with the turn before this one."""
        return self.ending and (self.turn - 1) % self.players == 0

    def copy(self) -> "State":
        """Copy all that an action changes."""
        return replace(
            self,
            owner=self.owner.copy(),
            own=[own.copy() for own in self.own],
            supply=self.supply.copy(),
            tiles=[[replace(tile) for tile in held] for held in self.tiles],
            had=[had.copy() for had in self.had],
            left=self.left.copy(),
            nomads=self.nomads.copy(),
            gold=self.gold.copy(),
            reasons=self.reasons.copy(),
            placed=self.placed.copy(),
            built=self.built.copy(),
            struck=self.struck.copy(),
            events=self.events.copy(),
        )


def open_game(
    board: Board,
    players: int,
    *,
    start: int = 1,
    cards: tuple[str, ...] = (),
    nomads: Mapping[int, str] | None = None,
    capitols: tuple[int, ...] = (),
    caves: tuple[int, ...] = (),
    rulings: Rulings | None = None,
) -> State:
    """Set up a game; no turn has begun."""
    return State(
        board=board,
        rulings=rulings or Rulings(),
        players=players,
        start=start,
        cards=cards,
        owner=[FREE] * len(board.terrain),
        own=[set() for _ in range(players + 1)],
        supply=[SETTLEMENTS] * (players + 1),
        tiles=[[] for _ in range(players + 1)],
        had=[set() for _ in range(players + 1)],
        left=dict.fromkeys(board.kinds, TILES_ON_A_LOCATION),
        nomads=dict(nomads or {}),
        capitols=capitols,
        caves=caves,
        walls=WALLS,
        gold=[0] * (players + 1),
        reasons=[],
        turn=1,
        player=start,
    )


def draw_position(
    text: str,
    *,
    kinds: Mapping[str, str] | None = None,
    players: int = 3,
    player: int = 1,
    card: str = "G",
    rulings: Rulings | None = None,
) -> State:
    """Build the position that a drawing shows, with `player` to move and nobody holding a tile.

    Args:
        text: A row a line; terrain symbols, each with a settlement, `#` or nothing behind it.
        kinds: The kind of each location, by `row,column`.
        players: The number of players.
        player: Who is to move. It is round 10, so tiles of earlier turns can be given to them.
        card: The symbol of the terrain card, or the symbols of cards drawn one after another.
        rulings: How the rules are read.
    """
    grid = [line.split() for line in text.splitlines() if line.strip()]
    places = {
        (int(r), int(c)): kind for name, kind in (kinds or {}).items() for r, c in [name.split(",")]
    }
    board = build_board(["".join(cell[0] for cell in row) for row in grid], places)
    state = open_game(board, players, rulings=rulings)
    for place, cell in enumerate(cell for row in grid for cell in row):
        if cell[1:] == "#":
            state.owner[place] = WALL
            state.walls -= 1
        elif cell[1:]:
            owner = int(re.sub(r"\D", "", cell))
            state.owner[place] = owner
            state.own[owner].add(place)
            state.supply[owner] -= 1
    state.turn, state.player, state.drawn = 9 * players + player, player, tuple(card)
    return state
