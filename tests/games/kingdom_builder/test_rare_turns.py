"""Turns that hardly ever come: they were judged wrongly, or ``legal`` and ``check`` disagreed."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from kb_score.engine.rules import GameRules
from kb_score.errors import Fault
from kb_score.games.kingdom_builder.match import Deck, KingdomBuilderMatch
from kb_score.games.kingdom_builder.records import load_names, read_game
from tests.helpers import Ran, run
from tests.oracles import kingdom_builder_game as plain
from tests.oracles.kingdom_builder_game_examples import E1, E5

DONATION = """\
board quarry farm tavern paddock
players 2
nomad 7,5 donation-grass
1 canyon: 6,6 6,5 6,4
2 flower: 3,0 4,0 5,0
"""
TWO_SWORDS = """\
board quarry farm tavern paddock
players 3
nomad 7,5 resettlement
nomad 5,7 sword
nomad 5,2 sword
1 canyon: 6,6 6,5 6,4
2 flower: 4,0 5,0 6,0
3 flower: 4,9 5,9 3,9
1 canyon: resettlement 6,6>6,7 6,4>5,3; 6,6 6,4 5,4
2 flower: 6,1 3,0 3,7
3 flower: 6,9 7,9 7,8
"""
# All desert but 19,9 is full.
FULL = """\
board harbor tower caravan farm
players 2
cards miners
1 desert: 3,8 3,9 3,10
2 desert: 4,6 4,7 4,8
1 desert: 4,9 4,10 4,11
2 desert: 5,8 5,9 5,10
1 desert: 4,12 4,13 5,12
2 desert: 6,8 6,7 6,6
1 desert: 5,13 5,14 6,13
2 desert: 6,10 6,11 6,14
1 desert: 7,13 8,1 9,1
2 desert: 8,10 9,10 10,10
1 desert: 9,2 10,11 11,10
2 desert: 12,7 12,8 13,6
1 desert: 13,15 13,16 14,16
2 desert: 14,6 14,7 15,5
1 desert: 14,17 15,17 15,18
2 desert: 16,18 16,19 17,18
1 desert: 17,7 17,8 18,8
2 desert: 18,9 19,8 19,7
"""
# All canyon is full, until a harbor frees some of it.
FREED = """\
D1 N1 N1 D  D  F
 D  D  F  F  F  F
W  W  W  W  W  W
 D  D  D  D  D  D
