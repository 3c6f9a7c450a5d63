"""``kb-score report``: the page of scores, read back as its script reads it."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from kb_score import parse_board
from tests.helpers import EXAMPLE, EXAMPLE_GOLD, SMALL, add_rules, draw, run

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&\u202e"


def read_page(page: str) -> Any:
    """Unpack what a page shows."""
    (packed,) = re.findall(r'<script type="text/plain" id="data">([^<]*)</script>', page)
    return json.loads(zlib.decompress(b64decode(packed)))


def report(folder: Path, *words: object) -> Any:
    """Make a page, and unpack it."""
    path = folder / "page.html"
    ran = run("report", *words, "-o", path)
    assert (ran.status, ran.out) == (0, "")
    return read_page(path.read_text())


def symbols(board: Any) -> tuple[str, ...]:
    """Read the rows of a board back out of its picture."""
    found = [board["looks"][number - 1]["symbol"] for number in board["cells"]]
    columns = board["columns"]
    return tuple("".join(found[i : i + columns]) for i in range(0, len(found), columns))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.txt"
    path.write_text(SMALL)
    return path


def test_a_page_shows_the_figures_of_the_example(tmp_path: Path) -> None:
    (board,) = report(tmp_path, EXAMPLE)["boards"]

    assert (board["name"], board["players"]) == (EXAMPLE.name, [1, 2, 3, 4])
    assert {card: tuple(board["gold"][card]) for card in EXAMPLE_GOLD} == EXAMPLE_GOLD
    assert (board["total"], board["winners"], board["findings"]) == (None, None, [])


def test_each_figure_of_a_page_has_the_evidence_that_explain_gives(tmp_path: Path) -> None:
    (board,) = report(tmp_path, EXAMPLE)["boards"]
    explained = run("explain", EXAMPLE, "--format", "json").json

    assert len(explained) == 11 * 4
    for each in explained:
        shown = board["evidence"][each["card"]][each["player"] - 1]
        assert [{key: piece[key] for key in ("why", "gold", "hexes")} for piece in shown] == each[
            "evidence"
        ]
        assert sum(piece["gold"] for piece in shown) == each["gold"]
    spans = {piece["why"]: piece["span"] for all_ in board["evidence"]["lords"] for piece in all_}
    assert spans["quadrant 4"] == [10, 10, 19, 19]
    (row,) = board["evidence"]["knights"][3]
    assert (row["why"], row["span"]) == ("row 0", [0, 0, 0, 19])


def test_the_picture_of_a_page_shows_the_board(tmp_path: Path) -> None:
    (board,) = report(tmp_path, EXAMPLE)["boards"]

    assert symbols(board) == parse_board(EXAMPLE.read_text()).rows


def test_chosen_cards_have_texts_a_total_and_a_winner(tmp_path: Path) -> None:
    data = report(tmp_path, EXAMPLE, "--cards", "7,1,3")

    (board,) = data["boards"]
    # The worked example of the rules: cards 1, 3 and 7 give 52, 46, 43 and 62.
    assert (board["total"], board["winners"]) == ([52, 46, 43, 62], [4])
    assert list(board["gold"]) == ["castles", "discoverers", "fishermen", "hermits"]
    assert set(board["evidence"]) == set(board["gold"])
    assert [(c["number"], c["name"], c["text"]) for c in data["cards"]][1::2] == [
        (1, "discoverers", "1 gold for each row that holds one of your settlements"),
        (7, "hermits", "1 gold for each connected group of your settlements"),
    ]


def test_players_with_the_same_total_tie(tmp_path: Path) -> None:
    path = tmp_path / "tie.txt"
    path.write_text(draw({(0, 0): "1", (2, 2): "2", (3, 0): "3", (0, 3): "3"}))

    (board,) = report(tmp_path, path, "--cards", "hermits")["boards"]
    (tied,) = report(tmp_path, path, "--cards", "miners")["boards"]

    assert (board["total"], board["winners"]) == ([1, 1, 2], [3])
    assert (tied["total"], tied["winners"]) == ([0, 0, 0], [1, 2, 3])


def test_findings_are_shown_in_the_page_and_as_warnings(small: Path) -> None:
    ran = run("report", small)

    (board,) = read_page(ran.out)["boards"]
    assert ["unofficial-size", "2 rows of 4 hexes, but the official board has 20 of 20"] in board[
        "findings"
    ]
    assert f"{small}: warning: unofficial-size: 2 rows of 4 hexes" in ran.err
    assert ran.status == 0


def test_too_many_settlements_are_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text(draw({(r, c): "2" for r in range(6) for c in range(7)}, height=8, width=8))

    (board,) = report(tmp_path, path)["boards"]

    allowed = "player 2 has 42 settlements, but at most 40 are allowed"
    assert ["too-many-settlements", allowed] in board["findings"]


def test_many_findings_of_a_board_are_summed_up_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "towns.txt"
    path.write_text((". T " * 5 + "\n") * 6)

    ran = run("report", path)

    (board,) = read_page(ran.out)["boards"]
    crowded = sum(code == "crowded-locations" for code, _ in board["findings"])
    assert crowded > 20
    *some, last = ran.err.splitlines()
    assert sum("crowded-locations" in line for line in some) == 10
    assert last.endswith(f": warning: crowded-locations: {crowded - 10} more")


def test_boards_with_the_same_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "game.txt").write_text(SMALL)

    boards = report(tmp_path, tmp_path / "a", tmp_path / "b")["boards"]

    paths = [f"{tmp_path}/{folder}/game.txt" for folder in ("a", "b")]
    assert [board["name"] for board in boards] == paths


def test_boards_of_a_folder_have_a_picture_each(small: Path, tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text(f"{SMALL}\n{draw({(0, 0): '3'})}")

    boards = report(tmp_path, tmp_path)["boards"]

    names = [small.name, "two.txt#1", "two.txt#2"]
    assert [board["name"] for board in boards] == names
    assert [board["players"] for board in boards] == [[1, 2], [1, 2], [3]]
    assert [(board["rows"], board["columns"]) for board in boards] == [(2, 4), (2, 4), (4, 4)]


def test_the_number_of_players_holds_for_a_page(small: Path, tmp_path: Path) -> None:
    (board,) = report(tmp_path, small, "--players", "3")["boards"]

    assert board["players"] == [1, 2, 3]
    assert [len(evidence) for evidence in board["evidence"].values()] == [3] * 11


def test_a_bad_board_does_not_lose_the_others(small: Path, tmp_path: Path) -> None:
    bad, page = tmp_path / "bad.txt", tmp_path / "page.html"
    bad.write_text(SMALL.replace("2", "x"))

    ran = run("report", bad, small, tmp_path / "none.txt", small, "-o", page)

    assert ran.status == 2
    assert f"{bad}:2:6: unexpected 'x'" in ran.err
    assert f"{tmp_path / 'none.txt'}: no such file" in ran.err
    assert [board["name"] for board in read_page(page.read_text())["boards"]] == [small.name] * 2


def test_text_of_files_and_rules_never_becomes_markup(tmp_path: Path) -> None:
    name = HOSTILE.replace("/", "\\")
    (tmp_path / f"{name}.txt").write_text(SMALL)
    text = HOSTILE.replace('"', "'")
    card = f'card(zz,12,"{text}"). gold(zz,P,"{text}",1) :- player(P).'

    ran = run("report", tmp_path, "--rules", add_rules(tmp_path, card), "--cards", "zz")

    shown = text.replace("\u202e", "\\u202e")
    assert ran.status == 0
    assert ran.out.count("alert(") == ran.out.count("&gt;alert(") + ran.out.count("onerror=alert(")
    assert "<img" not in ran.out
    assert "<script>alert" not in ran.out
    (board,) = read_page(ran.out)["boards"]
    assert board["name"].endswith(f"{name}.txt".replace("\u202e", "\\u202e"))
    assert [[piece["why"] for piece in pieces] for pieces in board["evidence"]["zz"]] == [
        [shown],
        [shown],
    ]


def test_a_page_needs_nothing_from_elsewhere() -> None:
    page = run("report", EXAMPLE).out

    assert not re.findall(r'(?:src|href)="(?!#|data:)', page)
    # These are the names of languages.
    assert set(re.findall(r"https?://[\w.]+", page)) == {"http://www.w3.org"}


@pytest.mark.slow
def test_a_page_of_twenty_large_boards_stays_small(tmp_path: Path) -> None:
    rows = [line.split() for line in EXAMPLE.read_text().splitlines()]
    for number in range(20):
        turned = [rows[(r + number) % 20] for r in range(20)]
        text = "".join(" " * (r % 2) + " ".join(row) + "\n" for r, row in enumerate(turned))
        (tmp_path / f"{number:02}.txt").write_text(text)
    page = tmp_path / "page.html"

    ran = run("report", tmp_path, "-o", page)

    assert ran.status == 0
    assert page.stat().st_size < 1_500_000
    assert len(read_page(page.read_text())["boards"]) == 20
