"""The rules of the published game in plain clingo, and with tiles and cards of a user."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import ASP, ROOT, add_rules, run, write_copy
from tests.oracles.kingdom_builder_game_examples import EXAMPLE

VIOLATION = re.compile(r'violation\((\d+),"([a-z-]+)",("?)(\w*)\3,')
RULES = ASP / "kingdom_builder"
NOMADS = ROOT / "boards" / "kingdom_builder" / "games" / "nomads.txt"
# What a game is checked with, and cards of both sorts.
SLUICE = """\
%*! Sluice: build one on canyon beside water. *%
tile(sluice, build, 1, "build 1 on canyon beside water").
ground(sluice, canyon).
shaped(sluice).
shape(sluice,none,H,T) :-
    explored(sluice,none,T), next_to(H,H1), made_of(H,canyon), made_of(H1,water).
"""
HELD = "kingdom_builder/rules/held.lp"
FARMS_GIVE_ONE = "yields(L,sluice) :- yields(L,farm).\n"


def write(folder: Path, text: str) -> Path:
    path = folder / "file.txt"
    path.write_text(text)
    return path


def ask_clingo(program: str, *files: Path) -> str:
    """Run plain clingo, which has nothing to say against the program; give its only answer set."""
    done = subprocess.run(
        [sys.executable, "-m", "clingo", "-", *map(str, files), "0"],
        input=program,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert sum(line.startswith("Answer:") for line in lines) == 1
    return lines[next(i for i, line in enumerate(lines) if line.startswith("Answer:")) + 1]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(EXAMPLE, id="example"),
        pytest.param(EXAMPLE.replace("farm 6,12", "farm 0,0"), id="not-adjacent"),
        pytest.param(EXAMPLE.replace("farm@5,12", "farm@1,17"), id="note-wrong"),
        pytest.param(EXAMPLE + "gold 9 9\n", id="not-finished"),
        pytest.param(EXAMPLE.replace("farm 6,12", "farm 6,12; farm 6,11"), id="tile-used"),
        pytest.param(re.sub("(?m)^gold .*", "gold 1 1 1 1", NOMADS.read_text()), id="wrong-result"),
    ],
)
def test_plain_clingo_shows_the_same_violations_and_gold(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    (verdict,) = run("check", "kingdom-builder", path, "--format", "json").json

    program = run("facts", "--program", path)
    answer = ask_clingo(program.out)

    turn_of = dict(re.findall(r"\bturn_of\((\d+),(\d+)\)", answer))
    found = {(int(turn_of[t]), code, who) for t, code, _, who in VIOLATION.findall(answer)}
    assert found == {(v["turn"], v["code"], str(v["who"])) for v in verdict["violations"]}
    totals = dict(re.findall(r"\btotal\((\d),(\d+)\)", answer))
    assert [int(totals[str(p + 1)]) for p in range(len(totals))] == verdict["result"]["gold"]
    assert f"result(turns,{verdict['result']['turns']})" in answer


@pytest.mark.parametrize(
    ("place", "violations"),
    [
        pytest.param("4,10", [], id="beside-water"),
        pytest.param("0,10", [(3, "wrong-terrain")], id="desert"),
        pytest.param("2,17", [(3, "not-a-target")], id="inland"),
    ],
)
def test_a_tile_of_the_user_lies_where_his_rules_put_it(
    tmp_path: Path, place: str, violations: list[tuple[int, str]]
) -> None:
    game = EXAMPLE.replace("+farm@5,12", "+farm@5,12 +sluice@5,12")
    lines = game.replace("farm 6,12", f"farm 6,12; sluice {place}").splitlines(keepends=True)
    path = write(tmp_path, "".join(lines[:-1]))
    rules = add_rules(tmp_path, SLUICE)
    write_copy(rules, HELD, (ASP / HELD).read_text() + FARMS_GIVE_ONE)

    ran = run("check", "kingdom-builder", path, "--rules", rules, "--format", "json")
    without = run("check", "kingdom-builder", path)

    assert [(v["turn"], v["code"]) for v in ran.json[0]["violations"]] == violations
    assert ran.status == (1 if violations else 0)
    assert without.status == 2
    assert f"{path}:5:37: there is no tile 'sluice'" in without.err


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern",
    ["rules/turn.lp", "rules/held.lp", "rules/judge.lp", "tiles/*.lp", "deeds/*.lp", "**/*.lp"],
)
def test_copies_of_the_rules_as_they_are_change_nothing(tmp_path: Path, pattern: str) -> None:
    path, copies = write(tmp_path, EXAMPLE), tmp_path / "copies"
    for file in RULES.glob(pattern):
        write_copy(copies, str(file.relative_to(ASP)), file.read_text())

    for words in (("check", "kingdom-builder", path), ("legal", path, "--card", "grass")):
        ran = run(*words, "--rules", copies, "--format", "json")
        assert (ran.status, ran.err) == (0, "")
        assert ran.out == run(*words, "--format", "json").out


@pytest.mark.parametrize("name", ["base", "nomads"])
def test_twins_of_a_whole_game_are_told_apart_by_grounding_alone(name: str) -> None:
    game = ROOT / "boards" / "kingdom_builder" / "games" / f"{name}.txt"

    ran = run("check", "kingdom-builder", game, "--const", "twin_tile=exact", "--limit-seconds", 5)

    assert ran.status in (0, 1), ran.err
