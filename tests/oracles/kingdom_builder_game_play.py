"""Turns of the published Kingdom Builder: what an action does, and what makes it illegal.

Where the text is silent:
- The cards of a line are looked at first, so `water:` is wrong-terrain before any action.
- The third hex of somebody with two settlements is no-supply, a fourth hex is always too-many.
- Every tile but outpost and treasure needs at least one target, else it is too-few, also where
  there is none (a tile without a legal target cannot be used).
- With `no_hex=stop` a hex after the last free one is too-many.
- A mandatory action that could not go on does not open again when an extra action frees a hex.
- With `sword=each` one settlement of every opponent who has one is taken, no fewer.
- Families look at the hexes that settlements were built on, once a turn. With
  `move_counts_as_build` every move and every step pays, but no null move; families count moves
  only with `families_source=any`.
"""

from dataclasses import dataclass
from itertools import combinations

from tests.oracles.kingdom_builder_game_board import FIVE, OFF
from tests.oracles.kingdom_builder_game_state import FREE, WALL, State
from tests.oracles.kingdom_builder_game_targets import (
    BUILDS,
    DONATIONS,
    IF_POSSIBLE,
    MANDATORY,
    MOVES,
    WITHOUT_TARGET,
    Target,
    breaks_adjacency,
    has_pieces,
    is_free_terrain,
    judge_target,
    legal_targets,
)
from tests.oracles.kingdom_builder_game_tiles import (
    drop_old_nomads,
    gain_tiles,
    judge_tile,
    lose_tiles,
    use_tile,
)

MOST = {MANDATORY: 3, "quarry": 2, "resettlement": 4, **dict.fromkeys(DONATIONS, 3)}


