"""Replays of random games, whose pictures are held against the plain versions of the rules."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from kb_score.engine.rules import GameRules
from kb_score.shell.picture import Replay
from tests.games.records import follow_party, follow_rabbits, follow_slime
from tests.helpers import ROOT, tally_at
from tests.oracles.pictures import Picture, Watch, picture_party, picture_session, picture_slime
from tests.oracles.rabbits import Policy, cautious, parse_map, random_walk, towards_exit
from tests.oracles.rabbits_records import play, write_run_log
from tests.oracles.rabbits_records import random_map as random_station
from tests.oracles.rabbits_records import write_session as write_rabbits
from tests.oracles.search_party import write_map
from tests.oracles.search_party_bots import (
    random_game,
    random_map,
    reckless_game,
    safe_game,
    write_plan,
    write_session,
    write_stream,
)
from tests.oracles.slime import Style
from tests.oracles.slime import random_game as random_slime
from tests.oracles.slime_records import write_frames
from tests.oracles.slime_records import write_session as write_slime

LARGE = ROOT / "boards" / "rabbits" / "large.session"
LOOKS = 50


def compare(
    replay: Replay, pictures: Sequence[Picture], *, figures: bool = True, end: bool = True
) -> None:
    """Hold 50 random turns of a replay, its first and its last against the pictures."""
    assert len(replay.steps) == len(pictures)
    assert replay.violations == ()
    rows, columns = replay.size
    known = range(len(pictures) if end else len(pictures) - 1)
    for turn in (0, known[-1], *Random(1).choices(known, k=LOOKS)):
        cells = replay.at(replay.first + turn).cells
        shown = ("".join(cells[y, x] for x in range(columns)) for y in range(rows))
        assert tuple(shown) == pictures[turn].rows, turn
        if figures:
            assert tally_at(replay, replay.first + turn) == pictures[turn].figures, turn


@pytest.mark.parametrize(
    ("style", "size", "turns"),
    [("mixed", 8, 300), ("long", 6, 300), ("greedy", 9, 300), ("random", 40, 500)],
)
def test_replay_of_a_slime_session_shows_the_boards_of_the_game(
    style: Style, size: int, turns: int
) -> None:
    game = random_slime(Random(size), size, turns, style)

    replay = follow_slime(GameRules("slime"), ("record", write_slime(game, scores=False)))

    compare(replay, picture_slime(game))


@pytest.mark.parametrize(("style", "size"), [("mixed", 6), ("random", 20)])
def test_replay_of_slime_frames_shows_the_frames(style: Style, size: int) -> None:
    game = random_slime(Random(size), size, 80, style)

    replay = follow_slime(GameRules("slime"), ("record", write_frames(game)))

    # A frame may have several explanations.
    compare(replay, picture_slime(game), figures=False)


@pytest.mark.parametrize("kind", ["plan", "stream", "session"])
@pytest.mark.parametrize("style", ["safe", "reckless", "random"])
def test_replay_of_a_search_party_shows_what_is_searched_and_who_stands_where(
    kind: str, style: str
) -> None:
    rng = Random(f"{kind} {style}")
    map_ = random_map(rng, rng.randint(8, 40), rng.randint(8, 30), 4, 5, 0.3)
    turns = {
        "safe": lambda: safe_game(map_, rng),
        "reckless": lambda: reckless_game(map_, rng, 200),
        "random": lambda: random_game(map_, rng, 80),
    }[style]()
    record = {
        "plan": write_plan(map_, turns, claim=False),
        "stream": write_stream(map_, turns),
        "session": write_session(map_, turns),
    }[kind]

    replay = follow_party(GameRules("search_party"), ("map", write_map(map_)), ("record", record))

    # A stream does not say where people stand at the end.
    compare(replay, [*picture_party(map_, turns)], end=kind != "stream")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "runs", "turns"), [(random_walk, 3, 60), (cautious, 2, 80), (towards_exit, 1, 500)]
)
def test_replay_of_a_session_of_rabbits_shows_each_run(
    policy: Policy, runs: int, turns: int
) -> None:
    rng, watch = Random(turns), Watch(policy)
    station = random_station(rng, 21, 13, starts=3, exits=1, crushers=3)
    records = [play(station, turns, rng, watch) for _ in range(runs)]

    replay = follow_rabbits(
        GameRules("rabbits"),
        ("map", "\n".join(station.rows)),
        ("record", write_rabbits(records, scores=False)),
    )

    compare(replay, watch.pictures)


def test_replay_of_a_run_log_shows_its_frames() -> None:
    rng = Random(4)
    station = random_station(rng, 15, 11, starts=2, exits=1, crushers=2)
    records = [play(station, 60, rng, cautious) for _ in range(2)]
    log = write_run_log(records, ["map", "60", "1", "2", "bot"])
    frames = [Picture(tuple(t.frame.split("\n")), {}) for r in records for t in r.turns]

    replay = follow_rabbits(GameRules("rabbits"), ("map", "\n".join(station.rows)), ("record", log))

    compare(replay, frames)


@pytest.mark.slow
def test_replay_of_the_largest_record_of_the_boards_shows_what_it_says() -> None:
    station, session = LARGE.with_suffix(".map").read_text(), LARGE.read_text()

    replay = follow_rabbits(GameRules("rabbits"), ("map", station), ("record", session))

    compare(replay, [*picture_session(parse_map(station), session)])
