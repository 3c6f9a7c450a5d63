"""Random matches through the library, which the oracles judge."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import kb_score
from tests.helpers import ROOT
from tests.oracles import rabbits, search_party
from tests.oracles.kingdom_builder_game import check_game
from tests.oracles.rabbits_records import check_session as retrace_run
from tests.oracles.slime_records import check_session as replay_slime

BOARDS = ROOT / "boards"
QUADRANTS = ["farm", "harbor", "oasis", "oracle", "paddock", "tavern", "tower", "barn"]


class Setup(NamedTuple):
    """How a random match of a game is set up, and what an oracle says of the match."""

    game: str
    map: Path | None
    draw: Callable[[Random], dict[str, Any]]
    result: Callable[[kb_score.Match], dict[str, Any]]
    most: int  # moves


def replay_party(match: kb_score.Match, map_: Path) -> dict[str, Any]:
    game = search_party.Game(search_party.parse_map(map_.read_text()))
    for move in match.moves:
        game.step(search_party.parse_moves(f"{move}."))
    turns, costars, extras = game.result()
    return {"turns": turns, "costars": costars, "extras": extras, "finished": game.finished}


def replay_rabbits(match: kb_score.Match, map_: Path) -> dict[str, Any]:
    saved, is_consistent = retrace_run(rabbits.parse_map(map_.read_text()), match.record())
    assert is_consistent
    turns = len(match.moves)
    return {"turns": turns, "runs": 1, "saved": saved, "finished": turns == 30}


def count_slime(match: kb_score.Match) -> dict[str, Any]:
    squares, is_consistent = replay_slime(match.record())
    assert is_consistent
    is_full = sum(squares) == len(match.board()) ** 2
    return {"turns": len(match.moves), "squares": list(squares), "finished": is_full}


def count_gold(match: kb_score.Match) -> dict[str, Any]:
    played = check_game(match.record())
    assert played.violations == ()
    return {"turns": played.turns, "gold": list(played.gold), "finished": played.finished}


PARTY = BOARDS / "search_party" / "maps" / "meadow.txt"
STATION = BOARDS / "rabbits" / "small.map"
SETUPS = {
    "slime": Setup("slime", None, lambda random: {"size": random.randint(4, 6)}, count_slime, 60),
    "search-party": Setup(
        "search-party", PARTY, lambda _: {}, lambda match: replay_party(match, PARTY), 60
    ),
    "rabbits": Setup(
        "rabbits",
        STATION,
        lambda _: {"turns": 30},
        lambda match: replay_rabbits(match, STATION),
        40,
    ),
    "kingdom-builder": Setup(
        "kingdom-builder",
        None,
        lambda random: {
            "board": " ".join(random.sample(QUADRANTS, 4)),
            "players": random.randint(2, 4),
        },
        count_gold,
        200,
    ),
}


class Seen(NamedTuple):
    """All that a match shows at a moment."""

    turn: int
    mover: int
    finished: bool
    board: tuple[str, ...]
    observation: str
    record: str
    legal: frozenset[str]


def look(match: kb_score.Match, *, legal: bool = True) -> Seen:
    """Look at everything; looking changes nothing, and a copy looks the same."""
    board = match.board()
    moves = frozenset(match.legal_moves()) if legal else frozenset()
    told = match.observation()
    if not match.finished:
        match.random_move()
    if legal:
        assert match.copy().board() == board
    assert (match.board(), match.observation()) == (board, told)
    return Seen(match.turn, match.mover, match.finished, board, told, match.record(), moves)


def play_randomly(setup: Setup, seed: int, *, undo: float = 0.1) -> kb_score.Match:
    """Play a random match; now and then take moves back, look, and play them again."""
    random = Random(seed)
    match = kb_score.game(setup.game).new_match(map=setup.map, seed=seed, **setup.draw(random))
    seen = [look(match)]
    while not match.finished and len(match.moves) < setup.most:
        match.apply(match.random_move(random))
        seen.append(look(match, legal=random.random() < 0.2))
        if random.random() < undo:
            number = len(match.moves)
            back = random.randint(1, number)
            match.undo(back)
            assert_same(match, seen[number - back])
            match.redo(back)
            assert_same(match, seen[number])
    return match


def assert_same(match: kb_score.Match, before: Seen) -> None:
    now = look(match, legal=bool(before.legal))
    assert now == before


def judge(setup: Setup, match: kb_score.Match) -> None:
    """Hold a match against the oracle of its game, and against ``check``."""
    expected = setup.result(match)
    found = match.result()
    assert {key: found[key] for key in expected} == expected
    verdict = kb_score.game(setup.game).check(match.record(), map=setup.map)
    assert verdict.consistent
    assert verdict.result == found
