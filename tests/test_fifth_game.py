"""A game is rules, a grammar and a folder of modules: proved by one that is put beside ours."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import ROOT, run

GAME = ROOT / "tests" / "fifth_game"
FOLDERS = ("asp", "parsers", "kb_score", "boards", "tests", "tools", "benchmarks", "docs")

# Tests that look at all games, and the game's own.
TESTS = (
    "tests/rules/test_rule_files.py",
    "tests/cli/test_rules.py",
    "tests/test_house.py",
    "tests/games/lights/test_lights.py",
)
# What holds for every game holds for it, too.
CONTRACT = tuple(f"tests/games/test_{verb}.py" for verb in ("check", "legal", "play", "rules"))


def call(checkout: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        timeout=200,
        check=False,
    )


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    leave = shutil.ignore_patterns("__pycache__", "fifth_game")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=leave)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(GAME, folder, dirs_exist_ok=True, ignore=leave)
    listed = call(folder, "kb_score", "rules", "list", "--game", "lights", "--format", "markdown")
    with (folder / "asp" / "README.md").open("a", encoding="utf-8") as readme:
        readme.write(f"\n## lights\n\n{listed.stdout}")
    return folder


def test_the_game_touches_nothing_but_what_a_game_is() -> None:
    files = {
        str(path.relative_to(GAME))
        for path in GAME.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert not [file for file in files if (ROOT / file).exists()]
    assert all(
        file.startswith("kb_score/games/lights/") for file in files if file.startswith("kb_score")
    )
    assert {file.split("/")[0] for file in files} == {
        "asp", "parsers", "kb_score", "boards", "tests"
    }  # fmt: skip


def test_the_game_is_small() -> None:
    paths = (GAME / "kb_score").rglob("*.py")

    assert sum(len(path.read_text().splitlines()) for path in paths) <= 140


def test_the_commands_know_the_game(checkout: Path) -> None:
    for verb in ("check", "play", "legal", "playouts", "bot", "draw", "replay", "playground"):
        assert "  lights " in call(checkout, "kb_score", verb, "--help").stdout
    assert "wrap_around" in call(checkout, "kb_score", "rules", "list", "rulings").stdout
    facts = call(checkout, "kb_score", "facts", "boards/lights/cross.txt")
    assert "starts_lit(0,1)." in facts.stdout


# A bot that presses the middle of the cross whenever a grid has ended.
BOT = 'while read -r l; do [ "$l" ] || echo press 1 1; done'


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["playouts", "lights", "CROSS", "--most-turns", "3"], "press"),
        (["play", "lights", "CROSS", "--watch", "--", "sh", "-c", BOT], "finished"),
        (["bot", "lights", "--", "sh", "-c", BOT], "4 of 4 cases fine"),
        (["draw", "lights", "SOLVED", "--turn", "1"], "<svg"),
        (["replay", "lights", "SOLVED"], "<html"),
        (["playground", "lights", "SOLVED"], "<html"),
    ],
    ids=lambda words: " ".join(words[:2]) if isinstance(words, list) else "",
)
def test_the_game_has_the_other_verbs(checkout: Path, words: list[str], shown: str) -> None:
    files = {"CROSS": "boards/lights/cross.txt", "SOLVED": "boards/lights/solved.txt"}

    ran = call(checkout, "kb_score", *(files.get(word, word) for word in words))

    assert shown in ran.stdout, ran.stderr


def write_contest(path: Path, grid: str) -> None:
    bots = {"bad": "echo hello; cat >/dev/null", "good": BOT}
    tables = (
        f'[[bot]]\nname = "{name}"\ncommand = """sh -c \'{bot}\'"""\n' for name, bot in bots.items()
    )
    path.write_text("\n".join(['game = "lights"', f'maps = ["{grid}"]', *tables]))


def test_the_game_has_contests(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "cross.txt").write_text((checkout / "boards/lights/cross.txt").read_text())
    path = tmp_path / "lights.toml"
    write_contest(path, "cross.txt")

    ran = call(checkout, "kb_score", "contest", path, "--format", "csv")

    assert ran.returncode == 0, ran.stderr
    places = [line.split(",")[:2] for line in ran.stdout.splitlines()[1:]]
    assert places == [["1", "good"], ["2", "bad"]]