@dataclass(frozen=True, slots=True)
class Action:
    """One action: bare hexes (`mandatory`) or a tile with its targets; and the notes behind it."""

    name: str
    targets: tuple[Target, ...]
    notes: tuple[tuple[str, str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an action is illegal, and the target it is about (none: the action as a whole)."""

    code: str
    action: str
    target: Target = ()


def begin_turn(state: State, drawn: tuple[str, ...]) -> Fault | None:
    """Reveal the first of the turn's cards, given as terrain symbols."""
    state.drawn, state.shown = drawn, 1
    state.placed, state.built = [], []
    state.closed = state.family = False
    state.pending = 0
    drop_old_nomads(state)
    if any(symbol not in FIVE for symbol in drawn):
        return Fault("wrong-terrain", MANDATORY)
    return None


def judge(state: State, action: Action, *, hexes_follow: bool = False) -> Fault | None:
    """Judge an action of the player to move, and leave the position as it is.

    Args:
        state: The position.
        action: The action.
        hexes_follow: Whether the line has bare hexes behind it.
    """
    return perform(state.copy(), action, hexes_follow=hexes_follow)


def perform(state: State, action: Action, *, hexes_follow: bool = False) -> Fault | None:
    """Do an action as far as it is legal, and name what stopped it."""
    state.events, state.struck = set(), set()
    if action.name == MANDATORY:
        return _do_mandatory(state, action)
    code = _judge_place(state, hexes_follow=hexes_follow) or judge_tile(state, action.name)
    if code:
        return Fault(code, action.name)
    use_tile(state, action.name)
    return _do_extra(state, action)


def end_turn(state: State) -> Fault | None:
    """Judge the turn as a whole and, if nothing is wrong, pass it on."""
    if not state.closed and is_due(state):
        return Fault("too-few", MANDATORY)
    if state.shown < len(state.drawn):
        return Fault("wrong-terrain", MANDATORY)
    state.turn += 1
    state.player = state.player % state.players + 1
    return None


def lose_at_the_end(state: State) -> None:
    """With `tile_loss=end_of_turn`: look at everybody's tiles after the last action."""
    if state.rulings.tile_loss == "end_of_turn":
        for player in range(1, state.players + 1):
            lose_tiles(state, player, state.board.kinds)


def is_due(state: State) -> bool:
    """Tell whether the mandatory action still asks for a settlement."""
    if len(state.placed) == state.rulings.mandatory_settlements or not state.supply[state.player]:
        return False
    kinds = state.card if state.rulings.no_hex == "stop" else FIVE
    return any(is_free_terrain(state, kind) for kind in kinds)


def _judge_place(state: State, *, hexes_follow: bool) -> str | None:
    if state.placed and not state.closed:
        if not is_due(state):
            state.closed = True
        elif not state.rulings.tiles_between:
            return "action-between" if hexes_follow else "too-few"
    return None


def _do_mandatory(state: State, action: Action) -> Fault | None:
    for target in action.targets:
        code = _judge_mandatory(state) or judge_target(state, MANDATORY, target)
        if code:
            return Fault(code, MANDATORY, target)
        state.placed.append(target[0])
        _build(state, MANDATORY, target[0])
    return None


def _judge_mandatory(state: State) -> str | None:
    """Judge that another mandatory hex is written, and reveal the cards it needs."""
    if len(state.placed) == state.rulings.mandatory_settlements:
        return "too-many"
    if not state.supply[state.player]:
        return "no-supply"
    if state.closed:
        return "too-many"
    while not is_free_terrain(state, state.card):
        if state.rulings.no_hex == "stop":
            return "too-many"
        if state.shown == len(state.drawn):
            return "wrong-terrain"
        state.shown += 1
    return None


def _do_extra(state: State, action: Action) -> Fault | None:
    name = action.name
    most = 0 if name in WITHOUT_TARGET else MOST.get(name, 1)
    if name == "sword" and state.rulings.sword == "each":
        most = sum(map(bool, state.own)) - bool(state.own[state.player])
    for done, target in enumerate(action.targets):
        code = "too-many" if done == most else None
        if code is None and not has_pieces(state, name):
            code = "no-supply"
        code = code or judge_target(state, name, target)
        if code:
            return Fault(code, name, target)
        do_target(state, name, target)
    if name == "outpost":
        state.pending += 1
    elif name == "treasure":
        _pay(state, "treasure", state.rulings.treasure_gold)
    elif _stops_short(state, action, most):
        return Fault("too-few", name)
    return None


def _stops_short(state: State, action: Action, most: int) -> bool:
    done = len(action.targets)
    if action.name == "sword":
        return done < max(most, 1)
    if action.name in DONATIONS and done < most:
        return done == 0 or bool(legal_targets(state, action.name))
    return done == 0


def do_target(state: State, name: str, target: Target) -> None:
    """Do what an action does to one legal target."""
    if name in BUILDS:
        _build(state, name, target[0])
    elif name in MOVES:
        _move(state, *target)
    elif name == "quarry":
        state.owner[target[0]] = WALL
        state.walls -= 1
    elif name == "sword":
        _strike(state, target[0])


def _build(state: State, name: str, place: int) -> None:
    player = state.player
    if state.pending and name in IF_POSSIBLE and breaks_adjacency(state, name, place):
        state.pending -= 1
    state.owner[place] = player
    state.own[player].add(place)
    state.supply[player] -= 1
    state.ending = state.ending or state.supply[player] == 0
    gain_tiles(state, place)
    _pay_cards(state, place)


def _move(state: State, source: int, to: int) -> None:
    if source == to:
        return
    player = state.player
    state.owner[source] = FREE
    state.owner[to] = player
    state.own[player].remove(source)
    state.own[player].add(to)
    _lose_beside(state, player, source)
    gain_tiles(state, to)
    if state.rulings.move_counts_as_build:
        _pay_cards(state, to)


def _strike(state: State, place: int) -> None:
    victim = state.owner[place]
    state.owner[place] = FREE
    state.own[victim].remove(place)
    state.supply[victim] += 1
    state.struck.add(victim)
    _lose_beside(state, victim, place)


def _lose_beside(state: State, player: int, place: int) -> None:
    if state.rulings.tile_loss == "immediate":
        lose_tiles(state, player, state.board.near[place])


def _pay(state: State, reason: str, gold: int) -> None:
    state.gold[state.player] += gold
    state.reasons.append((state.turn, state.player, reason, gold))


def _pay_cards(state: State, place: int) -> None:
    """Pay the cards that pay at once, for a settlement that came to a hex."""
    near, owner = state.board.near[place], state.owner
    state.built.append(place)
    if "shepherds" in state.cards:
        kind = state.board.terrain[place]
        if not any(owner[b] == FREE and state.board.terrain[b] == kind for b in near):
            _pay(state, "shepherds", 2)
    if "ambassadors" in state.cards and any(
        owner[b] not in (FREE, WALL, state.player) for b in near
    ):
        _pay(state, "ambassadors", 1)
    if "families" in state.cards and not state.family and _is_family(state):
        state.family = True
        _pay(state, "families", 2)


def _is_family(state: State) -> bool:
    counting = state.built if state.rulings.families_source == "any" else state.placed
    return any(_stand_in_line(state, three) for three in combinations(set(counting), 3))


def _stand_in_line(state: State, three: tuple[int, ...]) -> bool:
    """Tell whether three hexes are on one of the straight lines of the board."""
    if len(set(three)) < 3:
        return False  # one was left within the action, and built on again
    for step in state.board.steps:
        for first in three:
            line, ahead = [first], step[first]
            while ahead != OFF and (len(line) < 3 or not state.rulings.families_contiguous):
                line.append(ahead)
                ahead = step[ahead]
            if set(three) <= set(line):
                return True
    return False
