"""Rules of a user for the published game: what is wrong with them is told, and the rest counts."""

from __future__ import annotations

import json
import re
import sys
import zlib
from base64 import b64decode
from pathlib import Path

import pytest

from tests.helpers import EXAMPLE, ROOT, add_rules, run

BASE = ROOT / "boards" / "kingdom_builder" / "games" / "base.txt"


def test_a_turn_that_a_users_rule_calls_illegal_ends_the_game(tmp_path: Path) -> None:
    for turn in (2, 5):
        rule = f'illegal({turn},"my-rule","",("never",)). illegal(12,"later","",("later",)).\n'
        rules = add_rules(tmp_path, rule)

        ran = run("check", "kingdom-builder", BASE, "--rules", rules, "--format", "json")

        (line,) = ran.json
        found = [(v["turn"], v["code"]) for v in line["violations"]]
        assert found == [(turn, "my-rule")]
        assert line["result"]["turns"] == turn - 1
        assert line["result"]["finished"] is False


def test_a_tile_without_targets_can_be_forbidden(tmp_path: Path) -> None:
    board = "board garden farm tavern paddock\nplayers 1\nnomad 7,6 treasure\n"
    game = tmp_path / "game.txt"
    game.write_text(f"{board}1 grass: 7,7 7,8 7,9\n1 grass: treasure; 6,7 6,8 8,8\n")
    rule = 'forbidden(T,use(treasure),"poor",("no treasure in turn",T)) :- opens(T,_).\n'
    rules = add_rules(tmp_path, rule)
    position = ("legal", "kingdom-builder", game, "--turn", 2, "--format", "json")

    (line,) = run("check", "kingdom-builder", game, "--rules", rules, "--format", "json").json
    (move,) = run(*position, "--rules", rules, "--move", "treasure").json

    assert [(v["turn"], v["code"]) for v in line["violations"]] == [(2, "poor")]
    assert (move["legal"], move["code"]) == (False, "poor")
    assert "treasure" in run(*position).json[0]["moves"]
    assert "treasure" not in run(*position, "--rules", rules).json[0]["moves"]


def test_where_users_forbid_all_other_hexes_an_action_has_no_room_left(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("W  W  W  W\n G  G  G  G\n")
    rule = 'forbidden(T,build(donation_water,H),"deep",("too deep",)) :-\n'
    rule += "    opens(T,_), made_of(H,water), H != (0,0).\n"
    rules = add_rules(tmp_path, rule)
    tile = ("--tile", "donation_water")
    words = ("legal", "kingdom-builder", board, "--player", 1, "--card", "grass", *tile)

    listed = run(*words, "--rules", rules, "--format", "json").json[0]["moves"]
    ran = run(*words, "--rules", rules, "--move", "donation-water 0,0; 1,0 1,1 1,2")
    without = run(*words, "--move", "donation-water 0,0; 1,0 1,1 1,2", "--format", "json")

    assert [move for move in listed if "donation" in move] == ["donation-water 0,0"]
    assert ran.status == 0
    assert without.json[0]["code"] == "too-few"


LODGE = (
    'tile(lodge, build, 1, "build 1 on canyon").\nground(lodge, canyon).\nclose(lodge, possible).\n'
)


@pytest.mark.parametrize(
    ("word", "instead", "said"),
    [
        pytest.param("1, ", "1, ", None, id="as-it-is"),
        pytest.param("build, ", "built, ", "1:1: the manner of a tile is build, move", id="manner"),
        pytest.param("lodge, canyon", "lodge, woods", "2:1: no terrain is called woods", id="land"),
        pytest.param("ground(lodge", "ground(lodg", "2:1: no tile is called lodg", id="tile"),
        pytest.param("possible", "posible", "3:1: a tile is close always or possible", id="close"),
    ],
)
def test_a_word_that_means_nothing_is_an_error_with_its_place(
    word: str, instead: str, said: str | None, tmp_path: Path
) -> None:
    rules = add_rules(tmp_path, LODGE.replace(word, instead))

    for words in (("check", "kingdom-builder", BASE), ("legal", BASE, "--turn", 3)):
        ran = run(*words, "--rules", rules)

        if said is None:
            assert (ran.status, ran.err) == (0, "")
        else:
            assert ran.status == 2
            assert ran.err.startswith(f"{rules / 'mine.lp'}:{said}"), ran.err


def test_a_card_that_does_not_exist_cannot_be_in_every_game(tmp_path: Path) -> None:
    rules = add_rules(tmp_path, "chosen(treasury).")

    ran = run("check", "kingdom-builder", BASE, "--rules", rules)

    assert ran.status == 2
    assert "mine.lp:1:1: no card is called treasury" in ran.err


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("gold(twice,P,hex(R,C),2) :- settlement(P,R,C).", "for the same reason the card also"),
        ("gold(twice,anna,none,1).", "a player is a number, not anna"),
    ],
)
def test_gold_that_means_nothing_is_an_error_with_its_place(
    rule: str, said: str, tmp_path: Path
) -> None:
    card = 'card(twice, 11, "1 gold for each settlement").\n'
    payment = "gold(twice,P,hex(R,C),1) :- settlement(P,R,C).\n"
    rules = add_rules(tmp_path, f"{card}{payment}{rule}")

    for words in (("score",), ("score", "--cards", "11"), ("explain",)):
        ran = run(words[0], EXAMPLE, *words[1:], "--rules", rules)

        assert ran.status == 2
        assert f"mine.lp:3:1: {said}" in ran.err


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


