"""The published Kingdom Builder in plain Python, base game and Nomads: records are checked.

It is written from the rules alone and shares no code with the package, so where the two differ,
one of them is wrong. The sibling modules hold the parts: `_board`, `_state`, `_targets`, `_tiles`,
`_play` (these three say, too, what was decided where the text is silent), `_gold`, `_record`,
`_examples`, `_random`, `_broken` and `_rulings`.

Where the text is silent: a claim before the end is not-finished only, whatever it claims; the
claim of a record without turns is at turn 0; a note is compared with all that happened in its
part, so writing it twice is no fault. With `tile_loss=end_of_turn` a loss belongs to the last part.
"""

from dataclasses import dataclass

from tests.oracles.kingdom_builder_game_gold import score
from tests.oracles.kingdom_builder_game_play import (
    Action,
    Fault,
    begin_turn,
    end_turn,
    lose_at_the_end,
    perform,
)
from tests.oracles.kingdom_builder_game_record import Line, Record, read_record
from tests.oracles.kingdom_builder_game_state import Rulings, State, open_game
from tests.oracles.kingdom_builder_game_targets import MANDATORY

__all__ = ["CODES", "Result", "Rulings", "Violation", "check_game", "check_record"]

CODES = (
    *("after-end", "wrong-player", "wrong-terrain", "not-free", "not-adjacent", "not-a-target"),
    *("tile-not-held", "tile-used", "tile-too-new", "action-between", "too-few", "too-many"),
    *("no-supply", "note-wrong", "not-finished", "wrong-result"),
)

Violation = tuple[int, str, int | str]  # turn, code, who


@dataclass(frozen=True, slots=True)
class Result:
    """What a record shows, as far as it is legal."""

    turns: int
    gold: tuple[int, ...]  # by player
    finished: bool
    violations: tuple[Violation, ...]
    position: State


def check_game(text: str, rulings: Rulings | None = None) -> Result:
    """Play a record and name what is illegal or wrongly stated in it, in its order."""
    return check_record(read_record(text), rulings)


def check_record(record: Record, rulings: Rulings | None = None) -> Result:
    """Play a record that is read already."""
    state = open_record(record, rulings)
    violations: list[Violation] = []
    stopped = False
    for turn, line in enumerate(record.lines, 1):
        before = state.copy()
        fault, wrong_notes = play_line(state, line)
        violations += [(turn, "note-wrong", line.player)] * wrong_notes
        if fault:
            violations.append((turn, fault.code, line.player))
            state, stopped = before, True
            break
    gold = score(state)
    if record.claim is not None and not stopped:
        if not state.over:
            violations.append((len(record.lines), "not-finished", ""))
        elif record.claim != gold:
            violations.append((len(record.lines), "wrong-result", ""))
    return Result(state.turn - 1, gold, state.over, tuple(violations), state)


def open_record(record: Record, rulings: Rulings | None = None) -> State:
    """Set up the game of a record."""
    return open_game(
        record.board,
        record.players,
        start=record.start,
        cards=record.cards,
        nomads=record.nomads,
        capitols=record.capitols,
        caves=record.caves,
        rulings=rulings,
    )


def play_line(state: State, line: Line) -> tuple[Fault | None, int]:
    """Play one turn as far as it is legal; give its fault and the number of wrong notes."""
    if state.over:
        return Fault("after-end", MANDATORY), 0
    if line.player != state.player:
        return Fault("wrong-player", MANDATORY), 0
    wrong_notes = 0
    fault = begin_turn(state, line.drawn)
    for number, action in enumerate(line.actions, 1):
        if fault:
            return fault, wrong_notes
        fault = perform(state, action, hexes_follow=_has_hexes(line.actions[number:]))
        if not fault:
            if number == len(line.actions):
                lose_at_the_end(state)
            wrong_notes += sum(note not in state.events for note in action.notes)
    return fault or end_turn(state), wrong_notes


def _has_hexes(actions: tuple[Action, ...]) -> bool:
    return any(action.name == MANDATORY for action in actions)
