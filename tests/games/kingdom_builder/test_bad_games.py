"""Games that cannot be read: file, line, column, what was expected, status 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import CLAIMS, EXAMPLE, run
from tests.oracles.kingdom_builder_game_examples import EXAMPLE as GAME

BOARD = "board oracle farm tavern paddock\n"
QUARRY = "board quarry farm tavern paddock\nplayers 2\n"
HEADS = f"{BOARD}players 2\n"
TURN = "1 grass: 4,11 4,12 5,11\n"
QUADRANTS = (
    "barn, caravan, farm, garden, harbor, oasis, oracle, paddock, quarry, tavern, tower or village"
)
A_TURN = 'a turn, such as "1 grass: 4,11 4,12 5,11"'
NO_GAME = "this is no game: a heading or a turn is expected"


def check(text: str | bytes, folder: Path, *options: object) -> tuple[int, str, str]:
    path = folder / "game.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    ran = run("check", "kingdom-builder", path, *options)
    return ran.status, ran.out, ran.err.removeprefix(str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            "board oracle farm inn paddock\nplayers 2\n",
            f":1:19: there is no quadrant 'inn': {QUADRANTS}",
            id="quadrant",
        ),
        pytest.param(
            "board oracle farm oracle/180 paddock\nplayers 2\n",
            ":1:19: the quadrant oracle is there twice",
            id="quadrant-twice",
        ),
        pytest.param(
            "board oracle farm paddock\nplayers 2\n",
            ":1:26: unexpected the end of the line: expected a name, such as farm",
            id="three-quadrants",
        ),
        pytest.param(
            "board oracle farm paddock tavern tower\nplayers 2\n",
            ":1:34: unexpected 'tower': expected the end of the line",
            id="five-quadrants",
        ),
        pytest.param(
            "board oracle/90 farm paddock tavern\nplayers 2\n",
            ":1:13: unexpected '/': expected a name, such as farm; or \"/180\" behind a quadrant",
            id="turned-by-90",
        ),
        pytest.param(
            f"{HEADS}{TURN[:-1]}; inn 6,12\n",
            ":3:26: there is no tile 'inn': barn, cara",
            id="tile",
        ),
        pytest.param(
            f"{HEADS}1 grass: 4,11 +inn@5,12\n",
            ":3:16: there is no tile 'inn': ba",
            id="noted-tile",
        ),
        pytest.param(
            f"{HEADS}cards miners cooks\n",
            ":3:14: there is no card 'cooks': ambassadors, castles, citizens, ",
            id="card",
        ),
        pytest.param(
            f"{HEADS}cards miners miners\n",
            ":3:14: the card miners is there twice",
            id="card-twice",
        ),
        pytest.param(
            f"{HEADS}1 gras: 4,11\n",
            ":3:3: there is no terrain 'gras': canyon, desert, flower, forest, grass, mountain or",
            id="terrain",
        ),
        pytest.param(f"{HEADS}{BOARD}", ":3:1: there is a second heading 'board'", id="two-boards"),
        pytest.param(f"{HEADS}  players 2\n", ":3:3: there is a second heading 'pl", id="twice"),
        pytest.param(
            f"players 2\n{TURN}",
            ": the heading 'board' is missing, such as 'board oracle farm/180 tavern paddock'",
            id="no-board",
        ),
        pytest.param(
            BOARD + TURN, ": the heading 'players' is missing, such as 'players 2'", id="no-players"
        ),
        pytest.param(
            f"{HEADS}{TURN}cards miners\n",
            ":4:1: unexpected 'cards': expected the claimed result, such as \"gold 52 46\"; "
            + A_TURN,
            id="heading-after-a-turn",
        ),
        pytest.param(
            f"{HEADS}colour red\n",
            ":3:1: unexpected 'colour': expected the board, such as \"board oracle farm/180 tav",
            id="unknown-heading",
        ),
        pytest.param(
            f"{QUARRY}nomad 0,0 sword\n", ":3:7: 0,0 is no nomad space of this board", id="nomad"
        ),
        pytest.param(
            f"{QUARRY}nomad 99,0 sword\n", ":3:7: 99,0 is no nomad space of thi", id="nomad-far-off"
        ),
        pytest.param(
            f"{QUARRY}nomad 5,2 sword\nnomad 5,2 treasure\n",
            ":4:7: a second nomad tile on 5,2",
            id="nomad-twice",
        ),
        pytest.param(
            f"{BOARD}players 0\n", ":2:9: there are 1 to 5 players, not 0", id="players-0"
        ),
        pytest.param(
            f"{BOARD}players 6\n", ":2:9: there are 1 to 5 players, not 6", id="players-6"
        ),
        pytest.param(f"{HEADS}start 0\n", ":3:7: one of the players 1 to 2 starts", id="start-0"),
        pytest.param(f"{HEADS}start 3\n", ":3:7: one of the players 1 to 2 starts", id="start-3"),
        pytest.param(
            f"{HEADS}{TURN}gold 5\n",
            ":4:6: expected gold for each of 2 players, not 1 values",
            id="gold-for-one",
        ),
        pytest.param(
            f"{HEADS}gold 5 6 7\n",
            ":3:10: expected gold for each of 2 players, not 3 values",
            id="gold-for-three",
        ),
        pytest.param(
            f"{HEADS}gold\n",
            ":3:5: unexpected the end of the line: expected a whole number",
            id="gold-for-nobody",
        ),
        pytest.param(f"{HEADS}gold 1 2\n{TURN}", ":4:1: unexpected '1': expected", id="gold-first"),
        pytest.param(
            f"{BOARD}players {'9' * 5000}\n",
            f":2:9: {'9' * 20} is too large: numbers here go up to 2147483647",
            id="huge-players",
        ),
        pytest.param(
            f"{HEADS}1 grass: 0,99999999999\n", ":3:10: 99999999999 is too large", id="huge-hex"
        ),
        pytest.param(f"{HEADS}gold 1 99999999999\n", ":3:8: 99999999999 is too", id="huge-gold"),
        pytest.param(
            f"{HEADS}1 grass 4,11\n",
            ':3:9: unexpected \'4,11\': expected ":" behind the terrain of the card or "/" and',
            id="no-colon",
        ),
        pytest.param(
            f"{HEADS}1 grass: 4\n",
            ":3:10: unexpected '4': expected a hex, row and column, such as 4,11; a name",
            id="half-a-hex",
        ),
        pytest.param(
            f"{HEADS}1 grass: -1,4\n", ":3:10: unexpected '-': expected a hex", id="minus"
        ),
        pytest.param(
            f"{HEADS}1 grass: 4,11 +farm\n",
            ':3:20: unexpected the end of the line: expected "@" and the hex that a tile is from',
            id="note-without-a-hex",
        ),
        pytest.param(
            f"{HEADS}1 Grass: 4,11\n", f":3:3: unexpected 'G': expected {A_TURN}", id="upper-case"
        ),
        pytest.param(
            f"{HEADS}1 grass: (6,8)\n",
            ":3:10: unexpected '(': expected a hex, row and column, such as 4,11; a name",
            id="brackets",
        ),
        pytest.param(f"{HEADS}1 grass: \0\n", ":3:10: byte 0x00 is not text", id="nul"),
        pytest.param(b"board caf\xe9\n", ":1:10: byte 0xe9 is not text", id="latin-1"),
        pytest.param("", ": the file is empty", id="empty"),
        pytest.param("\n \n", ": the file is empty", id="blank"),
        pytest.param("% nothing\n", f":1:1: {NO_GAME}", id="comment"),
        pytest.param(
            "G W\n . 1\n", f":1:1: {NO_GAME}; a board is scored by kb-score score", id="board"
        ),
    ],
)
def test_a_game_that_cannot_be_read_ends_with_status_2(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    status, out, err = check(text, tmp_path)

    assert (status, out) == (2, "")
    assert err.startswith(message)


def test_a_message_shows_the_line_with_a_caret(tmp_path: Path) -> None:
    _, _, err = check(f"{HEADS}1 grass: 4,11; inn 6,12\n", tmp_path)

    assert err.splitlines()[1:] == ["    1 grass: 4,11; inn 6,12", " " * 19 + "^"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param((HEADS + TURN).replace("\n", "\r\n"), id="crlf"),
        pytest.param((HEADS + TURN).replace("\n", "\r"), id="cr"),
        pytest.param("\ufeff" + HEADS + TURN, id="byte-order-mark"),
        pytest.param((HEADS + TURN).rstrip("\n"), id="no-last-newline"),
        pytest.param(f"% mine\n\n{HEADS}\n% a turn\n{TURN[:-1]} % his\n\n", id="comments"),
        pytest.param((HEADS + TURN).replace(" ", "\t"), id="tabs"),
        pytest.param(f"  players 2 \n {BOARD}start 1\n{TURN}", id="any-order-and-blanks"),
        pytest.param(HEADS + TURN.replace(": ", ":"), id="no-blank"),
    ],
)
def test_harmless_variants_of_a_game_are_read(tmp_path: Path, text: str) -> None:
    status, out, err = check(text, tmp_path, "--format", "json")

    assert (status, err) == (0, "")
    assert '"turns": 1, "players": 2' in out


@pytest.mark.parametrize(
    ("text", "violation"),
    [
        pytest.param(f"{HEADS}1 grass: 2147483647,2147483647\n", "not-free", id="hex"),
        pytest.param(f"{HEADS}2147483647 grass: 1,1\n", "wrong-player", id="player"),
        pytest.param(f"{HEADS}gold 2147483647 2147483647\n", "not-finished", id="gold"),
    ],
)
def test_the_largest_numbers_are_judged(tmp_path: Path, text: str, violation: str) -> None:
    status, out, err = check(text, tmp_path, "--format", "csv")

    assert (status, err) == (1, "")
    assert violation in out


def test_a_game_is_no_board(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(HEADS)

    ran = run("score", path)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"{path}: this is a game and no board: kb-score check ")


def test_a_game_has_no_claims_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(HEADS)

    # Two files of which the first is a game are two games.
    ran = run("check", "kingdom-builder", path, CLAIMS)

    assert ran.status == 2
    assert ran.out.startswith(f"{path}: consistent with the rules\n")
    assert ran.err.startswith(f"{CLAIMS}:1:1: {NO_GAME}; a board is scored by kb-score score, or ")


def test_a_board_alone_is_no_game() -> None:
    ran = run("check", "kingdom-builder", EXAMPLE)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"{EXAMPLE}:1:1: {NO_GAME}; a board is scored by kb-score score")


def test_the_number_of_players_is_said_by_the_game(tmp_path: Path) -> None:
    status, out, err = check(HEADS, tmp_path, "--players", "2")

    assert (status, out) == (2, "")
    assert "--players is about a board and its claims: a game says it itself" in err


def test_a_game_that_goes_on_long_after_an_illegal_turn_is_checked_as_if_it_ended(
    tmp_path: Path,
) -> None:
    headings, _, turns = GAME.partition("start 1\n")
    wrong = "1 grass: 5,10 5,10 5,10\n"
    short, long = tmp_path / "short.txt", tmp_path / "long.txt"
    short.write_text(f"{headings}start 1\n{turns}{wrong * 2}")
    long.write_text(f"{headings}start 1\n{turns}{wrong * 3000}gold 1 1\n")

    expected, found = (
        run("check", "kingdom-builder", path, "--format", "json").json[0] for path in (short, long)
    )
    replayed = run("replay", "kingdom-builder", long, "-o", tmp_path / "page.html")

    assert found["violations"] == expected["violations"]
    assert found["result"] == expected["result"]
    asked = [run("facts", "--program", path).out for path in (short, long)]

    assert replayed.status == 0
    # What is asked to find the end of it is no part of the check.
    assert ["violation/4" in program for program in asked] == [True, True]
    assert run("facts", "--program", "--part", 2, long).status == 2
    assert run("playground", long, "-o", tmp_path / "game.html").status == 0