def add_quadrants(tmp_path: Path, text: str, rules: str = BOATS) -> Path:
    folder = add_rules(tmp_path, rules)
    (folder / "quadrants.txt").write_text(text)
    return folder


@pytest.mark.slow
def test_a_quadrant_of_ones_own_yields_a_tile_of_ones_own(tmp_path: Path) -> None:
    rules = add_quadrants(tmp_path, f"% lake -- ours\n{LAKE}\n")
    game = tmp_path / "game.txt"
    turns = "1 flower: 5,3 4,4 4,5 +lake@5,2\n2 canyon: 2,0 2,1 2,2\n"
    game.write_text(f"board lake oracle tavern garden/180\nplayers 2\n{turns}")

    checked = run("check", "kingdom-builder", game, "--rules", rules)
    legal = run("legal", game, "--rules", rules, "--card", "grass", "--turn", 3)
    replayed = run("replay", "kingdom-builder", game, "--rules", rules, "-o", tmp_path / "r.html")
    drawn = run("board", "lake", "farm", "oracle", "tavern", "--rules", rules)

    assert (checked.status, checked.err) == (0, "")
    assert "consistent with the rules" in checked.out
    assert "\nlake 1," in legal.out.replace("  ", " ")
    assert (replayed.status, replayed.err) == (0, "")
    assert drawn.out.splitlines()[0].startswith("D D N W W F F F G G D D N W W")


def test_a_quadrant_takes_the_place_of_ours_with_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "only"
    folder.mkdir()
    (folder / "quadrants.txt").write_text(f"% farm -- mended\n{LAKE.replace('D', 'N', 1)}\n")

    ours = run("board", "farm", "oracle", "tavern", "paddock")
    theirs = run("board", "farm", "oracle", "tavern", "paddock", "--rules", folder)

    assert (ours.out[0], theirs.out) == ("D", f"N{ours.out[1:]}")


