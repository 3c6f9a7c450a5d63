"""``kb-score legal rabbits``: what crushers and rabbits may do, and why a move is skipped."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from pathlib import Path
from random import Random

import pytest

from kb_score.engine.rules import GameRules
from kb_score.games.rabbits.position import find_position
from tests.helpers import run
from tests.oracles.rabbits import Cell, Map, random_walk
from tests.oracles.rabbits_records import Retrace, play, random_map, write_session

RULES = GameRules("rabbits")


@pytest.mark.slow
def test_thousands_of_starts_in_sight_of_each_other_take_no_time_for_each_pair(
    tmp_path: Path,
) -> None:
    # Pairs of a cell and a start that it overlooks were 18 million, and took two minutes.
    path = tmp_path / "map.txt"
    path.write_text("#####\n#cse#\n" + "# se#\n" * 6000 + "#####\n")

    ran = run("legal", "rabbits", path)

    assert (ran.status, ran.err) == (0, "")
    assert "1,1 movesto 1,2" in ran.out


def say(cell: Cell) -> str:
    return f"{cell[0]},{cell[1]}"


def list_rolls(retrace: Retrace, crushers: int) -> set[str]:
    """Try all headings and orders of the crushers; collect what any of them does."""
    cells = list(retrace.run.crushers)
    options = [sorted(retrace.options(cell)) for cell in cells]
    return {
        act
        for headings in product(*options)
        for order in permutations(range(crushers))
        for act in roll(retrace, cells, headings, order)
    }


def roll(
    retrace: Retrace, cells: list[Cell], headings: tuple[int, ...], order: tuple[int, ...]
) -> Iterator[str]:
    standing = set(cells)
    for number in order:
        ray = retrace.run.station.sight[cells[number]][headings[number]]
        if ray and ray[0] not in standing:
            standing = standing - {cells[number]} | {ray[0]}
            verb = "crushes" if ray[0] in retrace.run.rabbits else "movesto"
            yield f"{say(cells[number])} {verb} {say(ray[0])}"


@pytest.mark.parametrize("seed", range(6))
def test_what_is_legal_is_what_the_oracle_tries_out(seed: int) -> None:
    rng = Random(seed)
    crushers = rng.randint(0, 4)
    station: Map = random_map(
        rng, rng.randint(6, 9), rng.randint(5, 7), starts=2, exits=1, crushers=crushers
    )
    turns = rng.randint(1, 6)
    record = play(station, turns, rng, random_walk)
    text = write_session([record], scores=False)
    blocks = [[*turn.told, turn.answer] for turn in record.turns]
    retrace = Retrace(station, collide_in_pairs=True)
    for block in blocks[:-1]:
        assert retrace.turn(block)
    position = find_position(RULES, [("map", "\n".join(station.rows)), ("session", text)], turns)
    found = [move for one in position.moves() for move in one.moves]

    retrace.run.spawn()
    rolls = list_rolls(retrace, crushers)
    assert {move for move in found if " to " not in move} == rolls
    assert retrace.turn(blocks[-1][:3])
    rabbits = retrace.run.rabbits
    hops = {f"{say(c)} to {say(to)}" for c in rabbits for to in station.beside[c]}
    assert {move for move in found if " to " in move} == hops
    assert len(found) == len(set(found))


@pytest.mark.parametrize("seed", range(5))
def test_the_moves_that_are_skipped_are_those_that_the_oracle_skips(seed: int) -> None:
    rng = Random(seed)
    station: Map = random_map(rng, 8, 6, starts=2, exits=1, crushers=0)
    record = play(station, 6, rng, random_walk)
    position = find_position(
        RULES, [("map", "\n".join(station.rows)), ("s", write_session([record], scores=False))], 6
    )
    rabbits = {tuple(map(int, place.split(","))) for place in record.turns[-1].told[2].split()[1:]}
    cells = [*station.beside, (0, 0)]
    requests = [(rng.choice(cells), rng.choice(cells)) for _ in range(30)]
    requests += [(c, rng.choice(station.beside[c])) for c in sorted(station.beside)] * 2

    line = "; ".join(f"{say(a)} to {say(b)}" for a, b in requests)
    reasons = position.judge(line).reasons

    skipped = []
    for source, target in requests:
        if source in rabbits and target in station.beside[source]:
            rabbits.discard(source)
        else:
            skipped.append(say(source))
    assert [reason.who for reason in reasons] == skipped
