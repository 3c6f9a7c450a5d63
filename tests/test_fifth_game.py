"""A game is rules, a grammar and a manifest: proved by one that is put beside ours."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import ROOT, Ran, run

GAME = ROOT / "tests" / "fifth_game"
# The same game with Python of its own.
PYTHON_GAME = ROOT / "tests" / "python_game"
FOLDERS = ("asp", "parsers", "kb_score", "boards", "tests", "tools", "benchmarks", "docs")

# The game's own tests, tests that look at all games, and what holds forevery game.
TESTS = (
    "tests/games/lights/test_lights.py",
    "tests/test_house.py",
    "tests/rules/test_rule_files.py",
    *(f"tests/games/test_{verb}.py" for verb in ("check", "legal", "play", "rules")),
)


def call(folder: Path, *words: object, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, **more},
        timeout=200,
        check=False,
    )


def test_the_game_is_rules_a_grammar_and_a_manifest() -> None:
    files = {
        str(path.relative_to(GAME))
        for path in GAME.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert not [file for file in files if (ROOT / file).exists()]
    assert {file.split("/")[0] for file in files} == {"asp", "parsers", "boards", "tests"}
    assert not [file for file in files if file.endswith(".py") and not file.startswith("tests/")]


@pytest.mark.slow
def test_what_holds_for_all_games_holds_for_it(tmp_path: Path) -> None:
    leave = shutil.ignore_patterns("__pycache__", "fifth_game")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=leave)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(GAME, tmp_path, dirs_exist_ok=True, ignore=leave)
    page = ("rules", "list", "--game", "lights", "--format", "markdown")
    listed = call(tmp_path, "kb_score", *page, PYTHONPATH=str(tmp_path))
    with (tmp_path / "asp" / "README.md").open("a", encoding="utf-8") as readme:
        readme.write(f"\n## lights\n\n{listed.stdout}")

    # How dense the package may be is said without this game.
    chosen = ("-k", "(lights or test_house or share) and not stays_readable")
    words = ("-q", "-p", "no:cacheprovider", *chosen, *TESTS)
    ran = call(tmp_path, "pytest", *words, PYTHONPATH=str(tmp_path))

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " passed" in ran.stdout


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the game and its files, far from the package."""
    folder = tmp_path_factory.mktemp("outside")
    leave = shutil.ignore_patterns("__pycache__", "tests")
    shutil.copytree(GAME, folder / "games", ignore=leave)
    shutil.copytree(GAME / "boards" / "lights", folder / "boards")
    shutil.copy(ROOT / "boards" / "kingdom_builder" / "example.txt", folder)
    bots = {"bad": "echo hello; cat >/dev/null", "good": BOT}
    tables = (
        f'[[bot]]\nname = "{name}"\ncommand = """sh -c \'{bot}\'"""\n' for name, bot in bots.items()
    )
    contest = ['game = "lights"', 'maps = ["boards/cross.txt"]', *tables]
    (folder / "lights.toml").write_text("\n".join(contest))
    return folder


def command(
    outside: Path, *words: object, games: str = "games"
) -> subprocess.CompletedProcess[str]:
    return call(outside, "kb_score", *words, PYTHONPATH=str(ROOT), KB_SCORE_GAMES=games)


# Runs the commands that it reads, in one process.
RUNS = """
import json, shlex, sys
from tests.helpers import run
print(json.dumps([vars(run(*shlex.split(words))) for words in json.load(sys.stdin)]))
"""


# A bot that presses the middle of the cross whenever a grid has ended.
BOT = 'while read -r l; do [ "$l" ] || echo press 1 1; done'
REASON = r"at turn 2, wrong-grid: (.*\n)+├─ .* \[.*; \w+\.lp:[0-9]+\]\n"


