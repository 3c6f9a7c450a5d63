"""Kingdom Builder in plain Python: all 11 cards, written from the English rules alone.

It shares no code with the package, so where the two differ, one of them is wrong.
A hex is its index in the rows written one after the other: row * width + column, both from 0.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

CARDS: tuple[str, ...] = (
    "castles",
    "discoverers",
    "knights",
    "fishermen",
    "miners",
    "lords",
    "farmers",
    "hermits",
    "citizens",
    "merchants",
    "workers",
)

_LANDS = "GNDLF"
_SYMBOLS = ".WMTCO12345#" + _LANDS
_PLAYERS = "12345"
_OFFICIAL_SIZE = (20, 20)
_MOST_SETTLEMENTS = 40


@dataclass(frozen=True, slots=True)
class _Board:
    """What the cards look at; settlements and other symbols are sets of hexes."""

    rows: Sequence[str]  # what one sees from above: what stands on a hex, or else its terrain
    quadrants: Sequence[str]  # the same for each of them, quadrant 1 first
    near: tuple[frozenset[int], ...]  # the neighbours of each hex
    holding: dict[str, set[int]]  # the hexes of each symbol
    locations: set[int]  # towns, castles and nomad spaces
    suburbs: set[int]  # the hexes beside a location


def score(
    rows: Sequence[Sequence[str]],
    players: int | None = None,
    *,
    lords_need_settlement: int = 0,
    merchants_need_settlement: bool = True,
    fishermen_on_water: bool = False,
    miners_on_mountain: bool = False,
    nomads_are_locations: bool = True,
) -> dict[str, tuple[int, ...]]:
    """Compute the gold that every card pays to every player.

    Args:
        rows: The board from north to south, a row as a string of symbols without blanks, or as
            hexes of one or two symbols: the terrain, then a settlement or a wall.
        players: The number of players. Settlements of players beyond it count for nobody. Without
            it the players are those with at least one settlement.
        lords_need_settlement: How many settlements in a quadrant a player needs to be paid for it;
            with 0, 0 can be the highest or second-highest number there.
        merchants_need_settlement: Whether only settlements of one player link towns; if not,
            those that touch each other are linked as well, for every player.
        fishermen_on_water: Whether a settlement on water can be beside water.
        miners_on_mountain: Whether a settlement on a mountain can be beside a mountain.
        nomads_are_locations: Whether merchants and workers care for nomad spaces.

    Returns:
        The gold of each player, in ascending order of the players, by the name of the card.

    Raises:
        ValueError: The board is empty, ragged, of odd height or width, or holds an unknown
            symbol; or the number of players is not one of 1 to 5.
    """
    board = _build_board(rows, nomads_are_locations=nomads_are_locations)
    names = _name_players(board, players)
    lords = _pay_lords(board.quadrants, names, lords_need_settlement)
    shore = _find_beside(board.near, board.holding["W"])
    foothills = _find_beside(board.near, board.holding["M"])
    if not fishermen_on_water:
        shore -= board.holding["W"]
    if not miners_on_mountain:
        foothills -= board.holding["M"]
    touching = set() if merchants_need_settlement else board.locations & board.suburbs
    paid: list[dict[str, int]] = []
    for name in names:
        own = board.holding[name]
        gold = _pay_for_places(board, name) | _pay_for_groups(board, own, touching)
        gold["fishermen"] = len(own & shore)
        gold["miners"] = len(own & foothills)
        gold["lords"] = lords[name]
        gold["workers"] = len(own & board.suburbs)
        paid.append(gold)
    return {card: tuple([gold[card] for gold in paid]) for card in CARDS}


def violations(rows: Sequence[Sequence[str]], players: int | None = None) -> set[str]:
    """Name what a finished board must satisfy and this one does not.

    Args:
        rows: The board, as for `score`.
        players: The number of players, as for `score`; only where it is given can a player be
            without settlements.

    Returns:
        The codes, out of too-many-settlements, no-settlement, quadrant-locations,
        crowded-locations and unofficial-size.

    Raises:
        ValueError: For the same reasons as `score`.
    """
    board = _build_board(rows)
    settlements = [len(board.holding[name]) for name in _name_players(board, players)]
    special = {tuple([part.count(symbol) for symbol in "TCO"]) for part in board.quadrants}
    # Locations may crowd round water or a mountain, where nobody can build.
    barren = set[int]().union(*[board.holding[symbol] for symbol in "WMTCO"])
    buildable = set(range(len(board.near))) - barren
    broken = {
        "too-many-settlements": any(number > _MOST_SETTLEMENTS for number in settlements),
        "no-settlement": 0 in settlements,
        "quadrant-locations": not special <= {(1, 2, 0), (2, 1, 0), (1, 0, 3), (2, 0, 1)},
        "crowded-locations": any(
            len(board.near[place] & board.locations) > 1 for place in buildable
        ),
        "unofficial-size": (len(rows), len(rows[0])) != _OFFICIAL_SIZE,
    }
    return {code for code, is_broken in broken.items() if is_broken}


def parse(text: str) -> list[str]:
    """Read one board as a file shows it.

    Args:
        text: A row a line; blanks between and before the hexes mean nothing.

    Returns:
        The rows from north to south, without blanks.

    Raises:
        ValueError: The board is empty, ragged or holds an unknown symbol.
    """
    lines = re.split(r"\r?\n", text.strip(" \t\r\n"))
    rows = [line.replace(" ", "").replace("\t", "") for line in lines]
    _check_readable(rows)
    return rows


def _check_readable(rows: Sequence[Sequence[str]]) -> None:
    if not rows or not rows[0]:
        raise ValueError("the board is empty")
    if len(set(map(len, rows))) > 1:
        raise ValueError("the rows differ in length")
    if unknown := set().union(*["".join(row) for row in rows]).difference(_SYMBOLS):
        raise ValueError(f"unknown symbols: {sorted(unknown)}")


def _build_board(hexes: Sequence[Sequence[str]], *, nomads_are_locations: bool = True) -> _Board:
    _check_readable(hexes)
    height, width = len(hexes), len(hexes[0])
    if height % 2 or width % 2:
        raise ValueError(f"{height}x{width} hexes cannot be halved into quadrants")
    rows = [row if isinstance(row, str) else "".join([hex_[-1] for hex_ in row]) for row in hexes]
    holding: dict[str, set[int]] = {symbol: set() for symbol in _SYMBOLS}
    for place, symbol in enumerate("".join(rows)):
        holding[symbol].add(place)
    for row, below in enumerate(hexes):
        if not isinstance(below, str):
            for column, hex_ in enumerate(below):
                holding[hex_[0]].add(row * width + column)
    near = _list_neighbours(height, width)
    locations = holding["T"] | holding["C"]
    if nomads_are_locations:
        locations |= holding["O"]
    halves = (rows[: height // 2], rows[height // 2 :])
    sides = (slice(width // 2), slice(width // 2, None))
    quadrants = ["".join([row[side] for row in half]) for half in halves for side in sides]
    return _Board(
        rows=rows,
        quadrants=quadrants,
        near=near,
        holding=holding,
        locations=locations,
        suburbs=_find_beside(near, locations),
    )


@cache
def _list_neighbours(height: int, width: int) -> tuple[frozenset[int], ...]:
    """List the neighbours of each hex; kept, since a batch of boards shares one size."""
    near: list[frozenset[int]] = []
    for row in range(height):
        # Odd rows lie half a hex to the right.
        left, right = (0, 1) if row % 2 else (-1, 0)
        steps = ((0, -1), (0, 1), (-1, left), (-1, right), (1, left), (1, right))
        for column in range(width):
            around = [(row + down, column + across) for down, across in steps]
            near.append(
                frozenset(r * width + c for r, c in around if 0 <= r < height and 0 <= c < width)
            )
    return tuple(near)


def _name_players(board: _Board, players: int | None) -> list[str]:
    if players is None:
        return [name for name in _PLAYERS if board.holding[name]]
    if not 1 <= players <= len(_PLAYERS):
        raise ValueError(f"{players} players, not 1 to {len(_PLAYERS)}")
    return list(_PLAYERS[:players])


def _find_beside(near: Sequence[frozenset[int]], hexes: Iterable[int]) -> set[int]:
    """Find what lies beside at least one of the hexes, whatever it holds itself."""
    return set().union(*[near[place] for place in hexes])


def _pay_lords(quadrants: Iterable[str], names: list[str], least: int) -> dict[str, int]:
    gold = dict.fromkeys(names, 0)
    for quadrant in quadrants:
        numbers = [quadrant.count(name) for name in names]
        # A set, since players who tie share a place and the next lower number is the second one.
        ranked = sorted({number for number in numbers if number >= least}, reverse=True)
        prizes = dict(zip(ranked, (12, 6), strict=False))
        for name, number in zip(names, numbers, strict=True):
            gold[name] += prizes.get(number, 0)
    return gold


def _pay_for_places(board: _Board, name: str) -> dict[str, int]:
    """Pay the cards that ask where settlements are: castles, rows and quadrants."""
    own = board.holding[name]
    castles = [castle for castle in board.holding["C"] if not own.isdisjoint(board.near[castle])]
    in_rows = [row.count(name) for row in board.rows]
    in_quadrants = [quadrant.count(name) for quadrant in board.quadrants]
    return {
        "castles": 3 * len(castles),
        "discoverers": len(in_rows) - in_rows.count(0),
        "knights": 2 * max(in_rows),
        "farmers": 3 * min(in_quadrants),
    }


def _pay_for_groups(board: _Board, own: set[int], touching: set[int]) -> dict[str, int]:
    """Pay the cards that ask how settlements hang together.

    The merchants pay for the locations in `touching` whether a group links them or not.
    """
    groups = _find_groups(board, own)
    # A set, since a location that several groups link is paid once.
    linked = touching.copy()
    for group in groups:
        # Few members are beside a location, so the others need not be looked around.
        links = board.suburbs.intersection(group)
        reached = board.locations & _find_beside(board.near, links)
        if len(reached) > 1:
            linked |= reached
    return {
        "hermits": len(groups),
        "citizens": max(map(len, groups), default=0) // 2,
        "merchants": 4 * len(linked),
    }


def _find_groups(board: _Board, own: set[int]) -> list[list[int]]:
    near, left = board.near, own.copy()
    groups: list[list[int]] = []
    while left:
        group = [left.pop()]
        # The list grows while it is walked: every member brings in the neighbours still left.
        for member in group:
            found = near[member] & left
            group += found
            left -= found
        groups.append(group)
    return groups
