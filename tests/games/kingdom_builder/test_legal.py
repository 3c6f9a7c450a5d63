"""``kb-score legal``: what a player may do, and why something else is illegal."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.helpers import Ran, run, run_process
from tests.oracles.kingdom_builder_game import check_game
from tests.oracles.kingdom_builder_game_board import TERRAINS
from tests.oracles.kingdom_builder_game_examples import (
    E1,
    E2,
    E4,
    E5,
    E6,
    E7,
    E8,
    E9,
    E10,
    E11,
    EXAMPLE,
)
from tests.oracles.kingdom_builder_game_play import begin_turn
from tests.oracles.kingdom_builder_game_random import Habits, random_game
from tests.oracles.kingdom_builder_game_state import State
from tests.oracles.kingdom_builder_game_targets import MANDATORY, legal_targets
from tests.oracles.kingdom_builder_game_tiles import judge_tile

NEXT_CARD = "note: no hex is free by this card: name the next one, too, as in --card grass/desert\n"


def write(folder: Path, text: str) -> Path:
    path = folder / "file.txt"
    path.write_text(text)
    return path


def look(folder: Path, text: str, options: str) -> Ran:
    return run("legal", write(folder, text), *options.split(), "--format", "json")


@pytest.mark.parametrize(
    ("board", "options", "prefix", "hexes"),
    [
        pytest.param(E1, "1 grass", "", "0,0 0,1 0,5 1,0 1,5 2,5 3,5", id="e1-grass"),
        pytest.param(E1, "1 desert", "", "0,3 0,4 1,4", id="e1-desert"),
        pytest.param(E1, "1 flower", "", "2,4 3,3 3,4", id="e1-flower"),
        pytest.param(E2, "1 grass", "", "0,0 1,0", id="e2-first"),
        pytest.param(E2, "1 grass --after 1,0", "", "0,0", id="e2-second"),
        pytest.param(E2, "1 grass --after 1,0~0,0", "", "0,5 1,5 3,5", id="e2-third"),
        pytest.param(E2, "1 grass --after 1,0~0,0~1,5", "", "", id="e2-fourth"),
        pytest.param(E2, "1 forest", "", "0,2", id="e3-forest"),
        pytest.param(E2, "1 desert", "", "0,3 0,4 1,4", id="e3-desert"),
        pytest.param(E2, "1 canyon", "", "3,0 3,1", id="e3-canyon"),
        pytest.param(E2, "1 canyon --after 3,0", "", "3,1", id="e3-canyon-second"),
        pytest.param(E2, "1 canyon --after 3,0~3,1", "", "", id="e3-canyon-third"),
        pytest.param(
            E2, "1 canyon/desert --after 3,0~3,1", "", "0,3 0,4 1,4", id="e3-desert-drawn"
        ),
        pytest.param(
            E2, "1 canyon/forest --after 3,0~3,1", "", "0,2 2,1 2,2", id="e3-forest-drawn"
        ),
        pytest.param(E4, "1 grass", "", "0,0 1,3 2,2", id="e4-player-1"),
        pytest.param(E4, "2 grass", "", "0,0 0,4 1,3", id="e4-player-2"),
        pytest.param(E5, "1 grass --tile tower", "tower ", "0,1 1,0 3,0 3,2", id="e5-tower-of-1"),
        pytest.param(
            *(E5, "2 grass --tile tower", "tower "),
            "0,1 0,3 0,4 0,5 1,0 1,5 2,0 3,0 3,2 3,3 3,4 3,5",
            id="e5-tower-of-2",
        ),
        pytest.param(E5, "1 grass --tile oasis", "oasis ", "0,1 1,2 3,2", id="e5-oasis"),
        pytest.param(E6, "1 grass --tile tavern", "tavern ", "0,0", id="e6-tavern"),
        pytest.param(E6, "1 grass --tile village", "village ", "1,1 1,3 2,3 2,5", id="e6-village"),
        pytest.param(E7, "1 grass --tile paddock", "paddock 2,2>", "0,1 0,3 2,4", id="e7-paddock"),
        pytest.param(E7, "1 grass --tile caravan", "caravan 2,2>", "2,1 3,1", id="e7-caravan"),
        pytest.param(E8, "1 desert --tile barn", "barn 0,2>", "0,2", id="e8-barn"),
        pytest.param(
            *(E8, "1 desert --tile barn --const vacated=0", "barn 0,2>"),
            "0,4 0,5 1,4 1,5",
            id="e8-vacated",
        ),
        pytest.param(
            *(E8, "1 desert --tile barn --const move_lift=0", "barn 0,2>"),
            "0,4 0,5 1,4 1,5",
            id="e8-lift",
        ),
        pytest.param(E9, "1 grass --tile harbor", "harbor 0,1>", "1,4", id="e9-from-grass"),
        pytest.param(
            *(E9, "1 grass --tile harbor", "harbor 2,4>"),
            "0,3 0,4 1,4 2,0 3,0",
            id="e9-from-flower",
        ),
        pytest.param(
            *(E9, "1 grass --tile harbor --const move_lift=0", "harbor 0,1>"),
            "1,4",
            id="e9-grass-lift",
        ),
        pytest.param(
            *(E9, "1 grass --tile harbor --const move_lift=0", "harbor 2,4>"),
            "1,4",
            id="e9-flower-lift",
        ),
        pytest.param(E10, "1 grass --tile paddock", "paddock 0,1>", "0,3 2,0", id="e10-west"),
        pytest.param(E11, "1 grass --tile quarry", "quarry ", "0,1 0,2 1,0 2,2", id="e11-quarry"),
        pytest.param(
            *(E11, "1 grass --tile caravan", "caravan 1,1>"),
            "0,1 0,2 1,0 1,2 2,2 3,0",
            id="e11-caravan",
        ),
    ],
)
def test_the_legal_hexes_are_those_of_the_worked_example(
    tmp_path: Path, board: str, options: str, prefix: str, hexes: str
) -> None:
    player, *rest = options.split()
    words = f"--player {player} --card {' '.join(rest)}"

    # A blank within an option is written "~".
    path = write(tmp_path, board)
    given = [word.replace("~", " ") for word in words.split()]
    needs_card = hexes == "" and "canyon" in rest
    ran = run("legal", path, *given, "--format", "json")

    moves: list[str] = ran.json[0]["moves"]
    found = [move for move in moves if (move.startswith(prefix) if prefix else move[0].isdigit())]
    assert (ran.status, ran.err) == (0, NEXT_CARD if needs_card else "")
    assert " ".join(move.removeprefix(prefix) for move in found) == hexes


FULL = "\n".join(" ".join("G1" if c < 4 else "G" for c in range(10)) for _ in range(10)) + "\n"


@pytest.mark.parametrize(
    ("board", "options", "move", "code", "detail"),
    [
        pytest.param(E2, "grass", "1,0 0,0 3,5", None, None, id="e2-legal"),
        pytest.param(
            *(E2, "grass", "1,0 3,5 0,0", "not-adjacent"),
            "3,5 is not beside a settlement of player 1: choose a hex that is, such as 0,0",
            id="e2-not-adjacent",
        ),
        pytest.param(E2, "canyon/forest", "3,0 3,1 2,1", None, None, id="e3-legal"),
        pytest.param(
            *(E2, "canyon", "3,0 3,1 2,1", "wrong-terrain"),
            "2,1 is forest, and no hex of the card's terrain is free",
            id="e3-no-card-left",
        ),
        pytest.param(E2, "grass", "0,1", "not-free", "a settlement stands on 0,1", id="own"),
        pytest.param(E4, "grass", "0,2", "not-free", "a stone wall stands on 0,2", id="wall"),
        pytest.param(E2, "grass", "9,9", "not-free", "9,9 is not on the board", id="off-the-board"),
        pytest.param(
            *(E4, "grass --tile sword", "sword 0,2", "not-free"),
            "a stone wall stands on 0,2",
            id="sword-on-a-wall",
        ),
        pytest.param(
            E2, "grass", "1,1", "wrong-terrain", "1,1 is water, the card is grass", id="water"
        ),
        pytest.param(
            E2, "grass", "2,3", "wrong-terrain", "2,3 is a town, the card is grass", id="location"
        ),
        pytest.param(
            *(E2, "grass", "1,0 0,0 0,5 1,5", "too-many"),
            "the mandatory action is to build 3: this is number 4",
            id="fourth-hex",
        ),
        pytest.param(
            *(E2, "grass", "farm 0,0", "tile-not-held"), "player 1 holds no farm", id="no-farm"
        ),
        pytest.param(
            *(E2, "grass --tile farm", "farm 0,0; farm 1,0", "tile-used"),
            "player 1 has used the farm in this turn",
            id="farm-twice",
        ),
        pytest.param(
            *(E2, "grass --tile outpost", "outpost 1,0; 0,0 0,5 1,5", "too-many"),
            "the outpost lets you build one settlement of the turn where it need not be adjacent: "
            "it takes no hex",
            id="hex-of-an-outpost",
        ),
        pytest.param(
            *(E2, "grass --tile farm", "farm", "too-few"),
            "hexes that the farm still needs: 1",
            id="farm-alone",
        ),
        pytest.param(
            *(E2, "grass --tile donation-grass --const most_settlements=3"),
            *("donation-grass 1,0; 0,0", "too-few"),
            "hexes that the donation-grass still needs: 1",
            id="donation-of-a-small-supply",
        ),
        pytest.param(
            *(E2, "grass --tile farm", "farm 0,0 1,0", "too-many"),
            "the farm lets you build 1 on grass, adjacent if possible: this is number 2",
            id="two-hexes-of-a-farm",
        ),
        pytest.param(
            *(E2, "grass --tile farm", "1,0; farm 0,0; 3,5", "action-between"),
            "the mandatory action is not complete",
            id="between",
        ),
        pytest.param(
            *(E2, "grass --tile farm", "1,0; farm 0,0", "too-few"),
            "the mandatory action is to build 2 more",
            id="too-early",
        ),
        pytest.param(
            *(E7, "grass --tile paddock", "paddock 2,2>2,1", "not-a-target"),
            "the paddock does not lead to 2,1 but lets you move one of your settlements two hexes"
            " in a straight line",
            id="one-step-of-a-paddock",
        ),
        pytest.param(
            *(E7, "grass --tile paddock", "paddock 2,2>2,0", "wrong-terrain"),
            "2,0 is a castle, the paddock lets you move one of your settlements two hexes in "
            "a straight line",
            id="paddock-onto-a-castle",
        ),
        pytest.param(
            *(E7, "grass --tile paddock", "paddock 1,4>1,5", "not-a-target"),
            "no settlement of player 1 stands on 1,4",
            id="of-somebody-else",
        ),
        pytest.param(
            *(E8, "desert --tile barn", "barn 0,2>1,5", "not-adjacent"),
            "1,5 is not beside a settlement of player 1: choose a hex that is, such as 0,2",
            id="e8-barn",
        ),
        pytest.param(
            *(E11, "grass --tile quarry", "quarry 0,1 2,2 1,0", "too-many"),
            "the quarry lets you put 1 or 2 stone walls beside your settlements, on the terrain "
            "of the played card: this is number 3",
            id="e11-third-wall",
        ),
        pytest.param(E11, "grass --tile quarry", "quarry 0,1 2,2", None, None, id="e11-walls"),
        pytest.param(
            *(E11, "grass --tile quarry", "quarry 0,5", "not-adjacent"),
            "0,5 is not beside a settlement of player 1",
            id="e11-far-wall",
        ),
        pytest.param(
            *(FULL, "grass", "0,4", "no-supply"), "player 1 has no settlement left", id="supply"
        ),
    ],
)
def test_a_move_is_judged_with_its_code_and_the_reason(
    tmp_path: Path, board: str, options: str, move: str, code: str | None, detail: str | None
) -> None:
    ran = run(
        *("legal", write(tmp_path, board), "--player", 1, "--card", *options.split()),
        *("--move", move, "--format", "json"),
    )

    assert ran.json == [{"move": move, "legal": code is None, "code": code, "detail": detail}]
    assert (ran.status, ran.err) == (0 if code is None else 1, "")


PLAIN = "G  G  G  G  G  G\n G  G1 G  G2 G  G\nG  W  W  W  G  G\n G  M  M  D  D  D\n"


# Judged by hand.
@pytest.mark.parametrize(
    ("move", "code"),
    [
        ("outpost; 0,1 0,5 1,5", None),
        ("outpost; 0,0 0,5 0,1", "not-adjacent"),
        ("resettlement 1,1>1,2", None),
        ("resettlement 1,1>1,2 1,2>0,2 0,2>0,1 0,1>1,1", None),
        ("resettlement 1,1>1,2 1,2>0,2 0,2>0,1 0,1>0,0 0,0>1,0", "too-many"),
        ("resettlement 1,1>0,3", "not-a-target"),
        ("resettlement 1,1>2,1", "wrong-terrain"),
        ("resettlement 1,1>1,2 1,2>1,3", "not-free"),
        ("resettlement 1,2>1,1", "not-a-target"),
        ("resettlement 1,2", "not-a-target"),
        ("resettlement", "too-few"),
        ("donation-water 2,1 2,2 2,3", None),
        ("donation-water 2,1 2,2; 0,1", "too-few"),
        ("donation-water 2,3", "not-adjacent"),
        ("donation-water 2,4", "wrong-terrain"),
        ("donation-water 2,1 2,2 2,3 2,4", "too-many"),
        ("sword 1,3", None),
        ("sword 1,1", "not-a-target"),
        ("treasure", None),
        ("treasure; treasure", "tile-used"),
    ],
)
def test_a_tile_of_nomads_is_judged_with_its_code(
    tmp_path: Path, move: str, code: str | None
) -> None:
    words = ("--player", 1, "--card", "grass", "--tile", re.split("[ ;]", move)[0])

    ran = run("legal", write(tmp_path, PLAIN), *words, "--move", move, "--format", "json")

    assert (ran.status, ran.json[0]["code"]) == (0 if code is None else 1, code)


@pytest.mark.parametrize(
    ("options", "move", "code"),
    [
        pytest.param("--turn 1 --after 4,11~4,12~5,11", "farm 6,12", "tile-too-new", id="new"),
        pytest.param("--turn 3", "farm 6,12", None, id="in-the-next-turn"),
        pytest.param("--turn 3", "3,15 3,16 4,16; farm 6,12", None, id="behind-the-others"),
        pytest.param("--turn 3 --after farm~6,12", "farm 5,10", "tile-used", id="used"),
        pytest.param("--turn 4", "farm 0,0", "not-adjacent", id="not-adjacent"),
        pytest.param("--card grass/desert", "0,10", "wrong-terrain", id="second-card-not-due"),
    ],
)
def test_a_move_of_a_game_is_judged_with_the_tiles_held(
    tmp_path: Path, options: str, move: str, code: str | None
) -> None:
    words = [word.replace("~", " ") for word in options.split()]

    ran = run("legal", write(tmp_path, EXAMPLE), *words, "--move", move, "--format", "json")

    assert (ran.status, ran.json[0]["code"]) == (0 if code is None else 1, code)


def test_a_move_after_the_end_is_told_so(tmp_path: Path) -> None:
    path = write(tmp_path, random_game(Random(4), 2))

    ran = run("legal", path, "--card", "grass", "--move", "0,0", "--format", "json")
    listed = run("legal", path, "--card", "grass")

    assert (ran.status, ran.json[0]["code"]) == (1, "after-end")
    assert (listed.status, listed.out) == (2, "")
    assert f"{path}: no move is legal: turn " in listed.err
    assert "is after-end, the game is over after turn " in listed.err


def test_an_outpost_lets_a_settlement_be_built_apart_but_moves_none(tmp_path: Path) -> None:
    given = "--player 1 --card grass --tile outpost --tile harbor"

    before, after = look(tmp_path, E9, given), look(tmp_path, E9, f"{given} --after outpost")

    mandatory = [
        {move for move in ran.json[0]["moves"] if move[0].isdigit()} for ran in (before, after)
    ]
    harbor = [
        [move for move in ran.json[0]["moves"] if move.startswith("harbor 0,1>")]
        for ran in (before, after)
    ]
    assert mandatory[0] < mandatory[1]
    assert harbor == [["harbor 0,1>1,4"]] * 2


def test_a_game_that_an_illegal_turn_has_ended_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, f"{EXAMPLE}1 grass: 0,0 0,1\n")

    ran = run("legal", path)

    assert ran.status == 2
    assert f"{path}: no move is legal: turn 5: " in ran.err


@pytest.mark.parametrize("move", ["", " "])
def test_an_empty_move_is_no_move(tmp_path: Path, move: str) -> None:
    ran = run("legal", write(tmp_path, EXAMPLE), "--turn", 3, "--move", move)

    assert (ran.status, ran.out) == (2, "")
    assert "--move: an action is expected" in ran.err


def test_a_lent_tile_is_left_where_an_own_one_is_used_and_lost(tmp_path: Path) -> None:
    text = "board paddock farm tavern oracle\nplayers 1\n1 canyon: 5,0 4,0 4,1\n1 grass:\n"
    words = ("--turn", 2, "--after", "paddock 5,0>5,2", "--tile", "paddock", "--format", "json")
    path = write(tmp_path, text)

    (choose,), (exact,) = (
        run("legal", "kingdom-builder", path, *words, "--const", f"twin_tile={ruling}").json
        for ruling in ("choose", "exact")
    )

    assert any(move.startswith("paddock ") for move in exact["moves"])
    assert choose["moves"] == exact["moves"]


def write_moves(state: State) -> set[str]:
    """Write all legal moves of the player to move, by the plain version."""
    kinds = {tile.kind for tile in state.tiles[state.player]}
    usable = sorted(kind for kind in kinds if judge_tile(state, kind) is None)
    return {
        " ".join([*([] if kind == MANDATORY else [kind]), *([path] if path else [])])
        for kind in (MANDATORY, *usable)
        for target in legal_targets(state, kind)
        for path in [">".join(map(state.board.name, target))]
    }


@pytest.mark.parametrize("seed", range(8))
def test_the_moves_of_a_random_position_are_those_of_the_plain_version(
    tmp_path: Path, seed: int
) -> None:
    players, rounds = 2 + seed % 4, 3 + seed // 3
    text = random_game(
        *(Random(seed), players),
        nomads=seed % 2 == 1,
        habits=Habits(greed=0.7),
        most_turns=players * rounds + seed % players,
    )
    state = check_game(text).position
    card = Random(seed).choice(["grass", "canyon", "desert", "flower", "forest"])
    assert begin_turn(state, (TERRAINS[card],)) is None

    ran = look(tmp_path, text, f"--card {card}")

    line: dict[str, Any] = ran.json[0]
    assert (line["turn"], line["player"]) == (state.turn, state.player)
    assert len(line["moves"]) == len(set(line["moves"]))
    assert set(line["moves"]) == write_moves(state)


def test_a_turn_of_a_game_is_the_moment_before_it(tmp_path: Path) -> None:
    ran = look(tmp_path, EXAMPLE, "--turn 3")

    (line,) = ran.json
    assert (line["game"], line["turn"], line["player"]) == ("kingdom-builder", 3, 1)
    mandatory = [move for move in line["moves"] if move[0].isdigit()]
    assert len(mandatory) == 57
    assert [move for move in line["moves"] if move.startswith("farm")] == [
        "farm 5,10", "farm 6,11", "farm 6,12"
    ]  # fmt: skip
    assert len(line["moves"]) == 60


@pytest.mark.slow
def test_the_next_turn_is_looked_at_with_a_card(tmp_path: Path) -> None:
    path = write(tmp_path, EXAMPLE)

    ran = run_process("legal", path, "--card", "flower", "--format", "json")

    assert (ran.status, ran.err) == (0, "")
    assert list(ran.json[0]) == ["game", "turn", "player", "moves"]
    assert (ran.json[0]["turn"], ran.json[0]["player"]) == (5, 1)


def test_no_move_but_the_mandatory_ones_is_there_in_the_middle_of_it(tmp_path: Path) -> None:
    ran = look(tmp_path, EXAMPLE, "--turn 4 --after 2,17")

    assert ran.json[0]["moves"] == ["3,17"]


def test_the_table_for_people_says_how_many_moves_there_are(tmp_path: Path) -> None:
    ran = run("legal", write(tmp_path, E2), "--player", 1, "--card", "grass")

    assert ran.out.split("\n") == [
        "turn 1, player 1: 2 legal moves", "", "move", "----", "0,0", "1,0", ""
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        pytest.param(
            EXAMPLE, "", "turn 5 is not in the record yet: name its card with --card", id="card"
        ),
        pytest.param(EXAMPLE, "--turn 0", "0 is not in the range x>=1", id="turn-0"),
        pytest.param(EXAMPLE, "--player 1", "--player is about a board", id="player-of-a-game"),
        pytest.param(
            E1, "--player 1", "a board needs --player and --card", id="board-without-card"
        ),
        pytest.param(E1, "--player 6 --card grass", "6 is not in the range", id="player-6"),
        pytest.param(
            *(E1, "--player 1 --card mud"),
            "--card: there is no 'mud', but canyon, desert, flower, forest, grass",
            id="unknown-card",
        ),
        pytest.param(
            *(E1, "--player 1 --card grass --tile inn"),
            "--tile: there is no 'inn', but barn, caravan, ",
            id="unknown-tile",
        ),
        pytest.param(
            *(E1, "--player 1 --card grass --move inn~0,0"),
            "--move:1:1: there is no tile 'inn'",
            id="move-of-an-unknown-tile",
        ),
        pytest.param(
            *(E1, "--player 1 --card grass --after 0,x"), "--after:1:1: unexpected", id="no-hex"
        ),
        pytest.param(
            *(E1, "--player 1 --card grass --after 0,3"),
            "file.txt: no move is legal: turn 1 is wrong-terrain, 0,3 is desert, the card is grass",
            id="illegal-before",
        ),
        pytest.param(
            *(EXAMPLE.replace("2 forest", "1 forest"), "--turn 3 --move farm~6,12"),
            "file.txt: no move is legal: turn 2 is wrong-player, the line is for",
            id="move-after-an-illegal-turn",
        ),
    ],
)
def test_a_question_that_cannot_be_answered_ends_with_status_2(
    tmp_path: Path, text: str, options: str, message: str
) -> None:
    words = [word.replace("~", " ") for word in options.split()]

    ran = run("legal", write(tmp_path, text), *words)

    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err
