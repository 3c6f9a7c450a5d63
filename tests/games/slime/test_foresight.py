"""The bot Foresight: it knows the rules, makes legal moves, and takes more than greedy ones."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from tests.helpers import ROOT, run
from tests.oracles.slime import Board, finished, legal_moves, move, random_game, scores, start_board

BOTS = ROOT / "boards" / "slime" / "bots"


@pytest.fixture
def foresight(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The bot as a module; like the other bots it imports what they share from its folder."""
    monkeypatch.syspath_prepend(BOTS)
    yield importlib.import_module("foresight")
    for name in ("foresight", "board"):
        sys.modules.pop(name, None)


def positions(size: int, number: int, seed: int) -> list[tuple[int, Board]]:
    """Boards of random games, each with the player whose turn it is."""
    rng = Random(seed)
    turns = [turn for _ in range(4) for turn in random_game(rng, size, 60, "mixed")]
    return [(turn.player, turn.before) for turn in rng.sample(turns, number)]


def sets_of(board: Board) -> list[int]:
    """The squares of players 1 to 4 as the bot holds them."""
    squares = "".join(board)
    return [sum(1 << i for i, owner in enumerate(squares) if owner == p) for p in "1234"]


@pytest.mark.parametrize("size", [2, 3, 5, 8])
def test_it_knows_what_moves_do(foresight: ModuleType, size: int) -> None:
    rules = foresight.Rules(size)
    count = 0
    for player, board in positions(size, 20, size) if size > 2 else [(1, ("1.", "34"))]:
        own = sets_of(board)[player - 1]
        foes = sum(sets_of(board)) ^ own
        for gain, mine, others, sources, target in rules.list_moves(own, foes, all_of_them=True):
            for source in foresight.each(sources):
                after, kind = move(board, player, (*divmod(source, size), *divmod(target, size)))
                assert kind != "pass"
                assert sets_of(after)[player - 1] == mine
                assert sum(sets_of(after)) == mine | others
                assert gain == mine.bit_count() - own.bit_count()
                count += 1
    assert count


def test_its_moves_are_legal_and_it_passes_only_where_it_must(foresight: ModuleType) -> None:
    for player, board in positions(5, 30, 1):
        answer = foresight.think(str(player), [list(row) for row in board])
        assert answer in (legal_moves(board, player) or [foresight.PASS])


def play_greedy_ones(foresight: ModuleType, seat: int) -> int:
    """Play on 8x8 squares against three bots that take most at once; return the squares."""
    board, turns = start_board(8), 0
    while not finished(board, turns):
        player = turns % 4 + 1
        rows = [list(row) for row in board]
        if player == seat:
            answer = foresight.think(str(player), rows)
        else:
            answer = foresight.choose_greedily(rows, str(player))
        board, _ = move(board, player, answer)
        turns += 1
    return scores(board)[seat - 1]


@pytest.mark.slow
def test_it_takes_far_more_than_its_share_from_greedy_ones(foresight: ModuleType) -> None:
    squares = [play_greedy_ones(foresight, seat) for seat in (1, 2, 3, 4)]

    # A quarter of all squares would be 16 a game.
    assert sum(squares) >= 4 * 24


def test_on_a_large_board_it_answers_at_once(foresight: ModuleType) -> None:
    board = [list(row) for row in start_board(40)]

    assert foresight.think("1", board) == foresight.choose_greedily(board, "1")


def test_it_answers_the_same_whether_it_is_started_anew_or_not() -> None:
    lines = [",".join([str(player), *board]) for player, board in positions(6, 3, 2)]
    command = [sys.executable, str(BOTS / "foresight.py")]

    def answers(arguments: list[str], given: str) -> str:
        return subprocess.run(
            [*command, *arguments], input=given, capture_output=True, text=True, check=True
        ).stdout

    assert answers([], "".join(line + "\n" for line in lines)) == "".join(
        answers([line], "") for line in lines
    )


@pytest.mark.slow
def test_it_plays_a_game_that_passes_the_check(tmp_path: Path) -> None:
    record = tmp_path / "record"
    names = ("steady", "foresight", "steady", "settled")
    bots = [word for name in names for word in ("--bot", f"{sys.executable} {BOTS / name}.py")]
    alive = [word for player in "1234" for word in ("--persistent", player)]
    patient = ("--size", "5", "--timeout", "20", "--kill", "60")
    output = ("--record", record, "--format", "json")
    (played,) = run("play", "slime", *patient, *bots, *alive, *output).json
    (checked,) = run("check", "slime", record, "--format", "json").json

    assert checked["consistent"]
    assert checked["result"] == played["result"]
    assert checked["result"]["finished"]
