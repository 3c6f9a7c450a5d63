"""Records of Horror Movie Search Party, checked from the command line."""

import os
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.games.search_party.conftest import BLOCK, MEADOW
from tests.games.search_party.example import EXAMPLE
from tests.helpers import ROOT, Ran
from tests.oracles.search_party import (
    Game,
    Map,
    Moves,
    check_plan,
    list_endings,
    parse_map,
    write_map,
)
from tests.oracles.search_party_bots import (
    random_game,
    random_map,
    reckless_game,
    safe_game,
    write_plan,
    write_session,
    write_stream,
)

EXAMPLES = int(os.environ.get("KB_SCORE_EXAMPLES", "10"))
WRITERS = {"plan": write_plan, "stream": write_stream, "session": write_session}

EXPECTED = [expected for _, expected in EXAMPLE.expected if expected["record"].endswith("plan.txt")]


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda expected: expected["record"])
def test_the_verdict_on_a_plan_to_try_is_that_of_the_plain_rules(expected: dict[str, Any]) -> None:
    record = ROOT / expected["record"]
    map_ = ROOT / "boards" / "search_party" / "maps" / f"{record.parent.name}.txt"

    plain = check_plan(parse_map(map_.read_text()), record.read_text())

    assert [*expected["result"].values()] == [*plain[:4]]
    assert plain.consistent is expected["consistent"]


@pytest.mark.parametrize("number", [2, 20_000])
def test_one_person_may_be_named_many_times(check: Callable[..., Ran], number: int) -> None:
    """Twice as many take twice as long: joined with each other they would take minutes."""
    ran = check(MEADOW, "@4 " * number + ".\n")

    assert (ran.status, "moved-twice" in ran.out) == (1, True)
    block = BLOCK.replace("@:2,2.", "@:2,2 " * number + ".")
    assert "ghost" in check(MEADOW, block).out


CORRIDOR = "6 3 0 0\n......\nS.....\n......\n"
LATE = f"Turn 4\n@:3,1.\noooooo\noooooo\noooooo\n{'-' * 40}\n"


@pytest.mark.parametrize("kind", ["stream", "session"])
@pytest.mark.parametrize("moves", ["", "@6.\n"], ids=["block", "block-and-moves"])
@pytest.mark.parametrize("place", ["before", "instead", "after"])
def test_block_after_the_end_of_a_game_is_reported_with_its_turn(
    verdict: Callable[..., Any], kind: str, moves: str, place: str
) -> None:
    turns: list[Moves] = [{"@": "6"}] * 3
    game, ending, result = WRITERS[kind](parse_map(CORRIDOR), turns).partition("Finished")
    late = LATE + (moves if kind == "session" and place == "after" else "")
    parts = {"before": (late, ending, result), "instead": (late,), "after": (ending, result, late)}

    found = verdict(CORRIDOR, "".join([game, *parts[place]]))

    assert found["result"] == {"turns": 3, "costars": 0, "extras": 0, "finished": True}
    assert [(v["turn"], v["code"]) for v in found["violations"]] == [(4, "after-end")]


@pytest.mark.parametrize("kind", ["stream", "session"])
def test_ending_amid_a_game_ends_the_record(verdict: Callable[..., Any], kind: str) -> None:
    turns: list[Moves] = [{"@": "6"}] * 3
    game = WRITERS[kind](parse_map(CORRIDOR), turns).partition("Finished")[0]
    begun, third, rest = game.partition("Turn 3")

    found = verdict(CORRIDOR, f"{begun}Finished in 2 turns\n2 0 0\n{third}{rest}")

    assert found["result"] == {"turns": 2, "costars": 0, "extras": 0, "finished": False}
    assert [(v["turn"], v["code"]) for v in found["violations"]] == [(2, "not-finished")]


def draw_game_with_a_death(rng: Random) -> tuple[Map, list[dict[str, str]]]:
    """Draw a game that is not over, and in whose last turn somebody dies."""
    while True:
        width, height = rng.randint(6, 12), rng.randint(2, 6)
        costars, extras = rng.randint(1, 2), rng.randint(0, 2)
        map_ = random_map(rng, width, height, costars, extras, rng.choice((0.3, 0.4, 0.5)))
        turns = reckless_game(map_, rng, 30)
        deaths = list_deaths(map_, turns)
        if deaths:
            return map_, turns[: rng.choice(deaths)]


