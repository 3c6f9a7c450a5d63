"""``kb-score score`` from the outside: what goes in, what comes out, with which status."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

import kb_score
from kb_score import Board, KbScoreError, Scores, load_rules, parse_board
from kb_score.games.kingdom_builder.scoring import Scorer, score_boards
from kb_score.shell.pool import Workers
from tests.helpers import (
    CARDS,
    CLAIMS,
    EXAMPLE,
    EXAMPLE_GOLD,
    SMALL,
    SMALL_GOLD,
    Hex,
    draw,
    run,
    run_process,
)
from tests.oracles import kingdom_builder as oracle

# A board of official size with one town and two castles in each quadrant, none near another.
LAWFUL: dict[Hex, str] = {
    (top + row, left + column): symbol
    for top in (0, 10)
    for left in (0, 10)
    for row, column, symbol in ((1, 1, "T"), (1, 5, "C"), (5, 1, "C"))
}
FORTY: dict[Hex, str] = {(row, column): "1" for row in (3, 8) for column in range(20)}

# The challenge's figures with 3 gold more for player 3 wherever card 4 counts: 11 miners, not 8.
MINED = {(1, 4, 7): 44, (1, 4, 8): 46, (2, 4, 7): 60, (2, 4, 8): 62}


def claimed_games() -> dict[tuple[int, ...], list[int]]:
    rows = [list(map(int, line.split())) for line in CLAIMS.read_text().splitlines()[1:]]
    return {tuple(row[:3]): row[3:] for row in rows}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.txt"
    path.write_text(SMALL)
    return path


def lawful(tmp_path: Path, changes: dict[Hex, str], *, width: int = 20) -> Path:
    path = tmp_path / "lawful.txt"
    path.write_text(draw(LAWFUL | changes, height=20, width=width))
    return path


def test_the_example_in_json_has_every_key_and_the_gold_of_the_rules() -> None:
    ran = run_process("score", EXAMPLE, "--format", "json")

    gold = oracle.score(oracle.parse(EXAMPLE.read_text()))
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.count("\n") == 1
    assert json.loads(ran.out) == {
        "board": str(EXAMPLE),
        "players": [1, 2, 3, 4],
        "gold": {card: list(EXAMPLE_GOLD.get(card, gold[card])) for card in CARDS},
        "cards": None,
        "total": None,
        "combinations": None,
        "violations": [],
    }
    assert list(json.loads(ran.out)["gold"]) == list(CARDS)


def test_the_table_has_cards_down_players_across_and_castles_first(small: Path) -> None:
    ran = run("score", small)

    lines = ran.out.splitlines()
    assert ran.status == 0
    assert lines[0] == str(small)
    assert lines[2].split("  ")[0] == "card"
    assert lines[2].split("card")[1].split() == ["player", "1", "player", "2"]
    assert set(lines[3]) == {"-"}
    cells = [line.split() for line in lines[4:]]
    assert [row[0] for row in cells] == list(CARDS)
    assert {row[0]: tuple(map(int, row[1:])) for row in cells} == SMALL_GOLD


def test_markdown_is_a_table_with_numbers_flush_right(small: Path) -> None:
    ran = run("score", small, "--cards", "1,3,7", "--format", "markdown")

    assert ran.out.splitlines() == [
        f"**{small}**",
        "",
        "| card | player 1 | player 2 |",
        "| --- | ---: | ---: |",
        "| castles | 0 | 0 |",
        "| discoverers | 2 | 1 |",
        "| fishermen | 2 | 0 |",
        "| hermits | 2 | 1 |",
        "| total | 6 | 2 |",
        "",
        "player 1 wins with 6 gold",
    ]


def test_csv_has_one_heading_and_a_row_for_each_board_card_and_player(small: Path) -> None:
    ran = run("score", small, small, "--format", "csv")

    assert ran.out.splitlines()[0] == "board,card,player,gold"
    expected = [
        {"board": str(small), "card": card, "player": str(player), "gold": str(gold)}
        for card, paid in SMALL_GOLD.items()
        for player, gold in enumerate(paid, start=1)
    ]
    assert ran.csv == expected * 2


def test_totals_and_games_are_rows_of_the_csv(small: Path) -> None:
    ran = run("score", small, "--cards", "1", "--combinations", "--format", "csv")

    assert {(r["cards"], r["player"], r["gold"]) for r in ran.csv} >= {
        ("total", "1", "2"),
        ("total", "2", "1"),
        ("1 3 7", "1", "6"),
        ("1 3 7", "2", "2"),
    }


@pytest.mark.parametrize(
    "cards",
    [
        pytest.param("1,3,7", id="numbers"),
        pytest.param("discoverers,fishermen,hermits", id="names"),
        pytest.param(" hermits , 3,discoverers", id="mixed-and-spaced"),
        pytest.param("castles,7,1,3", id="castles-pay-anyway"),
    ],
)
def test_chosen_cards_are_shown_in_order_of_number_with_their_total(cards: str) -> None:
    (scores,) = run("score", EXAMPLE, "--cards", cards, "--format", "json").json

    assert scores["cards"] == ["discoverers", "fishermen", "hermits"]
    assert list(scores["gold"]) == ["castles", "discoverers", "fishermen", "hermits"]
    assert scores["total"] == [52, 46, 43, 62]


def test_a_table_of_chosen_cards_ends_with_their_total_below_a_line() -> None:
    lines = run("score", EXAMPLE, "--cards", "1,3,7").out.splitlines()

    assert set(lines[-4]) == {"-"}
    assert lines[-3].split() == ["total", "52", "46", "43", "62"]


def test_combinations_are_the_claims_but_for_the_miners_of_player_3() -> None:
    (scores,) = run("score", EXAMPLE, "--combinations", "--format", "json").json

    games = {tuple(game["cards"]): game["total"] for game in scores["combinations"]}
    expected = claimed_games()
    for game, total in MINED.items():
        assert expected[game][2] == total - 3
        expected[game][2] = total
    assert len(scores["combinations"]) == 16
    assert list(games) == sorted(games)
    assert games == expected
    assert scores["total"] is None
    assert set(scores["gold"]) == set(CARDS)


def test_combinations_are_a_second_table_for_people() -> None:
    lines = run("score", EXAMPLE, "--combinations").out.splitlines()

    rows = [tuple(map(int, line.split())) for line in lines if line[:2] in ("1 ", "2 ")]
    assert len(rows) == 16
    assert {row[:3]: row[5] for row in rows}.items() >= MINED.items()


def test_players_without_settlements_are_listed_where_their_number_is_given(small: Path) -> None:
    (scores,) = run("score", small, "--players", "4", "--format", "json").json

    assert scores["players"] == [1, 2, 3, 4]
    assert scores["gold"]["discoverers"] == [2, 1, 0, 0]
    assert {"code": "no-settlement", "detail": "player 3 has no settlement"} in scores["violations"]


def test_a_board_without_settlements_has_all_cards_and_no_players(tmp_path: Path) -> None:
    path = tmp_path / "bare.txt"
    path.write_text(". .\n . .\n")

    ran = run("score", path, "--format", "json")

    assert ran.status == 0
    assert ran.json[0]["players"] == []
    assert ran.json[0]["gold"] == {card: [] for card in CARDS}


@pytest.mark.slow
def test_two_processes_give_the_same_output_in_the_same_order(tmp_path: Path) -> None:
    boards = [draw({(0, 0): "1", (1, n % 8): "2"}, width=8) for n in range(70)]
    boards[40] = ". x\n . .\n"
    path = tmp_path / "many.txt"
    path.write_text("\n".join(boards))

    one = run_process("score", path, EXAMPLE, "--jobs", "1", "--format", "json")
    two = run_process("score", path, EXAMPLE, "--jobs", "2", "--format", "json")

    assert (one.status, two.status) == (2, 2)
    assert one.out == two.out
    assert [json.loads(line)["board"] for line in two.out.splitlines()] == [
        *(f"{path}#{n}" for n in range(1, 71) if n != 41),
        str(EXAMPLE),
    ]
    assert sorted(one.err.splitlines()) == sorted(two.err.splitlines())


def test_a_dash_is_standard_input() -> None:
    given = EXAMPLE.read_bytes()

    inside = run("score", "-", "--cards", "1,3,7", "--format", "json", given=given)
    outside = run_process("score", "-", "--cards", "1,3,7", "--format", "json", given=given)

    assert inside.json[0]["total"] == [52, 46, 43, 62]
    assert (outside.status, outside.out) == (0, inside.out)
    assert inside.json[0]["board"] == "-"


def test_a_folder_is_all_its_text_files_in_order_of_name(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.md"):
        (tmp_path / name).write_text(SMALL)
    (tmp_path / "below.txt").mkdir()

    ran = run("score", tmp_path, "--format", "json")

    assert ran.status == 0
    assert [row["board"] for row in ran.json] == [str(tmp_path / n) for n in ("a.txt", "b.txt")]


def test_several_boards_in_a_file_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "three.txt"
    path.write_text(f"% first\n{SMALL}\n\n{draw({(0, 0): '3'})} \t\n{SMALL}")

    ran = run("score", path, "--format", "json")

    assert [row["board"] for row in ran.json] == [f"{path}#{n}" for n in (1, 2, 3)]
    assert [row["players"] for row in ran.json] == [[1, 2], [3], [1, 2]]


def test_a_bad_board_among_good_ones_keeps_the_good_ones(tmp_path: Path) -> None:
    path = tmp_path / "mixed.txt"
    path.write_text(f"{SMALL}\n1 W . .\n . 1 ? .\n\n{SMALL}\n. . .\n . . .\n")
    missing = tmp_path / "missing.txt"

    ran = run("score", missing, path, EXAMPLE, "--format", "json")

    assert ran.status == 2
    assert [row["board"] for row in ran.json] == [f"{path}#1", f"{path}#3", str(EXAMPLE)]
    assert f"{missing}: no such file or directory" in ran.err
    assert f"{path}:5:6: unexpected '?'" in ran.err
    assert f"{path}#4: 2 rows of 3 hexes cannot be halved" in ran.err


VIOLATIONS = [
    pytest.param(
        FORTY | {(9, 0): "1"},
        ("too-many-settlements", "player 1 has 41 settlements, at most 40 are allowed"),
        id="too-many-settlements",
    ),
    pytest.param(
        {(1, 5): "."},
        (
            "quadrant-locations",
            "quadrant 1 has 1 towns and 1 castles, not one and two or two and one",
        ),
        id="quadrant-locations",
    ),
    pytest.param(
        {(1, 5): ".", (1, 3): "C"},
        ("crowded-locations", "row 1 column 2 has two towns or castles beside it"),
        id="crowded-locations",
    ),
]


@pytest.mark.parametrize(("changes", "violation"), VIOLATIONS)
def test_a_violation_is_told_and_scored_all_the_same(
    tmp_path: Path, changes: dict[Hex, str], violation: tuple[str, str]
) -> None:
    path = lawful(tmp_path, {(3, 0): "1"} | changes)

    ran = run("score", path, "--format", "json")

    code, detail = violation
    assert ran.status == 0
    assert ran.json[0]["violations"] == [{"code": code, "detail": detail}]
    assert ran.err == f"{path}: warning: {code}: {detail}\n"


def test_another_size_and_a_missing_player_are_told_and_scored(tmp_path: Path) -> None:
    path = lawful(tmp_path, {(3, 0): "1"}, width=18)

    ran = run("score", path, "--players", "2", "--format", "json")

    # Half of 18 columns is 9, so the locations in column 10 and beyond are still in the east.
    assert ran.status == 0
    assert [v["code"] for v in ran.json[0]["violations"]] == ["no-settlement", "unofficial-size"]
    assert "player 2 has no settlement" in ran.err
    assert "20 rows of 18 hexes" in ran.err


def test_a_lawful_board_gets_no_warning(tmp_path: Path) -> None:
    ran = run("score", lawful(tmp_path, FORTY), "--format", "json")

    assert (ran.status, ran.err, ran.json[0]["violations"]) == (0, "", [])


@pytest.mark.parametrize(
    ("constant", "card", "gold"),
    [
        # North-west both players have 1 settlement, north-east only player 1, south nobody.
        pytest.param("lords_need_settlement=1", "lords", [24, 12], id="lords-with-a-settlement"),
        pytest.param("lords_need_settlement=0", "lords", [48, 42], id="lords-default"),
        pytest.param("merchants_need_settlement=1", "merchants", [0, 0], id="merchants-default"),
        pytest.param("merchants_need_settlement=0", "merchants", [8, 8], id="merchants-touching"),
    ],
)
def test_a_constant_decides_a_ruling(
    tmp_path: Path, constant: str, card: str, gold: list[int]
) -> None:
    path = tmp_path / "ruled.txt"
    path.write_text("12.1\n....\n..TC\n....\n")

    (scores,) = run("score", path, "--const", constant, "--format", "json").json

    assert scores["gold"][card] == gold


def test_help_names_every_verb_and_option() -> None:
    assert {"score", "explain", "check", "facts", "rules"} <= set(run("--help").out.split())
    words = run("score", "--help").out
    for option in ("--cards", "--combinations", "--players", "--jobs", "--format", "--rules"):
        assert option in words
    assert run("--version").out.startswith("kb-score, version ")


class Victim(Scorer):
    def score_together(self, boards: Sequence[Board]) -> list[Scores | KbScoreError]:
        if any(board.name == "killer" for board in boards):
            os._exit(9)
        return super().score_together(boards)


@pytest.mark.slow
def test_a_board_that_kills_its_worker_is_reported_and_all_others_are_scored() -> None:
    names = [str(number) for number in range(60)]
    names[20] = names[45] = "killer"
    boards = [parse_board(SMALL, name=name) for name in names]

    with Workers(2) as workers:
        found = list(score_boards(boards, Victim(load_rules()), workers))

    assert [f.board for f in found if isinstance(f, Scores)] == [n for n in names if n != "killer"]
    assert [str(f) for f in found if isinstance(f, KbScoreError)] == [
        "killer: it has no scores: the process at work on it was killed"
    ] * 2


@pytest.mark.parametrize("cards", ["1,1,3", "discoverers,1", "LORDS,Lords"])
@pytest.mark.parametrize("verb", ["score", "explain", "report", "advise"])
def test_a_card_that_is_named_twice_is_refused(verb: str, cards: str) -> None:
    more = ("--player", "1") if verb == "advise" else ()

    ran = run(verb, EXAMPLE, "--cards", cards, *more)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.endswith(" is named twice\n")
    with pytest.raises(KbScoreError, match="is named twice"):
        kb_score.score(EXAMPLE.read_text(), cards=cards.split(","))
