"""The examples in our rule files are true, and what rules name has some."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from kb_score.engine.changes import list_rule_files
from kb_score.engine.docs import read_rule_files
from kb_score.engine.rules import GameRules
from kb_score.lab.examples import find_examples, judge_examples
from kb_score.resources import list_rule_folders
from tests.helpers import ASP, ROOT, run

GAMES = sorted(list_rule_folders())
FOLDERS = ("cards", "tiles", "deeds", "queenies")


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_examples_are_true(game: str) -> None:
    examples = list(find_examples(game, list_rule_files(game)[0]))

    assert examples
    assert [(one.assertion, one.got) for one in judge_examples(examples, GameRules(game))] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_card_tile_and_deed_has_two_to_seven_examples(folder: str) -> None:
    paths = sorted((ASP / "kingdom_builder" / folder).glob("*.lp"))
    counts = Counter(example.path for example in find_examples("kingdom_builder", paths))

    assert {path.stem for path in paths if not 2 <= counts[path] <= 7} == set()


def test_each_ruling_and_each_code_has_an_example() -> None:
    texts = [
        text
        for path in ASP.rglob("*.lp")
        for text in re.findall(r"%\*! Example.*?\*%", path.read_text(), re.S)
    ]
    said, page = "\n".join(texts), (ROOT / "docs" / "file-formats.md").read_text()
    files = read_rule_files(ASP.rglob("*.lp"))
    rulings = {ruling.name for file in files for ruling in file.rulings}
    codes = {
        code
        for row in re.findall(r"^\| [a-z-]+,? .*\| (`.*`) \|$", page.partition("## Codes")[2], re.M)
        for code in re.findall(r"`([a-z-]+)`", row)
    }

    # A map that these refuse is no input, of which an example could say something.
    rulings -= {"largest_side", "largest_cast"}
    assert {name for name in rulings if not re.search(rf"with .*\b{name} = ", said)} == set()
    assert codes
    assert {code for code in codes if not re.search(rf": .*\b{code}\b", said)} == set()


CARD = 'card(mine, 11, "1 gold").\ngold(mine,P,hex(R,C),1) :- settlement(P,R,C).\n\n'


@pytest.mark.parametrize(
    ("example", "place", "message"),
    [
        ("Example: t\nM 1\n X 1\nplayer 1: 1", "6:2", "unexpected 'X'"),
        ("Example: t\nM 1\nplayer 2: 1", "6:1", "there is no 'player 2' here"),
        ("Example: t\nM 1\nminors: 1", "6:1", "did you mean miners?"),
        (
            "Example: t\nM 1\nwith miners_on_hill = 1\nmine: 1",
            "6:1",
            "there is no ruling or option",
        ),
        ("Example: t\nM 1\nwith most_walls = x\nmine: 1", "6:1", "most_walls must be a number"),
        ("Example: t\nG 1\nwith player = 1, card = hay\nlegal: 0,0", "6:1", "there is no 'hay'"),
        ("Example: t\nG 1\nwith player = 1, card = grass\nmove up: legal", "7:1", "no tile"),
        ("Example: t\nM 1", "4:1", "what follows from it"),
        ("Example: t\nmine: 1", "4:1", "what follows from it"),
        ("Example:\nM 1\nmine: 1", "4:1", "must begin with what it shows"),
        ("example: t\nM 1\nmine: 1", "4:1", "looks like an example"),
        ("Example: t\nM 1\nplayer 2: 1", "6:1", "players without settlements are not scored"),
    ],
)
def test_what_is_wrong_with_an_example_is_told_with_its_place(
    tmp_path: Path, example: str, place: str, message: str
) -> None:
    (tmp_path / "mine.lp").write_text(f"{CARD}%*! {example} *%\n")

    ran = run("rules", "test", str(tmp_path))

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"{tmp_path}/mine.lp:{place}: ")
    assert message in ran.err.partition("\n")[0]


def test_what_is_wrong_with_one_example_hides_no_other(tmp_path: Path) -> None:
    bad = "%*! Example: t\nX 1\nmine: 1 *%\n\n%*! Example: t\nM 1 *%\n\n"
    fine = "%*! Example: t\nM 1\nmine: 2 *%\n\n%*! Example: u\nM 1\nplayer 1: 1 *%\n"
    (tmp_path / "mine.lp").write_text(f"{CARD}{bad}{fine}")

    # Without a name, of ours those are run that name the card: there are none.
    ran = run("rules", "test", "--rules", tmp_path, "--format", "json")

    (line,) = ran.json
    assert (ran.status, line["examples"], line["failed"]) == (2, 2, 1)
    assert ("unexpected 'X'" in ran.err, "what follows from it" in ran.err) == (True, True)


def test_in_a_file_without_a_card_the_card_has_to_be_named(tmp_path: Path) -> None:
    (tmp_path / "more.lp").write_text("%*! Example: t\nM 1\nplayer 1: 1 *%\n")

    assert "the file declares no card" in run("rules", "test", str(tmp_path)).err


@pytest.mark.slow
def test_the_command_prints_a_line_a_file_and_what_fails(tmp_path: Path) -> None:
    rules = tmp_path / "mine.lp"
    rules.write_text(f"{CARD}%*! Example: one and two\nM 1 2 2\nplayer 1: 1\nmine: 1 3 *%\n")

    ran = run("rules", "test", str(rules), "--format", "json")
    shown = run(
        "rules", "test", "miners", "--rules", str(tmp_path), "--const", "miners_on_mountain=1"
    )

    assert (ran.status, ran.json) == (
        1,
        [{"game": "kingdom-builder", "file": str(rules), "examples": 1, "failed": 1}],
    )
    assert run("rules", "test", "capitol").err == ""  # that there is but one is no mistake here
    assert "0  M   1  [2] [2]" in run("rules", "test", str(rules)).out
    assert shown.status == 1