def list_deaths(map_: Map, turns: Sequence[Moves]) -> list[int]:
    """List the turns, from 1, in which somebody dies but the game is not over."""
    game = Game(map_)
    deaths = []
    for turn, moves in enumerate(turns, 1):
        alive = len(game.cells)
        game.step(moves)
        if len(game.cells) < alive and not game.finished:
            deaths.append(turn)
    return deaths


# With these the last lines once outweighed a block.
OUTWEIGHED = (176, 184, 297, 420, 444)


@pytest.mark.parametrize("seed", [*range(EXAMPLES), *OUTWEIGHED])
def test_the_last_lines_of_a_stream_never_outweigh_its_blocks(
    verdict: Callable[..., Any], seed: int
) -> None:
    # No block shows where somebody who dies has gone, so that there the rules have a choice.
    rng = Random(seed)
    map_, turns = draw_game_with_a_death(rng)
    game = Game(map_)
    for moves in turns:
        game.step(moves)
    endings = list_endings(game)
    last = len(turns) + 1
    claimed = (last, rng.randint(0, map_.costars), rng.randint(0, map_.extras))
    last_lines = f"Finished in {last} turns\n{' '.join(map(str, claimed))}\n"

    found = verdict(write_map(map_), write_stream(map_, turns) + last_lines)

    violations = [(violation["turn"], violation["code"]) for violation in found["violations"]]
    if not endings:
        assert violations == [(last, "not-finished")]
    elif claimed in endings:
        assert violations == []
    else:
        assert violations == [(last, "wrong-result")]
        assert tuple(found["result"].values())[:3] in endings
    assert found["result"]["finished"] is bool(endings)


SPANS = ((1, 12), (1, 12), (0, 6), (0, 6))


def some_game(seed: int) -> tuple[Map, list[dict[str, str]]]:
    rng = Random(seed)
    width, height, costars, extras = (rng.randint(*span) for span in SPANS)
    map_ = random_map(rng, width, height, costars, extras, rng.choice((0.0, 0.3, 0.6)))
    kind = rng.randrange(3)
    if kind == 0:
        return map_, random_game(map_, rng, rng.randint(0, 30))
    if kind == 1:
        return map_, reckless_game(map_, rng, rng.randint(0, 30))
    return map_, safe_game(map_, rng)


@pytest.mark.slow
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.integers(0, 10**6))
def test_legal_games_of_the_plain_rules_are_consistent(
    verdict: Callable[..., Any], seed: int
) -> None:
    map_, turns = some_game(seed)
    expected = check_plan(map_, write_plan(map_, turns, claim=False))

    for kind, write in WRITERS.items():
        found = verdict(write_map(map_), write(map_, turns))

        assert [*found["result"].values()] == [*expected[:4]], kind
        if kind != "plan":
            assert found["violations"] == []
        elif not expected.finished:
            assert [v["code"] for v in found["violations"]] == ["not-finished"]


@pytest.mark.slow
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.integers(0, 10**6), st.data())
def test_one_wrong_printed_cell_is_noticed(
    verdict: Callable[..., Any], seed: int, data: st.DataObject
) -> None:
    map_, turns = some_game(seed)
    kind = data.draw(st.sampled_from(["stream", "session"]))
    lines = WRITERS[kind](map_, turns).split("\n")
    rows = [i for i, line in enumerate(lines) if line and set(line) <= set(".o#")]
    rows = [i for i in rows if not (kind == "session" and lines[i] == "." and map_.width > 1)]
    if map_.width == 1 or not rows:
        return
    row = data.draw(st.sampled_from(rows))
    column = data.draw(st.integers(0, map_.width - 1))
    symbol = data.draw(st.sampled_from([s for s in ".o#" if s != lines[row][column]]))
    lines[row] = lines[row][:column] + symbol + lines[row][column + 1 :]

    found = verdict(write_map(map_), "\n".join(lines))

    block = next(int(lines[i][5:]) for i in range(row, -1, -1) if lines[i].startswith("Turn"))
    y = row - max(i for i in range(row) if lines[i].endswith(".") and ":" in lines[i]) - 1
    # What nobody saw in the last turn that is told may have been seen by somebody who disappeared.
    last = not any(line == f"Turn {block + 1}" for line in lines)
    if found["violations"] or not (kind == "stream" and last):
        (violation,) = found["violations"]
        assert (violation["turn"], violation["code"]) == (block, "wrong-cell")
        assert violation["detail"].startswith(f"{column},{y} ")
