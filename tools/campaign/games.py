"""The commands about whole games of Kingdom Builder."""

from __future__ import annotations

import random

from tools.campaign import seeds
from tools.campaign.command import Command

_RULINGS = (
    *("no_hex=stop", "twin_tile=exact", "tile_loss=end_of_turn", "vacated=0", "most_walls=1"),
    "mandatory_settlements=4",
    *("sword_takes=each", "families_source=any", "treasure_gold=99", "tiles_on_hex=0"),
)
_TERRAINS = ("grass", "canyon", "grass/desert", "water", "gras", "")
_TILES = ("farm", "barn", "donation-water", "outpost", "treasure", "sword", "mill", "")
_ACTIONS = (
    *("4,11", "4,11 4,12 5,11", "farm 6,12", "farm", "barn 3,15>4,2", "farm 0,18; 2,17 3,17 4,18"),
    *("outpost; 3,4", "sword 0,0", "99999999999,1", "4,11 +farm@5,12", "; ;", "4,11 %", "%", " "),
    *("resettlement 1,1>1,2 1,2>1,3", "mill 1,1", "1 grass: 4,11", "gold 3", "4,11\n2 farm:"),
)


def check_game(rng: random.Random) -> Command:
    """``check kingdom-builder`` of a whole game."""
    record = rng.choice(seeds.find("boards/kingdom_builder/games/*.txt"))
    made = Command("kingdom-builder", ["check", "kingdom-builder"], ["game.txt"])
    made.files["game.txt"] = seeds.cut_record(rng, record.read_bytes())
    if rng.random() < 0.2:  # a turn without an action behind those of the record
        made.files["game.txt"] = made.files["game.txt"].partition(b"gold")[0] + b"1 grass:\n"
    made.roles["game.txt"] = "games"
    made.options += rng.choice((["--const", rng.choice(_RULINGS)], [], []))
    return made


def legal(rng: random.Random) -> Command:
    """``legal kingdom-builder`` at a turn of a game, or on a board."""
    made = check_game(rng)
    made.verb[0] = "legal"
    if rng.random() < 0.3:
        made.files["game.txt"], made.roles["game.txt"] = seeds.draw_board(rng), "boards"
        made.options += ["--player", rng.choice("123"), "--card", rng.choice(_TERRAINS)]
    elif rng.random() < 0.8:
        made.options += ["--turn", rng.choice(("1", "2", "4", "9", "30"))]
    else:
        made.options += ["--card", rng.choice(_TERRAINS)]
    for option, values in (("--move", _ACTIONS), ("--after", _ACTIONS), ("--tile", _TILES)):
        if rng.random() < 0.3:
            made.options += [option, rng.choice(values)]
    return made
