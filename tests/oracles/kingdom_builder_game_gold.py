"""The gold of a position of the published Kingdom Builder: castles, cards, in-game gold."""

from collections.abc import Callable

from tests.oracles.kingdom_builder_game_board import Board
from tests.oracles.kingdom_builder_game_state import State

IN_GAME = ("families", "shepherds", "ambassadors")


def score(state: State) -> tuple[int, ...]:
    """Give every player's gold, by number, as if the game ended here."""
    cards = ("castles", *(card for card in state.cards if card not in IN_GAME))
    return tuple(
        state.gold[player]
        + _capitol(state, player)
        + sum(_CARDS[card](state, player) for card in cards)
        for player in range(1, state.players + 1)
    )


def pay(state: State, card: str, player: int) -> int:
    """Give what one card pays a player at the end."""
    return _CARDS[card](state, player)


def _castles(state: State, player: int) -> int:
    board, own = state.board, state.own[player]
    return 3 * sum(not own.isdisjoint(board.near[castle]) for castle in board.of["C"])


def _capitol(state: State, player: int) -> int:
    near = state.board.near
    around = {
        two for capitol in state.capitols for one in near[capitol] for two in (one, *near[one])
    }
    return len(around & state.own[player])


def _discoverers(state: State, player: int) -> int:
    return len({place // state.board.width for place in state.own[player]})


def _knights(state: State, player: int) -> int:
    rows = [place // state.board.width for place in state.own[player]]
    return 2 * max(map(rows.count, rows), default=0)


def _fishermen(state: State, player: int) -> int:
    return _count_beside(state, player, "W", bool(state.rulings.fishermen_on_water))


def _miners(state: State, player: int) -> int:
    return _count_beside(state, player, "M", bool(state.rulings.miners_on_mountain))


def _count_beside(state: State, player: int, symbol: str, also_on: bool) -> int:
    terrain, near = state.board.terrain, state.board.near
    return sum(
        any(terrain[beside] == symbol for beside in near[place])
        for place in state.own[player]
        if also_on or terrain[place] != symbol
    )


def _lords(state: State, player: int) -> int:
    gold = 0
    for part in range(4):
        numbers = [_count_in_quadrants(state, one)[part] for one in range(1, state.players + 1)]
        # A set, since players who tie share a place and the next lower number is the second one.
        least = state.rulings.lords_need_settlement
        ranked = sorted({number for number in numbers if number >= least}, reverse=True)
        gold += dict(zip(ranked, (12, 6), strict=False)).get(numbers[player - 1], 0)
    return gold


def _farmers(state: State, player: int) -> int:
    return 3 * min(_count_in_quadrants(state, player))


def _count_in_quadrants(state: State, player: int) -> list[int]:
    board, numbers = state.board, [0, 0, 0, 0]
    for place in state.own[player]:
        south = place // board.width >= board.height // 2
        east = place % board.width >= board.width // 2
        numbers[2 * south + east] += 1
    return numbers


def _hermits(state: State, player: int) -> int:
    return len(_find_areas(state, player))


def _citizens(state: State, player: int) -> int:
    return max(map(len, _find_areas(state, player)), default=0) // 2


def _merchants(state: State, player: int) -> int:
    linked: set[int] = set()
    locations = _find_locations(state)
    for area in _find_areas(state, player):
        reached = {b for place in area for b in state.board.near[place]} & locations
        if len(reached) > 1:
            linked |= reached
    return 4 * len(linked)


def _workers(state: State, player: int) -> int:
    locations = _find_locations(state)
    near = state.board.near
    return sum(not locations.isdisjoint(near[place]) for place in state.own[player])


def _find_locations(state: State) -> set[int]:
    board: Board = state.board
    spaces = board.of["O"] if state.rulings.nomads_are_locations else ()
    return {*board.of["T"], *board.of["C"], *spaces}


def _find_areas(state: State, player: int) -> list[set[int]]:
    left, areas = set(state.own[player]), []
    while left:
        area, todo = set[int](), [left.pop()]
        while todo:
            place = todo.pop()
            area.add(place)
            joined = left.intersection(state.board.near[place])
            left -= joined
            todo += joined
        areas.append(area)
    return areas


_CARDS: dict[str, Callable[[State, int], int]] = {
    "castles": _castles,
    "discoverers": _discoverers,
    "knights": _knights,
    "fishermen": _fishermen,
    "miners": _miners,
    "lords": _lords,
    "farmers": _farmers,
    "hermits": _hermits,
    "citizens": _citizens,
    "merchants": _merchants,
    "workers": _workers,
}
CARDS = (*(card for card in _CARDS if card != "castles"), *IN_GAME)