VERBS = [
    ("check lights boards/solved.txt", 0, "consistent with the rules"),
    ("check lights boards/wrong.txt --why --depth 1", 1, REASON),
    ("legal lights boards/wrong.txt --turn 1", 0, "press"),
    ("playouts lights boards/cross.txt --most-turns 3", 0, "press"),
    (f"play lights boards/cross.txt --watch -- sh -c '{BOT}'", 0, "finished"),
    (f"bot lights -- sh -c '{BOT}'", 0, "4 of 4 cases fine"),
    ("draw lights boards/solved.txt --turn 1", 0, "<svg"),
    ("replay lights boards/solved.txt", 0, "<html"),
    ("playground lights boards/solved.txt", 0, "<html"),
    ("rules list rulings --game lights", 0, "wrap_around"),
    ("rules show reached --game lights", 0, "lights/rules.lp"),
    ("facts boards/solved.txt", 0, r"(start|board)_cell\(0,1,\"\*\"\)\."),
    ("check --help", 0, "  lights "),
    ("contest lights.toml --jobs 2 --format csv", 0, "\n1,good,.*\n2,bad,"),
    ("score example.txt --cards 1", 0, "discoverers"),
]


@pytest.fixture(scope="module", params=["games", "one/lights", "python"])
def games(request: pytest.FixtureRequest, outside: Path) -> str:
    """What KB_SCORE_GAMES names: three ways in which a game may lie somewhere."""
    folder: str = request.param
    leave = shutil.ignore_patterns("__pycache__")
    if folder == "one/lights":
        shutil.copytree(GAME / "asp" / "lights", outside / folder)
        shutil.copy(GAME / "parsers" / "lights.lark", outside / folder / "texts.lark")
    elif folder == "python":
        shutil.copytree(PYTHON_GAME, outside / folder, ignore=leave)
    return folder


@pytest.mark.slow
def test_the_game_has_all_verbs_from_outside_the_package(outside: Path, games: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUNS],
        input=json.dumps([words for words, _, _ in VERBS]),
        capture_output=True,
        text=True,
        cwd=outside,
        env={**os.environ, "PYTHONPATH": str(ROOT), "KB_SCORE_GAMES": games},
        timeout=200,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    for (words, status, shown), told in zip(VERBS, json.loads(done.stdout), strict=True):
        ran = Ran(**told)
        assert ran.status == status, (words, ran.err)
        assert re.search(shown, ran.out), words


def test_a_folder_without_games_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KB_SCORE_GAMES", str(tmp_path))

    ran = run("rules", "list", "cards")

    assert (ran.status, ran.out) == (2, "")
    lacks = "there is no game here: no file game.toml, and no folder kb_score/games"
    assert ran.err == f"{tmp_path}: {lacks}\n"


def test_plain_clingo_checks_the_records_of_the_game(outside: Path) -> None:
    program = command(outside, "facts", "--program", "boards/wrong.txt")
    clingo = [sys.executable, "-m", "clingo", "-"]
    done = subprocess.run(clingo, input=program.stdout, capture_output=True, text=True, check=False)

    assert done.stderr == ""
    assert 'violation(2,"wrong-grid"' in done.stdout


@pytest.mark.slow
def test_the_cases_of_a_bot_are_what_the_page_about_them_shows(outside: Path) -> None:
    (code,) = re.findall(
        r"^```python\n(.*?)^```$", (ROOT / "docs" / "bots_compliance.md").read_text(), re.M | re.S
    )
    home = outside / "cases"
    shutil.copytree(PYTHON_GAME, home)
    module = home / "kb_score" / "games" / "lights" / "game.py"
    module.write_text(f"{module.read_text()}\n\n{code}")

    ran, wrong = (
        command(outside, "bot", "lights", "--format", "csv", "--", "sh", "-c", bot, games="cases")
        for bot in (BOT, "while read -r l; do echo hello; done")
    )

    rows = [line.split(",") for line in ran.stdout.splitlines()[1:]]
    assert [row[:2] for row in rows] == [
        ["first-turn", "fine"], ["whole-game", "fine"], ["input-closed", "fine"]
    ]  # fmt: skip
    assert (ran.returncode, wrong.returncode) == (0, 1)
    assert "first-turn,illegal," in wrong.stdout
