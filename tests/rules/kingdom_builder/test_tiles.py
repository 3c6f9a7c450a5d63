"""Each tile on a small board, and each card that pays in the game by a small game.

docs/kingdom_builder.md names these tests: a new tile or card in asp/ needs one here.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.check import check_game
from tests.helpers import ASP, ROOT, run

# Player 1 has the card desert. From 0,3 to 3,1 and from 0,1 to 0,3 his settlements stand in lines.
BOARD = """\
G  G1 G1 G1 W  G
 D  F  D1 L  N  G
C  F  L1 F  M  G2
 N  N1 N  G# W  G
"""

TILES = {
    "oracle": "1,0",
    "farm": "0,0",
    "oasis": "1,0",
    "garden": "1,3",
    # At the edge, of any land.
    "tower": "0,0 1,0 3,0 3,2",
    # The other end of that line is water, and both ends of the other one are off the board.
    "tavern": "0,0",
    "village": "1,1",
    # Only what moves from 0,3 leaves no water beside a settlement.
    "harbor": "0,1>0,4 0,2>0,4 0,3>0,4 0,3>3,4 1,2>0,4 2,2>0,4 3,1>0,4",
    "barn": "0,1>1,0 0,2>1,0 0,3>1,0 1,2>1,0 1,2>1,2 2,2>1,0 3,1>1,0",
    "paddock": "0,2>0,0 0,2>2,1 0,2>2,3 0,3>0,5 1,2>1,0 1,2>1,4 3,1>1,0",
    "caravan": "0,1>0,0 0,1>1,0 0,1>1,1 0,2>3,0 0,3>1,3 1,2>1,0 1,2>1,5 1,2>2,3 2,2>1,1 2,2>2,1 "
    "2,2>2,3 2,2>3,2 3,1>0,0 3,1>3,0 3,1>3,2",
    "quarry": "1,0",
    "resettlement": "0,1>0,0 0,1>1,0 0,1>1,1 0,2>1,1 0,3>1,3 1,2>1,1 1,2>1,3 1,2>2,3 2,2>1,1 "
    "2,2>2,1 2,2>2,3 2,2>3,2 3,1>2,1 3,1>3,0 3,1>3,2",
    "sword": "2,5",
    "donation-grass": "0,0",
    "donation-canyon": "3,0 3,2",
    "donation-desert": "1,0",
    "donation-flower": "1,3",
    "donation-forest": "1,1 2,1 2,3",
    "donation-water": "0,4",
    "donation-mountain": "2,4",
    # These two have no target.
    "outpost": "",
    "treasure": "",
}


@pytest.mark.parametrize("tile", TILES)
def test_a_tile_leads_to_these_hexes(tmp_path: Path, tile: str) -> None:
    (tmp_path / "board.txt").write_text(BOARD)
    words = ["--player", "1", "--card", "desert", "--tile", tile, "--format", "json"]

    ran = run("legal", "kingdom-builder", str(tmp_path / "board.txt"), *words)

    moves = [move for move in ran.json[0]["moves"] if not move[0].isdigit()]
    targets = TILES[tile].split() or [""]
    assert [move.partition(" ") for move in moves] == [(tile, " " * bool(t), t) for t in targets]


HEADINGS = "board oracle caravan tavern paddock\nplayers 2\nnomad 3,13 treasure\n"

# What a card pays more than the castles and treasures, to players 1 and 2.
DEEDS = {
    "families": ("1 grass: 0,0 0,1 0,2\n2 grass: 2,3 1,2 1,1\n", [2, 0]),
    # On 3,3 no grass is left beside it; beside the others there is.
    "shepherds": ("1 grass: 2,3 3,3 1,2\n2 desert: 9,8 9,7 9,6\n", [2, 0]),
    # Who comes second is paid, whoever is beside him.
    "ambassadors": ("1 grass: 0,0 0,1 0,2\n2 grass: 1,0 1,1 1,2\n", [0, 3]),
}


def gold_of(turns: str, cards: str = "") -> list[int]:
    verdict = check_game(HEADINGS + cards + turns, GameRules("kingdom_builder"))
    assert verdict.consistent, verdict.violations
    gold = verdict.result["gold"]
    assert isinstance(gold, list)
    return gold


@pytest.mark.parametrize("card", DEEDS)
def test_a_card_pays_in_the_game(card: str) -> None:
    turns, paid = DEEDS[card]

    more = zip(gold_of(turns, f"cards {card}\n"), gold_of(turns), strict=True)

    assert [with_card - without for with_card, without in more] == paid


def test_a_treasure_pays_in_every_game() -> None:
    turns = "1 forest: 3,14 2,14 1,13 +treasure@3,13\n2 grass: 0,0 0,1 0,2\n"
    third = "0,7 0,8 0,9\n"

    before, used = (
        gold_of(turns + f"1 forest: {third}"),
        gold_of(turns + f"1 forest: treasure; {third}"),
    )

    assert [after - gold for gold, after in zip(before, used, strict=True)] == [3, 0]


def test_every_tile_and_every_card_of_the_game_is_tried_here() -> None:
    names = {
        path.stem.removesuffix("_each") for path in (ASP / "kingdom_builder" / "tiles").glob("*.lp")
    }
    deeds = {
        path.stem.removesuffix("_in_game")
        for path in (ASP / "kingdom_builder" / "deeds").glob("*.lp")
    }

    assert {tile.partition("-")[0] for tile in TILES} == names
    assert {*DEEDS, "treasures"} == deeds


def test_the_documents_name_the_test_of_each_tile_and_card() -> None:
    page = (ROOT / "docs" / "kingdom_builder.md").read_text()
    rows = re.findall(r"`\w+/\w+\.lp` \| `(test_\w+\.py)::(\w+)` \|$", page, re.M)
    rules = ASP / "kingdom_builder"
    files = [path for folder in ("tiles", "cards", "deeds") for path in (rules / folder).iterdir()]

    # The two files about the treasure stand in one row, and so do those about the sword.
    assert len(rows) == len(files) - 2
    for module, test in rows:
        text = (ROOT / "tests" / "rules" / "kingdom_builder" / module).read_text()
        assert f"def {test}(" in text
