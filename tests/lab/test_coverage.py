"""Which rules and conditions boards, records and examples have used: what is told, and our own."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import ASP, EXAMPLE, ROOT, draw, run

# The mistake is that two names of a hex may be one hex, which the example of one water hex shows.
FERRYMEN = """
card(ferrymen, 11, "2 gold for each of your settlements beside two or more water hexes").
gold(ferrymen, P, hex(R,C), 2) :-
    settlement(P,R,C), beside(R,C,water), near(R,C,R1,C1), near(R,C,R2,C2),
    terrain(water,R1,C1), terrain(water,R2,C2), (R1,C1) < (R2,C2).
gold(ferrymen, P, cave, 1) :- settlement(P,_,_), quarry(_,_).
#defined quarry/2.

%*! Example: two water hexes pay
W 1 W
player 1: 2 *%
"""
ONE = """
%*! Example: one water hex is not enough
W 1 .
player 1: 0 *%
"""
FAR = """
%*! Example: water further on does not count
W . 1 W
player 1: 0 *%
"""


def measure(folder: Path, *files: object, **card: str) -> dict[str, Any]:
    """Write a card, and tell what is said of its file."""
    for name, text in card.items():
        (folder / f"{name}.lp").write_text(text)
    found = run("rules", "coverage", *files, "--rules", folder, "--format", "json")
    lines: dict[str, dict[str, Any]] = {line["file"]: line for line in found.json}
    return lines[str(folder / "ferrymen.lp")]


def list_never(line: dict[str, Any]) -> set[str]:
    return {one["text"] for one in line["never"]}


@pytest.mark.slow
def test_a_condition_is_used_once_it_alone_is_false(tmp_path: Path) -> None:
    unused, order = (
        "gold(ferrymen, P, cave, 1) :- settlement(P,_,_), quarry(_,_).",
        "(R1,C1) < (R2,C2)",
    )
    line = measure(tmp_path, ferrymen=FERRYMEN)
    assert [line[key] for key in ("rules", "used")] == [3, 2]
    assert {unused, order, "near(R,C,R1,C1)", "beside(R,C,water)"} <= list_never(line)
    assert "settlement(P,R,C)" not in list_never(line)  # without it P has no value
    # What is beside water has a water hex beside it: that condition can never decide.
    never = list_never(measure(tmp_path, ferrymen=FERRYMEN + ONE))
    assert {unused, "beside(R,C,water)"} <= never
    assert order not in never
    assert "near(R,C,R1,C1)" not in list_never(measure(tmp_path, ferrymen=FERRYMEN + FAR))


def test_a_board_uses_rules(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text(draw({(0, 0): "1", (3, 3): "W"}))
    (tmp_path / "cards").mkdir()
    line = measure(tmp_path / "cards", board, ferrymen=FERRYMEN)
    # There is a settlement, and no quarry: that condition alone is false.
    assert [line[key] for key in ("rules", "used", "decided")] == [3, 1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("is_folder", [False, True])
def test_records_go_with_their_maps_and_a_broken_file_loses_no_other(
    tmp_path: Path, is_folder: bool
) -> None:
    files = [ROOT / f"boards/rabbits/small{s}" for s in (".map", ".session", ".log")]
    for file in files:
        shutil.copy(file, tmp_path)
    # Of a folder is left out what has no map.
    shutil.copy(files[1], tmp_path / "other.session")
    given = [tmp_path] if is_folder else files[:2]
    found = run("rules", "coverage", *given, "nowhere", "--format", "json")
    assert found.status == 2
    assert found.err == "nowhere: no such file or directory\n"
    lines = {line["file"]: line for line in found.json}
    assert lines["rules/rules.lp"]["used"] > 40
    assert not is_folder or lines["record/run_log.lp"]["used"] > 15


def test_coverage_takes_the_arguments_of_test(tmp_path: Path) -> None:
    game = tmp_path / "mine"
    run("new", "game", game)
    (tmp_path / "card").mkdir()
    path = tmp_path / "card" / "mine.lp"
    path.write_text('card(mine, 11, "1").\ngold(mine, P, all, 1) :- player(P).\n')

    for word in (tmp_path / "card", path):
        ran = run("rules", "coverage", word, EXAMPLE, "--format", "json")
        assert [line["file"] for line in ran.json] == [str(path)]
    for words in (("lords",), ("mine", "--game-dir", game), (game,)):
        covered = run("rules", "coverage", *words, "--format", "json")
        tested = run("rules", "test", *words, "--format", "json")
        assert covered.status == tested.status == 0
        assert {line["file"] for line in covered.json} >= {line["file"] for line in tested.json}
        assert len({line["game"] for line in covered.json}) == 1
    assert [line["file"] for line in run("rules", "coverage", "lords", "-f", "json").json] == [
        "cards/lords.lp"
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("--game", "slime"), ("--game", "search-party"), ("--game", "rabbits"), ("--rules",)]
)
def test_our_examples_use_our_rules(words: tuple[object, ...], tmp_path: Path) -> None:
    if words == ("--rules",):
        # Of Kingdom Builder the cards: all rules of the game take a minute.
        shutil.copytree(ASP / "kingdom_builder" / "cards", tmp_path / "cards")
        words = ("--rules", tmp_path)
    lines = run("rules", "coverage", *words, "--format", "json").json
    rules, used, conditions, decided = (
        sum(line[key] for line in lines) for key in ("rules", "used", "conditions", "decided")
    )
    assert 0 < rules == used
    assert decided >= 0.95 * conditions


@pytest.mark.parametrize("broken", ["board", "example"])
def test_where_nothing_can_be_read_no_page_is_written(broken: str, tmp_path: Path) -> None:
    rules, page = tmp_path / "rules", tmp_path / "page.html"
    rules.mkdir()
    card = 'card(mine, 30, "pay").\ngold(mine, P, hex(R,C), 1) :- settlement(P,R,C).\n'
    example = "%*! Example: broken\n1 x W\n\nplayer 1: 1 *%\n"
    (rules / "mine.lp").write_text(card + example if broken == "example" else card)
    (tmp_path / "board.txt").write_text("1 W .\n . 1\n")
    page.write_text("old")
    files = [tmp_path / "board.txt"] if broken == "board" else []

    ran = run("rules", "coverage", *files, "--rules", rules, "-o", page)

    assert (ran.status, ran.out) == (2, "")
    assert page.read_text() == "old"
