"""Where an action of the published Kingdom Builder may be aimed, and why not elsewhere.

Where the text is silent: a move back to where it began is taken for a free hex only with both
`vacated` and `move_lift`, whatever the tile; with `buildable_nomad` a nomad space is one of the
free buildable hexes of tower, tavern, village, paddock and resettlement, and of no named terrain;
the sword never says not-free, since it asks for no free hex.
"""

from collections.abc import Iterable

from tests.oracles.kingdom_builder_game_board import BUILDABLE, OFF, TERRAINS
from tests.oracles.kingdom_builder_game_state import FREE, State

MANDATORY = "mandatory"
DONATIONS = {f"donation-{name}": symbol for name, symbol in TERRAINS.items()}
# The terrain that an action asks for, where neither the card nor "buildable" says it.
ONE_TERRAIN = {"farm": "G", "oasis": "D", "garden": "L", "harbor": "W", **DONATIONS}
BY_CARD = (MANDATORY, "oracle", "barn", "quarry")
MOVES = ("barn", "harbor", "paddock", "caravan", "resettlement", "cave")
BUILDS = ("oracle", "farm", "oasis", "tower", "tavern", "village", "garden", *DONATIONS)
IF_POSSIBLE = (MANDATORY, "oracle", "farm", "oasis", "tower", "garden", *DONATIONS)
WITHOUT_TARGET = ("outpost", "treasure")
LOCATION_TILES = (
    *("oracle", "farm", "oasis", "tower", "tavern", "barn", "harbor", "paddock"),
    *("quarry", "caravan", "village", "garden"),
)
NOMAD_TILES = (*DONATIONS, "resettlement", "sword", "outpost", "treasure")

Target = tuple[int, ...]  # (hex,) or (from, to)


def terrain_of(state: State, action: str) -> str:
    """Give the symbols of the terrain that an action builds on or moves to."""
    if action in BY_CARD:
        return state.card
    if action in ONE_TERRAIN:
        return ONE_TERRAIN[action]
    if state.rulings.buildable_nomad and action != "caravan":
        return BUILDABLE + "O"
    return BUILDABLE


def judge_target(state: State, action: str, target: Target) -> str | None:
    """Name what is wrong with one target of an action, or nothing."""
    if len(target) != (2 if action in MOVES else 1):
        return "not-a-target"
    if action == "sword":
        return None if target[0] in _find_victims(state) else "not-a-target"
    source = target[0] if action in MOVES else OFF
    if action in MOVES and source not in state.own[state.player]:
        return "not-a-target"
    to = target[-1]
    if to == OFF or not (state.owner[to] == FREE or (to == source and _is_lifted(state))):
        return "not-free"
    if state.board.terrain[to] not in terrain_of(state, action):
        return "wrong-terrain"
    if not _fits_the_shape(state, action, source, to):
        return "not-a-target"
    return None if _keeps_adjacency(state, action, source, to) else "not-adjacent"


def legal_targets(state: State, action: str, sources: Iterable[int] | None = None) -> set[Target]:
    """Find all legal targets of an action for the player to move, as if he held the tile.

    Args:
        state: The position.
        action: `mandatory` or the kind of a tile.
        sources: The settlements that may move; by default all own ones.
    """
    if action in WITHOUT_TARGET:
        return {()}
    if not has_pieces(state, action):
        return set()
    if action == "sword":
        return {(place,) for place in _find_victims(state)}
    places = [place for kind in terrain_of(state, action) for place in state.board.of[kind]]
    if action in MOVES:
        movers = state.own[state.player] if sources is None else sources
        found: Iterable[Target] = [(source, to) for source in movers for to in places]
    else:
        found = [(place,) for place in places]
    return {target for target in found if judge_target(state, action, target) is None}


def has_pieces(state: State, action: str) -> bool:
    """Tell whether there is a settlement or a wall for the next target of an action."""
    if action == "quarry":
        return state.walls > 0
    return action in MOVES or action == "sword" or state.supply[state.player] > 0


def is_free_terrain(state: State, symbol: str) -> bool:
    """Tell whether some hex of a terrain is free."""
    return any(state.owner[place] == FREE for place in state.board.of[symbol])


def breaks_adjacency(state: State, action: str, place: int) -> bool:
    """Tell whether a settlement built there leaves the own ones although it could join them."""
    own = state.own[state.player]
    if any(beside in own for beside in state.board.near[place]):
        return False
    return _can_join(state, action, own, OFF)


def _find_victims(state: State) -> set[int]:
    """Find the settlements of the opponents whom this sword has not struck yet."""
    spared = {state.player, *state.struck}
    return {place for player, own in enumerate(state.own) if player not in spared for place in own}


def _is_lifted(state: State) -> bool:
    return bool(state.rulings.vacated and state.rulings.move_lift)


def _fits_the_shape(state: State, action: str, source: int, to: int) -> bool:
    """Judge what an action asks for besides terrain and adjacency."""
    board = state.board
    if action == "tower":
        return to in board.edge
    if action == "tavern":
        return any(_prolongs_three(state, to, step) for step in board.steps)
    if action == "village":
        return sum(beside in state.own[state.player] for beside in board.near[to]) >= 3
    if action == "paddock":
        return any(_go(step, source, 2) == to for step in board.steps)
    if action == "caravan":
        return any(_ride(state, source, step) == to for step in board.steps)
    if action == "cave":
        return all(any(c in board.near[place] for c in state.caves) for place in (source, to))
    if action == "resettlement":
        return to in board.near[source]
    return True


def _go(step: tuple[int, ...], place: int, times: int) -> int:
    """Go straight on; OFF if the way leaves the board."""
    for _ in range(times):
        place = step[place] if place != OFF else OFF
    return place


def _prolongs_three(state: State, to: int, step: tuple[int, ...]) -> bool:
    own = state.own[state.player]
    return all(_go(step, to, times) in own for times in (1, 2, 3))


def _ride(state: State, source: int, step: tuple[int, ...]) -> int:
    """Ride as far as it goes; OFF if it does not go at all."""
    place, ahead = OFF, step[source]
    while ahead != OFF and state.owner[ahead] == FREE and state.board.terrain[ahead] in BUILDABLE:
        place, ahead = ahead, step[ahead]
    return place


def _keeps_adjacency(state: State, action: str, source: int, to: int) -> bool:
    """Judge whether a target beside the player's settlements was missed, and may not be."""
    own = state.own[state.player]
    if action == "quarry":
        return any(beside in own for beside in state.board.near[to])
    if action in ("barn", "harbor"):
        others = own - {source} if state.rulings.move_lift else own
        if any(beside in others for beside in state.board.near[to]):
            return True
        return not _can_join(state, action, others, source if _is_lifted(state) else OFF)
    if action not in IF_POSSIBLE or state.pending:
        return True
    return not breaks_adjacency(state, action, to)


def _can_join(state: State, action: str, own: set[int], vacated: int) -> bool:
    """Tell whether a hex that the action allows lies beside one of the settlements."""
    board, owner, terrain = state.board, state.owner, terrain_of(state, action)
    for settlement in own:
        for place in board.near[settlement]:
            if owner[place] != FREE and place != vacated:
                continue
            if board.terrain[place] in terrain and (action != "tower" or place in board.edge):
                return True
    return False