@pytest.mark.slow
def test_random_boards_and_the_playground_have_the_quadrants_of_ones_own(tmp_path: Path) -> None:
    rules = add_quadrants(tmp_path, f"% lake -- ours\n{LAKE}\n")
    board = ("--board", "oracle farm lake/180 tavern")

    played = run(
        "playouts", "kingdom-builder", *board, "--rules", rules, "--players", 2, "--most-turns", 2
    )
    page = run("playground", "--rules", rules)

    checked = run("check", "kingdom-builder", "-", "--rules", rules, given=played.out)
    assert (played.status, checked.status) == (0, 0)
    (packed,) = re.findall(r'id="data">([^<]*)<', page.out)
    data = json.loads(zlib.decompress(b64decode(packed)))
    assert data["quadrants"][-1]["name"] == "lake"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(f"% lake -- x\n{LAKE.replace('W', 'Q', 1)}", "2:7: unexpected 'Q'", id="hex"),
        pytest.param(f"% lake -- x\n{LAKE[2:]}", "2:18: this row has 9 hexes", id="short"),
        pytest.param(f"% lake -- x\n{LAKE}\nG", "12:2: this row has 1 hexes", id="row"),
        pytest.param(f"% lake -- x\n{LAKE[:41]}", "1:3: lake has 2 rows: 10 are", id="rows"),
        pytest.param(f"% lamp -- x\n{LAKE}", "1:3: a location of lamp yields a tile", id="tile"),
        pytest.param(f"% farm -- x\n{LAKE}\n% farm -- y\n{LAKE}", "12:3: there is a", id="two"),
        pytest.param(LAKE, "1:1: unexpected 'D D N W W F F F G G': expected a heading", id="bare"),
        pytest.param("% lake -- x", "1:12: the text ends too early", id="end"),
        pytest.param("\x00", "", id="binary"),
    ],
)
def test_a_fault_in_a_file_of_quadrants_is_told_with_its_place(
    text: str, said: str, tmp_path: Path
) -> None:
    rules = add_quadrants(tmp_path, text)

    ran = run("check", "kingdom-builder", BASE, "--rules", rules)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"{rules / 'quadrants.txt'}:{said}"), ran.err


def test_land_that_no_board_can_have_is_told(tmp_path: Path) -> None:
    rules = add_rules(tmp_path, "buildable(swamp).\nbuildable(water).")

    ran = run("check", "kingdom-builder", BASE, "--rules", rules)

    said = f"warning: {rules / 'mine.lp'}:1:1: boards have no symbol for swamp\n"
    assert ran.status == 0
    assert ran.err.startswith(said)
    assert ran.err.count("warning") == 1


SWAMP = 'ground_symbol(swamp,"S").\nbuildable(swamp).\nlook("S",green,tufts,"swamp").\n'
MOOR = "S1 S  G  W\n S# S2 .  M\nS  S  G  1\n S  S1 .  T\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(("score", "--format", "csv"), ",discoverers,1,3\n", id="score"),
        pytest.param(("draw",), "<title>0,0: swamp, player 1</title>", id="draw"),
        pytest.param(("advise", "--player", 1, "--terrain", "swamp"), "2,0  2,1  3,0", id="advise"),
        pytest.param(("legal", "--player", 1, "--card", "swamp"), "\n2,1\n", id="legal"),
    ],
)
def test_a_new_kind_of_land_is_a_symbol_a_word_and_a_look(
    words: tuple[object, ...], said: str, tmp_path: Path
) -> None:
    board, rules = tmp_path / "moor.txt", add_rules(tmp_path, SWAMP)
    board.write_text(MOOR)
    verb, *options = words

    ours, theirs = (run(verb, board, *options, *more) for more in ((), ("--rules", rules)))

    assert (theirs.status, said in theirs.out) == (0, True), theirs.err
    assert ours.status == 2


# The same hexes in four ways; pastures pay for those beside grass and swamp, wherever one stands.
PASTURES = """
card(pastures, 21, "1 gold for each of your settlements beside grass, 10 beside swamp").
gold(pastures, P, hex(R,C), 1) :- settlement(P,R,C), beside(R,C,grass).
gold(pastures, P, swamp(R,C), 10) :- settlement(P,R,C), beside(R,C,swamp).
card(meadows, 22, "the same").
gold(meadows, P, hex(R,C), 1) :- settlement(P,R,C), near(R,C,R1,C1), terrain(grass,R1,C1).
gold(meadows, P, swamp(R,C), 10) :- settlement(P,R,C), near(R,C,R1,C1), terrain(swamp,R1,C1).
card(fields, 23, "the same").
gold(fields, P, hex(R,C), 1) :- settlement(P,R,C), near(R,C,R1,C1), land(grass,R1,C1).
gold(fields, P, swamp(R,C), 10) :- settlement(P,R,C), near(R,C,R1,C1), land(swamp,R1,C1).
card(cliffs, 24, "1 gold for each of your settlements beside what nobody builds on").
gold(cliffs, P, hex(R,C), 1) :- settlement(P,R,C), near(R,C,R1,C1), barren(R1,C1).
"""
PASTURE_CARDS = ("pastures", "meadows", "fields", "cliffs")


