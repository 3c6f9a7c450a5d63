"""Several rulings at once, and positions in the middle of a turn: what random games show."""

from __future__ import annotations

from random import Random

import pytest

from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.position import find_in_game
from kb_score.games.kingdom_builder.records import read_record as read_text
from tests.games.kingdom_builder.test_games import NAMES, judge, judge_plainly
from tests.games.kingdom_builder.turns import split_game
from tests.oracles.kingdom_builder_game import open_record, play_line
from tests.oracles.kingdom_builder_game_play import begin_turn, is_due, perform
from tests.oracles.kingdom_builder_game_random import Habits, random_game
from tests.oracles.kingdom_builder_game_record import read_record
from tests.oracles.kingdom_builder_game_state import Rulings, State
from tests.oracles.kingdom_builder_game_targets import MANDATORY, legal_targets
from tests.oracles.kingdom_builder_game_tiles import judge_tile

CHOICES: dict[str, str | int] = {
    "no_hex": "stop",
    "mandatory_settlements": 4,
    "tiles_between": 1,
    "buildable_nomad": 1,
    "tile_again": 1,
    "tile_loss": "end_of_turn",
    "twin_tile": "exact",
    "move_lift": 0,
    "vacated": 0,
    "sword": "each",
    "move_counts_as_build": 1,
}
HABITS = Habits(extra=0.8, greed=0.6)


def draw(rng: Random) -> tuple[Rulings, tuple[tuple[str, str], ...]]:
    chosen = {name: CHOICES[name] for name in rng.sample(sorted(CHOICES), rng.randint(1, 4))}
    constants = ((NAMES.get(name, name), str(value)) for name, value in chosen.items())
    return Rulings(**chosen), tuple(constants)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(6))
def test_games_with_several_rulings_are_judged_as_by_the_plain_version(seed: int) -> None:
    rng = Random(seed)
    rulings, constants = draw(rng)
    text = random_game(
        *(rng, 2 + seed % 4), nomads=seed % 3 > 0, rulings=rulings, habits=HABITS, most_turns=60,
        claim=False,
    )  # fmt: skip

    assert judge(text, *constants) == judge_plainly(text, rulings)


def list_moves(state: State) -> set[str]:
    """List all that is legal after whole actions of a turn, by the plain version."""
    lacking = state.rulings.mandatory_settlements - len(state.placed)
    may_build = lacking > 0 and state.supply[state.player] > 0 and not state.closed
    kinds = [MANDATORY] if may_build else []
    if not state.placed or state.closed or not is_due(state) or state.rulings.tiles_between:
        held = {tile.kind for tile in state.tiles[state.player]}
        state.struck = set()
        kinds += sorted(kind for kind in held if judge_tile(state, kind) is None)
    return {
        " ".join([*([] if kind == MANDATORY else [kind]), *([path] if path else [])])
        for kind in kinds
        for target in legal_targets(state, kind)
        for path in [">".join(map(state.board.name, target))]
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_in_the_middle_of_a_turn_what_is_listed_is_legal(seed: int) -> None:
    rng = Random(seed)
    rulings, constants = draw(rng) if seed % 2 else (Rulings(), ())
    rules = GameRules("kingdom_builder", Changes((), constants))
    text = random_game(
        *(rng, 2 + seed % 4), nomads=True, rulings=rulings, habits=HABITS, most_turns=50,
        claim=False,
    )  # fmt: skip
    record, (_, said) = read_record(text), split_game(text)
    # With one card nothing is drawn within the turn.
    turns = [t for t, line in enumerate(record.lines) if len(line.actions) > len(line.drawn) == 1]
    for t in rng.sample(turns, min(3, len(turns))):
        state, line = open_record(record, rulings), record.lines[t]
        for before in record.lines[:t]:
            play_line(state, before)
        begin_turn(state, line.drawn)
        done = rng.randint(1, len(line.actions) - 1)
        assert not any(perform(state, action) for action in line.actions[:done])
        game = read_text(text, rules)
        actions = ";".join(said[t].partition(":")[2].split(";")[:done])
        position = find_in_game(rules, game, "game", t + 1)
        position = position.after(position.read_parts(actions, "turn"))

        moves = [move for one in position.moves() for move in one.moves]

        if not any(move.startswith("also") for move in moves):
            assert set(moves) == list_moves(state)
        for move in rng.sample(moves, min(2, len(moves))):
            assert not position.judge(move).reasons
