"""Games of the published Kingdom Builder that one change has made illegal or untrue."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from tests.oracles.kingdom_builder_game import CODES, check_game, open_record, play_line
from tests.oracles.kingdom_builder_game_board import FIVE, OFF
from tests.oracles.kingdom_builder_game_play import Action, begin_turn
from tests.oracles.kingdom_builder_game_random import choose_targets
from tests.oracles.kingdom_builder_game_record import Line, Record, read_record, write_record
from tests.oracles.kingdom_builder_game_state import Rulings, State
from tests.oracles.kingdom_builder_game_targets import (
    BUILDS,
    LOCATION_TILES,
    MANDATORY,
    MOVES,
    NOMAD_TILES,
)

Change = Callable[[Random, State, Line], Line | None]  # the position before the line
_TRIES = 500


def break_game(
    rng: Random, text: str, *, code: str | None = None, rulings: Rulings | None = None
) -> tuple[str, tuple[int, str]]:
    """Change one thing in a legal, finished and claimed game so that it is so no more.

    Args:
        rng: The source of all choices.
        text: The record, as `random_game` writes it.
        code: What shall be wrong; by default one of all codes, chosen evenly.
        rulings: How the rules are read.

    Returns:
        The changed record, and the turn and code of the only violation in it.

    Raises:
        LookupError: No change of this game was found that leads to the code.
    """
    heading = next(line for line in text.splitlines() if line.startswith("board "))
    record = read_record(text)
    befores = _list_positions(record, rulings)
    codes = [code] if code else rng.sample(CODES, len(CODES))
    for wanted in codes:
        for _ in range(_TRIES):
            changed = _change(rng, record, befores, wanted)
            if changed is None:
                continue
            broken = write_record(heading.removeprefix("board "), changed)
            found = check_game(broken, rulings).violations
            if [violation[1] for violation in found] == [wanted]:
                return broken, (found[0][0], wanted)
    raise LookupError(f"no change of this game is {' or '.join(codes)}")


def _list_positions(record: Record, rulings: Rulings | None) -> list[State]:
    """List the positions before each turn."""
    state = open_record(record, rulings)
    befores: list[State] = []
    for line in record.lines:
        befores.append(state.copy())
        play_line(state, line)
    return befores


def _change(rng: Random, record: Record, befores: Sequence[State], wanted: str) -> Record | None:
    """Make one change that may lead to a code."""
    lines = record.lines
    if wanted == "wrong-result":
        claim = list(record.claim or ())
        claim[rng.randrange(len(claim))] += rng.choice([-1, 1, 2])
        return replace(record, claim=tuple(claim))
    if wanted == "not-finished":
        return replace(record, lines=lines[: rng.randrange(1, len(lines))])
    if wanted == "after-end":
        return replace(record, lines=(*lines, rng.choice(lines)))
    number = rng.randrange(len(lines))
    if wanted == "no-supply":
        number = rng.randrange(max(0, len(lines) - 2 * record.players), len(lines))
    before = befores[number]
    line = rng.choice(_CHANGES[wanted])(rng, before.copy(), lines[number])
    if line is None:
        return None
    fault, wrong_notes = play_line(before.copy(), line)
    if (fault.code if fault else "note-wrong" if wrong_notes else "") != wanted:
        return None
    return replace(record, lines=(*lines[:number], line, *lines[number + 1 :]))


def _change_player(rng: Random, state: State, line: Line) -> Line:
    return replace(line, player=rng.randint(1, max(2, state.players)))


def _change_card(rng: Random, _state: State, line: Line) -> Line:
    drawn = list(line.drawn)
    drawn[rng.randrange(len(drawn))] = rng.choice(FIVE + "WM")
    return replace(line, drawn=tuple(drawn))


def _add_card(rng: Random, _state: State, line: Line) -> Line:
    return replace(line, drawn=(*line.drawn, rng.choice(FIVE)))


def _change_hex(rng: Random, state: State, line: Line) -> Line | None:
    """Put any hex of the board, or one off it, for a hex that is written."""
    spots = [
        (a, t, h)
        for a, action in enumerate(line.actions)
        for t, target in enumerate(action.targets)
        for h in range(len(target))
    ]
    if not spots:
        return None
    a, t, h = rng.choice(spots)
    target = list(line.actions[a].targets[t])
    target[h] = rng.randrange(OFF, len(state.board.terrain))
    return _with_target(line, a, t, tuple(target))


def _change_form(rng: Random, _state: State, line: Line) -> Line | None:
    """Write a move as a hex or a hex as a move."""
    extras = [a for a, action in enumerate(line.actions) if action.targets and _is_extra(action)]
    if not extras:
        return None
    a = rng.choice(extras)
    target = line.actions[a].targets[0]
    return _with_target(line, a, 0, target[:1] if len(target) == 2 else target * 2)


def _drop_target(rng: Random, _state: State, line: Line) -> Line | None:
    full = [a for a, action in enumerate(line.actions) if action.targets]
    if not full:
        return None
    a = rng.choice(full)
    targets = list(line.actions[a].targets)
    del targets[rng.randrange(len(targets))]
    if not targets and not _is_extra(line.actions[a]):
        return _with_actions(line, line.actions[:a] + line.actions[a + 1 :])
    return _with_action(line, a, replace(line.actions[a], targets=tuple(targets)))


def _add_target(rng: Random, state: State, line: Line) -> Line | None:
    if not line.actions:
        return None
    a = rng.randrange(len(line.actions))
    targets = [*line.actions[a].targets]
    place = rng.randrange(len(state.board.terrain))
    new = (place, place) if line.actions[a].name in MOVES else (place,)
    targets.insert(rng.randint(0, len(targets)), rng.choice([*targets, new]))
    return _with_action(line, a, replace(line.actions[a], targets=tuple(targets)))


def _add_tile(rng: Random, state: State, line: Line) -> Line:
    """Use any tile, with targets that would do at the start of the turn."""
    kind = rng.choice((*LOCATION_TILES, *NOMAD_TILES))
    begin_turn(state, line.drawn)
    return _add_action(rng, state, line, kind, rng.randint(0, len(line.actions)))


def _add_building(rng: Random, state: State, line: Line) -> Line | None:
    """Use a building tile that is held at the end of the turn."""
    after = state.copy()
    play_line(after, line)
    kinds = [tile.kind for tile in after.tiles[line.player] if tile.kind in BUILDS]
    if not kinds:
        return None
    place = rng.randrange(len(state.board.terrain))
    action = Action(rng.choice(kinds), ((place,),))
    return _with_actions(line, (*line.actions, action))


def _use_again(rng: Random, state: State, line: Line) -> Line | None:
    names = [action.name for action in line.actions if _is_extra(action)]
    if not names:
        return None
    begin_turn(state, line.drawn)
    return _add_action(rng, state, line, rng.choice(names), len(line.actions))


def _use_new(rng: Random, state: State, line: Line) -> Line | None:
    """Use a tile of this turn at the end of it."""
    after = state.copy()
    play_line(after, line)
    new = [tile.kind for tile in after.tiles[line.player] if tile.got == state.turn]
    if not new:
        return None
    begin_turn(state, line.drawn)
    return _add_action(rng, state, line, rng.choice(new), len(line.actions))


def _put_between(rng: Random, _state: State, line: Line) -> Line | None:
    """Put an extra action between the hexes of the mandatory action."""
    extras = [a for a, action in enumerate(line.actions) if _is_extra(action)]
    mandatory = [action.targets for action in line.actions if not _is_extra(action)]
    places = [target for targets in mandatory for target in targets]
    if not extras or len(places) < 2:
        return None
    a = rng.choice(extras)
    cut = rng.randrange(1, len(places))
    others = [action for b, action in enumerate(line.actions) if b != a and _is_extra(action)]
    return _with_actions(
        line,
        (
            *others,
            Action(MANDATORY, tuple(places[:cut])),
            line.actions[a],
            Action(MANDATORY, tuple(places[cut:])),
        ),
    )


def _change_note(rng: Random, state: State, line: Line) -> Line | None:
    """Write a note of something that did not happen."""
    if not line.actions:
        return None
    a = rng.randrange(len(line.actions))
    action = line.actions[a]
    notes = [(sign, kind, place) for place, kind in state.board.kinds.items() for sign in "+-"]
    note = rng.choice(notes)
    kept = action.notes[:-1] if rng.random() < 0.5 else action.notes
    return _with_action(line, a, replace(action, notes=(*kept, note)))


def _add_action(rng: Random, state: State, line: Line, name: str, index: int) -> Line:
    targets = choose_targets(rng, state, name)
    if targets is None:
        place = rng.randrange(len(state.board.terrain))
        targets = ((place, place),) if name in MOVES else ((place,),)
    return _with_actions(
        line, (*line.actions[:index], Action(name, targets), *line.actions[index:])
    )


def _is_extra(action: Action) -> bool:
    return action.name != MANDATORY


def _with_target(line: Line, a: int, t: int, target: tuple[int, ...]) -> Line:
    targets = list(line.actions[a].targets)
    targets[t] = target
    return _with_action(line, a, replace(line.actions[a], targets=tuple(targets)))


def _with_action(line: Line, a: int, action: Action) -> Line:
    return _with_actions(line, (*line.actions[:a], action, *line.actions[a + 1 :]))


def _with_actions(line: Line, actions: tuple[Action, ...]) -> Line:
    return replace(line, actions=actions)


_CHANGES: dict[str, tuple[Change, ...]] = {
    "wrong-player": (_change_player,),
    "wrong-terrain": (_change_hex, _change_card, _add_card),
    "not-free": (_change_hex,),
    "not-adjacent": (_change_hex,),
    "not-a-target": (_change_hex, _change_form),
    "tile-not-held": (_add_tile,),
    "tile-used": (_use_again,),
    "tile-too-new": (_use_new,),
    "action-between": (_put_between,),
    "too-few": (_drop_target,),
    "too-many": (_add_target,),
    "no-supply": (_add_target, _add_building),
    "note-wrong": (_change_note,),
}