def test_land_is_terrain_for_a_card_on_a_board(tmp_path: Path) -> None:
    board, rules = tmp_path / "moor.txt", add_rules(tmp_path, SWAMP + PASTURES)
    board.write_text("G1 S  .  1\n N2 G  .  W\n")

    (scores,) = run("score", board, "--rules", rules, "--format", "json").json

    # Player 1 stands beside swamp on 0,0 and beside water on 0,3, player 2 beside grass on 1,0.
    paid = [scores["gold"][card] for card in PASTURE_CARDS]
    assert paid == [[10, 11], [10, 11], [10, 11], [1, 0]]


def test_land_is_terrain_for_a_card_in_a_game(tmp_path: Path) -> None:
    rules = add_rules(tmp_path, PASTURES.replace("swamp", "desert"))
    record = tmp_path / "game.txt"
    record.write_text(
        "board oracle farm tavern paddock\n"
        "cards pastures meadows fields cliffs\n"
        "players 2\n1 grass: 4,11 4,12 5,11\n2 forest: 0,15 0,16 0,17\n"
    )

    ran = run("check", "kingdom-builder", record, "--rules", rules, "--format", "json")

    (verdict,) = ran.json
    assert verdict["consistent"] is True
    assert sum(verdict["result"]["gold"]) > 0
    tables = run("explain", record, "--rules", rules, "--format", "json").json
    gold = {(row["card"], row["player"]): row["gold"] for row in tables}
    for player in (1, 2):
        by_name = {gold[card, player] for card in PASTURE_CARDS[:3]}
        assert by_name == {gold["fields", player]}


def test_an_unreadable_hex_may_be_of_a_new_kind_of_land(tmp_path: Path) -> None:
    board, claims = tmp_path / "moor.txt", tmp_path / "claims.txt"
    board.write_text("S1 ?\n. G\n")
    claims.write_text("miners: 0\n")
    rules = add_rules(tmp_path, f"{SWAMP}gold(miners,1,hex(0,1),0) :- land(swamp,0,1).")
    options = ("--symbols", "S W G2", "--rules", rules)

    assert run("restore", board, claims, *options).err.startswith("--symbols: G2 is of player 2")
    assert run("restore", board, claims, "--symbols", "S W").status == 2
    assert run("restore", board, claims, "--symbols", "S W", "--rules", rules).status == 0


@pytest.mark.slow
def test_a_game_is_played_on_a_new_kind_of_land(tmp_path: Path) -> None:
    farm = (ROOT / "asp" / "kingdom_builder" / "quadrants.txt").read_text().split("% farm")[1]
    rows = "\n".join(farm.splitlines()[1:11]).replace("D", "S")
    rules = add_rules(tmp_path, SWAMP)
    (rules / "quadrants.txt").write_text(f"% farm -- ours\n{rows}\n")
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


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ('ground_symbol(swamp,"G").', "two kinds of terrain have the symbol G"),
        ('ground_symbol(swamp,"s").', "the symbol of a terrain is a capital letter, not s"),
        ('ground_symbol(grass,"S").', "there are two symbols for grass"),
    ],
)
def test_a_symbol_that_does_not_tell_kinds_apart_is_refused(
    facts: str, said: str, tmp_path: Path
) -> None:
    rules = add_rules(tmp_path, facts)

    ran = run("score", EXAMPLE, "--rules", rules)

    assert ran.status == 2
    assert ran.err.startswith(f"{rules / 'mine.lp'}:1:1: {said}"), ran.err