OUTSIDE = [
    ("check lights boards/solved.txt", 0, "consistent with the rules"),
    ("check lights boards/wrong.txt --why --depth 1", 1, "at turn 2, wrong-grid: "),
    ("legal lights boards/wrong.txt --turn 1", 0, "press"),
    ("playouts lights boards/cross.txt --most-turns 3", 0, "press"),
    (f"play lights boards/cross.txt -- sh -c '{BOT}'", 0, "finished"),
    (f"bot lights -- sh -c '{BOT}'", 0, "4 of 4 cases fine"),
    ("draw lights boards/solved.txt --turn 1", 0, "<svg"),
    ("replay lights boards/solved.txt", 0, "<html"),
    ("playground lights boards/solved.txt", 0, "<html"),
    ("rules list rulings --game lights", 0, "wrap_around"),
    ("rules show reached --game lights", 0, "asp/lights/rules.lp"),
    ("facts boards/solved.txt", 0, "starts_lit(0,1)."),
    ("check --help", 0, "  lights "),
    ("contest lights.toml --jobs 2 --format csv", 0, "1,good,"),
    ("score example.txt --cards 1", 0, "discoverers"),
]


@pytest.mark.parametrize(("words", "status", "shown"), OUTSIDE, ids=lambda value: str(value)[:20])
def test_the_game_may_lie_outside_the_package(
    words: str, status: int, shown: str, tmp_path: Path
) -> None:
    leave = shutil.ignore_patterns("__pycache__", "tests")
    shutil.copytree(GAME, tmp_path / "games", ignore=leave)
    shutil.copytree(GAME / "boards" / "lights", tmp_path / "boards")
    shutil.copy(ROOT / "boards" / "kingdom_builder" / "example.txt", tmp_path)
    write_contest(tmp_path / "lights.toml", "boards/cross.txt")

    done = subprocess.run(
        [sys.executable, "-m", "kb_score", *shlex.split(words)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "KB_SCORE_GAMES": "games"},
        timeout=200,
        check=False,
    )

    assert done.returncode == status, done.stderr
    assert shown in done.stdout


def test_a_folder_without_games_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KB_SCORE_GAMES", str(tmp_path))

    ran = run("rules", "list", "cards")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"KB_SCORE_GAMES: there is no folder {tmp_path}/kb_score/games\n"


def test_a_violation_is_explained_by_the_rules_of_the_game(checkout: Path) -> None:
    record = "boards/lights/wrong.txt"
    ran = call(checkout, "kb_score", "check", "lights", record, "--why", "--depth", 1)

    assert ran.returncode == 1
    assert "The record breaks the rules at turn 2, wrong-grid: " in ran.stdout
    assert re.search(r"^├─ .* \[.*; \w+\.lp:[0-9]+\]$", ran.stdout, re.M)


def test_plain_clingo_checks_the_records_of_the_game(checkout: Path) -> None:
    program = call(checkout, "kb_score", "facts", "--program", "boards/lights/wrong.txt")
    clingo = [sys.executable, "-m", "clingo", "-"]
    done = subprocess.run(clingo, input=program.stdout, capture_output=True, text=True, check=False)

    assert done.stderr == ""
    assert 'violation(2,"wrong-grid"' in done.stdout


def test_the_cases_of_a_bot_are_what_the_page_about_them_shows(checkout: Path) -> None:
    (code,) = re.findall(
        r"^```python\n(.*?)^```$", (ROOT / "docs" / "bots_compliance.md").read_text(), re.M | re.S
    )
    module = checkout / "kb_score" / "games" / "lights" / "game.py"
    before = module.read_text()
    module.write_text(f"{before}\n\n{code}")

    ran = call(checkout, "kb_score", "bot", "lights", "--format", "csv", "--", "sh", "-c", BOT)
    bot = "while read -r l; do echo hello; done"
    wrong = call(checkout, "kb_score", "bot", "lights", "--format", "csv", "--", "sh", "-c", bot)

    module.write_text(before)
    rows = [line.split(",") for line in ran.stdout.splitlines()[1:]]
    assert [row[:2] for row in rows] == [
        ["first-turn", "fine"], ["whole-game", "fine"], ["input-closed", "fine"]
    ]  # fmt: skip
    assert (ran.returncode, wrong.returncode) == (0, 1)
    assert "first-turn,illegal," in wrong.stdout


def test_the_tests_of_the_games_hold_with_it(checkout: Path) -> None:
    # How large the house may be is said without this game.
    size = "tests/test_house.py::test_the_house_only_shrinks"
    ran = call(checkout, "pytest", "-q", "-p", "no:cacheprovider", "--deselect", size, *TESTS)

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " passed" in ran.stdout


def test_what_holds_for_all_games_holds_for_it(checkout: Path) -> None:
    ran = call(checkout, "pytest", "-q", "-p", "no:cacheprovider", "-k", "lights", *CONTRACT)

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " passed" in ran.stdout
