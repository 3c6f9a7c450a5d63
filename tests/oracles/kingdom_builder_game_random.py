"""Random legal games of the published Kingdom Builder, written as records.

The choices are uniform over what the plain rules allow, so that tiles are won, used and lost, and
every tile comes up somewhere. Nobody plays well.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from tests.oracles.kingdom_builder_game import open_record
from tests.oracles.kingdom_builder_game_board import FIVE, Board, board_of, read_quadrants
from tests.oracles.kingdom_builder_game_gold import CARDS, IN_GAME, score
from tests.oracles.kingdom_builder_game_play import (
    MOST,
    Action,
    begin_turn,
    do_target,
    end_turn,
    is_due,
    lose_at_the_end,
    perform,
)
from tests.oracles.kingdom_builder_game_record import Line, Record, write_record
from tests.oracles.kingdom_builder_game_state import Rulings, State
from tests.oracles.kingdom_builder_game_targets import (
    DONATIONS,
    MANDATORY,
    MOVES,
    WITHOUT_TARGET,
    Target,
    is_free_terrain,
    legal_targets,
)
from tests.oracles.kingdom_builder_game_tiles import judge_tile

NOMAD_QUADRANTS = ("quarry", "caravan", "village", "garden")
BAG = (  # the nomad tiles of the box
    *("treasure", "resettlement", "sword", "outpost"),
    *("treasure", "resettlement", "sword", "outpost"),
    *DONATIONS,
)


@dataclass(frozen=True, slots=True)
class Habits:
    """How random players play."""

    extra: float = 0.6  # how often a usable tile is used, asked twice a turn
    greed: float = 0.3  # how often a hex beside a location or nomad space is sought
    notes: float = 0.5  # how often a tile got or lost is written down
    split: float = 0.1  # how often the mandatory action is written in two parts
    terrains: str = FIVE  # the symbols of the cards in the pile


def random_game(
    rng: Random,
    players: int,
    *,
    nomads: bool = False,
    queenies: bool = False,
    cards: Sequence[str] | None = None,
    heading: str | None = None,
    rulings: Rulings | None = None,
    habits: Habits | None = None,
    most_turns: int | None = None,
    claim: bool = True,
) -> str:
    """Play a random legal game to the end and write its record.

    Args:
        rng: The source of all choices.
        players: Their number, 1 to 5.
        nomads: Whether quadrants, tiles and cards of Nomads are in the game.
        queenies: Whether there are capitols on two castles and caves in four mountains.
        cards: The cards that pay besides the castles; by default three at random.
        heading: The quadrants; by default four at random.
        rulings: How the rules are read.
        habits: How the players play.
        most_turns: Where the game breaks off, if it is not over; by default nowhere.
        claim: Whether the record ends with the gold, if the game is over.
    """
    heading = heading or _choose_quadrants(rng, nomads=nomads)
    record = _set_up(rng, players, heading, nomads=nomads, queenies=queenies, cards=cards)
    state = open_record(record, rulings)
    lines: list[Line] = []
    while not state.over and len(lines) != most_turns:
        lines.append(play_turn(rng, state, habits or Habits()))
    gold = score(state) if claim and state.over else None
    return write_record(heading, replace(record, lines=tuple(lines), claim=gold))


def play_turn(rng: Random, state: State, habits: Habits) -> Line:
    """Play a random legal turn."""
    player = state.player
    begin_turn(state, (rng.choice(habits.terrains),))
    actions = _use_tiles(rng, state, habits)
    actions += _place_all(rng, state, habits)
    actions += _use_tiles(rng, state, habits)
    # With no_hex=stop a move may have freed the first hex of the terrain.
    actions += _place_all(rng, state, habits)
    if actions and state.rulings.tile_loss == "end_of_turn":
        state.events = set()
        lose_at_the_end(state)
        actions[-1] = _with_notes(rng, state, actions[-1], habits)
    drawn = state.drawn
    fault = end_turn(state)
    if fault:
        raise AssertionError(f"a random turn ends with {fault}")
    return Line(player, drawn, tuple(actions))


def choose_targets(
    rng: Random, state: State, name: str, greed: float = 0
) -> tuple[Target, ...] | None:
    """Choose the targets of a legal use of a tile, if there is one; the tile need not be held."""
    if name in WITHOUT_TARGET:
        return ()
    state = state.copy()
    state.struck = set()
    most = MOST.get(name, 1)
    fewest = most if name in DONATIONS else 1
    if name == "sword" and state.rulings.sword == "each":
        most = fewest = len(state.own)
    targets: list[Target] = []
    for _ in range(rng.randint(fewest, most)):
        target = _choose_target(rng, state, name, greed)
        if target is None:
            break
        do_target(state, name, target)
        targets.append(target)
    return tuple(targets) or None


def _set_up(
    rng: Random,
    players: int,
    heading: str,
    *,
    nomads: bool,
    queenies: bool,
    cards: Sequence[str] | None,
) -> Record:
    board = board_of(heading)
    return Record(
        board=board,
        players=players,
        start=rng.randint(1, players),
        cards=tuple(_choose_cards(rng, nomads=nomads) if cards is None else cards),
        nomads=dict(zip(board.of["O"], rng.sample(BAG, len(BAG)), strict=False)),
        capitols=tuple(_draw(rng, board, "C", 2)) if queenies else (),
        caves=tuple(_draw(rng, board, "M", 4)) if queenies else (),
        lines=(),
        claim=None,
    )


def _draw(rng: Random, board: Board, symbol: str, most: int) -> list[int]:
    return rng.sample(board.of[symbol], min(most, len(board.of[symbol])))


def _choose_quadrants(rng: Random, *, nomads: bool) -> str:
    base = [name for name in sorted(read_quadrants()) if name not in NOMAD_QUADRANTS]
    others = rng.sample(NOMAD_QUADRANTS, rng.randint(1, 3)) if nomads else []
    names = others + rng.sample(base, 4 - len(others))
    rng.shuffle(names)
    return " ".join(name + rng.choice(["", "/180"]) for name in names)


def _choose_cards(rng: Random, *, nomads: bool) -> list[str]:
    return rng.sample([card for card in CARDS if nomads or card not in IN_GAME], 3)


def _choose_target(rng: Random, state: State, name: str, greed: float) -> Target | None:
    if name not in MOVES:
        return _choose_greedily(rng, state, legal_targets(state, name), greed)
    sources: set[Target] = {(source,) for source in state.own[state.player]}
    while sources:
        first = _choose_greedily(rng, state, sources, greed)
        if first and (targets := legal_targets(state, name, first)):
            return rng.choice(sorted(targets))
        sources -= {first or ()}
    return None


def _choose_greedily(
    rng: Random, state: State, targets: set[Target], greed: float
) -> Target | None:
    """Choose a target, now and then from those beside a location or nomad space alone."""
    board = state.board
    if rng.random() < greed:
        tiles = {*board.of["T"], *board.of["O"]}
        sought = {target for target in targets if not tiles.isdisjoint(board.near[target[0]])}
        targets = sought or targets
    return rng.choice(sorted(targets)) if targets else None


def _place_all(rng: Random, state: State, habits: Habits) -> list[Action]:
    """Do the mandatory action, with extra actions between where they may be."""
    actions: list[Action] = []
    while is_due(state) and not state.closed:
        actions.append(_place_some(rng, state, habits))
        if state.rulings.tiles_between:
            actions += _use_tiles(rng, state, habits)
    return actions


def _place_some(rng: Random, state: State, habits: Habits) -> Action:
    """Place settlements of the mandatory action, mostly all of them."""
    places: list[Target] = []
    events: set[tuple[str, str, int]] = set()
    while is_due(state):
        while not is_free_terrain(state, state.card):
            # A pile without use would be drawn from for ever.
            useful = any(is_free_terrain(state, symbol) for symbol in habits.terrains)
            state.drawn += (rng.choice(habits.terrains if useful else FIVE),)
            state.shown += 1
        place = _choose_target(rng, state, MANDATORY, habits.greed) or ()
        _do(state, Action(MANDATORY, (place,)))
        places.append(place)
        events |= state.events
        if rng.random() < (0.5 if state.rulings.tiles_between else habits.split):
            break
    state.events = events
    return _with_notes(rng, state, Action(MANDATORY, tuple(places)), habits)


def _use_tiles(rng: Random, state: State, habits: Habits) -> list[Action]:
    actions: list[Action] = []
    kinds = [*(tile.kind for tile in state.tiles[state.player]), *["cave"] * bool(state.caves)]
    for kind in rng.sample(kinds, len(kinds)):
        if rng.random() < habits.extra and judge_tile(state, kind) is None:
            targets = choose_targets(rng, state, kind, habits.greed)
            if targets is not None:
                action = Action(kind, targets)
                _do(state, action)
                actions.append(_with_notes(rng, state, action, habits))
    return actions


def _do(state: State, action: Action) -> None:
    fault = perform(state, action)
    if fault:
        raise AssertionError(f"a random action is illegal: {fault}")


def _with_notes(rng: Random, state: State, action: Action, habits: Habits) -> Action:
    notes = [event for event in sorted(state.events) if rng.random() < habits.notes]
    rng.shuffle(notes)
    return replace(action, notes=action.notes + tuple(notes))
