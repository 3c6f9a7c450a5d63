"""Capitol and Caves, and how games may be spelt, against the plain-Python version."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from random import Random

import pytest

from kb_score.engine.rules import GameRules
from kb_score.errors import FormatError
from kb_score.games.kingdom_builder.records import read_record
from tests.games.kingdom_builder.test_games import judge, judge_plainly
from tests.games.kingdom_builder.test_live import play
from tests.helpers import ROOT, run
from tests.oracles.kingdom_builder_game_random import random_game

CAVES = ROOT / "boards/kingdom_builder/games/caves.txt"
BOTS = ROOT / "boards" / "kingdom_builder" / "bots"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_random_game_has_the_turns_and_the_gold_of_the_plain_version(seed: int) -> None:
    text = random_game(Random(seed), 2 + seed % 3, nomads=seed % 2 == 1, queenies=True)

    assert "cave " in text
    assert judge_plainly(text)[2:] == (True, set())
    assert judge(text) == judge_plainly(text)
    if seed < 2:
        assert play(text)[1] is None


@pytest.mark.parametrize(
    ("move", "code"),
    [
        ("0,0 0,1 0,2; cave 6,0>11,2", ""),
        ("cave 6,0>6,0", ""),
        ("cave 6,2>11,2", "not-a-target"),
        ("cave 6,0>0,0", "not-a-target"),
        ("cave 6,0", "not-a-target"),
        ("cave 2,12>11,2", "not-a-target"),
        ("cave 6,0>6,1", "not-free"),
        ("cave 6,0>5,1", "wrong-terrain"),
        ("cave 6,0>11,2 6,1>11,3", "too-many"),
        ("cave 6,0>11,2; cave 11,2>6,0", "tile-used"),
        ("0,0; cave 6,0>11,2; 0,1 0,2", "action-between"),
    ],
)
def test_a_settlement_moves_from_cave_to_cave_once_a_turn(move: str, code: str) -> None:
    ran = run("legal", "kingdom-builder", CAVES, "--turn", "3", "--move", move, "--format", "json")

    assert (ran.json[0]["code"] or "") == code


def test_all_that_a_cave_lets_do_is_listed() -> None:
    ran = run("legal", "kingdom-builder", CAVES, "--turn", "3", "--format", "json")

    moves = [move for move in ran.json[0]["moves"] if move.startswith("cave")]
    assert {move[5:8] for move in moves} == {"6,0", "6,1"}
    assert {"cave 6,0>6,0", "cave 6,0>11,2"} <= set(moves)
    assert "cave 6,0>6,1" not in moves
    assert {move[9:] for move in moves} & {"4,2", "10,4", "7,14"} == set()


@pytest.mark.slow
def test_random_and_live_games_are_played_with_both_sets_to_their_end(tmp_path: Path) -> None:
    short = ("--queenies", "capitol,caves", "--const", "most_settlements=4", "--seed", "1")
    bots = ["--bot", f"{sys.executable} {BOTS}/any_move.py"] * 2
    random = run("playouts", "kingdom-builder", *short, "--players", "2", "-o", tmp_path)
    live = run("play", "kingdom-builder", *short, *bots, "--record", tmp_path / "live.txt")
    checked = run("check", "kingdom-builder", tmp_path, "--const", "most_settlements=4")

    assert (random.status, live.status, checked.status) == (0, 0, 0)
    assert "crashed" not in live.err
    assert "\ncaves " in (tmp_path / "live.txt").read_text()
    assert "\ncapitol " in (tmp_path / "live.txt").read_text()


def test_what_people_type_is_read() -> None:
    rules = GameRules("kingdom_builder")
    heads = "board oracle farm tavern paddock\nplayers 2\n"
    plain = "1 flower: 3,4 3,5; barn 3,4>5,6\n2 grass: 1,2\n"
    typed = "1. 1 Flowers: 3, 4 3,5; Barn 3,4 -> 5, 6\n02. 2 GRASS: 1,2\n"

    assert read_record(heads + typed, rules).facts == read_record(heads + plain, rules).facts
    with pytest.raises(FormatError, match="this is turn 2, not 3"):
        read_record(heads + typed.replace("02.", "3."), rules)


@pytest.mark.slow
def test_bots_are_told_rulings_and_heed_them() -> None:
    names = ("greedy", "settler")
    bots = [word for name in names for word in ("--bot", f"{sys.executable} {BOTS}/{name}.py")]
    const = ("--const", "most_settlements=4", "--seed", "2", "--board", "oracle farm tavern barn")

    ran = run("play", "kingdom-builder", *bots, *const, "--timeout", "60")

    assert ran.status == 0
    assert not re.search("illegal|crashed|late", ran.err + ran.out)
