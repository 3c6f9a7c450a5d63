"""Tiles of the published Kingdom Builder: who gets one, who loses one, who may use one.

Where the text is silent: of two tiles of a kind that of the first hex in reading order is used
first. With `choose` the one given up is a used one of the kind, whichever hex was left, else that
of the hex itself. The tile that stays then belongs to the other hex.
"""

from collections.abc import Iterable

from tests.oracles.kingdom_builder_game_state import State, Tile


def judge_tile(state: State, kind: str) -> str | None:
    """Name why the player to move cannot use a tile of a kind, or nothing."""
    if kind == "cave" and state.caves:
        return "tile-used" if state.cave_used == state.turn else None
    held = [tile for tile in state.tiles[state.player] if _is_held(state, tile, kind)]
    if not held:
        return "tile-not-held"
    if any(_is_usable(state, tile) for tile in held):
        return None
    if any(tile.used == state.turn for tile in held):
        return "tile-used"
    return "tile-too-new"


def use_tile(state: State, kind: str) -> None:
    """Mark one tile of a kind as used in this turn."""
    if kind == "cave":
        state.cave_used = state.turn
    for tile in sorted(state.tiles[state.player], key=lambda tile: tile.place):
        if _is_held(state, tile, kind) and _is_usable(state, tile):
            tile.used = state.turn
            return


def drop_old_nomads(state: State) -> None:
    """Take the nomad tiles of the player to move whose turn is over, at the start of the turn."""
    tiles = state.tiles[state.player]
    tiles[:] = [tile for tile in tiles if not tile.nomad or tile.got + state.players >= state.turn]


def gain_tiles(state: State, place: int) -> None:
    """Give the player to move what lies beside a hex that a settlement came to."""
    player, board = state.player, state.board
    for beside in board.near[place]:
        if beside in state.nomads:
            kind = state.nomads.pop(beside)
            _give(state, Tile(kind, beside, state.turn, nomad=True))
        elif state.left.get(beside, 0) and _may_take(state, beside):
            state.left[beside] -= 1
            state.had[player].add(beside)
            _give(state, Tile(board.kinds[beside], beside, state.turn))


def lose_tiles(state: State, player: int, places: Iterable[int]) -> None:
    """Take a player's tiles of those location hexes that no settlement of theirs is beside."""
    for place in places:
        tiles = state.tiles[player]
        held = [tile for tile in tiles if tile.place == place and not tile.nomad]
        if held and state.own[player].isdisjoint(state.board.near[place]):
            _lose(state, tiles, held[0])


def _give(state: State, tile: Tile) -> None:
    state.tiles[state.player].append(tile)
    state.events.add(("+", tile.kind, tile.place))


def _lose(state: State, tiles: list[Tile], lost: Tile) -> None:
    state.events.add(("-", lost.kind, lost.place))
    if state.rulings.twin_tile == "choose":
        twins = [tile for tile in tiles if tile.kind == lost.kind and not tile.nomad]
        given = next((tile for tile in twins if tile.used == state.turn), lost)
        given.place, lost.place = lost.place, given.place
        lost = given
    tiles[:] = [tile for tile in tiles if tile is not lost]


def _may_take(state: State, place: int) -> bool:
    """Tell whether a player may take a tile from a location: never twice at a time."""
    if state.rulings.tile_again:
        return all(tile.place != place for tile in state.tiles[state.player])
    return place not in state.had[state.player]


def _is_held(state: State, tile: Tile, kind: str) -> bool:
    return tile.kind == kind and (not tile.nomad or tile.got + state.players >= state.turn)


def _is_usable(state: State, tile: Tile) -> bool:
    return tile.got < state.turn and tile.used != state.turn
