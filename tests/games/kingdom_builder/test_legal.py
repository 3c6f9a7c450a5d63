"""``kb-score legal``: what a player may do, and why something else is illegal.

tests/transcripts/kingdom_builder/legal.md has the worked examples and the messages.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.helpers import run
from tests.oracles.kingdom_builder_game import check_game
from tests.oracles.kingdom_builder_game_board import TERRAINS
from tests.oracles.kingdom_builder_game_play import begin_turn
from tests.oracles.kingdom_builder_game_random import Habits, random_game
from tests.oracles.kingdom_builder_game_state import State
from tests.oracles.kingdom_builder_game_targets import MANDATORY, legal_targets
from tests.oracles.kingdom_builder_game_tiles import judge_tile


def write(folder: Path, text: str) -> Path:
    path = folder / "file.txt"
    path.write_text(text)
    return path


PLAIN = "G  G  G  G  G  G\n G  G1 G  G2 G  G\nG  W  W  W  G  G\n G  M  M  D  D  D\n"


# Judged by hand.
@pytest.mark.parametrize(
    ("move", "code"),
    [
        ("outpost; 0,1 0,5 1,5", None),
        ("outpost; 0,0 0,5 0,1", "not-adjacent"),
        ("resettlement 1,1>1,2", None),
        ("resettlement 1,1>1,2 1,2>0,2 0,2>0,1 0,1>1,1", None),
        ("resettlement 1,1>1,2 1,2>0,2 0,2>0,1 0,1>0,0 0,0>1,0", "too-many"),
        ("resettlement 1,1>0,3", "not-a-target"),
        ("resettlement 1,1>2,1", "wrong-terrain"),
        ("resettlement 1,1>1,2 1,2>1,3", "not-free"),
        ("resettlement 1,2>1,1", "not-a-target"),
        ("resettlement 1,2", "not-a-target"),
        ("resettlement", "too-few"),
        ("donation-water 2,1 2,2 2,3", None),
        ("donation-water 2,1 2,2; 0,1", "too-few"),
        ("donation-water 2,3", "not-adjacent"),
        ("donation-water 2,4", "wrong-terrain"),
        ("donation-water 2,1 2,2 2,3 2,4", "too-many"),
        ("sword 1,3", None),
        ("sword 1,1", "not-a-target"),
        ("treasure", None),
        ("treasure; treasure", "tile-used"),
    ],
)
def test_a_tile_of_nomads_is_judged_with_its_code(
    tmp_path: Path, move: str, code: str | None
) -> None:
    words = ("--player", 1, "--card", "grass", "--tile", re.split("[ ;]", move)[0])

    ran = run("legal", write(tmp_path, PLAIN), *words, "--move", move, "--format", "json")

    assert (ran.status, ran.json[0]["code"]) == (0 if code is None else 1, code)


def write_moves(state: State) -> set[str]:
    """Write all legal moves of the player to move, by the plain version."""
    kinds = {tile.kind for tile in state.tiles[state.player]}
    usable = sorted(kind for kind in kinds if judge_tile(state, kind) is None)
    return {
        " ".join([*([] if kind == MANDATORY else [kind]), *([path] if path else [])])
        for kind in (MANDATORY, *usable)
        for target in legal_targets(state, kind)
        for path in [">".join(map(state.board.name, target))]
    }


@pytest.mark.parametrize("seed", range(8))
def test_the_moves_of_a_random_position_are_those_of_the_plain_version(
    tmp_path: Path, seed: int
) -> None:
    players, rounds = 2 + seed % 4, 3 + seed // 3
    text = random_game(
        *(Random(seed), players),
        nomads=seed % 2 == 1,
        habits=Habits(greed=0.7),
        most_turns=players * rounds + seed % players,
    )
    state = check_game(text).position
    card = Random(seed).choice(["grass", "canyon", "desert", "flower", "forest"])
    assert begin_turn(state, (TERRAINS[card],)) is None

    ran = run("legal", write(tmp_path, text), "--card", card, "--format", "json")

    line: dict[str, Any] = ran.json[0]
    assert (line["turn"], line["player"]) == (state.turn, state.player)
    assert len(line["moves"]) == len(set(line["moves"]))
    assert set(line["moves"]) == write_moves(state)
