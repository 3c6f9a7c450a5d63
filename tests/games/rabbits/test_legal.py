"""``kb-score legal rabbits``: what crushers and rabbits may do, and why a move is skipped."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kb_score.engine.rules import GameRules
from kb_score.games.rabbits.position import find_position
from tests.games.rabbits.helpers import BOARDS, MAP, SESSION, write
from tests.helpers import Ran, run
from tests.oracles.rabbits import Cell, Map, random_walk
from tests.oracles.rabbits_records import Retrace, play, random_map, write_session

RULES = GameRules("rabbits")
# Two crushers in a row: the hind one can move only after the one before it.
ROW = """\
#########
#s     e#
#########
#cc     #
#########
"""


def look(tmp_path: Path, station: str, record: str, *options: object) -> Ran:
    paths = write(tmp_path, station, record)
    return run("legal", "rabbits", *paths[: 2 if record else 1], "--format", "json", *options)


def judge(tmp_path: Path, move: str, *, turn: int = 2) -> dict[str, Any]:
    ran = look(tmp_path, MAP, SESSION, "--turn", turn, "--move", move)
    assert ran.err == ""
    (line,) = ran.json
    assert ran.status == (0 if line["legal"] else 1)
    found: dict[str, Any] = line
    return found


def test_crushers_and_rabbits_have_a_line_each(tmp_path: Path) -> None:
    ran = look(tmp_path, MAP, SESSION, "--turn", 2)

    assert (ran.status, ran.err) == (0, "")
    assert ran.json == [
        {"game": "rabbits", "turn": 2, "player": "2,3", "moves": ["2,3 movesto 3,3"]},
        {"game": "rabbits", "turn": 2, "player": "1,1", "moves": ["1,1 to 2,1"]},
        {"game": "rabbits", "turn": 2, "player": "2,1", "moves": ["2,1 to 1,1", "2,1 to 3,1"]},
    ]


def test_without_a_record_there_are_the_crushers_of_the_first_turn(tmp_path: Path) -> None:
    ran = look(tmp_path, MAP, "")

    assert [(line["turn"], line["player"], line["moves"]) for line in ran.json] == [
        (1, "1,3", ["1,3 movesto 2,3"])
    ]


def test_without_crushers_rabbits_can_move_at_once(tmp_path: Path) -> None:
    ran = look(tmp_path, MAP.replace("c", " "), "")

    assert [(line["player"], line["moves"]) for line in ran.json] == [("1,1", ["1,1 to 2,1"])]


def test_a_crusher_may_move_where_another_makes_way(tmp_path: Path) -> None:
    ran = look(tmp_path, ROW, "")

    # No heading leads the front one back: behind it there is a crusher.
    assert [(line["player"], line["moves"]) for line in ran.json] == [
        ("1,3", ["1,3 movesto 2,3"]),
        ("2,3", ["2,3 movesto 3,3"]),
    ]


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


def test_people_read_the_moves_of_a_robot_in_a_row() -> None:
    ran = run("legal", "rabbits", BOARDS / "small.map", BOARDS / "small.session", "--turn", 1)

    assert ran.out.splitlines() == [
        "turn 1: 4 legal moves",
        "",
        "robot  moves",
        "---------------------------------------",
        "4,1    4,1 movesto 3,1; 4,1 movesto 5,1",
        "5,3    5,3 to 6,3; 5,3 to 5,4",
    ]


@pytest.mark.parametrize(
    ("move", "reasons"),
    [
        pytest.param("move 5,1 to 6,1", [("5,1", "no-rabbit", [[5, 1]])], id="no-rabbit"),
        pytest.param("move 99,1 to 6,1", [("", "no-rabbit", [])], id="from-off-the-map"),
        pytest.param("2,1 to 2,2", [("2,1", "into-wall", [[2, 2]])], id="into-a-wall"),
        pytest.param("move 2,1 to 4,1", [("2,1", "too-far", [])], id="two-steps"),
        pytest.param("move 2,1 to 2,1", [("2,1", "too-far", [])], id="no-step"),
        pytest.param("move 2,1 to 2,99", [("2,1", "too-far", [])], id="off-the-map"),
        pytest.param(
            "move 2,1 to 3,1; 2,1 to 1,1", [("2,1", "moved-twice", [])], id="a-second-move"
        ),
        pytest.param(
            "move 2,1 to 2,2; 1,1 to 2,1; 4,1 to 5,1",
            [("2,1", "into-wall", [[2, 2]]), ("4,1", "no-rabbit", [[4, 1]])],
            id="two-of-three",
        ),
        pytest.param(
            "crusher 2,3 movesto 2,4", [("2,3", "illegal-crusher", [[2, 3]])], id="crusher"
        ),
        pytest.param("crusher", [("2,3", "illegal-crusher", [[2, 3]])], id="idle-crusher"),
        pytest.param(
            "crusher 2,3 crushes 3,3", [("3,3", "false-crush", [[3, 3]])], id="false-crush"
        ),
    ],
)
def test_a_reason_is_told_with_code_robot_and_place(
    tmp_path: Path, move: str, reasons: list[tuple[str, str, list[list[int]]]]
) -> None:
    line = judge(tmp_path, move)

    assert [(r["who"], r["code"], r["places"]) for r in line["reasons"]] == reasons
    assert (line["code"], line["detail"]) == tuple(
        line["reasons"][0][k] for k in ("code", "detail")
    )


@pytest.mark.parametrize(
    "move",
    ["move", "move 2,1 to 3,1; 1,1 to 2,1", "1,1 to 2,1;2,1 to 1,1 ;", "crusher 2,3 movesto 3,3"],
)
def test_a_legal_line_is_told_as_such(tmp_path: Path, move: str) -> None:
    assert judge(tmp_path, move)["legal"] is True


def test_a_session_that_waits_for_an_answer_has_that_turn_next(tmp_path: Path) -> None:
    waits = "\n".join(SESSION.splitlines()[:7]) + "\n"

    listed = look(tmp_path, MAP, waits)

    assert [(line["turn"], line["player"]) for line in listed.json] == [
        (2, "2,3"),
        (2, "1,1"),
        (2, "2,1"),
    ]


def test_before_the_crushers_have_moved_nobody_knows_which_rabbits_are_left(tmp_path: Path) -> None:
    begun = "\n".join(SESSION.splitlines()[:4]) + "\n"

    listed = look(tmp_path, MAP, begun)
    judged = look(tmp_path, MAP, begun, "--move", "move 1,1 to 2,1")

    assert [(line["turn"], line["player"]) for line in listed.json] == [(2, "2,3")]
    assert (judged.status, judged.out) == (2, "")
    assert "turn 2: the actions of the crushers are missing" in judged.err


def test_a_score_before_the_last_turn_ends_the_run(tmp_path: Path) -> None:
    late = "\n".join(SESSION.splitlines()[:7]) + "\nscore 0\n"

    (line,) = look(tmp_path, MAP, late).json

    assert (line["turn"], line["player"]) == (3, None)


def test_turns_are_counted_through_all_runs() -> None:
    paths = BOARDS / "small.map", BOARDS / "small.session"

    first, second = (
        run("legal", "rabbits", *paths, "--turn", turn, "--format", "json") for turn in (1, 61)
    )

    assert [line["moves"] for line in first.json] == [line["moves"] for line in second.json]
    assert {line["turn"] for line in second.json} == {61}


def test_after_an_illegal_turn_nothing_is_known(tmp_path: Path) -> None:
    broken = SESSION.replace("crusher 2,3 movesto 3,3", "crusher 2,3 movesto 4,3")

    at, after = (look(tmp_path, MAP, broken, "--turn", turn) for turn in (2, 3))

    # What the rabbits may do is unknown where the crushers cannot have done what is told.
    assert [line["player"] for line in at.json] == ["2,3"]
    assert (after.status, after.out) == (2, "")
    assert "no move is legal: turn 2 is illegal-crusher, the crusher" in after.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(
            ["--turn", 2, "--move", "1,1 2,1"], "--move:1:1: expected moves", id="no-move"
        ),
        pytest.param(["--turn", 2, "--move", ""], "--move:1:1: expected moves", id="empty"),
        pytest.param(
            ["--turn", 2, "--move", "move 1,1 to 2,1, 2,1 to 3,1"], "--move:1:16", id="a-comma"
        ),
    ],
)
def test_what_cannot_be_looked_at_is_said(
    tmp_path: Path, options: list[object], message: str
) -> None:
    ran = look(tmp_path, MAP, SESSION, *options)

    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_a_run_log_says_too_little() -> None:
    ran = run("legal", "rabbits", BOARDS / "small.map", BOARDS / "small.log")

    assert (ran.status, ran.out) == (2, "")
    assert "legal moves need a session" in ran.err


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
    position = find_position(RULES, turns, ("map", "\n".join(station.rows)), ("session", text))
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
        RULES, 6, ("map", "\n".join(station.rows)), ("s", write_session([record], scores=False))
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