"""


def write(folder: Path, text: str, name: str = "game.txt") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def check(folder: Path, text: str, *options: str) -> tuple[list[tuple[int, str]], Any]:
    ran = run("check", "kingdom-builder", write(folder, text), *options, "--format", "json")
    line = ran.json[0]
    return [(v["turn"], v["code"]) for v in line["violations"]], line["result"]


def look(folder: Path, text: str, *options: object) -> Ran:
    return run("legal", write(folder, text), *options, "--format", "json")


@pytest.mark.parametrize("turn", ["donation-grass; 7,4", "7,4; donation-grass"])
@pytest.mark.parametrize("most", ["4", "40"])
def test_a_donation_builds_at_least_once(tmp_path: Path, turn: str, most: str) -> None:
    text = f"{DONATION}1 canyon: {turn}\n"

    violations, _ = check(tmp_path, text, "--const", f"most_settlements={most}")

    assert violations == [(3, "too-few")]


def test_a_donation_has_to_be_complete_before_another_action(tmp_path: Path) -> None:
    board = "G  G1 F  G  G  G\n G  G  F  D  G  G\nG  G  N  N  G  G\n W W W W W W\n"
    lent = ("--player", 1, "--card", "grass", "--tile", "donation-grass")

    begun = look(tmp_path, board, *lent, "--move", "donation-grass 0,0")
    left = look(tmp_path, board, *lent, "--move", "donation-grass 0,0; 1,0 2,0 2,1")

    assert begun.json[0]["legal"]
    assert (left.status, left.json[0]["code"]) == (1, "too-few")


def test_each_of_two_swords_strikes_every_opponent(tmp_path: Path) -> None:
    both = f"{TWO_SWORDS}1 canyon: sword 5,0 5,9; sword 4,0 4,9; 5,5 4,5 4,4\n"
    half = f"{TWO_SWORDS}1 canyon: sword 5,0 5,9; sword 4,0; 5,5 4,5 4,4\n"
    twice = f"{TWO_SWORDS}1 canyon: sword 5,0 4,0; 5,5 4,5 4,4\n"

    each = ("--const", "sword_takes=each")
    assert check(tmp_path, both, *each)[0] == []
    assert check(tmp_path, half, *each)[0] == [(7, "too-few")]
    assert check(tmp_path, twice, *each)[0] == [(7, "not-a-target")]


def test_a_sword_for_each_has_to_go_on(tmp_path: Path) -> None:
    board = "G1 G  G2 G2 G  G\n G  G  F  D  G  G3\nG  G  N  N  G  G3\n W W W W W W\n"
    given = ("--player", 1, "--card", "grass", "--const", "sword_takes=each")
    lent = (*given, "--tile", "sword", "--tile", "sword")

    on = look(tmp_path, board, *lent, "--after", "sword 0,2")
    again = look(tmp_path, board, *lent, "--after", "sword 0,2 1,5")

    assert on.json[0]["moves"] == ["sword 0,2 1,5", "sword 0,2 2,5"]
    swords = [move for move in again.json[0]["moves"] if move.startswith("sword")]
    assert swords == ["sword 0,3", "sword 2,5"]


def test_legal_knows_all_cards_of_a_recorded_turn(tmp_path: Path) -> None:
    text = f"{FULL}1 desert/grass: 19,9 8,3 10,2\n"

    move = look(tmp_path, text, "--turn", 19, "--move", "19,9 8,3 10,2")
    after = look(tmp_path, text, "--turn", 19, "--after", "19,9 8,3")

    assert check(tmp_path, text)[0] == []
    assert move.json[0]["legal"]
    assert "10,2" in after.json[0]["moves"]


@pytest.mark.parametrize(
    ("turn", "codes"),
    [
        ("1 desert: 19,9 19,8", ["wrong-terrain"]),
        ("1 desert: 19,9 99,99", ["wrong-terrain"]),
        ("1 desert: 19,8", ["not-free"]),
        ("1 desert/grass: 19,9 19,8", ["not-free"]),
        ("1 desert/desert: 19,9 19,8", ["wrong-terrain"]),
    ],
)
def test_where_nothing_is_free_a_card_is_missing(
    tmp_path: Path, turn: str, codes: list[str]
) -> None:
    text = f"{FULL}{turn}\n"

    assert [code for _, code in check(tmp_path, text)[0]] == codes
    assert [violation[1] for violation in plain.check_game(text).violations] == codes


@pytest.mark.slow
@pytest.mark.parametrize("tile", ["mandatory", "oracle", "barn"])
def test_what_is_listed_with_a_further_card_is_legal(tmp_path: Path, tile: str) -> None:
    given = ("--player", 1, "--card", "canyon/grass")
    lent = () if tile == "mandatory" else ("--tile", tile)

    for after in ((), ("--after", "3,0 3,1")):
        moves = look(tmp_path, E1, *given, *lent, *after).json[0]["moves"]
        assert moves
        for move in moves:
            ran = look(tmp_path, E1, *given, *lent, *after, "--move", move)
            assert (move, ran.json[0]["legal"]) == (move, True)


def test_a_card_is_used_as_long_as_its_terrain_has_room(tmp_path: Path) -> None:
    given = ("--player", 1, "--card", "canyon/grass", "--tile", "oracle")

    ran = look(tmp_path, E1, *given, "--const", "tiles_between=1")

    assert ran.json[0]["moves"] == ["3,0", "3,1", "oracle 3,0", "oracle 3,1"]


def test_a_discarded_card_does_not_come_back(tmp_path: Path) -> None:
    given = ("--player", 1, "--card", "canyon/forest", "--const", "tiles_between=1")
    lent = (*given, "--tile", "harbor")

    before = look(tmp_path, FREED, *given)
    after = look(tmp_path, FREED, *lent, "--after", "1,2; harbor 0,2>2,2")

    assert before.json[0]["moves"] == ["1,2"]
    assert after.json[0]["moves"] == ["1,3"]


def test_with_stop_the_mandatory_action_is_over_when_nothing_is_free(tmp_path: Path) -> None:
    given = ("--player", 1, "--card", "canyon", "--const", "no_hex=stop", "--tile", "harbor")
    board = "N1 N  D  D\n D  D  W  W\n"

    over = look(tmp_path, board, *given, "--after", "0,1; harbor 0,0>1,2")
    more = look(tmp_path, board, *given, "--move", "0,1; harbor 0,0>1,2; 0,0")

    assert over.json[0]["moves"] == []
    assert (more.status, more.json[0]["code"]) == (1, "too-many")


@pytest.mark.parametrize(
    ("tiles", "after", "left"),
    [
        (["tower"], "tower 0,1", set[str]()),
        (["tower", "tower"], "tower 0,1", {"tower 1,0", "tower 3,0", "tower 3,2"}),
        (["tower", "tower"], "tower 0,1; tower 1,0", set[str]()),
    ],
)
def test_each_tile_that_is_lent_is_used_once(
    tmp_path: Path, tiles: list[str], after: str, left: set[str]
) -> None:
    lent = [word for tile in tiles for word in ("--tile", tile)]

    ran = look(tmp_path, E5, "--player", 1, "--card", "flower", *lent, "--after", after)

    assert {move for move in ran.json[0]["moves"] if move.startswith("tower")} == left


def test_a_tile_that_is_lent_comes_beside_those_that_are_held(tmp_path: Path) -> None:
    text = (
        "board oracle farm tavern paddock\nplayers 1\n1 grass: 4,11 4,12 5,11 +farm@5,12\n"
        "1 desert: 3,15 3,16 4,16\n"
    )
    given = ("--card", "grass", "--tile", "farm")

    two = look(tmp_path, text, *given, "--move", "farm 5,10; farm 6,10")
    three = look(tmp_path, text, *given, "--move", "farm 5,10; farm 6,10; farm 6,11")

    assert two.json[0]["legal"]
    assert (three.json[0]["legal"], three.json[0]["code"]) == (False, "tile-used")


def test_a_tile_of_a_user_may_take_what_is_beside(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    club = 'tile(club, take, 1, "take one beside"). close(club, always).\n'
    (rules / "club.lp").write_text(club)
    board = "G  G1 G2 G  G  G\n G  G  F  D  G  G2\nG  G  N  N  G  G\n W W W W W W\n"
    given = ("--player", 1, "--card", "desert", "--tile", "club", "--rules", rules)

    ran = look(tmp_path, board, *given)
    far = look(tmp_path, board, *given, "--move", "club 1,5")

    assert [move for move in ran.json[0]["moves"] if "club" in move] == ["club 0,2"]
    assert far.json[0]["code"] == "not-adjacent"


# No desert is left.
NO_DESERT = f"{FULL}1 desert/grass: 19,9 8,3 10,2\n"


@pytest.mark.slow
def test_once_a_further_card_is_drawn_a_settlement_is_due_and_no_tile_is_used(
    tmp_path: Path,
) -> None:
    game = write(tmp_path, NO_DESERT)
    (before,) = run("legal", game, "--card", "desert", "--format", "json").json
    (after,) = run("legal", game, "--card", "desert/flower", "--format", "json").json

    assert before["moves"][0].startswith("harbor")
    assert after["moves"][0][0].isdecimal()
    assert [move for move in after["moves"] if not move[0].isdecimal()] == []
    for move in before["moves"][:2]:
        words = ("legal", game, "--move", move, "--format", "json", "--card")
        assert run(*words, "desert").json[0]["legal"] is True
        assert run(*words, "desert/flower").json[0]["code"] == "too-few"
    # After the action tiles may be used.
    done: list[str] = []
    for _ in range(3):
        given = ("--card", "desert/flower", "--after", " ".join(done), "--format", "json")
        done.append(run("legal", game, *given).json[0]["moves"][0])
    given = ("--card", "desert/flower", "--after", " ".join(done), "--format", "json")
    assert run("legal", game, *given).json[0]["moves"][0].startswith("harbor")


@pytest.mark.parametrize("said", ["harbor 0,0>2,2", "resettlement 0,0>1,0"])
def test_after_a_tile_and_a_further_card_a_settlement_is_due(tmp_path: Path, said: str) -> None:
    lent = ("--tile", "harbor", "--tile", "resettlement")
    given = ("--player", 1, *lent, "--card", "canyon/forest", "--after", said)

    ran = look(tmp_path, FREED, *given)

    assert ran.status == 0, ran.err
    assert ran.json[0]["moves"] == ["1,2"]


def test_a_bot_uses_no_tile_once_a_further_card_is_drawn() -> None:
    rules = GameRules("kingdom_builder")
    names = load_names(rules)
    game = read_game(NO_DESERT, names, name="game")
    match = KingdomBuilderMatch(rules, game, Deck(names.deck, Random(1)), "desert")
    (legal,) = match.position().moves()
    tile = legal.moves[0]

    assert tile.startswith("harbor")
    assert match.answer("").record == ""
    with pytest.raises(Fault, match="too-few, the mandatory action is to build 3 more"):
        match.answer(tile)
