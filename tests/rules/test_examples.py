"""The examples in our rule files are true, and what rules name has some."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from kb_score.engine.docs import list_game_folders, read_rule_files
from kb_score.engine.rules import GameRules, list_rule_files
from kb_score.workbench.examples import find_examples, judge_examples
from tests.helpers import ASP, ROOT, run

GAMES = [folder.name for folder in list_game_folders()]
FOLDERS = ("cards", "tiles", "deeds", "queenies")


@pytest.mark.parametrize("game", GAMES)
def test_the_examples_are_true(game: str) -> None:
    examples = list(find_examples(game, list_rule_files(game)[0]))

    assert examples
    assert [(one.assertion, one.got) for one in judge_examples(examples, GameRules(game))] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_card_tile_and_deed_has_two_to_five_examples(folder: str) -> None:
    paths = sorted((ASP / "kingdom_builder" / folder).glob("*.lp"))
    counts = Counter(example.path for example in find_examples("kingdom_builder", paths))

    assert {path.stem for path in paths if not 2 <= counts[path] <= 5} == set()


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


def test_the_command_prints_a_line_a_file_and_what_fails(tmp_path: Path) -> None:
    rules = tmp_path / "mine.lp"
    card = 'card(mine, 11, "1 gold").\ngold(mine,P,hex(R,C),1) :- settlement(P,R,C).\n\n'
    rules.write_text(f"{card}%*! Example: one and two\nM 1 2 2\nplayer 1: 1\nmine: 1 3 *%\n")

    ran = run("rules", "test", str(rules), "--format", "json")
    shown = run(
        "rules", "test", "miners", "--rules", str(tmp_path), "--const", "miners_on_mountain=1"
    )

    assert (ran.status, ran.json) == (
        1,
        [{"game": "kingdom-builder", "file": str(rules), "examples": 1, "failed": 1}],
    )
    assert "0  M   1  [2] [2]" in run("rules", "test", str(rules)).out
    assert shown.status == 1
