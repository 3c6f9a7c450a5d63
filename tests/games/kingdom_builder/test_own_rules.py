"""Rules of a user for the published game, where more than a command is asked.

tests/transcripts/kingdom_builder/own-rules.md has the rest.
"""

from __future__ import annotations

import json
import re
import sys
import zlib
from base64 import b64decode
from pathlib import Path

import pytest

from tests.helpers import ROOT, add_rules, run

BASE = ROOT / "boards" / "kingdom_builder" / "games" / "base.txt"


@pytest.mark.slow
def test_a_rule_says_how_many_settlements_a_player_has_in_some_games(tmp_path: Path) -> None:
    def check(*options: object) -> list[object]:
        return run("check", "kingdom-builder", BASE, *options, "--format", "json").json

    few = check("--const", "most_settlements=6")

    # Three play.
    assert check("--rules", add_rules(tmp_path, "allots(6) :- players(3).")) == few != check()
    assert check("--rules", add_rules(tmp_path, "allots(6) :- players(2).")) == check()


# The quadrant of the farm, whose locations are of another kind.
LAKE = (
    (ROOT / "asp" / "kingdom_builder" / "quadrants.txt")
    .read_text()
    .partition("% farm ")[2]
    .partition("\n\n")[0]
    .partition("\n")[2]
)
BOATS = 'tile(lake, build, 1, "build 1 on canyon"). ground(lake, canyon). close(lake, possible).'


def test_the_playground_has_the_quadrants_of_ones_own(tmp_path: Path) -> None:
    rules = add_rules(tmp_path, BOATS)
    (rules / "quadrants.txt").write_text(f"% lake -- ours\n{LAKE}\n")

    page = run("playground", "--rules", rules)

    (packed,) = re.findall(r'id="data">([^<]*)<', page.out)
    data = json.loads(zlib.decompress(b64decode(packed)))
    assert data["quadrants"][-1]["name"] == "lake"


SWAMP = 'ground_symbol(swamp,"S").\nbuildable(swamp).\nlook("S",green,tufts,"swamp").\n'


@pytest.mark.slow
def test_a_game_is_played_on_a_new_kind_of_land(tmp_path: Path) -> None:
    rules = add_rules(tmp_path, SWAMP)
    (rules / "quadrants.txt").write_text(f"% farm -- ours\n{LAKE.replace('D', 'S')}\n")
    given = ("kingdom-builder", "--rules", rules)

    board = ("--board", "farm oracle tavern paddock")
    # By these seeds there is a card of swamp in the first turns.
    short = ("--players", 2, "--cards", "miners", "--most-turns", 3, "--seed", 17)

    ran = run("playouts", *given, *board, *short)

    assert ran.status == 0, ran.err
    game, live = tmp_path / "game.txt", tmp_path / "live.txt"
    game.write_text(ran.out)
    assert " swamp: " in ran.out
    assert run("check", "kingdom-builder", game, "--rules", rules).status == 0
    assert "there is no terrain 'swamp'" in run("check", "kingdom-builder", game).err
    for verb in ("replay", "playground", "draw"):
        assert run(verb, *given, game).status == 0

    bots = ["--bot", f"{sys.executable} {ROOT}/boards/kingdom_builder/bots/any_move.py {rules}"] * 2
    small = ("--seed", 30, "--const", "most_settlements=3", "--timeout", 60, "--record", live)
    played = run("play", *given, *bots, *board, *small)
    assert (played.status, played.err.count("crashed")) == (0, 0)
    assert " swamp: " in live.read_text()
