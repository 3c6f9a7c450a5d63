"""``kb-score explain``: the evidence for every score, and the hexes that show it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kb_score.api.boards import load_rules, parse_board
from kb_score.games.kingdom_builder.scoring import explain
from tests.helpers import CARDS, EXAMPLE, ROOT, SMALL, add_rules, run, write_copy
from tests.oracles import kingdom_builder as oracle

# Player 1 has a group of three and a loner; player 2 a pair, and a settlement between T and C.
RICH = "1 1 C . . .\n 1 . . 1 . .\n. . . . . .\n . . 2 2 M W\n. . . . . .\n T 2 C . . .\n"


@pytest.fixture
def rich(tmp_path: Path) -> Path:
    path = tmp_path / "rich.txt"
    path.write_text(RICH)
    return path


def test_the_hexes_of_evidence_are_own_settlements_or_paying_locations() -> None:
    rows = oracle.parse(EXAMPLE.read_text())
    for explanation in run("explain", EXAMPLE, "--format", "json").json:
        paying = {"castles": "C", "merchants": "TC"}.get(
            explanation["card"], str(explanation["player"])
        )
        for piece in explanation["evidence"]:
            if piece["gold"]:
                assert piece["hexes"]
            assert {rows[row][column] for row, column in piece["hexes"]} <= set(paying)


def evidence(path: Path, card: str, player: int) -> dict[str, tuple[int, list[list[int]]]]:
    (found,) = run("explain", path, "--card", card, "--player", player, "--format", "json").json
    return {piece["why"]: (piece["gold"], piece["hexes"]) for piece in found["evidence"]}


@pytest.mark.parametrize(
    ("card", "player", "expected"),
    [
        pytest.param("castles", 1, {"hex 0,2": (3, [[0, 2]])}, id="castles"),
        pytest.param("castles", 2, {"hex 5,2": (3, [[5, 2]])}, id="castles-of-player-2"),
        pytest.param(
            "discoverers",
            1,
            {"row 0": (1, [[0, 0], [0, 1]]), "row 1": (1, [[1, 0], [1, 3]])},
            id="discoverers",
        ),
        pytest.param("knights", 2, {"row 3": (4, [[3, 2], [3, 3]])}, id="knights"),
        pytest.param("fishermen", 2, {}, id="fishermen-with-none"),
        pytest.param("miners", 2, {"hex 3,3": (1, [[3, 3]])}, id="miners"),
        pytest.param(
            "lords",
            1,
            {
                "quadrant 1": (12, [[0, 0], [0, 1], [1, 0]]),
                "quadrant 2": (12, [[1, 3]]),
                # Only player 2 has settlements there, so player 1 is second with none.
                "quadrant 3": (6, []),
                "quadrant 4": (6, []),
            },
            id="lords",
        ),
        pytest.param(
            "hermits",
            1,
            {
                "group from hex 0,0": (1, [[0, 0], [0, 1], [1, 0]]),
                "group from hex 1,3": (1, [[1, 3]]),
            },
            id="hermits",
        ),
        pytest.param(
            "citizens", 1, {"group from hex 0,0": (1, [[0, 0], [0, 1], [1, 0]])}, id="citizens"
        ),
        pytest.param(
            "merchants", 2, {"hex 5,0": (4, [[5, 0]]), "hex 5,2": (4, [[5, 2]])}, id="merchants"
        ),
        pytest.param("workers", 1, {"hex 0,1": (1, [[0, 1]])}, id="workers"),
    ],
)
def test_each_card_names_what_paid(
    rich: Path, card: str, player: int, expected: dict[str, tuple[int, list[list[int]]]]
) -> None:
    assert evidence(rich, card, player) == expected


def test_the_picture_brackets_the_hexes_that_paid(rich: Path) -> None:
    ran = run("explain", rich, "--card", "merchants", "--player", "2")

    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "merchants, player 2: 8 gold (4 gold for each town or castle that your settlements link"
        " to another one)",
        "",
        "gold         for  which",
        "--------------------------",
        "   8  2 x 4  hex  5,0  5,2",
        "",
        "    0   1   2   3   4   5",
        "0  1   1   C   .   .   .",
        "1    1   .   .   1   .   .",
        "2  .   .   .   .   .   .",
        "3    .   .   2   2   M   W",
        "4  .   .   .   .   .   .",
        "5   [T]  2  [C]  .   .   .",
    ]


def test_a_score_of_nothing_has_neither_table_nor_picture(rich: Path) -> None:
    ran = run("explain", rich, "--card", "fishermen", "--player", "1")

    pays = "1 gold for each of your settlements beside water"
    assert ran.out == f"fishermen, player 1: 0 gold ({pays})\n"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param(["--card", "miners"], [("miners", 1), ("miners", 2)], id="card-by-name"),
        pytest.param(["--card", "4"], [("miners", 1), ("miners", 2)], id="card-by-number"),
        pytest.param(["--player", "2"], [(card, 2) for card in CARDS], id="player"),
        pytest.param(["--card", "4", "--player", "1"], [("miners", 1)], id="card-and-player"),
        pytest.param(
            ["--card", "4", "--players", "3"],
            [("miners", 1), ("miners", 2), ("miners", 3)],
            id="three-players",
        ),
    ],
)
def test_options_choose_what_is_explained(
    rich: Path, options: list[str], expected: list[tuple[str, int]]
) -> None:
    found = run("explain", rich, *options, "--format", "json").json

    assert [(e["card"], e["player"]) for e in found] == expected


def test_csv_has_a_row_for_each_payment(rich: Path) -> None:
    ran = run("explain", rich, "--card", "discoverers", "--format", "csv")

    assert ran.out.splitlines() == [
        "board,card,player,gold,why",
        f"{rich},discoverers,1,1,row 0",
        f"{rich},discoverers,1,1,row 1",
        f"{rich},discoverers,2,1,row 3",
        f"{rich},discoverers,2,1,row 5",
    ]


def test_markdown_has_a_heading_a_table_and_a_fenced_picture(rich: Path) -> None:
    lines = run(
        "explain", rich, "--card", "castles", "--player", "1", "--format", "markdown"
    ).out.splitlines()

    assert lines[0].startswith("### castles, player 1: 3 gold")
    assert "| 3 |  | hex | 0,2 |" in lines
    assert lines.count("```") == 2
    assert lines[-1] == "```"


def test_a_constant_changes_the_evidence(rich: Path) -> None:
    options = ["--card", "lords", "--player", "2", "--format", "json"]
    (default,) = run("explain", rich, *options).json
    (ruled,) = run("explain", rich, *options, "--const", "lords_need_settlement=1").json

    # Player 2 has nothing in the two northern quadrants and most in the southern ones.
    assert default["gold"] == 36
    assert ruled["gold"] == 24
    assert sum(piece["gold"] for piece in ruled["evidence"]) == 24


def test_several_explanations_are_set_apart_by_an_empty_line(rich: Path) -> None:
    out = run("explain", rich, "--card", "fishermen").out

    assert re.fullmatch(r"fishermen, player 1: .*\n\nfishermen, player 2: .*\n", out)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        pytest.param(SMALL, ["--card", "99"], "there is no card '99'", id="no-such-card"),
        pytest.param(
            f"{SMALL}\n{SMALL}", [], "one board is expected, but there are 2", id="two-boards"
        ),
    ],
)
def test_what_cannot_be_explained_ends_with_status_2(
    tmp_path: Path, text: str, options: list[str], message: str
) -> None:
    path = tmp_path / "board.txt"
    path.write_text(text)

    ran = run("explain", path, *options)

    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_standard_input_is_explained_too() -> None:
    from_file = run("explain", EXAMPLE, "--format", "csv")
    from_input = run("explain", "-", "--format", "csv", given=EXAMPLE.read_text())

    assert from_input.out.replace("-,", f"{EXAMPLE},") == from_file.out


def test_evidence_on_no_hex_is_explained_without_a_picture(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text(SMALL)
    rules = 'card(scouts, 11, "x"). gold(scouts, P, hex(a,b), 2) :- player(P).'

    ran = run("explain", board, "--card", "scouts", "--rules", add_rules(tmp_path, rules))

    assert (ran.status, ran.err) == (0, "")
    assert "hex  a,b" in ran.out


def test_a_player_who_does_not_play_is_told(tmp_path: Path) -> None:
    board = tmp_path / "b.txt"
    board.write_text(SMALL)
    ran = run("explain", board, "--player", "4")
    assert ran.out + ran.err != ""


@pytest.mark.parametrize("name", ["base", "nomads", "caves"])
def test_a_game_is_explained_as_it_is_checked(name: str) -> None:
    game = ROOT / "boards" / "kingdom_builder" / "games" / f"{name}.txt"
    (checked,) = run("check", game, "--format", "json").json
    gold = dict.fromkeys(range(1, checked["result"]["players"] + 1), 0)
    for found in run("explain", game, "--format", "json").json:
        assert found["gold"] == sum(piece["gold"] for piece in found["evidence"])
        gold[found["player"]] += found["gold"]
    assert [*gold.values()] == checked["result"]["gold"]


@pytest.mark.slow
def test_a_game_is_explained_up_to_what_is_illegal_and_in_words() -> None:
    games = ROOT / "boards" / "kingdom_builder" / "games"
    broken = run("explain", games / "broken.txt", "--card", "discoverers", "--player", 3)
    assert "turn 37 is illegal: this is the gold before it" in broken.err
    assert broken.out.startswith("discoverers, player 3: 11 gold")
    built = run("explain", games / "nomads.txt", "--card", "Ambassadors", "--player", 2)
    assert "2,8 in turn 8  2,9 in turn 8" in built.out
    assert "[D2]" in built.out
    why = run("explain", games / "nomads.txt", "--card", "ambassadors", "--player", 2, "--why")
    assert why.out.startswith("Card ambassadors pays 1 gold to player 2 on account of built((2,8)")
    assert run("explain", games / "base.txt", "--players", 3).status == 2


def test_a_board_without_settlements_has_nothing_to_explain(tmp_path: Path) -> None:
    board = tmp_path / "empty.txt"
    board.write_text(". .\n . .\n")

    table, lines = (run("explain", board, "--format", name) for name in ("table", "json"))

    said = f"{board}: note: nothing to explain: there is no settlement on the board\n"
    assert (table.status, table.out, table.err) == (0, "", said)
    assert (lines.status, lines.out, lines.err) == (0, "", said)


def test_rules_that_derive_no_score_have_nothing_to_explain(tmp_path: Path) -> None:
    write_copy(tmp_path, "kingdom_builder/score.lp", "#defined score/3.\n")

    ran = run("explain", EXAMPLE, "--rules", tmp_path)

    assert (ran.status, ran.out) == (0, "")
    assert "note: nothing to explain: the rules derive no score\n" in ran.err


def test_the_cards_to_explain_may_come_one_by_one() -> None:
    rules = load_rules()
    board = parse_board(SMALL)

    found = explain(board, rules, cards=iter(("fishermen", "merchants")))

    assert {explanation.card.name for explanation in found} == {"fishermen", "merchants"}
